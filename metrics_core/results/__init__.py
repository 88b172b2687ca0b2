"""Return values of the Python interface: frames and objects that can be shown as text, HTML and
LaTeX."""
