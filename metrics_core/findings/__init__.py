"""What a reader should be told: findings as data and as a sentence.

A sentence is a tuple of spans, each with the part it plays (a run's name, the statement itself,
what qualifies it), so that pages can colour it and a report or a test can read its plain text.
"""
