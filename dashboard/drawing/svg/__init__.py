"""Charts as SVG, for documents in which scripts do not run."""
