"""The server: the application behind its door, long uploads, what every page comes with."""
