"""Measures of properties of the listed documents: their price, popularity or category.

Each measure reads a column of the documents table. If a required value is missing, the score of the
query is undefined (NaN) and excluded from the mean; no value is imputed."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks
from metrics_core.judging.documents import ListedDocuments, TopResults
from metrics_core.judging.hits import Cutoff, Hits, expand_per_query
from metrics_core.measures.declaring.parameters import Bounds, Rel, Samples, TopK
from metrics_core.measures.declaring.registry import measure

Column = Annotated[str, "column of the documents table"]
Users = Annotated[
    Annotated[float, Bounds(1e-100, 1e100)],
    "number of users that the popularity counts refer to; 1 if popularity is already a share",
    Samples(1.0, 3.5),
]

_UNJUDGED = "An unjudged document counts like any other."
_NOT_LISTED = (
    "A judged query that is missing from the run has no score and is excluded from the mean."
)


def _top_results(ranks: JudgedRanks, cutoff: Cutoff) -> tuple[ListedDocuments, TopResults]:
    listed = ranks.listed
    assert listed is not None and cutoff is not None
    return listed, listed.top_documents(int(np.max(cutoff)))


def _sum_unless_missing(hits: Hits, values: Floats, cutoff: Cutoff) -> Floats:
    """Return the sums of `values` within each cutoff, with the shape of `Hits.total`. A sum with a
    missing value is NaN."""
    missing = np.isnan(values)
    sums = hits.total(np.where(missing, 0, values), cutoff)
    return np.where(hits.total(missing.astype(np.float64), cutoff) > 0, np.nan, sums)


def _value_share(part: Floats, whole: Floats, empty: Mask) -> Floats:
    """Return part / whole, float64[…]. The result is 0 if `empty` is true (there are no documents),
    and otherwise NaN if the whole is 0."""
    part, whole, empty = np.broadcast_arrays(part, whole, empty)
    shares = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return np.where(empty, 0.0, shares)


def _read_prices(listed_documents: ListedDocuments, document_row: Ints, column: str) -> Floats:
    prices = listed_documents.column_values(document_row, column)
    if (prices < 0).any():
        raise ParameterError(
            f"The column {column!r} contains a price below 0: {np.nanmin(prices)}."
        )
    return prices


def _sum_relevant_prices(
    ranks: JudgedRanks, listed_documents: ListedDocuments, cutoff: Cutoff, rel: int, column: str
) -> Floats:
    """Return the total price of the relevant results within each cutoff, with the shape of
    `Hits.total`."""
    rows = ranks.qrels_row[ranks.relevance >= max(rel, 0)]
    prices = _read_prices(listed_documents, listed_documents.judged_document_rows(rows), column)
    return _sum_unless_missing(ranks.relevant(rel), prices, cutoff)


@measure(
    "MoneyP",
    aliases=("money precision", "revenue precision"),
    title="Money precision",
    gloss="relevant share of total price",
    formula=r"\frac{\sum_{i \le k} price_i\,[rel_i \ge rel]}{\sum_{i \le k} price_i}",
    reference="precision with each item weighted by its price, as taught in courses on recommender"
    " systems",
    worked={
        "MoneyP@5": "(20 + 40) / (10 + 20 + 5 + 40 + 5)",
        "MoneyP@10": "(20 + 40 + 20) / (10 + 20 + 5 + 40 + 5 + 20)",
        "MoneyP(rel=2)@3": "20 / (10 + 20 + 5)",
    },
    ideal=1.0,
    needs=("documents",),
    unjudged="An unjudged document counts as not relevant, but its price counts in the total.",
)
def money_precision(
    ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1, column: Column = "price"
) -> Floats:
    """Share of the total price of the first k results that comes from relevant documents. Undefined
    if a price is missing or all prices are 0."""
    listed, top = _top_results(ranks, cutoff)
    offered = _sum_unless_missing(top.hits, _read_prices(listed, top.document_row, column), cutoff)
    empty = expand_per_query(ranks.retrieved == 0, cutoff)
    return _value_share(_sum_relevant_prices(ranks, listed, cutoff, rel, column), offered, empty)


@measure(
    "MoneyR",
    aliases=("money recall", "revenue recall"),
    title="Money recall",
    gloss="found share of relevant price",
    formula=r"\frac{\sum_{i \le k} price_i\,[rel_i \ge rel]}"
    r"{\sum_{d\ \text{relevant}} price_d}",
    reference="recall with each item weighted by its price, as taught in courses on recommender"
    " systems",
    worked={
        "MoneyR@5": "(20 + 40) / (20 + 40 + 20 + 50)",
        "MoneyR(rel=2)@10": "(20 + 20) / (20 + 20)",
    },
    needs=("documents",),
)
def money_recall(
    ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1, column: Column = "price"
) -> Floats:
    """Share of the total price of all relevant documents that is among the first k results.
    Undefined if a price is missing or all prices are 0."""
    listed = ranks.listed
    assert listed is not None
    relevant = ranks.judged_relevance >= max(rel, 0)
    prices = _read_prices(listed, listed.judged_document_rows(listed.judged_rows[relevant]), column)
    query = ranks.judged_query[relevant]
    total_value = _sum_unless_missing(Hits(query, query, prices, ranks.n_queries), prices, None)
    empty = expand_per_query(ranks.n_relevant(rel) == 0, cutoff)
    earned = _sum_relevant_prices(ranks, listed, cutoff, rel, column)
    return _value_share(earned, expand_per_query(total_value, cutoff), empty)


@measure(
    "Coverage",
    aliases=("catalogue coverage", "catalog coverage", "item coverage"),
    title="Catalogue coverage",
    gloss="share of the catalogue retrieved",
    formula=r"\frac{|\bigcup_q \{d : rank_q(d) \le k\}|}{|documents|}",
    reference="Ge, Delgado-Battenfeld and Jannach, Beyond accuracy: evaluating recommender systems"
    " by coverage and serendipity, RecSys 2010",
    worked={
        "Coverage@5": "5 / 8",
        "Coverage@10": "6 / 8",
    },
    aggregation="sum",
    by_query=False,
    needs=("documents",),
    unjudged=_UNJUDGED,
    missing="A judged query that is missing from the run contributes nothing.",
    residual="unaffected",
)
def catalogue_coverage(ranks: JudgedRanks, *, cutoff: TopK) -> Floats:
    """Share of the documents table that appears among the first k results of any query. The score
    of a query is its contribution to this share: a document shown for n queries counts 1/n for each
    of them, so the sum over all queries is the coverage. Documents that are not in the table do not
    count."""
    listed, top = _top_results(ranks, cutoff)
    is_known = top.document_row >= 0
    query, rank = top.hits.query[is_known], top.hits.rank[is_known]
    _, document = np.unique(top.document_row[is_known], return_inverse=True)
    # How many queries show a document depends on the cutoff, so each is computed separately.
    parts = [
        _coverage_contributions(query[rank <= k], document[rank <= k], ranks.n_queries)
        for k in np.atleast_1d(cutoff)
    ]
    shares = np.stack(parts, axis=1) / max(listed.n_documents, 1)
    return shares if isinstance(cutoff, np.ndarray) else shares[:, 0]


def _coverage_contributions(query: Ints, document: Ints, n_queries: int) -> Floats:
    """Return, for each query, the sum of 1 / (number of queries that show the document) over the
    documents that the query shows, float64[query]."""
    n_showing = np.bincount(document)
    return np.bincount(query, 1 / n_showing[document], n_queries).astype(np.float64)


@measure(
    "Novelty",
    aliases=("mean self-information", "self information"),
    title="Novelty",
    gloss="how rare the top {k} are",
    formula=r"\frac{1}{\min(k, |retrieved|)}\sum_{i \le k} -\log_2 \frac{popularity_i}{users}",
    reference="Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems,"
    " PNAS 2010",
    worked={
        "Novelty@3": "(1 + 2 + 1) / 3",
        "Novelty@10": "(1 + 2 + 1 + 3 + 0 + 2) / 6",
        "Novelty(users=2.0)@1": "2",
    },
    range=(0, np.inf),
    needs=("documents",),
    unjudged=_UNJUDGED,
    missing=_NOT_LISTED,
    residual="unaffected",
)
def novelty(
    ranks: JudgedRanks, *, cutoff: TopK, column: Column = "popularity", users: Users = 1.0
) -> Floats:
    """How little known the first k results are: the mean of -log2 of the share of users who know
    each document. The column contains this share, or the number of users who know the document, out
    of `users` users in total. Undefined if a popularity is missing or 0."""
    listed, top = _top_results(ranks, cutoff)
    share = listed.column_values(top.document_row, column) / users
    if (share > 1).any():
        highest = float(np.nanmax(share)) * users
        raise ParameterError(
            f"The column {column!r} contains {highest:g}, more than the {users:g} users.",
            f"Set the number of users: Novelty(column='{column}',users=1000)@10.",
        )
    rarity = -np.log2(np.where(share > 0, share, np.nan)) + 0.0
    total = _sum_unless_missing(top.hits, rarity, cutoff)
    return _mean_per_document(total, top.hits.count(cutoff))


def _mean_per_document(total: Floats, count: Floats) -> Floats:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


@measure(
    "ILD",
    aliases=("intra-list diversity", "diversity"),
    title="Intra-list diversity",
    gloss="how varied the top {k} are",
    formula=r"\frac{2}{n(n-1)}\sum_{i < j \le k} [value_i \ne value_j],\quad"
    r" n = \min(k, |retrieved|)",
    reference="Smyth and McClave, Similarity vs. diversity, ICCBR 2001; Ziegler et al., Improving"
    " recommendation lists through topic diversification, WWW 2005",
    worked={
        "ILD@3": "2 / 3",
        "ILD@10": "(15 - 3 - 1) / 15",
        "ILD(column='price')@5": "(10 - 1) / 10",
    },
    needs=("documents",),
    unjudged=_UNJUDGED,
    missing=_NOT_LISTED,
    residual="unaffected",
)
def intra_list_diversity(
    ranks: JudgedRanks, *, cutoff: TopK, column: Column = "category"
) -> Floats:
    """Share of pairs among the first k results with different values in a column of the documents,
    such as their category. Undefined for fewer than two results, or if a value is missing."""
    listed, top = _top_results(ranks, cutoff)
    value = listed.value_codes(top.document_row, column)
    alike = np.where(value >= 0, _count_equal_values_above(top.hits.query, value), np.nan)
    same = _sum_unless_missing(top.hits, alike, cutoff)
    count = top.hits.count(cutoff)
    pairs = count * (count - 1) / 2
    return _mean_per_document(pairs - same, pairs)


def _count_equal_values_above(query: Ints, value: Ints) -> Floats:
    """Return for each row the number of rows above it that have the same query and value,
    float64[row]."""
    order = np.lexsort((value, query))
    is_new = (np.diff(query[order], prepend=-1) != 0) | (np.diff(value[order], prepend=-2) != 0)
    starts = np.flatnonzero(is_new)
    above = np.empty(len(order))
    above[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return above
