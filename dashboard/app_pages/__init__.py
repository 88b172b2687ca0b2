"""One file a page: a render function that asks the session for findings, figures and blocks."""
