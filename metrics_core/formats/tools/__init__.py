"""Files that other tools write, a module a family: how one is known, and what it holds."""
