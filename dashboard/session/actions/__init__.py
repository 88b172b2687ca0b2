"""Actions of the user. There is one module per use case, with the callbacks of its page."""
