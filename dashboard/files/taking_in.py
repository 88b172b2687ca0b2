"""Files that are given together: in which order they are read, and what each of them holds. No
Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from dashboard.files.query_zip import Carried, Cut, opened_cut, read_carried
from dashboard.files.remembered import Answers
from dashboard.files.uploaded_file import UploadedFile, Way, tables_of, way_of
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded, at_a_glance
from metrics_core.formats.parsing.ranks_parts import is_beside_parts
from metrics_core.tables import Qrels


@dataclass
class Taken:
    """What the `files` hold, as far as they are read: `read` has the tables of each by its place,
    `refused` those that could not be read. `open_judgments` are those of the open collection."""

    files: Sequence[UploadedFile]
    open_judgments: Sequence[Qrels] = ()
    read: dict[int, list[Loaded]] = field(default_factory=dict)
    refused: list[tuple[UploadedFile, RanklensError]] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    answers: Answers = field(default_factory=dict)
    """What readers said of files of each shape."""

    @cached_property
    def order(self) -> list[tuple[int, Way]]:
        """The places of the files, those first by which others are recognised, without what only
        stands beside parts of judged ranks, unless there is nothing else."""
        places = [n for n, given in enumerate(self.files) if not is_beside_parts(given.name)]
        ways = [(n, way_of(self.files[n])) for n in places or range(len(self.files))]
        if len(ways) < 2:
            return ways
        return sorted(ways, key=lambda one: _turn(self.files[one[0]], one[1]))

    @property
    def tables(self) -> list[Loaded]:
        """All tables, in the order in which their files were given."""
        return [loaded for number in sorted(self.read) for loaded in self.read[number]]

    def judgments(self, *, guessed: bool = True) -> list[Qrels]:
        """The judgments that are there so far, with or without files that are judgments by a
        guess."""
        return [
            *self.open_judgments,
            *(
                table
                for loaded in self.tables
                if isinstance(table := loaded.table, Qrels)
                and (guessed or loaded.evidence != "guess")
            ),
        ]

    def take(self, number: int, tables: Callable[[], list[Loaded]] | None = None) -> None:
        """Read a file, or take the `tables` that were read of it elsewhere."""
        given = self.files[number]
        if tables is None:
            tables = partial(self._tables_in, given, dict(self.order)[number])
        self.read[number] = self._read(given, tables)

    def _tables_in(self, given: UploadedFile, way: Way) -> list[Loaded]:
        if way not in ("cut", "carried over"):
            return tables_of(given, judgments=self.judgments(guessed=False), answers=self.answers)
        if way == "cut":
            cut = opened_cut(given.origin, given.name)
        else:
            cut = Cut({}, read_carried(given.whole()))
        self.carried.append(cut.carried)
        inner = [UploadedFile(file, content) for file, content in cut.files.items()]
        return [loaded for own in inner for loaded in self._read(own, partial(tables_of, own))]

    def _read(self, given: UploadedFile, tables: Callable[[], list[Loaded]]) -> list[Loaded]:
        try:
            return tables()
        except RanklensError as error:
            refused = error
        except Exception as error:  # one file's failure must not take the others with it
            refused = RanklensError(
                f"{given.name} could not be read: {type(error).__name__}.",
                "This is a bug in Ranklens; the other files are not affected.",
            )
        self.refused.append((given, refused))
        return []


def taken_by(given: UploadedFile, **choices: Any) -> Taken:
    """What one file holds, read by these choices."""
    taken = Taken([given])
    taken.take(0, partial(tables_of, given, **choices))
    return taken


def _turn(given: UploadedFile, way: Way) -> int:
    """When a file is read: collections, into which the others go; judgments; what says what it is;
    what the judgments may tell; long runs last, for they are judged while they are read."""
    if way not in ("plain", "long"):
        return 0 if way == "packed" else 2
    found = at_a_glance(given.origin, given.name)
    sure = found is not None and found.evidence != "guess"
    if sure and found is not None and found.kind == "qrels":
        return 1
    return 4 if way == "long" else 2 if sure else 3
