"""The contents of a collection's database, which are its tables with their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.workspace.disk import database
from dashboard.workspace.disk.database import Row, format_damaged_row

SCHEMA = {
    "collection": "record TEXT",
    "files": "record TEXT",
    "layers": "id TEXT, name TEXT, begun TEXT, judged INTEGER, place INTEGER, removed INTEGER",
    "grades": "layer_id TEXT, query_id TEXT, doc_id TEXT, grade, grader TEXT, graded TEXT",
    "notes": "query_id TEXT, note_id TEXT, text TEXT, author TEXT, written TEXT",
    "tags": "query_id TEXT, tag TEXT, is_set INTEGER, author TEXT, written TEXT",
}
"""The tables of a collection's database with their columns. `record` is JSON. In `grades`, `notes`
and `tags`, the last row for the same item is valid; earlier rows are its history."""

GROWING = ("grades", "notes", "tags")
"""Tables in which rows are only appended, never changed."""


@dataclass(frozen=True)
class Contents:
    """The rows of a collection's database by table. Intact rows and damaged rows are separate;
    damaged rows include their checksums."""

    intact: Mapping[str, Sequence[Row]]
    damaged: Mapping[str, Sequence[Row]]

    def layers(self) -> list[Row]:
        """Return the rows of layers. If the row of a layer is lost but grades of the layer exist, a
        row for an unnamed layer is added."""
        layer_rows = list(self.intact["layers"])
        ids = dict.fromkeys(row[1] for row in self.intact["grades"])
        lost_layers = [layer for layer in ids if layer not in {row[1] for row in layer_rows}]
        last = max((row[0] for row in (*layer_rows, *self.damaged["layers"])), default=0)
        rows = [
            (n, v, f"Unnamed layer {v}", "", 0, 0, 0) for n, v in enumerate(lost_layers, last + 1)
        ]
        return layer_rows + rows

    def damaged_row_texts(self) -> list[str]:
        """Return the readable text of damaged rows. Damaged grades of an existing layer are not
        included, because the layer itself contains them."""
        layers = {row[1] for row in self.layers()}
        return [
            format_damaged_row(row)
            for table in ("layers", *GROWING)
            for row in self.damaged[table]
            if table != "grades" or row[1] not in layers
        ]


NO_CONTENTS = Contents(dict.fromkeys(SCHEMA, ()), dict.fromkeys(SCHEMA, ()))
"""The contents of an empty collection."""


def put_contents(connection: database.Connection, contents: Contents) -> None:
    """Write layers, grades, notes and tags to the database of a collection. The database must not
    contain any layers, grades, notes or tags yet."""
    for table in ("layers", *GROWING):
        database.put_rows(connection, table, contents.intact[table])
        database.write_rows_with_checksums(connection, table, contents.damaged[table])


def read_contents(path: Path, previous: Contents) -> Contents:
    """Read the rows of a database. If rows were only appended to a table since `previous` was read,
    only the new rows are read.

    Raises the errors of `database.open_for_reading`."""
    intact, damaged = dict[str, Sequence[Row]](), dict[str, Sequence[Row]]()
    with database.open_for_reading(path) as state:
        for table in SCHEMA:
            rows_before: Sequence[Row] = previous.intact[table]
            damaged_rows: Sequence[Row] = previous.damaged[table]
            if table not in GROWING or not _keeps_earlier_rows(
                state, table, rows_before, damaged_rows
            ):
                rows_before, damaged_rows = (), ()
            last_number = max(
                (row[0] for row in (*rows_before[-1:], *damaged_rows[-1:])), default=-1
            )
            new, new_lost = database.read_rows(state, table, last_number)
            intact[table], damaged[table] = (*rows_before, *new), (*damaged_rows, *new_lost)
    return Contents(intact, damaged)


def _keeps_earlier_rows(
    connection: database.Connection,
    table: str,
    rows_before: Sequence[Row],
    damaged_rows: Sequence[Row],
) -> bool:
    """Return whether a table still has all rows that it had before. Only the number of rows and the
    last row are compared. Returns False if there were no rows before."""
    if not rows_before:
        return False
    last = rows_before[-1]
    count = f"SELECT count(*) FROM {table} WHERE number <= ?"
    last_number = max(last[0], *(row[0] for row in damaged_rows[-1:]), 0)
    if connection.execute(count, (last_number,)).fetchone()[0] != len(rows_before) + len(
        damaged_rows
    ):
        return False
    check = connection.execute(
        f"SELECT checksum FROM {table} WHERE number = ?", last[:1]
    ).fetchone()
    return check == (database.row_checksum(last),)
