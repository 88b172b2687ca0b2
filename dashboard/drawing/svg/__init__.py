"""Charts as SVG, for places without scripts."""
