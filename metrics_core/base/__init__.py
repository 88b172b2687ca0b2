"""Modules used by all packages: errors, notes, wording, the cache, threads, compiled loops."""
