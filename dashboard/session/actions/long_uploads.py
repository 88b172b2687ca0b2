"""Uploaded files as tables; long ones are read while the page goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from dashboard.files.converting import ONE_AT_A_TIME, converted
from dashboard.files.uploaded_file import UploadedFile, tables_of
from dashboard.session.open_collection import collection, judgments_of, workspace
from dashboard.session.reading import Reading
from metrics_core import formats
from metrics_core.formats import Loaded
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels

_STATE = "_long_uploads"


def reading_of(
    of: tuple[int, int], given: UploadedFile, beside: Iterable[Loaded]
) -> Reading[list[Loaded]]:
    """The reading of a long file, the number-th `of` the uploader that was drawn, begun once in
    whichever run of the page; judged with the judgments that are open or were given `beside` it."""
    begun: dict[tuple[int, int], Reading[list[Loaded]]]
    begun = st.session_state.setdefault(_STATE, {})
    if of not in begun:
        tables = (loaded.table for loaded in beside)
        judgments = [*judgments_of(collection()), *(t for t in tables if isinstance(t, Qrels))]
        source, cache = open_source(given.origin, given.name), workspace().cache

        def read(progress: Callable[[int], None]) -> list[Loaded]:
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
