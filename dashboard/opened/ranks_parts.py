"""Parts of judged ranks that came one by one: those of one folder are one run. No Streamlit
here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dashboard.opened.files import File
from metrics_core.formats.judged_ranks import is_part, ranks_note, whole_of_part
from metrics_core.tables import RankedRun


def with_parts_joined(files: Sequence[File]) -> list[File]:
    """The files, the first part of each run holding all of it; the others are not used by
    themselves. Parts that list the same query are no parts of one folder, and stay runs."""
    wholes: dict[str, list[tuple[int, RankedRun]]] = {}
    for place, file in enumerate(files):
        if isinstance(file.table, RankedRun) and is_part(file.file):
            wholes.setdefault(whole_of_part(file.file), []).append((place, file.table))
    listed = list(files)
    for (first, run), *others in wholes.values():
        joined = run.joined([part for _, part in others]) if others else None
        if joined is None:
            continue
        listed[first] = replace(listed[first], table=joined.noting(ranks_note(joined)))
        for place, _ in others:
            why = f"a part of {run.name}, as {listed[first].file} is"
            listed[place] = replace(listed[place], used=False, why_not=why)
    return listed
