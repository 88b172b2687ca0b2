"""The pages, one file each. The render function of a page gets findings, figures and blocks from
the session."""
