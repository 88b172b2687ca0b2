"""Format results as text: tables for a terminal, for programs, for Markdown and for papers in
LaTeX."""
