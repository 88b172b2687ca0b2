"""Components that run in the browser, each with its own script and style sheet.

The functions take the data of a component and the callbacks for its events. They do not use the
session."""
