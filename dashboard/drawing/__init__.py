"""Values to what is seen: figures of Plotly, blocks of markup, the theme. Computes nothing."""
