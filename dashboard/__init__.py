"""The Ranklens dashboard: pages that show the results of metrics_core, built with Streamlit and
Plotly."""
