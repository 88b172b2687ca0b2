"""The version, known to everything without asking for the package's doors."""

__version__ = "0.1.0"
