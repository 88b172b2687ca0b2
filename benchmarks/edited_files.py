"""Lists and judgments as plain Python holds them: edited, put in a better order, written to files.

Nothing here asks what is being checked: scores come from `evaluate`, which reads the files.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from metrics_core import evaluate
from metrics_core.explaining.what_if import Edit, Grade, Move, Remove
from metrics_core.measures import Measure
from metrics_core.tables import Qrels, Run

Lists = dict[str, list[str]]
"""query_id -> doc_ids, best first."""
Grades = dict[str, dict[str, float]]
"""query_id -> doc_id -> grade."""
Edits = dict[str, Edit]

_NEAR_THE_TOP = 20


class Written:
    """Lists and judgments as files, and their scores as `evaluate` reads them."""

    def __init__(self, folder: Path) -> None:
        self._run, self._qrels = folder / "edited.run", folder / "edited.qrels"

    def scores(self, lists: Lists, grades: Grades, measures: Sequence[Measure]) -> pd.DataFrame:
        """A row for each judged query, a column for each measure."""
        with self._run.open("w") as file:
            for query_id, listed in lists.items():
                for rank, doc_id in enumerate(listed, 1):
                    file.write(f"{query_id} Q0 {doc_id} {rank} {len(listed) - rank} edited\n")
        with self._qrels.open("w") as file:
            for query_id, own in grades.items():
                for doc_id, grade in own.items():
                    file.write(f"{query_id} 0 {doc_id} {grade:g}\n")
        frame = evaluate(self._run, self._qrels, measures)
        return frame.set_index("query_id").drop(columns="run")


def lists_of(run: Run) -> Lists:
    """The lists of a run: by score, highest first, ties by doc_id, last in byte order first."""
    every: dict[str, list[tuple[float, bytes, str]]] = {}
    columns = (run.table[name].to_pylist() for name in ("query_id", "doc_id", "score"))
    for query_id, doc_id, score in zip(*columns, strict=True):
        every.setdefault(query_id, []).append((score, doc_id.encode(), doc_id))
    return {q: [doc_id for *_, doc_id in sorted(rows)[::-1]] for q, rows in every.items()}


def grades_of(qrels: Qrels) -> Grades:
    """The judgments by query and document."""
    every: Grades = {}
    columns = (qrels.table[name].to_pylist() for name in ("query_id", "doc_id", "relevance"))
    for query_id, doc_id, grade in zip(*columns, strict=True):
        every.setdefault(query_id, {})[doc_id] = float(grade)
    return every


def better_lists(
    lists: Lists, grades: Grades, first: int, least: float
) -> tuple[Lists, Lists, Lists]:
    """The lists of the judged queries with their first results in the best order, with all of them,
    and with the relevant documents that they lack."""

    def best_first(doc_ids: Iterable[str], own: dict[str, float]) -> list[str]:
        every = list(doc_ids)
        gains = [d for d in every if own.get(d, -math.inf) >= least]
        return sorted(gains, key=lambda d: -own[d]) + [d for d in every if d not in set(gains)]

    ordered, deeper, best = {}, {}, {}
    for query_id, own in grades.items():
        listed = lists.get(query_id, [])
        ordered[query_id] = best_first(listed[:first], own) + listed[first:]
        deeper[query_id] = best_first(listed, own)
        missing = [d for d in own if own[d] >= least and d not in set(listed)]
        best[query_id] = best_first([*listed, *missing], own)
    return ordered, deeper, best


def drawn(kind: str, lists: Lists, grades: Grades, chance: random.Random) -> Edits:
    """An edit of each judged query: of a document near the top of its list, or of a judged one."""
    edits: Edits = {}
    known = sorted({grade for own in grades.values() for grade in own.values()})
    for query_id, own in grades.items():
        near = lists.get(query_id, [])[:_NEAR_THE_TOP]
        doc_id = chance.choice([*near, *list(own)[:_NEAR_THE_TOP]])
        if kind == "a move":
            edits[query_id] = Move(doc_id, chance.randint(1, _NEAR_THE_TOP))
        elif kind == "a removal":
            edits[query_id] = Remove(chance.choice(near) if near else doc_id)
        else:
            edits[query_id] = Grade(doc_id, chance.choice([*known, None]))
    return edits


def edited(lists: Lists, grades: Grades, edits: Edits) -> tuple[Lists, Grades]:
    """Copies with every query's edit made."""
    lists, grades = dict(lists), dict(grades)
    for query_id, edit in edits.items():
        if isinstance(edit, Grade):
            own = {d: grade for d, grade in grades[query_id].items() if d != edit.doc_id}
            new = {} if edit.grade is None else {edit.doc_id: edit.grade}
            grades[query_id] = own | new
            continue
        left = [d for d in lists.get(query_id, []) if d != edit.doc_id]
        if isinstance(edit, Move):
            left = [*left[: edit.rank - 1], edit.doc_id, *left[edit.rank - 1 :]]
        lists[query_id] = left
    return lists, grades


def top_grade(grades: Grades) -> float:
    """The highest grade of all, 0 where none is above it."""
    return max((max(own.values(), default=0.0) for own in grades.values()), default=0.0)
