"""Files: what a file says beside what is loaded, read by the columns that are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.study.library import Library, as_kept_here
from dashboard.workspace import Settings
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.judging import judge
from metrics_core.tables import Qrels, Run, Table

_MOST_ROWS = 2_000_000
"""Rows of all runs that are joined with other judgments for one number."""
_FEW_GRADES = 4
_PARTS_OF_THE_HIGHEST = (0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Words:
    """What queries, judgments and what has one are called."""

    query: str = "query"
    queries: str = "queries"
    judgments: str = "judgments"
    grade: str = "grade"
    judged: str = "judged"
    complete: str = "every relevant document is judged"


OF_SEARCH = Words()
OF_USERS = Words(
    "user", "users", "ratings", "rating", "rated", "every item was offered to every user"
)


@dataclass(frozen=True)
class FileNumbers:
    """What a run or judgments say: each number with what it counts, `lacking` what its reader
    should know of documents without a grade; "" where all are judged, or that is unknown."""

    counts: tuple[tuple[str, str], ...]
    lacking: str = ""


@dataclass(frozen=True)
class RunsAndQrels:
    """The runs and the judgments that stand beside each other; None where there are none yet."""

    runs: tuple[Run, ...]
    qrels: Qrels | None


def pair_with(
    tables: Sequence[Table], file: str, library: Library, settings: Settings
) -> RunsAndQrels:
    """The tables of a file beside what is loaded, without what was made of the `file` before. Ids
    are read as the collection reads them."""
    own_runs = [as_kept_here(t, settings) for t in tables if isinstance(t, Run)]
    own_qrels = [as_kept_here(t, settings) for t in tables if isinstance(t, Qrels)]
    loaded = [
        f.table
        for f in library.of_kind("run")
        if isinstance(f.table, Run) and f.used and not is_of_file(f.file, file)
    ]
    runs = tuple(own_runs or loaded)
    if own_qrels:
        return RunsAndQrels(runs, own_qrels[0])
    used = library.judgments
    if used is None or is_of_file(used.file, file) or not isinstance(used.table, Qrels):
        return RunsAndQrels(runs, None)
    return RunsAndQrels(runs, as_kept_here(used.table, settings))


def is_of_file(made: str, file: str) -> bool:
    """Whether a table is of this file; those of several systems have names behind its own."""
    return made == file or made.startswith(f"{file}/")


def grades_offered(qrels: Qrels, now: float | None) -> list[float]:
    """From which grade a document may count as relevant: any above 0, and the higher ones, of many
    those about two thirds up; the one that counts `now` is among them, where there is one."""
    also = [] if now is None else [now]
    grades = np.unique(qrels.relevance[qrels.relevance > 0]).astype(float)
    if not len(grades):
        return also or [1.0]
    lowest, higher = min(1.0, grades[0]), grades[1:]
    if len(grades) > _FEW_GRADES:
        wanted = np.array(_PARTS_OF_THE_HIGHEST) * grades[-1]
        higher = higher[np.abs(higher[:, None] - wanted).argmin(axis=0)]
    return sorted({float(lowest), *also, *higher.tolist()})


def file_numbers(
    pair: RunsAndQrels, words: Words, cutoff: int, relevant_from: float
) -> FileNumbers:
    """How many queries both sides have, how many judgments there are and how many of them are of
    relevant documents, and how much of the first ranks is judged; what needs a side that is not
    there yet is left out."""
    runs, qrels = pair.runs, pair.qrels
    if qrels is None:
        rows = sum(len(run) for run in runs)
        queries = len({query_id for run in runs for query_id in run.query_ids})
        of = f"rows for {w.count(queries)} {w.plural(queries, words.query, words.queries)}"
        return FileNumbers(((w.count(rows), of),))
    given = qrels.given["relevance"].to_numpy()
    relevant = int((given >= relevant_from).sum())
    number = f"{w.grade(relevant_from)} or more"
    told = (w.count(len(given)), f"{words.judgments}, {w.count(relevant)} of them {number}")
    if not runs:
        return FileNumbers((told,))
    both = set(qrels.query_ids).intersection(*(run.query_ids for run in runs))
    in_runs = "the run" if len(runs) == 1 else f"each of {w.number(len(runs))} runs"
    found = f"{w.count(len(both))} of {w.count(len(qrels.query_ids))}"
    first = (found, f"{words.judged} {words.queries} are in {in_runs}")
    share = judged_share(runs, qrels, cutoff)
    if share is None:
        return FileNumbers((first, told))
    counts = (first, told, (w.share(share), f"of the top {w.count(cutoff)} {words.judged}"))
    return FileNumbers(counts, _lacking(share, words, cutoff))


def judged_share(runs: Sequence[Run], qrels: Qrels, cutoff: int) -> float | None:
    """The share of the documents in the first ranks of all runs that are judged; None where nobody
    knows, or it would take long."""
    if sum(len(run) for run in runs) > _MOST_ROWS:
        return None
    judged, listed = 0.0, 0
    for run in runs:
        try:
            ranks = judge(run, qrels)
        except RanklensError:  # no query in common
            continue
        judged += ranks.judged().count(cutoff).sum()
        listed += int(ranks.documents(cutoff).sum())
    return float(judged / listed) if listed else None


def _lacking(share: float, words: Words, cutoff: int) -> str:
    if share == 1:
        return ""
    return (
        f"{w.share(1 - share)} of the top {w.count(cutoff)} is not {words.judged}. “Unknown” keeps"
        f" that visible; “not relevant” is right only if {words.complete}."
    )
