"""Runs that stay on the disk, and the cache of what was worked out of them."""
