"""Preferences between documents (`-R prefs`, `qrels_prefs`): read, and held against a ranking.

A judge (judgment group) prefers a document to each one to which he gave a lower level in the same
subgroup. The documents of a query are numbered by where the run has them: 0, 1, … for those it
lists, then the others by id. Preference data is small, so each query is worked out by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.ending import CALCULATION, CONFLICT, Ended
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.tables import Run

Ints = npt.NDArray[np.int64]
Preferences = dict[str, pd.DataFrame]
"""Per query the judgments: columns group, subgroup, doc_id, level."""


def read_preferences(path: str, options: Options, *, subgroups: bool) -> Preferences:
    """Lines of `query group subgroup document level`, or without the subgroup."""
    fields = ["query_id", "group", "subgroup", "doc_id", "level"]
    if not subgroups:
        fields.remove("subgroup")
    data = files.read_bytes(path, what="prefs")
    layout = files.judgments_layout(*fields, comments=options.version == "10.0")
    table = files.read_table(data, layout, path)
    frame = pd.DataFrame({f: table[f].cast("string").to_pylist() for f in fields if f != "level"})
    frame["level"] = files.levels(table["level"])
    if not subgroups:
        frame["subgroup"] = "0"
    return {str(query): part for query, part in frame.groupby("query_id", sort=False)}


def listed(run: Run, queries: Sequence[str], options: Options) -> dict[str, list[str]]:
    """Per query its ranked documents; unlike elsewhere equal scores go by id, first id first."""
    ids, codes = run.query_ids, run.query_codes
    lists: dict[str, list[str]] = {}
    for query in queries:
        code = ids.index(query) if query in ids else -1
        rows = pa.array(np.flatnonzero(codes == code))
        part = run.table.take(rows).select(["score", "doc_id"])
        best = part.sort_by([("score", "descending"), ("doc_id", "ascending")])
        documents: list[str] = best["doc_id"].to_pylist()
        lists[query] = documents[: max(options.most_retrieved, 0)]
    return lists


@dataclass(frozen=True)
class Group:
    """One judge's preferences among J documents of a query.

    prefers  int64[J, J]   how often the row is preferred to the column
    level    float64[J]    the level of each document, -1 where he has not judged it
    times    int64[J]      how often he judged it
    classes  documents of equal level, highest level first, each ascending; empty where there are
             subgroups, which need not rank all pairs
    """

    prefers: Ints
    level: npt.NDArray[np.float64]
    times: Ints
    classes: tuple[Ints, ...]


@dataclass(frozen=True)
class Counted:
    """A query's judges, and how many of its judged documents the run lists: the first ones."""

    groups: tuple[Group, ...]
    retrieved: int


def counted(judgments: pd.DataFrame, documents: Sequence[str]) -> Counted:
    """A query's preferences against a ranking. Ends where a judge contradicts himself."""
    judged = set(judgments["doc_id"])
    retrieved = [d for d in documents if d in judged]
    others = sorted(judged - set(retrieved))
    number = {d: i for i, d in enumerate([*retrieved, *others])}
    numbered = judgments.assign(number=judgments["doc_id"].map(number))
    groups = tuple(_group(own, len(number)) for _, own in numbered.groupby("group", sort=True))
    return Counted(groups, len(retrieved))


def _group(own: pd.DataFrame, size: int) -> Group:
    numbers, levels = own["number"].to_numpy(), own["level"].to_numpy()
    if own["subgroup"].nunique() == 1:
        return _ranked(numbers, levels, size)
    return _partial(own, size)


def _ranked(numbers: Ints, levels: npt.NDArray[np.float64], size: int) -> Group:
    """A judge with one subgroup: a document of higher level is preferred to each of a lower."""
    level = np.full(size, -1.0)
    level[numbers] = levels
    if (level[numbers] != levels).any():
        raise _impossible("a document with different levels in one subgroup")
    times = np.bincount(numbers, minlength=size)
    higher = (level[:, None] > level[None, :]) & (times[:, None] > 0) & (times[None, :] > 0)
    classes = tuple(np.sort(numbers[levels == x]) for x in np.unique(levels)[::-1])
    return Group(higher * times[:, None] * times[None, :], level, times, classes)


def _partial(own: pd.DataFrame, size: int) -> Group:
    """A judge with subgroups: preferences within each, and what follows from them."""
    level = np.full(size, -1.0)
    prefers = np.zeros((size, size), dtype=np.bool_)
    for _, part in own.groupby("subgroup", sort=True):
        numbers, levels = part["number"].to_numpy(), part["level"].to_numpy()
        for n, x in zip(numbers.tolist(), levels.tolist(), strict=True):
            if (level[n] > 0 and x == 0) or (level[n] == 0 and x > 0):
                raise _impossible("a document has both 0 and another level")
            level[n] = x
        first, second = np.nonzero(levels[:, None] > levels[None, :])
        prefers[numbers[first], numbers[second]] = True
    prefers = _closed(prefers)
    if (prefers & prefers.T).any():
        raise Ended(CONFLICT, "trec_eval.form_prefs_counts: Pref inconsistency found")
    times = (level != -1.0).astype(np.int64)
    return Group(prefers.astype(np.int64), level, times, ())


def _closed(prefers: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """With a over b and b over c, also a over c; nothing over itself."""
    np.fill_diagonal(prefers, True)
    while True:
        further = (prefers.astype(np.float32) @ prefers.astype(np.float32)) > 0
        if (further == prefers).all():
            np.fill_diagonal(further, False)
            return further
        prefers = further


def _impossible(what: str) -> Ended:
    return Ended(CALCULATION, f"trec_eval.form_prefs_counts: {what}")
