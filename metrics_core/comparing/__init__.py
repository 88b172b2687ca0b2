"""Is it real: differences query by query, and tests of them."""
