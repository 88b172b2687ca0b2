"""Checks: whether the files fit together, and whether stored scores agree with computed ones."""
