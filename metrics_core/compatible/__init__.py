"""Interfaces of other packages that compute their results with our measures."""
