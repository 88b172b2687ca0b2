"""Lines and values to columns."""
