"""Parts of judged ranks that came one by one: those of one folder are one run. No Streamlit
here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dashboard.opened.files import File
from metrics_core.formats import Loaded
from metrics_core.formats.ranks_parts import joined_parts, whole_of_part


def with_parts_joined(files: Sequence[File]) -> list[File]:
    """The files, the first part of each run holding all of it; the others are not used by
    themselves."""
    listed = list(files)
    for first, others, run in joined_parts([(f.file, f.table) for f in files]):
        listed[first] = replace(listed[first], table=run)
        why = f"a part of {run.name}, as {listed[first].file} is"
        for place in others:
            listed[place] = replace(listed[place], used=False, why_not=why)
    return listed


def parts_as_one(read: Sequence[Loaded]) -> list[Loaded]:
    """Tables that were given at once, the parts of each run as one file of it."""
    made: list[Loaded | None] = list(read)
    for first, others, run in joined_parts([(one.file, one.table) for one in read]):
        made[first] = replace(read[first], table=run, file=whole_of_part(read[first].file))
        for place in others:
            made[place] = None
    return [loaded for loaded in made if loaded is not None]
