"""What changed since a snapshot, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.checks.snapshots import Changes

_NAMED = 5


def changes_findings(changes: Changes, file: str, shared: int) -> list[str]:
    """A sentence for each kind of change, and over how many queries is compared all the same; none
    where nothing changed."""
    if not changes:
        return []
    said = []
    judged = changes.judged or {}
    if judged:
        each = [f"{query_id} ({_grades(then, now)})" for query_id, (then, now) in judged.items()]
        said.append(
            f"The judgments of {_queries(len(judged))} changed since {file}: {_some(each)}."
        )
    for ids, verb in ((changes.gone, "no longer judged"), (changes.new, "judged now and not then")):
        if ids:
            is_or_are = w.plural(len(ids), "is", "are")
            said.append(f"{w.sentence_case(_queries(len(ids)))} {is_or_are} {verb}: {_some(ids)}.")
    if changes.lacking:
        said.append(
            f"{file} has no scores of {w.listing(map(str, changes.lacking))}: not compared."
        )
    if changes.remade:
        measures = w.listing(map(str, changes.remade))
        said.append(
            f"Another version of the package that adds it measures {measures} now: not compared."
        )
    if judged or changes.gone or changes.new:
        said.append(f"Compared on the {_queries(shared)} whose judgments are as they were.")
    return said


def _queries(n: int) -> str:
    return f"{w.number(n)} {w.plural(n, 'query', 'queries')}"


def _grades(then: int, now: int) -> str:
    if then == now:
        return f"{w.count(now)} {w.plural(now, 'grade')} as then, not the same"
    return f"{w.count(then)} {w.plural(then, 'grade')} then, {w.count(now)} now"


def _some(words: Sequence[str]) -> str:
    more = len(words) - _NAMED
    return ", ".join(words[:_NAMED]) + (f" and {w.count(more)} more" if more > 0 else "")
