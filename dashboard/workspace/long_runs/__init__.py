"""Runs that stay on the disk, and the cache of results computed from them."""
