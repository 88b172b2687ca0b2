"""Charts: each function turns a table into a Plotly figure. Nothing here computes results or
depends on pages."""
