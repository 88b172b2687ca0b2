"""Bytes on the disk: databases, tables, and what is still arriving."""
