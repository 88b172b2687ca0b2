"""Charts as SVG, for where no script is."""
