"""Combine judged ranks (the ranks of judged documents) that are read in several parts: the parts in
a folder become one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.tables import RankedRun

_MARKERS = ("_SUCCESS", "_metadata", "_common_metadata", "_started_", "_committed_")
_PART = re.compile(r"\bpart-(\d+|\*)")


def is_part_file(name: str) -> bool:
    """Return whether a file name is the name of one part of a folder, such as part-00000, or of a
    file that joins several parts."""
    return bool(_PART.search(name))


def is_marker_file(name: str) -> bool:
    """Return whether a file is a marker or checksum file that Spark and Hadoop write next to the
    parts, such as _SUCCESS."""
    return name.startswith(_MARKERS) or (name.startswith(".") and name.endswith(".crc"))


def shared_part_name(name: str) -> str:
    """Return the name that all parts of a folder share."""
    return _PART.sub("part-*", name)


def join_run_parts(
    named_tables: Sequence[tuple[str, object]],
) -> Iterator[tuple[int, list[int], RankedRun]]:
    """Join the parts of each run that consists of several parts. Yields the index of the first
    part, the indexes of the other parts, and the run.

    `named_tables` are pairs of a name and a table. A name consists of file and run, such as
    part-00000.parquet/bm25. Parts that contain the same query are separate runs, so nothing is
    yielded for them."""
    groups: dict[str, list[tuple[int, RankedRun]]] = {}
    for index, (name, table) in enumerate(named_tables):
        if isinstance(table, RankedRun) and is_part_file(name):
            groups.setdefault(shared_part_name(name), []).append((index, table))
    for (first_index, run), *others in groups.values():
        joined_run = run.join([part for _, part in others]) if others else None
        if joined_run is not None:
            yield (
                first_index,
                [index for index, _ in others],
                joined_run.with_notes(judged_ranks_note(joined_run)),
            )


def judged_ranks_note(run: RankedRun) -> Note:
    """Return the note that only the ranks of judged documents were loaded for this run. The note
    states the numbers of listed and of judged documents."""
    documents = len(run) - run.doc_ids.null_count
    message = (
        f"only the ranks of judged documents were loaded: of {int(run.lengths.sum()):,} listed"
        f" documents, only the {documents:,} judged {w.plural(documents, 'one is', 'ones are')}"
        " identified; other ids, scores and ties are unknown"
    )
    return Note("judged_ranks", message, documents)
