"""One file per page, whose render function asks the session for findings, figures and blocks."""
