"""Files on disk: databases, tables, and uploads that are still arriving."""
