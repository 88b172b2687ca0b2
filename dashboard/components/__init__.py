"""Components that run in the browser, each with its script and style sheet.

A component takes its data and callbacks for its events; it does not know the session.
"""
