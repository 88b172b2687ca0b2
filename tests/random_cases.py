"""How many random cases a test tries: on each push fewer than in `make thorough`."""

from __future__ import annotations

import os
from typing import TypeVar

from hypothesis import settings

Choice = TypeVar("Choice")

THOROUGH = bool(os.environ.get("RANKLENS_THOROUGH"))
"""Whether this is `make thorough`, which also runs the tests marked as random."""


def in_this_run(on_push: Choice, thorough: Choice) -> Choice:
    """Return the first on each push, the second in `make thorough`."""
    return thorough if THOROUGH else on_push


def examples(thorough: int) -> settings:
    """Settings of Hypothesis for this number of examples in `make thorough`, and for three tenths
    of it on each push."""
    return settings(max_examples=in_this_run(max(6, thorough * 3 // 10), thorough), deadline=None)
