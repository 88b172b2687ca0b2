"""How measures are declared, named, described and aggregated."""
