"""Charts: one function each, table in, Plotly figure out. Nothing here computes or knows pages."""
