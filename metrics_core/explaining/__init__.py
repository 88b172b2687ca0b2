"""Why: everything about one query."""
