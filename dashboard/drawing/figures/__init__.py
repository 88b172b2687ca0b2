"""Charts: each function turns a table into a Plotly chart. The functions do not compute results and
do not depend on pages."""
