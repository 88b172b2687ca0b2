"""The address of a page, which is the query string of its URL: the fields of the address, the view
that it describes, and how a measure is written in it. This package does not use Streamlit."""
