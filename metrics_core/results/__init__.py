"""What the Python interface returns: frames and values that can be shown as text, HTML and
LaTeX."""
