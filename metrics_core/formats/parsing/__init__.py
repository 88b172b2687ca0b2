"""Lines to columns: what the formats of a kind have in common."""
