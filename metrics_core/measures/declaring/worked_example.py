"""The worked example for all measures, used in docs/measures.md and in the tests.

One query with six results, and two judged documents that were not retrieved:

    rank        1     2     3    4      5    6        not retrieved
    document    x     a     b    c      d    e        f    g
    grade       none  2     0    1      -1   3        1    0
    price       10    20    5    40     5    20       50   10
    popularity  0.5   0.25  0.5  0.125  1    0.25     0.5  0.5
    category    s     s     t    u      s    t        u    t

Relevant (grade 1 or more) are a, c, e and f, so R = 4; the negative grade of d is not a judgment.
Subtopic measures use the same list with these grades; the highest for each document is the grade
above:

    subtopic   1                     2                3
    grades     a 2, b 0, c 1, f 1    a 1, d -1, e 3   e 1, g 0
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_core.judging import JudgedRanks, build_single_query
from metrics_core.judging.documents import plain_list_documents
from metrics_core.judging.subtopics import SubtopicJudgments

LISTED = ("x", "a", "b", "c", "d", "e")
GRADES = {"a": 2, "b": 0, "c": 1, "d": -1, "e": 3, "f": 1, "g": 0}
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "price": dict(zip("xabcdefg", (10, 20, 5, 40, 5, 20, 50, 10), strict=True)),
    "popularity": dict(zip("xabcdefg", (0.5, 0.25, 0.5, 0.125, 1, 0.25, 0.5, 0.5), strict=True)),
    "category": dict(zip("xabcdefg", "sstustut", strict=True)),
}

SUBTOPICS = {
    "1": {"a": 2, "b": 0, "c": 1, "f": 1},
    "2": {"a": 1, "d": -1, "e": 3},
    "3": {"e": 1, "g": 0},
}

_FUNCTIONS = {name: getattr(math, name) for name in ("log2", "log", "exp", "sqrt")}
_FUNCTIONS |= {"sum": sum, "range": range}


def make_example() -> JudgedRanks:
    """Return the example as judged ranks (the ranks of judged documents) of a single query."""
    judged = sorted(GRADES, key=lambda doc: -GRADES[doc])
    places = [(i, doc) for i, doc in enumerate(LISTED, 1) if doc in GRADES]
    plain = build_single_query(
        [(i, GRADES[doc]) for i, doc in places],
        GRADES.values(),
        len(LISTED),
        rows=[judged.index(doc) for _, doc in places],
        documents=plain_list_documents(LISTED, judged, COLUMNS),
    )
    return replace(plain, subtopics=_subtopics())


def _subtopics() -> SubtopicJudgments:
    names = sorted({*LISTED, *GRADES})
    rows = sorted(
        (-names.index(doc), int(subtopic), grade, LISTED.index(doc) + 1 if doc in LISTED else 0)
        for subtopic, grades in SUBTOPICS.items()
        for doc, grade in grades.items()
    )
    document, subtopic, grade, rank = np.array(rows).T
    query = np.zeros(len(rows), dtype=np.int64)
    return SubtopicJudgments(query, -document, subtopic, grade.astype(np.float64), rank, 1)


def evaluate_arithmetic(arithmetic: str) -> float:
    """Return the value of an arithmetic expression in a declaration, such as "(1 / 2 + 2 / 4) /
    4"."""
    return float(eval(arithmetic, {"__builtins__": {}, **_FUNCTIONS}))
