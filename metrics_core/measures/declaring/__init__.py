"""Declaration, names, description and combination of measures."""
