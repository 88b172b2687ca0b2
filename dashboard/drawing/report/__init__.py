"""Documents that leave the dashboard as one self-contained file."""
