"""From values to graphics: figures for Plotly, blocks of markup, the theme. Computes nothing."""
