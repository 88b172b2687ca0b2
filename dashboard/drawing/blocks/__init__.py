"""Drawn tables and lists: one function each, table in, escaped markup out; see `templates`."""
