"""What each page shows, as one value: study and view in, findings and frames out.

One module a page, without Streamlit and without drawing; results are kept by the study. Nothing is
imported here: a page that nobody opened yet is not loaded.
"""
