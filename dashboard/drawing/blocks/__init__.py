"""Tables and lists: each function turns a table into escaped markup, using `templates`."""
