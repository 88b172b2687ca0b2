"""The difference of two runs on randomly drawn queries, computed from the judgments made so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.comparing.drawn_queries import (
    QueryDraw,
    count_leading_finished_queries,
    detectable_difference,
)
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.list_changes import find_documents_to_judge
from metrics_core.explaining.list_comparison import read_lists
from metrics_core.judging import join_judgments
from metrics_core.judging.layers import Grades
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.tables import Qrels, Run


@dataclass(frozen=True, eq=False)
class DrawnJudgments:
    """The progress of judging the queries of a random draw.

    query_ids    the drawn queries that are not left out, in the order in which to judge them
    documents    the documents whose grades the measure needs, in the order of `query_ids`. Columns:
                 query_id, doc_id, graded (bool)
    n_counted    number of queries before the first unfinished one; only these count
    level        confidence level of a verdict on the counted queries
    row          the run's row of `compare` on the counted queries; None below ten queries. mean and
                 baseline_mean are NaN while a document in both lists has no grade
    n_others     number of queries that were not drawn but have grades in the layer; they do not
                 count
    n_available  number of queries from which the draw was made"""

    run: str
    baseline: str
    measure: Measure
    draw: QueryDraw
    query_ids: tuple[str, ...]
    documents: pd.DataFrame
    n_counted: int
    level: float
    row: pd.Series | None
    n_others: int
    n_available: int

    @property
    def is_finished(self) -> bool:
        """Whether the judging of every randomly drawn query is finished."""
        return self.n_counted == len(self.query_ids)

    @property
    def n_differing(self) -> int:
        """The number of queries, among the first `n_counted`, on which the scores of the two runs
        differ."""
        return 0 if self.row is None else int(self.row["differing"])

    @property
    def is_comparison_shown(self) -> bool:
        """Whether the comparison is shown. It is if enough queries are completely judged and, in
        addition, enough of them differ in their scores or the whole draw is judged."""
        return self.row is not None and (self.n_differing >= FEWEST_DIFFERING or self.is_finished)

    @property
    def n_to_judge(self) -> int:
        """The number of drawn queries that need grades."""
        return int(self.documents["query_id"].nunique())

    @property
    def detectable_difference(self) -> float:
        """A rough estimate of the smallest difference that can be detected once all randomly drawn
        queries are judged; NaN if unknown."""
        n_drawn = len(self.query_ids)
        return detectable_difference(n_drawn, self.n_to_judge / n_drawn) if n_drawn else np.nan


def depends_on_unshared_documents(measure: Measure) -> bool:
    """Whether differences of this measure only depend on documents that are in exactly one of the
    two lists."""
    return measure.declaration.name == "P" and not measure.value("judged_only")


def list_documents_to_judge(
    run: Run, baseline: Run, measure: Measure, query_ids: Sequence[str]
) -> pd.DataFrame:
    """Return the documents that need grades so that a difference of the measure can be computed, in
    the order of `query_ids`. Columns: query_id, doc_id. Queries with the same list in both runs
    have no such documents."""
    one_list, k = depends_on_unshared_documents(measure), measure.cutoff or 0
    return find_documents_to_judge(run, baseline, query_ids, k, only_in_one_list=one_list)


def list_all_queries(run: Run, baseline: Run) -> list[str]:
    """Return the queries with results in either run. A random draw is made from these queries."""
    return list(dict.fromkeys([*baseline.query_ids, *run.query_ids]))


def evaluate_draw(
    run: Run, baseline: Run, draw: QueryDraw, measure: Measure, qrels: Qrels, layer: Grades
) -> DrawnJudgments:
    """Return the progress of judging the randomly drawn queries, and the difference over the
    queries before the first one that is not completely judged.

    `measure` must have a cutoff and need no data besides grades. Grades come from `layer` and
    `qrels`; for a document that is graded in both, the grade in `layer` is used. A document with a
    negative grade counts as unjudged."""
    all_queries = list_all_queries(run, baseline)
    query_ids = draw.judging_order(all_queries)
    grades = _collect_grades(qrels, layer, query_ids)
    run, baseline = (
        _select_top_results(each, query_ids, measure.cutoff or 0) for each in (run, baseline)
    )
    documents = list_documents_to_judge(run, baseline, measure, query_ids)
    pairs = zip(documents["query_id"], documents["doc_id"], strict=True)
    graded = np.array([pair in grades for pair in pairs], dtype=np.bool_)
    unfinished = set(documents["query_id"][~graded])
    n_counted = count_leading_finished_queries(
        np.array([q not in unfinished for q in query_ids], dtype=np.bool_)
    )
    level, counted = draw.level(n_counted, len(all_queries)), query_ids[:n_counted]
    row = None
    if n_counted >= FEWEST_QUERIES:
        tops = [each.select_queries(counted) for each in (run, baseline)]
        scores = _score_counted_queries(tops, measure, grades, counted)
        row = compare(scores, measure, baseline.name, method=Method(level=level)).iloc[1].copy()
        listed = pd.concat([top.table.select(["query_id", "doc_id"]).to_pandas() for top in tops])
        if not grades.keys() >= set(zip(listed["query_id"], listed["doc_id"], strict=True)):
            row[["mean", "baseline_mean"]] = np.nan
    return DrawnJudgments(
        run=run.name,
        baseline=baseline.name,
        measure=measure,
        draw=draw,
        query_ids=tuple(query_ids),
        documents=documents.assign(graded=graded),
        n_counted=n_counted,
        level=level,
        row=row,
        n_others=len({query_id for query_id, _ in layer}.difference(query_ids)),
        n_available=len(all_queries),
    )


def _collect_grades(qrels: Qrels, layer: Grades, query_ids: Sequence[str]) -> Grades:
    """Return the grades of these queries, without negative grades. A grade in `layer` replaces the
    grade of the same document in `qrels`."""
    drawn = set(query_ids)
    is_drawn = np.array([query_id in drawn for query_id in qrels.query_ids], dtype=np.bool_)
    rows = np.flatnonzero(is_drawn[qrels.query_codes])
    names = np.array(qrels.query_ids, dtype=object)[qrels.query_codes[rows]]
    pairs = zip(names.tolist(), qrels.doc_ids.take(rows).to_pylist(), strict=True)
    grades = dict(zip(pairs, qrels.relevance[rows].tolist(), strict=True)) | dict(layer)
    return {pair: grade for pair, grade in grades.items() if pair[0] in drawn and grade >= 0}


def _score_counted_queries(
    top_results: Sequence[Run], measure: Measure, grades: Grades, counted_queries: Sequence[str]
) -> Scores:
    """Score both runs on the counted queries. A counted query can lack judgments only if both runs
    have the same list. Both scores are then set to 0, because the difference is 0 in any case."""
    values = np.zeros((2, len(counted_queries), 1))
    position = {q: i for i, q in enumerate(counted_queries)}
    rows = [(*pair, grade) for pair, grade in grades.items() if pair[0] in position]
    if rows:
        judgments = Qrels.from_columns(*zip(*rows, strict=True))
        scores = score_runs([join_judgments(top, judgments) for top in top_results], (measure,))
        values[:, [position[query_id] for query_id in scores.query_ids]] = scores.values
    names, missing = tuple(top.name for top in top_results), np.zeros(values.shape[:2], np.bool_)
    return Scores(names, tuple(counted_queries), (measure,), values, missing)


def _select_top_results(run: Run, query_ids: Sequence[str], k: int) -> Run:
    """Return a run with only the first k documents of these queries, in the order of
    `query_ids`."""
    query, rank, doc_ids = read_lists(run, query_ids, k)
    names = np.array(query_ids, dtype=object)[query]
    return Run.from_columns(run.name, names.tolist(), doc_ids, -rank, distinct=True)
