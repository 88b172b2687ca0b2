"""Findings for readers, as data and as sentences.

A sentence is a tuple of spans. Each span has a role (such as a run's name, the statement, or its
qualification), so that pages can colour it, and reports and tests can read its plain text."""
