"""What a reader does: a module a use case, each the callbacks of its page."""
