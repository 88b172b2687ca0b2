"""What leaves the dashboard as one file that stands by itself."""
