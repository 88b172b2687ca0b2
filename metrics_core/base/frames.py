"""pandas, loaded on first use and imported under the name `pd`.

Reading and scoring files do not need pandas, and loading it takes as long as evaluating a million
rows."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import pandas

    return getattr(pandas, name)
