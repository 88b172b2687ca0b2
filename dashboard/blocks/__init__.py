"""Drawn tables and lists: one function each, table in, escaped HTML out."""
