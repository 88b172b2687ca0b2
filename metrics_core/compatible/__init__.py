"""Interfaces of other packages, backed by our measures."""
