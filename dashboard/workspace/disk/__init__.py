"""Bytes on the disk: databases, tables, and uploads that are still arriving."""
