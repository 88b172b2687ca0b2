"""Parts of judged ranks that came one by one: those of one folder are one run. No Streamlit
here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dashboard.opened.files import File
from metrics_core.formats import Loaded
from metrics_core.formats.judged_ranks import is_part, ranks_note, whole_of_part
from metrics_core.tables import RankedRun


def with_parts_joined(files: Sequence[File]) -> list[File]:
    """The files, the first part of each run holding all of it; the others are not used by
    themselves."""
    listed = list(files)
    for first, others, run in _joined(files):
        listed[first] = replace(listed[first], table=run)
        why = f"a part of {run.name}, as {listed[first].file} is"
        for place in others:
            listed[place] = replace(listed[place], used=False, why_not=why)
    return listed


def parts_as_one(read: Sequence[Loaded]) -> list[Loaded]:
    """Tables that were given at once, the parts of each run as one file of it."""
    made: list[Loaded | None] = list(read)
    for first, others, run in _joined(read):
        made[first] = replace(read[first], table=run, file=whole_of_part(read[first].file))
        for place in others:
            made[place] = None
    return [loaded for loaded in made if loaded is not None]


def _joined(
    given: Sequence[File | Loaded],
) -> Iterator[tuple[int, list[int], RankedRun]]:
    """For each run of several parts the place of the first, those of the others, and all of it.
    Parts that list the same query are no parts of one folder, and stay runs."""
    wholes: dict[str, list[tuple[int, RankedRun]]] = {}
    for place, one in enumerate(given):
        if isinstance(one.table, RankedRun) and is_part(one.file):
            wholes.setdefault(whole_of_part(one.file), []).append((place, one.table))
    for (first, run), *others in wholes.values():
        joined = run.joined([part for _, part in others]) if others else None
        if joined is not None:
            yield first, [place for place, _ in others], joined.noting(ranks_note(joined))
