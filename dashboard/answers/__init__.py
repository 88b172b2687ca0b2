"""What each page shows: functions that take the study and the view, and return findings and frames.

There is one module per page, without Streamlit and without drawing; the study caches the results.
This package imports nothing, so that a page's module is loaded only when somebody opens the
page.
"""
