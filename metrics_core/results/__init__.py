"""What the Python interface returns: frames and values with a text, HTML and LaTeX."""
