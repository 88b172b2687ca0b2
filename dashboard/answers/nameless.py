"""Runs that came as judged ranks: which are looked at, and what nobody knows of them."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.study.study import Study
from metrics_core.base import wording as w


def nameless(study: Study, runs: Iterable[str]) -> list[str]:
    """Those of the runs that came as judged ranks: the documents that nobody judged have no name
    there."""
    return [name for name in dict.fromkeys(runs) if not study.runs[name].complete]


def as_judged_ranks(runs: list[str]) -> str:
    """The beginning of a sentence: that these runs came as judged ranks."""
    return f"{w.listing(runs)} came as judged ranks"
