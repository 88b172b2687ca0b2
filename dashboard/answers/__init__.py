"""What each page shows: functions that take the study and the view, and return findings and frames.

There is one module per page, which uses no Streamlit and draws nothing; the study caches the
results. This package imports nothing, so that the module of a page is loaded only when somebody
opens the page."""
