"""Judging documents in Ranklens: the unjudged documents of a query or comparison, and the effect of
the grades that are given."""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.judging_order import AT_RANDOM, BY_QUERY, MOVING, positions_in_random_order
from dashboard.answers.robustness import pair_ranks
from dashboard.answers.unjudged import (
    are_next_judgments_cached,
    next_judgments,
    unjudged_bounds,
    unjudged_ranks_of_pair,
)
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.comparing.winners import better_run_sign
from metrics_core.explaining.one_query import find_grades
from metrics_core.findings.grading import judging_finding, judging_subtitle
from metrics_core.findings.sentence import Sentence
from metrics_core.judging.ranking import ranked_documents
from metrics_core.scoring.scores import Scores
from metrics_core.unjudged.next_judgments import rank_by_effect

MOST_QUEUED = 500
"""Maximum number of documents that a judging session offers."""

_HIGHEST_KEY = 9
_QUICK_QUERIES = 2_000
"""Maximum number of queries for which the documents that settle the order can be found without a
noticeable wait."""
_NAMES = {
    1: ("Not relevant", "Relevant"),
    2: ("Not", "Partly", "Highly"),
    3: ("Not", "Slightly", "Fairly", "Highly"),
}
"""The names of the grades 0, 1, …, n for each scale, as answers to "How relevant is this
document?" The key is the highest grade n."""


@dataclass(frozen=True)
class Effect:
    """Effect of the layers of judgments. Each value is a tuple (without the layers, with the
    layers). `scores` has the scores of one query by run. `difference` is the mean difference of the
    two compared runs over the `queries` in view. Undefined values are NaN."""

    scores: dict[str, tuple[float, float]]
    difference: tuple[float, float]
    queries: int


def offered_grades(study: Study) -> list[int]:
    """Return the grades that users can enter with a key. They go from 0 to the highest grade in the
    files, but at least to 1 and at most to `_HIGHEST_KEY`."""
    highest = math.ceil(max(study.unlayered.grades, default=1))
    return list(range(min(max(highest, 1), _HIGHEST_KEY) + 1))


def grade_names(study: Study) -> list[str]:
    """Return the names of the grades that judges can enter with a key of the keyboard. If there are
    too many grades, only grade 0 has a name ("Not"), and the other names are ""."""
    grades = offered_grades(study)
    return list(_NAMES.get(grades[-1], ("Not", *[""] * (len(grades) - 1))))


def grade_adverbs(study: Study) -> dict[float, str]:
    """Return the adverb, in lower case, that comes before "relevant" in the name of each grade.
    Grades without an adverb are omitted."""
    adverbs = {"Highly", "Fairly", "Partly"}
    names = enumerate(grade_names(study))
    return {float(grade): name.lower() for grade, name in names if name in adverbs}


def grade_descriptions(study: Study) -> dict[float, str]:
    """Return the names of the grades as phrases for a legend, such as "highly relevant". Grades
    without a name are omitted."""
    return {
        float(grade): name.lower() if name.endswith("elevant") else f"{name.lower()} relevant"
        for grade, name in enumerate(grade_names(study))
        if name
    }


def unjudged_documents(study: Study, comparison: Comparison, query_id: str) -> pd.DataFrame:
    """Return the documents that have no judgment in the files, among the first k documents of each
    shown run's list for a query. Documents in the lists of the compared pair come first. Columns:
    query_id, doc_id, ranks (a dict from run to rank), title, text ("" if no documents are loaded).

    In runs loaded as judged ranks (the ranks of judged documents), unjudged documents are unknown
    and therefore missing. The result is empty if the judgments are complete."""
    documents = study.unlayered.cached_answer(
        _unjudged_documents, comparison.runs, comparison.cutoff, query_id
    )
    return documents.head(0) if study.settings.complete else documents


def _unjudged_documents(
    study: Study, runs: tuple[str, ...], cutoff: int, query_id: str
) -> pd.DataFrame:
    lists = {
        name: ranked_documents(study.runs[name], query_id, depth=cutoff).set_index("doc_id")["rank"]
        for name in runs
        if study.runs[name].complete
    }
    # A negative grade does not count as a judgment.
    judged_ids = [d for d, grade in find_grades(study.qrels, query_id).items() if grade >= 0]
    ranks = pd.DataFrame(lists).drop(index=judged_ids, errors="ignore")
    frame = pd.DataFrame(
        {
            "query_id": query_id,
            "doc_id": ranks.index.astype(object),
            "ranks": [_drop_unknown_ranks(row) for row in ranks.to_dict("records")],
            # The compared pair comes first among the shown runs.
            "first": ranks[ranks.columns.intersection(runs[:2])].min(axis=1).to_numpy(np.float64),
            "rank": ranks.min(axis=1).to_numpy(np.float64),
        }
    )
    frame = frame.sort_values(["first", "rank", "doc_id"], ignore_index=True)
    return add_document_texts(study, frame.drop(columns=["first", "rank"]))


def _drop_unknown_ranks(ranks: Mapping[Hashable, float]) -> dict[str, int]:
    return {str(run): int(rank) for run, rank in ranks.items() if not math.isnan(rank)}


def judging_queue(
    study: Study, comparison: Comparison, order: str = MOVING, n_to_settle: int | None = None
) -> pd.DataFrame:
    """Return the documents to judge next for the comparison. Columns: query_id, doc_id, ranks (a
    dict with the document's rank in each of the two runs, 0 if not within the cutoff).

    Only the judgments of the files count, so that the queue does not change while the user works on
    it. In the default order, the documents that could change the difference most come first, then
    the remaining documents by rank. The order by query sorts the first `n_to_settle` documents of
    the default order by query; the remaining ones follow, also by query. The result is empty if one
    of the runs was loaded as judged ranks."""
    return study.unlayered.cached_answer(
        _judging_queue, comparison, order, n_to_settle if order == BY_QUERY else None
    )


def _judging_queue(
    study: Study, comparison: Comparison, order: str, n_to_settle: int | None
) -> pd.DataFrame:
    lists = pair_ranks(study, comparison)
    cutoff = comparison.measure.cutoff or comparison.cutoff
    unjudged_ranks = unjudged_ranks_of_pair(study, comparison, cutoff)
    if unjudged_ranks.doc_ids is None:
        return pd.DataFrame(columns=["query_id", "doc_id", "ranks"])
    by_rank = pd.DataFrame(
        {
            "query_id": np.array(lists[0].query_ids, dtype=object)[unjudged_ranks.query],
            "doc_id": unjudged_ranks.doc_ids.to_pylist(),
            "run_rank": unjudged_ranks.run_rank,
            "baseline_rank": unjudged_ranks.baseline_rank,
        }
    )
    by_rank = by_rank.iloc[np.argsort(unjudged_ranks.best_rank, kind="stable")]
    if order == AT_RANDOM:
        rows = by_rank.iloc[
            positions_in_random_order(
                list(zip(by_rank["query_id"], by_rank["doc_id"], strict=True))
            )
        ]
    else:
        rows = _order_by_effect(study, comparison, by_rank)
    if order == BY_QUERY:
        positions = {query_id: i for i, query_id in enumerate(lists[0].query_ids)}
        query_positions = rows["query_id"].map(positions).to_numpy()
        later = np.arange(len(rows)) >= (n_to_settle or 0)
        rows = rows.iloc[np.lexsort((query_positions, later))]
    rows = rows.head(MOST_QUEUED)
    both = rows[["run_rank", "baseline_rank"]].to_numpy().tolist()
    ranks = [
        {comparison.focus: focus_rank, comparison.baseline: baseline_rank}
        for focus_rank, baseline_rank in both
    ]
    return rows[["query_id", "doc_id"]].assign(ranks=ranks).reset_index(drop=True)


def _order_by_effect(
    study: Study, comparison: Comparison, rows_by_rank: pd.DataFrame
) -> pd.DataFrame:
    if comparison.measure.declaration.needs:
        return rows_by_rank  # the measure depends on more than grades
    cutoff = comparison.measure.cutoff or comparison.cutoff
    unjudged_ranks = unjudged_ranks_of_pair(study, comparison, cutoff)
    difference = effect_of_layers(study, comparison).difference[0]
    first = rank_by_effect(
        *pair_ranks(study, comparison), comparison.measure, unjudged_ranks, difference
    )
    return pd.concat([first, rows_by_rank]).drop_duplicates(["query_id", "doc_id"])


@dataclass(frozen=True)
class JudgingSummary:
    """How much is left to judge for the comparison, in words and numbers. `unjudged` is the number
    of unjudged documents; they belong to `queries` of the `total` queries in view. If the first
    `settle` documents of the queue turn out not relevant, the order of the runs is certain;
    `settle` is None if this number is unknown."""

    title: Sentence
    lead: Sentence
    unjudged: int
    queries: int
    total: int
    settle: int | None


def judging_summary(study: Study, comparison: Comparison) -> JudgingSummary:
    """Return how many documents are unjudged, according to the judgments in the files. The result
    includes the number of judgments that would settle the comparison if this number is cached or
    quick to compute."""
    settle = None
    can_settle = not comparison.is_single_run and not comparison.measure.declaration.needs
    # Without a cutoff the queue covers only the first ranks, which settle nothing.
    if (
        can_settle
        and comparison.measure.cutoff
        and (_has_few_queries(study) or are_next_judgments_cached(study.unlayered, comparison))
    ):
        settle = next_judgments(study.unlayered, comparison).n_to_settle
    return study.unlayered.cached_answer(_judging_summary, comparison, settle)


def _has_few_queries(study: Study) -> bool:
    return len(study.unlayered.query_ids) <= _QUICK_QUERIES


def _judging_summary(
    study: Study, comparison: Comparison, n_to_settle: int | None
) -> JudgingSummary:
    cutoff = comparison.measure.cutoff or comparison.cutoff
    unjudged_ranks = unjudged_ranks_of_pair(study, comparison, cutoff)
    unjudged = len(unjudged_ranks) if unjudged_ranks.is_matched else None
    lead = judging_subtitle(*comparison.pair, cutoff, n_unjudged=unjudged, n_to_settle=n_to_settle)
    side = better_run_sign(
        effect_of_layers(study, comparison).difference[0], comparison.measure.declaration.direction
    )
    leader = comparison.focus if side > 0 else comparison.baseline
    return JudgingSummary(
        judging_finding(cutoff, unjudged, n_to_settle, leader),
        lead,
        unjudged or 0,
        len(np.unique(unjudged_ranks.query)),
        study.n_in_view(comparison),
        n_to_settle if n_to_settle is not None and n_to_settle <= MOST_QUEUED else None,
    )


@dataclass(frozen=True)
class WorstCase:
    """The worst-case difference for the run that is ahead, over all possible grades of the unjudged
    documents. `before` is the difference without the layers, `after` the difference with them.
    `turns` is true if the difference could still change sign with the layers."""

    before: float
    after: float
    turns: bool


def layers_effect_on_worst_case(study: Study, comparison: Comparison) -> WorstCase | None:
    """Return the effect of the active layers on the worst case. Returns None if there is no worst
    case, if the layers change which run is ahead, or if the effect would take too long to
    compute."""
    if comparison.is_single_run or not _has_few_queries(study):
        return None
    before, after = (unjudged_bounds(s, comparison) for s in (study.unlayered, study))
    side = better_run_sign(before.difference)
    ends = [reached.lowest if side > 0 else reached.highest for reached in (before, after)]
    if (
        not side
        or better_run_sign(after.difference) != side
        or any(math.isnan(end) for end in ends)
    ):
        return None
    return WorstCase(ends[0], ends[1], after.can_reverse)


def next_documents_in_queue(
    study: Study, queue: pd.DataFrame, judged_pairs: Container[tuple[str, str]], n_documents: int
) -> pd.DataFrame:
    """Return the first `n_documents` documents of a queue that are neither judged nor skipped yet.
    Columns: the columns of the queue, title, text, and query (the query's text)."""
    pairs = zip(queue["query_id"], queue["doc_id"], strict=True)
    is_open = np.array([pair not in judged_pairs for pair in pairs], dtype=np.bool_)
    frame = add_document_texts(study, queue[is_open].head(n_documents).reset_index(drop=True))
    return frame.assign(query=[study.texts.get(q, q) for q in frame["query_id"]])


def add_effects(
    study: Study, comparison: Comparison, frame: pd.DataFrame, summary: JudgingSummary
) -> pd.DataFrame:
    """Return the frame with an additional column, effect: the largest change of the difference that
    the grade of the document can cause. It is 0 for a document whose effect is unknown. If all
    effects are unknown, the column is not added."""
    if summary.settle is None:
        return frame
    table = next_judgments(study.unlayered, comparison).table
    effects = table[["query_id", "doc_id"]].assign(effect=table["moves"].abs())
    return frame.merge(effects, "left", ["query_id", "doc_id"]).fillna({"effect": 0.0})


def add_document_texts(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with two additional columns: the title and the text of the document in the
    column doc_id. An unknown title or text is ""."""
    if study.documents is None or frame.empty:
        return frame.assign(title="", text="")
    rows = study.documents.lookup(frame["doc_id"]).reindex(frame["doc_id"])
    texts = {c: rows[c].fillna("").to_numpy() for c in ("title", "text") if c in rows}
    return frame.assign(**{"title": "", "text": "", **texts})


@cache_answer
def effect_of_layers(study: Study, comparison: Comparison, query_id: str = "") -> Effect:
    """Return the effect of the active layers on the comparison. If `query_id` is given, the result
    also has the scores of that query."""
    both = [s.scores(comparison, comparison.measure) for s in (study.unlayered, study)]
    before, after = (_query_scores(scores, query_id) for scores in both)
    means = [scores.combined()[:, 0] for scores in both]
    positions = [both[0].position(name) for name in comparison.pair]
    differences = [float(mean[positions[0]] - mean[positions[1]]) for mean in means]
    return Effect(
        {run: (before[run], after[run]) for run in after},
        (differences[0], differences[1]),
        both[1].n_queries,
    )


def _query_scores(scores: Scores, query_id: str) -> dict[str, float]:
    if query_id not in scores.query_ids:
        return dict.fromkeys(scores.runs, float("nan")) if query_id else {}
    position = scores.query_ids.index(query_id)
    return {run: float(scores.values[i, position, 0]) for i, run in enumerate(scores.runs)}
