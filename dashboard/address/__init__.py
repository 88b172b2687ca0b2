"""What a link says, what a view is, how a measure stands in it. No Streamlit."""
