"""pandas, loaded where it is first used: reading and scoring files need none of it, and loading it
takes as long as judging a million rows. Imported as `pd`."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import pandas

    return getattr(pandas, name)
