"""The server: the application behind its access control, long uploads, and the styles in every
page."""
