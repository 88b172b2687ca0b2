"""The address of a page: its fields, the view that it describes, and measures in it. No
Streamlit."""
