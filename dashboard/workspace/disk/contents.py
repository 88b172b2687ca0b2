"""What is in a collection's database: its tables and their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.workspace.disk import database
from dashboard.workspace.disk.database import Row, damaged_text

SCHEMA = {
    "collection": "record TEXT",
    "files": "record TEXT",
    "layers": "id TEXT, name TEXT, begun TEXT, judged INTEGER, place INTEGER, removed INTEGER",
    "grades": "layer_id TEXT, query_id TEXT, doc_id TEXT, grade, grader TEXT, graded TEXT",
    "notes": "query_id TEXT, note_id TEXT, text TEXT, author TEXT, written TEXT",
    "tags": "query_id TEXT, tag TEXT, is_set INTEGER, author TEXT, written TEXT",
}
"""The tables of a collection's database. `record` is JSON; of `grades`, `notes` and `tags` the last
row about the same thing counts, and the earlier ones say what it was before."""

GROWING = ("grades", "notes", "tags")
"""Tables that rows are only added to."""


@dataclass(frozen=True)
class Contents:
    """The rows of a collection's database by table: those that are as they were written, and with
    their checksums those that are not."""

    whole: Mapping[str, Sequence[Row]]
    damaged: Mapping[str, Sequence[Row]]

    def layers(self) -> list[Row]:
        """The rows of layers; one without a name for grades whose layer's row is lost."""
        here = list(self.whole["layers"])
        ids = dict.fromkeys(row[1] for row in self.whole["grades"])
        lost = [layer for layer in ids if layer not in {row[1] for row in here}]
        last = max((row[0] for row in (*here, *self.damaged["layers"])), default=0)
        rows = [(n, v, f"Unnamed layer {v}", "", 0, 0, 0) for n, v in enumerate(lost, last + 1)]
        return here + rows

    def lost(self) -> list[str]:
        """What is legible of damaged rows, but for grades of a layer, which that tells."""
        layers = {row[1] for row in self.layers()}
        return [
            damaged_text(row)
            for table in ("layers", *GROWING)
            for row in self.damaged[table]
            if table != "grades" or row[1] not in layers
        ]


NOTHING = Contents(dict.fromkeys(SCHEMA, ()), dict.fromkeys(SCHEMA, ()))
"""What is in a collection without anything."""


def put_contents(state: database.Connection, contents: Contents) -> None:
    """Write the layers, grades, notes and tags of a collection that has none."""
    for table in ("layers", *GROWING):
        database.put(state, table, contents.whole[table])
        database.put_raw(state, table, contents.damaged[table])


def read_contents(path: Path, known: Contents) -> Contents:
    """The rows of a database; of tables that grew since they were `known` only the new ones are
    read. Raises as `database.reading`."""
    whole, damaged = dict[str, Sequence[Row]](), dict[str, Sequence[Row]]()
    with database.reading(path) as state:
        for table in SCHEMA:
            before: Sequence[Row] = known.whole[table]
            lost: Sequence[Row] = known.damaged[table]
            if table not in GROWING or not _has_grown(state, table, before, lost):
                before, lost = (), ()
            after = max((row[0] for row in (*before[-1:], *lost[-1:])), default=-1)
            new, new_lost = database.rows_of(state, table, after)
            whole[table], damaged[table] = (*before, *new), (*lost, *new_lost)
    return Contents(whole, damaged)


def _has_grown(
    state: database.Connection, table: str, before: Sequence[Row], lost: Sequence[Row]
) -> bool:
    """Whether a table still has all rows that it had, as far as their number and the last one
    say."""
    if not before:
        return False
    last = before[-1]
    count = f"SELECT count(*) FROM {table} WHERE number <= ?"
    most = max(last[0], *(row[0] for row in lost[-1:]), 0)
    if state.execute(count, (most,)).fetchone()[0] != len(before) + len(lost):
        return False
    check = state.execute(f"SELECT checksum FROM {table} WHERE number = ?", last[:1]).fetchone()
    return check == (database.checksum(last),)
