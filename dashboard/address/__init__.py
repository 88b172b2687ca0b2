"""The address of a page (the query string of its URL): its fields, the view that it describes, and
how a measure is written in it. No Streamlit."""
