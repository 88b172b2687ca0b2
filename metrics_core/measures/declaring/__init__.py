"""How a measure is declared, named, described and combined over queries."""
