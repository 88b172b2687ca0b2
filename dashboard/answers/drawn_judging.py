"""Judging of randomly drawn queries: the measure, the documents to judge in order, and the
result."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.judging_order import positions_in_random_order
from dashboard.study.cached_answers import cache_answer, limit_cached_results
from dashboard.study.study import Study
from dashboard.workspace import Layer
from metrics_core.base import wording as w
from metrics_core.comparing.drawn_queries import QueryDraw
from metrics_core.explaining.drawn_judging import (
    DrawnJudgments,
    evaluate_draw,
    list_all_queries,
    list_documents_to_judge,
)
from metrics_core.findings.drawn_queries import new_draw_reasons, new_draw_steps
from metrics_core.measures import MEAN, Measure, parse_measure
from metrics_core.tables import Run

DRAW_SIZE = 50


def measure_for_random_queries(study: Study, comparison: Comparison) -> Measure:
    """Return the measure on which the runs are compared over the randomly drawn queries. This is
    the chosen measure if it has a cutoff and depends only on the first results and their grades;
    otherwise it is P@k."""
    measure = comparison.measure
    declaration = measure.declaration
    is_possible = (
        measure.cutoff
        and study.is_computed(measure)
        and declaration.by_query
        and not declaration.needs
        and declaration.combination == MEAN
    )
    return measure if is_possible else parse_measure(f"P@{comparison.cutoff}")


@cache_answer
@limit_cached_results(4)
def random_query_judgments(
    study: Study, comparison: Comparison, draw: QueryDraw, layer: Layer | None
) -> DrawnJudgments:
    """Return a judge's progress on the randomly drawn queries, and the comparison of the two runs
    on these queries. Grades in the files and in the judge's `layer` count."""
    pair, measure = _compared_runs(study, comparison), measure_for_random_queries(study, comparison)
    return evaluate_draw(*pair, draw, measure, study.unlayered.qrels, layer.grades if layer else {})


def _compared_runs(study: Study, comparison: Comparison) -> tuple[Run, Run]:
    return study.runs[comparison.focus], study.runs[comparison.baseline]


def queue_of_random_queries(state: DrawnJudgments) -> pd.DataFrame:
    """Return the documents to judge for the randomly drawn queries. The queries are in the order in
    which they were drawn; the documents of each query are in random order. Columns: query_id,
    doc_id, graded, number (of the query), heading."""
    rows = state.documents
    pairs = list(zip(rows["query_id"], rows["doc_id"], strict=True))
    numbers = {query_id: i for i, query_id in enumerate(state.query_ids, 1)}
    rows = rows.assign(number=rows["query_id"].map(numbers)).iloc[positions_in_random_order(pairs)]
    rows = rows.sort_values("number", kind="stable", ignore_index=True)
    documents, n = rows.groupby("number")["doc_id"], w.format_count(len(numbers))
    counts = rows["number"], documents.cumcount() + 1, documents.transform("size")
    headings = [
        f"Query {query} of {n} · document {document} of {size}"
        for query, document, size in zip(*counts, strict=True)
    ]
    return rows.assign(heading=headings)


def find_skipped_queries(
    queue: pd.DataFrame, skipped_pairs: Collection[tuple[str, str]]
) -> list[str]:
    """If all ungraded documents of the queue were skipped, return the ids of the queries to which
    these documents belong. Otherwise, return an empty list."""
    rows = queue[~queue["graded"]]
    pairs = zip(rows["query_id"], rows["doc_id"], strict=True)
    return list(rows["query_id"].unique()) if all(pair in skipped_pairs for pair in pairs) else []


@cache_answer
def describe_random_judging(
    study: Study, comparison: Comparison
) -> tuple[int, list[str], dict[str, str]]:
    """Return the number of queries to draw at random, sentences that describe how to judge them,
    and questions about this with their answers. There are no sentences if no grade could change the
    comparison."""
    runs, measure = _compared_runs(study, comparison), measure_for_random_queries(study, comparison)
    query_ids = list_all_queries(*runs)
    documents = list_documents_to_judge(*runs, measure, query_ids)
    n, n_all = min(DRAW_SIZE, len(query_ids)), len(query_ids)
    if documents.empty:
        return n, [], {}
    qrels = study.unlayered.qrels.to_pandas()
    judged = qrels.query("relevance >= 0")[["query_id", "doc_id"]]
    pairs = documents.merge(judged.drop_duplicates(), how="left", indicator="judged")
    waiting = pairs[pairs["judged"] == "left_only"]
    changed, undone = (each["query_id"].nunique() / n_all for each in (documents, waiting))
    steps = new_draw_steps(n, n_all, changed, undone, len(waiting) / n_all, str(measure))
    return n, steps, new_draw_reasons(n, n_all, changed)
