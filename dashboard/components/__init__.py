"""What runs in the browser: a module a component, each beside its script and its sheet.

A component takes what it shows and, for what it tells, a callback; it knows nothing of the session.
"""
