"""The Ranklens dashboard: pages over metrics_core, drawn with Streamlit and Plotly."""
