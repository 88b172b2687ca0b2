"""Charts: each function turns a table into a Plotly figure. Nothing here computes or knows
pages."""
