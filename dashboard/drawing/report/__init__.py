"""Documents for use outside the dashboard, each a single self-contained file."""
