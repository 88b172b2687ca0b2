"""Agreement of a ranking with the ideal ranking, as a whole and pair by pair."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, expand_per_query, prefix_sums, ratio
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Persistence, Rel, TopK
from metrics_core.measures.declaring.registry import measure, weights

Normalize = Annotated[bool, "divide by the highest score that the ideal order can reach"]


@measure(
    "Compat",
    aliases=("compatibility",),
    title="Compatibility",
    gloss="overlap with the ideal order",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le d} p^{i-1}\,|top_i \cap ideal_i| / i}"
    r"{\sum_{i \le d} p^{i-1}\,|ideal_i| / i}",
    reference="Clarke, Smucker and Vtyurina, Offline evaluation by maximum similarity to an ideal"
    " ranking, TOIS 2021; rank-biased overlap by Webber et al., TOIS 2010",
    worked={
        "Compat": "(0.95 / 2 + 0.95**2 / 3 + 0.95**3 * 2/4 + 0.95**4 * 2/5 + 0.95**5 * 3/6)"
        " / (1 + 0.95 + 0.95**2 + 0.95**3 + 0.95**4 * 4/5 + 0.95**5 * 4/6)",
        "Compat(p=0.5,normalize=False)": "(0.5 / 2 + 0.5**2 / 3 + 0.5**3 * 2/4 + 0.5**4 * 2/5"
        " + 0.5**5 * 3/6) / (1 + 0.5 + 0.5**2 + 0.5**3 + 0.5**4 + 0.5**5)",
    },
    ideal=1.0,
    unjudged="An unjudged document is not part of the ideal order.",
    differences=Difference(
        "ir_measures",
        "In the ideal list, judged documents that are missing from the run come last within"
        " their grade, even if the run has negative scores.",
        "ir_measures gives missing documents the score 0, so they come before documents with a"
        " negative score.",
    ),
)
def compatibility(
    ranks: JudgedRanks, *, p: Persistence = 0.95, normalize: Normalize = True
) -> Floats:
    """How similar the list is to the ideal list, with most weight on the top. The overlap of the
    two lists down to each rank is averaged, with weights that decrease from rank to rank by the
    factor p. The ideal list contains all documents with a grade above 0, sorted by grade. Documents
    of one grade are in the order of the run, followed by documents that the run lacks. The
    comparison goes to the depth d of the longer list."""
    hits, most = _weigh_overlaps(ranks, p, normalize)
    return ratio(hits.total(hits.relevance), most)


def _weigh_overlaps(ranks: JudgedRanks, p: float, normalize: bool) -> tuple[Hits, Floats]:
    """Return the results that are in the ideal list, and the divisor of each query's sum,
    float64[query]. The grades of the results are replaced by their contributions to the overlap."""
    hits, ideal_rank = ranks.gaining(), _ideal_ranks(ranks)
    gaining_ideal = ranks.ideal().select(ranks.ideal().relevance > 0)
    n_ideal = gaining_ideal.count().astype(np.int64)
    depth = np.maximum(ranks.retrieved, n_ideal)
    longest = int(depth.max(initial=0))
    weight = p ** np.arange(longest, dtype=np.float64)
    # Sums of p^(i-1)/i and of p^(i-1) over the first n ranks.
    shares = prefix_sums(weight / np.arange(1, longest + 1))
    deeper_rank = np.maximum(hits.rank, ideal_rank)
    overlap = hits.contributions(shares[depth[hits.query]] - shares[deeper_rank - 1])
    if not normalize:
        return overlap, prefix_sums(weight)[depth]
    return overlap, gaining_ideal.total(
        shares[depth[gaining_ideal.query]] - shares[gaining_ideal.rank - 1]
    )


def _ideal_ranks(ranks: JudgedRanks) -> Ints:
    """Return the rank in the ideal list for each retrieved document with a grade above 0,
    int64[hit]."""
    hits = ranks.gaining()
    grades = np.unique(ranks.judged_relevance)
    # Grades as numbers, best first, so that both lists can be sorted by query and grade.
    judged_keys = _query_and_grade_keys(ranks.judged_query, ranks.judged_relevance, grades)
    hit_keys = _query_and_grade_keys(hits.query, hits.relevance, grades)
    better = np.searchsorted(judged_keys, hit_keys) - np.searchsorted(
        ranks.judged_query, hits.query
    )
    order = np.argsort(hit_keys, kind="stable")
    tie_position = np.empty(len(hit_keys), dtype=np.int64)
    tie_position[order] = np.arange(len(hit_keys)) - np.searchsorted(
        hit_keys[order], hit_keys[order]
    )
    ideal_rank: Ints = better + tie_position + 1
    return ideal_rank


def _query_and_grade_keys(query: Ints, grade: Floats, grades: Floats) -> Ints:
    return query * len(grades) + (len(grades) - 1 - np.searchsorted(grades, grade))


@measure(
    "Accuracy",
    aliases=("AUC", "ROC AUC", "area under the curve", "pairwise accuracy"),
    title="Accuracy",
    gloss="share of correctly ordered pairs",
    ir_measures=True,
    formula=r"\frac{|\{(r, n) : r\ relevant,\ n\ not,\ r\ above\ n,\ both\ \le k\}|}"
    r"{|relevant_{\le k}| \cdot |others_{\le k}|}",
    reference="Hanley and McNeil, The meaning and use of the area under a ROC curve, 1982;"
    " ir_measures, Accuracy",
    also_means={
        "accuracy": "question answering and sentence-transformers use “accuracy” for Success@{k},"
        " the share of queries with a relevant document among the first {k}"
    },
    elsewhere={"scikit-learn": "roc_auc_score of the listed documents, if no scores are tied"},
    worked={
        "Accuracy": "1 - (1 + 2 + 3) / (3 * 3)",
        "Accuracy@5": "1 - (1 + 2) / (2 * 3)",
        "Accuracy(rel=3)": "1 - 5 / 5",
    },
    unjudged="An unjudged document counts as not relevant, so it should rank below relevant ones.",
    missing="Undefined if the list contains no relevant document or only relevant documents; such"
    " queries are excluded from the mean.",
    differences=Difference(
        "ir_measures",
        "If all listed documents are relevant, the score is undefined and the query is excluded.",
        "ir_measures fails with a division by zero.",
    ),
)
def accuracy(ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1) -> Floats:
    """Probability that a random relevant document of the list is ranked above a random non-relevant
    document of the list. 0.5 is chance level. Recommender research calls it AUC, the area under the
    ROC curve. Only listed documents are considered. The score is undefined if the list has no such
    pair. Accuracy@k in question answering and sentence-transformers is a different measure (whether
    any of the first k results is relevant), called Success@k here."""
    hits = ranks.relevant(rel)
    listed = expand_per_query(ranks.retrieved, cutoff)
    if cutoff is not None:
        listed = np.minimum(cutoff, listed)
    relevant = hits.count(cutoff)
    pairs = relevant * (listed - relevant)
    wrong = hits.total((hits.rank - hits.ordinals()).astype(np.float64), cutoff)
    share = np.divide(wrong, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
    return 1 - share


@weights("Compat")
def _overlap_weights(ranks: JudgedRanks, *, p: float, normalize: bool) -> Hits:
    return _weigh_overlaps(ranks, p, normalize)[0]


@weights("Accuracy")
def _accuracy_weights(ranks: JudgedRanks, *, cutoff: int | None, rel: int) -> Hits:
    """Weight each relevant document by the share of non-relevant documents ranked below it."""
    hits = ranks.relevant(rel)
    listed = ranks.retrieved if cutoff is None else np.minimum(cutoff, ranks.retrieved)
    others = (listed - hits.count(cutoff))[hits.query]
    above = ratio((hits.rank - hits.ordinals()).astype(np.float64), others)
    return hits.contributions(1 - above).select(others > 0)
