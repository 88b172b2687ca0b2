"""Files of other tools, a module a family."""
