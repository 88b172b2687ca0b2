"""Findings for the reader, as data and as sentences.

A sentence is a tuple of spans. Each span has a role (a run's name, the statement, its
qualification), so that pages can colour it, and reports and tests can read its plain text.
"""
