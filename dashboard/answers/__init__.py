"""The value that each page shows: takes the study and the view, returns findings and frames.

There is one module per page, without Streamlit and without drawing; the study caches the results.
Nothing is imported here, so that a page is loaded only when somebody opens it.
"""
