"""Long TREC runs: read, kept on the disk and judged in one pass. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

import pyarrow as pa

from dashboard.files.judged_places import keep_places
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.keeping import Keeping
from dashboard.workspace.long_runs.stored_run import is_long
from dashboard.workspace.long_runs.tables import content_of
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.formats.parsing.trec_lines import fields_of
from metrics_core.formats.registry import Kind, Loaded
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import trec_title
from metrics_core.tables import Qrels

SMALLEST = 4_000_000
"""Bytes of a file that may hold a long run, packed or not."""


ONE_AT_A_TIME = Lock()
"""Held while such a file is read: two at once would need twice the room."""

_TABLES = Memo(2)
_NO_JUDGMENTS = Qrels.from_columns([], [], [])


def converted(
    source: Source,
    cache: Cache,
    judgments: Sequence[Qrels] = (),
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> Loaded | None:
    """A long run whose rows the cache now keeps, judged with those of the `judgments` that seem to
    be its own; `progress` is told the bytes of text read so far. None where reading it whole
    decides: what is wrong or odd, other formats, short runs; and where nothing can be kept."""
    from metrics_core.judging.while_reading.judged import kept_run
    from metrics_core.judging.while_reading.judgments import judgments_of

    try:
        qrels = _fitting(source, judgments)
        tables = _TABLES(content_of(qrels.given, "qrels"), lambda: judgments_of(qrels))
        tables = tables if tables.plain else judgments_of(_NO_JUDGMENTS)
        for sort in (False, True):
            with cache.draft() as draft:
                if draft is None:
                    return None
                keeping = Keeping(cache, draft)
                found = kept_run(source, tables, keeping, sort=sort, kind=kind, progress=progress)
                if found is None:
                    continue
                if not is_long(len(keeping)):
                    return None
                run = keeping.kept(source.name, found.name, found.notes)
            if found.places is not None:
                keep_places(cache, run.rows.content, qrels, found.places)
            return Loaded(run, "trec", trec_title(source, "run"), source.name)
    except (RanklensError, MemoryError, OSError, pa.ArrowException):
        return None
    return None


def _fitting(source: Source, judgments: Sequence[Qrels]) -> Qrels:
    """The last of these judgments, if it can be of those that know the first query of a run."""
    query_id = "".join(fields_of(source.head.partition(b"\n")[0].decode())[:1])
    knowing = [qrels for qrels in judgments if query_id in qrels.query_ids]
    return [_NO_JUDGMENTS, *judgments, *knowing][-1]
