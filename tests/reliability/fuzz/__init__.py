"""Mutated files through every reader: `python -m tests.reliability.fuzz`, see `running`."""
