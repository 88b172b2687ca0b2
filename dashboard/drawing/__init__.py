"""Conversion of values to graphics: Plotly charts, blocks of markup, and the theme. Nothing is
computed here."""
