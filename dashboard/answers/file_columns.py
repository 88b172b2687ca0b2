"""Files: which column of a file is which, as far as it says so, and what its first row says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from metrics_core.base import wording as w
from metrics_core.formats import FirstRows
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, WORD_OF, likely_columns, place
from metrics_core.formats.parsing.columns import DISTANCES, NAMES, fold, understand
from metrics_core.formats.registry import Columns
from metrics_core.formats.values import is_number

Judgable = Literal["run", "qrels"]

_WORDS = {"query": "Query", "doc": "Document", "score": "Score", "grade": "Grade"}
_OF_USERS = {"query": "User", "doc": "Item", "score": "Score", "grade": "Rating"}
_USERS, _ITEMS = ("user", "userid", "uid"), ("item", "itemid", "movieid", "asin", "productid")
_SYSTEM = "System"
_SAMPLES = 3


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file that is read as this `kind`: for each word of ours what it is called
    here, and the column that it most likely means, where there is one."""

    found: FirstRows
    kind: Judgable
    labels: Mapping[str, str]
    likely: Columns

    @property
    def of_users(self) -> bool:
        """Whether queries are users here, and documents items."""
        return self.labels["query"] == _OF_USERS["query"]

    def offered(self, word: str) -> list[str]:
        """The columns to choose from for a word of ours; a system may be none of them."""
        return [*self.found.names, *([NO_COLUMN] if word == "system" else ())]

    def described(self, name: str) -> str:
        """A column's name with its first values; those of files without a header have numbers."""
        if name == NO_COLUMN:
            return "none: it is one run"
        at = self.found.names.index(name)
        values = list(dict.fromkeys(row[at] for row in self.found.rows if len(row) > at))[:_SAMPLES]
        return f"{_called(self.found, name)}: {', '.join(values)}" if values else name


def file_columns(
    found: FirstRows, kind: Judgable, chosen: Columns, *, of_users: bool = False
) -> FileColumns:
    """What may be chosen. `chosen` are the columns chosen before; `of_users` says that queries and
    documents are users and items here, as the names of the columns may, too."""
    named = {fold(name) for name in found.names}
    words = _OF_USERS if of_users or not named.isdisjoint((*_USERS, *_ITEMS)) else _WORDS
    number = "score" if kind == "run" else "grade"
    likely = likely_columns(found, kind)
    before = {WORD_OF.get(role, role): name for role, name in chosen.items()}
    if "rank" in before:
        before[number] = before.pop("rank")
    likely |= {
        word: found.names[at]
        for word, name in before.items()
        if name != NO_COLUMN and (at := place(found.names, name)) >= 0
    }
    if "system" in likely and before.get("system") == NO_COLUMN:
        likely["system"] = NO_COLUMN
    labels = {word: words[word] for word in ("query", "doc", number)}
    if "system" in likely:
        labels["system"] = _SYSTEM
    return FileColumns(found, kind, labels, likely)


def is_smallest_best(name: str, chosen: Columns) -> bool:
    """Whether the smallest number of this column is the best by its name, or was chosen to be."""
    before = chosen.get("score", "")
    return _is_rank(name) or fold(name) in DISTANCES or before == f"-{name}"


def as_read(columns: Columns, *, smallest: bool) -> dict[str, str]:
    """The columns as reading takes them: where the smallest is the best a score turned round, or a
    rank."""
    told = dict(columns)
    if smallest and "score" in told:
        name = told.pop("score")
        told |= {"rank": name} if _is_rank(name) else {"score": f"-{name}"}
    return told


def objection(columns: Columns, labels: Mapping[str, str]) -> str:
    """Why these columns cannot be read; "" where they can."""
    lacking = [label for word, label in labels.items() if not columns.get(word)]
    if lacking:
        return f"Choose the column of the {w.listing([label.lower() for label in lacking])}."
    names = list(columns.values())
    twice = [labels[word] for word, name in columns.items() if names.count(name) > 1]
    return f"{w.listing(twice)} are the same column." if twice else ""


def first_row(shown: FileColumns, columns: Columns, relevant_from: float | None = None) -> str:
    """What the first row says by these columns: "First row: query q1, document d3, score 0.5.";
    of a grade also whether it is that of a relevant document, where it is known from which."""
    first = shown.found.rows[0] if shown.found.rows else []
    row = dict(zip(shown.found.names, first, strict=False))
    told = (
        f"{label.lower()} {row.get(columns[word], w.DASH)}"
        for word, label in shown.labels.items()
        if columns[word] != NO_COLUMN
    )
    grade = row.get(columns.get("grade", ""), "")
    relevant = ""
    if relevant_from is not None and is_number(grade):
        relevant = f" → {'relevant' if float(grade) >= relevant_from else 'not relevant'}"
    return f"First row: {', '.join(told)}{relevant}."


def grade_offered(grade: float, offered: Sequence[float], judgment: str) -> str:
    """How a grade from which documents count as relevant is called among others."""
    return f"any {judgment}" if grade == offered[0] and grade <= 1 else w.grade(grade)


def roles(shown: FileColumns, columns: Columns) -> dict[str, str]:
    """What the columns that were chosen are called here, by their names."""
    return {name: shown.labels[word] for word, name in columns.items()}


def columns_unknown(found: FirstRows) -> bool:
    """Whether neither a run nor judgments are told by the names of the columns."""
    return all(understand(found.names, kind).missing for kind in ("run", "qrels"))


def _is_rank(name: str) -> bool:
    return fold(name) in NAMES["rank"]


def _called(found: FirstRows, name: str) -> str:
    numbered = found.names == [str(n) for n in range(1, len(found.names) + 1)]
    return f"column {name}" if numbered else name
