"""Parts of judged ranks that come one by one: those of one folder are one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.tables import RankedRun

_MARKERS = ("_SUCCESS", "_metadata", "_common_metadata", "_started_", "_committed_")
_PART = re.compile(r"\bpart-(\d+|\*)")


def is_part(name: str) -> bool:
    """Whether a file is called as a part of a folder is, part-00000…, or as several of them."""
    return bool(_PART.search(name))


def is_marker_file(name: str) -> bool:
    """Whether a file is called as those that Spark and Hadoop put beside parts, _SUCCESS and its
    kin: it tells of other files and holds no table."""
    return name.startswith(_MARKERS) or (name.startswith(".") and name.endswith(".crc"))


def shared_name(name: str) -> str:
    """What all parts of one folder are called alike."""
    return _PART.sub("part-*", name)


def join_run_parts(
    named_tables: Sequence[tuple[str, object]],
) -> Iterator[tuple[int, list[int], RankedRun]]:
    """Of tables with the names of their files and runs, such as part-00000.parquet/bm25: for each
    run that came in several parts the place of the first, those of the others, and all of it. Parts
    that list the same query are no parts of one folder, and stay runs."""
    groups: dict[str, list[tuple[int, RankedRun]]] = {}
    for index, (name, table) in enumerate(named_tables):
        if isinstance(table, RankedRun) and is_part(name):
            groups.setdefault(shared_name(name), []).append((index, table))
    for (first_index, run), *others in groups.values():
        joined_run = run.join([part for _, part in others]) if others else None
        if joined_run is not None:
            yield (
                first_index,
                [index for index, _ in others],
                joined_run.noting(ranks_note(joined_run)),
            )


def ranks_note(run: RankedRun) -> Note:
    """What such a run knows, and what it does not."""
    documents = len(run) - run.doc_ids.null_count
    message = (
        f"came as judged ranks: of {int(run.lengths.sum()):,} listed documents it identifies the"
        f" {documents:,} judged {w.plural(documents, 'one', 'ones')}; other ids, scores and ties"
        " are unknown"
    )
    return Note("judged_ranks", message, documents)
