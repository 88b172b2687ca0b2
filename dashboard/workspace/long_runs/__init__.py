"""Runs whose rows stay on disk, and the cache of results that were computed from them."""
