"""Uploaded files as tables; long ones are read while the page goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import streamlit as st

from dashboard.files.converting import ONE_AT_A_TIME, converted
from dashboard.files.given import Given
from dashboard.files.growing import EarlyReading
from dashboard.session.open_collection import collection, judgments_of, workspace
from dashboard.session.reading import Reading
from dashboard.workspace.disk.scratch import ScratchFile
from dashboard.workspace.long_runs.cache import Cache
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.formats import Loaded
from metrics_core.formats.parsing.ranks_parts import is_beside_parts
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels

_STATE = "_long_uploads"

_EARLY: WeakKeyDictionary[ScratchFile, EarlyReading] = WeakKeyDictionary()
"""What was begun before all of a file was here; gone with the file."""


def read_early(name: str, file: ScratchFile, cache: Cache, judgments: Sequence[Qrels]) -> None:
    """Begin to read a long file that is not all here, where it then can be judged."""
    if judgments and not is_beside_parts(name):
        _EARLY[file] = EarlyReading(name, file, cache, judgments)


def _early(given: Given, judgments: Sequence[Qrels]) -> EarlyReading | None:
    """What was begun of a file, if with these judgments."""
    begun = _EARLY.get(given.content) if isinstance(given.content, ScratchFile) else None
    if begun is None or len(begun.judgments) != len(judgments):
        return None
    same = all(a is b for a, b in zip(begun.judgments, judgments, strict=True))
    return begun if same else None


def tables_of(given: Given, **choices: Any) -> list[Loaded]:
    """A file's tables, or those of a set in a zip. Raises RanklensError."""
    if is_beside_parts(given.name):
        raise RanklensError(
            f"{given.name} is what Spark or Hadoop puts beside its files; it holds no table.",
            "Give the files beside it, part-00000… and its kin.",
        )
    if formats.is_set(given.origin):
        return with_stored_compared(formats.read_set(given.origin, name=given.name, **choices))
    return [formats.read(given.origin, name=given.name, **choices)]


def reading_of(
    of: tuple[int, int], given: Given, beside: Iterable[Loaded]
) -> Reading[list[Loaded]]:
    """The reading of a long file, the number-th `of` the uploader that was drawn, begun once in
    whichever run of the page; judged with the judgments that are open or were given `beside` it."""
    begun: dict[tuple[int, int], Reading[list[Loaded]]]
    begun = st.session_state.setdefault(_STATE, {})
    if of not in begun:
        tables = (loaded.table for loaded in beside)
        judgments = [*judgments_of(collection()), *(t for t in tables if isinstance(t, Qrels))]
        source, cache = open_source(given.origin, given.name), workspace().cache

        early = _early(given, judgments)

        def read(progress: Callable[[int], None]) -> list[Loaded]:
            made = early.result(progress) if early else None
            if made is not None and made.file == source.name:
                return [made]
            with ONE_AT_A_TIME:
                if formats.is_set(given.origin):
                    return tables_of(given)
                made = converted(source, cache, judgments, progress=progress)
                return tables_of(given) if made is None else [made]

        begun[of] = Reading(source, read)
    return begun[of]


def forget_readings() -> None:
    """Forget what was begun: it is kept, or told."""
    st.session_state.pop(_STATE, None)
