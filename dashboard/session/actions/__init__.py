"""Actions of the user: one module per use case, with the callbacks of its page."""
