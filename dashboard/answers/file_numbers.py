"""The Files page: numbers that describe a file if it is read with the chosen columns and combined
with the loaded files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.study.library import Library, apply_settings
from dashboard.workspace import Settings
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.judging import join_judgments
from metrics_core.tables import Qrels, Run, Table

_MOST_ROWS = 2_000_000
"""Maximum number of rows of all runs that are joined with judgments to compute a number. If there
are more rows, the number is omitted."""
_FEW_GRADES = 4
_PARTS_OF_THE_HIGHEST = (0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Words:
    """The words that the screen uses for queries and judgments."""

    query: str = "query"
    queries: str = "queries"
    judgments: str = "judgments"
    grade: str = "grade"
    judged: str = "judged"
    complete: str = "every relevant document is judged"


SEARCH_WORDS = Words()
USER_WORDS = Words(
    "user", "users", "ratings", "rating", "rated", "every item was offered to every user"
)


@dataclass(frozen=True)
class FileNumbers:
    """Numbers that describe a run or judgments. `counts` are pairs of a number and its description;
    `warning` is about unjudged documents, "" if all documents are judged or if this is unknown."""

    counts: tuple[tuple[str, str], ...]
    warning: str = ""


@dataclass(frozen=True)
class RunsAndQrels:
    """Runs, and the judgments for them. `qrels` is None if there are no judgments yet."""

    runs: tuple[Run, ...]
    qrels: Qrels | None


def combine_with_loaded_tables(
    tables: Sequence[Table], file: str, library: Library, settings: Settings
) -> RunsAndQrels:
    """Combine the tables of a file with the loaded tables that they need. Tables that were read
    from `file` before are left out. Ids are mapped with the id maps of the collection."""
    own_runs = [apply_settings(t, settings) for t in tables if isinstance(t, Run)]
    own_qrels = [apply_settings(t, settings) for t in tables if isinstance(t, Qrels)]
    loaded = [
        f.table
        for f in library.files_of_kind("run")
        if isinstance(f.table, Run) and f.used and not was_read_from_file(f.file, file)
    ]
    runs = tuple(own_runs or loaded)
    if own_qrels:
        return RunsAndQrels(runs, own_qrels[0])
    judgments_file = library.judgments
    if (
        judgments_file is None
        or was_read_from_file(judgments_file.file, file)
        or not isinstance(judgments_file.table, Qrels)
    ):
        return RunsAndQrels(runs, None)
    return RunsAndQrels(runs, apply_settings(judgments_file.table, settings))


def was_read_from_file(table_name: str, file: str) -> bool:
    """Return whether a table was read from this file. A file with several systems has tables named
    FILE/SYSTEM."""
    return table_name == file or table_name.startswith(f"{file}/")


def offered_grades(qrels: Qrels, current_grade: float | None) -> list[float]:
    """Return the grades that the user can choose as the lowest relevant grade, in ascending order.

    The first choice makes every grade above 0 relevant. If there are many grades, the other choices
    are only the grades nearest to 60, 70 and 80% of the highest grade. `current_grade` is always
    included unless it is None."""
    also = [] if current_grade is None else [current_grade]
    grades = np.unique(qrels.relevance[qrels.relevance > 0]).astype(float)
    if not len(grades):
        return also or [1.0]
    lowest, higher = min(1.0, grades[0]), grades[1:]
    if len(grades) > _FEW_GRADES:
        targets = np.array(_PARTS_OF_THE_HIGHEST) * grades[-1]
        higher = higher[np.abs(higher[:, None] - targets).argmin(axis=0)]
    return sorted({float(lowest), *also, *higher.tolist()})


def file_numbers(
    pair: RunsAndQrels, words: Words, cutoff: int, relevant_from: float
) -> FileNumbers:
    """Return the numbers of shared queries, of judgments and of relevant documents, and the judged
    share of the first ranks. Numbers that need a missing table are left out."""
    runs, qrels = pair.runs, pair.qrels
    if qrels is None:
        rows = sum(len(run) for run in runs)
        queries = len({query_id for run in runs for query_id in run.query_ids})
        unit = f"rows for {w.format_count(queries)} {w.plural(queries, words.query, words.queries)}"
        return FileNumbers(((w.format_count(rows), unit),))
    grades = qrels.input_table["relevance"].to_numpy()
    relevant = int((grades >= relevant_from).sum())
    number = f"{w.format_grade(relevant_from)} or more"
    judgment_count = (
        w.format_count(len(grades)),
        f"{words.judgments}, {w.format_count(relevant)} of them {number}",
    )
    if not runs:
        return FileNumbers((judgment_count,))
    shared_ids = set(qrels.query_ids).intersection(*(run.query_ids for run in runs))
    in_runs = "the run" if len(runs) == 1 else f"each of {w.number_word(len(runs))} runs"
    shared_count = f"{w.format_count(len(shared_ids))} of {w.format_count(len(qrels.query_ids))}"
    first = (shared_count, f"{words.judged} {words.queries} are in {in_runs}")
    share = judged_share(runs, qrels, cutoff)
    if share is None:
        return FileNumbers((first, judgment_count))
    counts = (
        first,
        judgment_count,
        (w.format_share(share), f"of the top {w.format_count(cutoff)} {words.judged}"),
    )
    return FileNumbers(counts, _unjudged_warning(share, words, cutoff))


def judged_share(runs: Sequence[Run], qrels: Qrels, cutoff: int) -> float | None:
    """Return the judged share of the documents in the first ranks of all runs, from 0 to 1. Returns
    None if the share is unknown or would take too long to compute."""
    if sum(len(run) for run in runs) > _MOST_ROWS:
        return None
    judged_count, listed_count = 0.0, 0
    for run in runs:
        try:
            ranks = join_judgments(run, qrels)
        except RanklensError:  # no query in common
            continue
        judged_count += ranks.judged().count(cutoff).sum()
        listed_count += int(ranks.documents(cutoff).sum())
    return float(judged_count / listed_count) if listed_count else None


def _unjudged_warning(share: float, words: Words, cutoff: int) -> str:
    if share == 1:
        return ""
    return (
        f"{w.format_share(1 - share)} of the top {w.format_count(cutoff)} is not {words.judged}."
        f" Choose “not relevant” only if {words.complete}; otherwise choose “unknown”."
    )
