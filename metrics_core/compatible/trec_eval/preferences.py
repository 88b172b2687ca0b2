"""Preferences between documents (`-R prefs`, `qrels_prefs`): read them, compare them with a
ranking, and compute the prefs_ measures, which count how many preferences the ranking fulfils.

A judge (judgment group) prefers a document to each document with a lower level in the same
subgroup. The documents of a query are numbered from 0: first the listed documents by their position
in the run, then unlisted documents by id. Preference data is small, so each query is computed
separately. A preference is "ret" if both documents are listed. It is "imp" if only one is listed;
the ranking fulfils it if the listed document is the preferred one. If neither is listed, the
preference is never fulfilled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.c_program import CALCULATION, CONFLICT, ProgramExit
from metrics_core.compatible.trec_eval.options import TrecEvalOptions
from metrics_core.tables import Run

Preferences = dict[str, pd.DataFrame]
"""Judgments by query: frames with the columns group, subgroup, doc_id, level."""


def read_preferences(path: str, options: TrecEvalOptions, *, subgroups: bool) -> Preferences:
    """Read lines with the fields query, group, subgroup, document and level. If `subgroups` is
    false, there is no subgroup field."""
    fields = ["query_id", "group", "subgroup", "doc_id", "level"]
    if not subgroups:
        fields.remove("subgroup")
    table = files.read_judgments(path, fields, options, file_kind="prefs")
    frame = pd.DataFrame({f: table[f].cast("string").to_pylist() for f in fields if f != "level"})
    frame["level"] = files.parse_levels(table["level"])
    if not subgroups:
        frame["subgroup"] = "0"
    return {str(query): part for query, part in frame.groupby("query_id", sort=False)}


def rank_documents(
    run: Run, queries: Sequence[str], options: TrecEvalOptions
) -> dict[str, list[str]]:
    """Return the documents of each query in ranked order.

    Tied documents are sorted by ascending id. Everywhere else, trec_eval sorts them by descending
    id."""
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
class JudgePreferences:
    """One judge's preferences among the documents of a query.

    prefers  int64[document, document]  how often the row is preferred to the column
    level    float64[document]          the level of each document, -1 if not judged
    times    int64[document]            how often each document was judged
    classes  documents of equal level, highest level first, each sorted by number; empty if
             there are subgroups, because these need not order all pairs of documents"""

    prefers: Ints
    level: Floats
    times: Ints
    classes: tuple[Ints, ...]


@dataclass(frozen=True)
class QueryPreferences:
    """The preferences of each judge for one query, and `retrieved`, the number of judged documents
    in the run's list. These documents have the lowest numbers."""

    groups: tuple[JudgePreferences, ...]
    retrieved: int


def count_preferences(judgments: pd.DataFrame, documents: Sequence[str]) -> QueryPreferences:
    """Return the preferences of a query. `documents` are the documents in the run's list, in ranked
    order. The judged documents are numbered: first the documents in the list, in this order, then
    all other documents.

    Raises ProgramExit if a judge contradicts itself."""
    judged = set(judgments["doc_id"])
    retrieved = [d for d in documents if d in judged]
    unlisted = sorted(judged - set(retrieved))
    number = {d: i for i, d in enumerate([*retrieved, *unlisted])}
    numbered = judgments.assign(number=judgments["doc_id"].map(number))
    groups = tuple(
        _preferences_of_judge(judge_rows, len(number))
        for _, judge_rows in numbered.groupby("group", sort=True)
    )
    return QueryPreferences(groups, len(retrieved))


def _preferences_of_judge(judge_rows: pd.DataFrame, size: int) -> JudgePreferences:
    numbers, levels = judge_rows["number"].to_numpy(), judge_rows["level"].to_numpy()
    if judge_rows["subgroup"].nunique() == 1:
        return _preferences_by_level(numbers, levels, size)
    return _preferences_by_subgroup(judge_rows, size)


def _preferences_by_level(numbers: Ints, levels: Floats, size: int) -> JudgePreferences:
    """Return the preferences of a judge who has a single subgroup: documents of higher levels are
    preferred to documents of lower levels."""
    level = np.full(size, -1.0)
    level[numbers] = levels
    if (level[numbers] != levels).any():
        raise _contradiction_error("a document with different levels in one subgroup")
    times = np.bincount(numbers, minlength=size)
    higher = (level[:, None] > level[None, :]) & (times[:, None] > 0) & (times[None, :] > 0)
    classes = tuple(np.sort(numbers[levels == x]) for x in np.unique(levels)[::-1])
    return JudgePreferences(higher * times[:, None] * times[None, :], level, times, classes)


def _preferences_by_subgroup(judge_rows: pd.DataFrame, size: int) -> JudgePreferences:
    """Return the preferences of a judge who has several subgroups: the preferences within each
    subgroup, and their transitive closure."""
    level = np.full(size, -1.0)
    prefers = np.zeros((size, size), dtype=np.bool_)
    for _, part in judge_rows.groupby("subgroup", sort=True):
        numbers, levels = part["number"].to_numpy(), part["level"].to_numpy()
        for n, x in zip(numbers.tolist(), levels.tolist(), strict=True):
            if (level[n] > 0 and x == 0) or (level[n] == 0 and x > 0):
                raise _contradiction_error("a document has both level 0 and another level")
            level[n] = x
        first, second = np.nonzero(levels[:, None] > levels[None, :])
        prefers[numbers[first], numbers[second]] = True
    prefers = _transitive_closure(prefers)
    if (prefers & prefers.T).any():
        raise ProgramExit(CONFLICT, "trec_eval.form_prefs_counts: Pref inconsistency found")
    times = (level != -1.0).astype(np.int64)
    return JudgePreferences(prefers.astype(np.int64), level, times, ())


def _transitive_closure(prefers: Mask) -> Mask:
    """Return the transitive closure of preferences, bool[document, document].

    Document a is preferred to c if a is preferred to b and b is preferred to c. The diagonal is
    false."""
    np.fill_diagonal(prefers, True)
    while True:
        further = (prefers.astype(np.float32) @ prefers.astype(np.float32)) > 0
        if (further == prefers).all():
            np.fill_diagonal(further, False)
            return further
        prefers = further


def _contradiction_error(problem: str) -> ProgramExit:
    return ProgramExit(CALCULATION, f"trec_eval.form_prefs_counts: {problem}")


@dataclass(frozen=True)
class Tally:
    """Numbers of preferences of one judge.

    The fulfilled and the possible preferences are counted for pairs of listed documents ("ret"),
    and for pairs of a listed and an unlisted document ("imp"). For pairs of unlisted documents,
    only the possible preferences are counted."""

    fulfilled_ret: int
    possible_ret: int
    fulfilled_imp: int
    possible_imp: int
    unlisted: int


def tally_preferences(prefers: Ints, n_retrieved: int) -> Tally:
    """Count the preferences in `prefers`, int64[document, document]. The first `n_retrieved`
    documents are the documents in the run's list, in ranked order."""
    among_listed = prefers[:n_retrieved, :n_retrieved]
    among_unlisted = prefers[n_retrieved:, n_retrieved:]
    fulfilled_imp = int(prefers[:n_retrieved, n_retrieved:].sum())
    return Tally(
        fulfilled_ret=int(np.triu(among_listed, 1).sum()),
        possible_ret=int(among_listed.sum()),
        fulfilled_imp=fulfilled_imp,
        possible_imp=fulfilled_imp + int(prefers[n_retrieved:, :n_retrieved].sum()),
        unlisted=int(among_unlisted.sum()),
    )


def preference_scores(query: QueryPreferences) -> dict[str, float]:
    """Return the scores of all prefs_ measures for one query, as a dictionary by name."""
    tallies = [tally_preferences(g.prefers, query.retrieved) for g in query.groups]
    ret = [(t.fulfilled_ret, t.possible_ret) for t in tallies]
    imp = [(t.fulfilled_ret + t.fulfilled_imp, t.possible_ret + t.possible_imp) for t in tallies]
    all_counts = [(f, p + t.unlisted) for (f, p), t in zip(imp, tallies, strict=True)]
    scores = {
        "num_prefs_poss": float(sum(p for _, p in all_counts)),
        "num_prefs_ful": float(sum(f for f, _ in all_counts)),
        "num_prefs_ful_ret": float(sum(f for f, _ in ret)),
        "avgjg_Rnonrel": _score_with_balanced_counts(query, tallies, only_listed=False),
        "avgjg_Rnonrel_ret": _score_with_balanced_counts(query, tallies, only_listed=True),
    }
    for suffix, counts in (("", all_counts), ("_ret", ret), ("_imp", imp)):
        scores[f"simp{suffix}"] = _fulfilled_share(counts)
        scores[f"avgjg{suffix}"] = sum(f / p for f, p in counts if p) / len(counts)
    return {f"prefs_{k}": v for k, v in (scores | _pair_scores(query)).items()}


def _fulfilled_share(counts: list[tuple[int, int]]) -> float:
    fulfilled, possible = (sum(column) for column in zip(*counts, strict=True))
    return fulfilled / possible if possible else 0.0


def _pair_scores(query: QueryPreferences) -> dict[str, float]:
    """Return the scores of the pair measures. Each pair of documents counts once, weighted by the
    share of the preferences about this pair that are fulfilled."""
    votes = np.sum([g.prefers for g in query.groups], axis=0)
    n, size = query.retrieved, len(votes)
    positions = np.arange(size)
    either = ((votes + votes.T) > 0) & (positions[:, None] < positions[None, :])
    share = np.divide(votes, votes + votes.T, out=np.zeros(votes.shape), where=either)
    listed = _sum_in_sequence(share[:n, :n][either[:n, :n]])
    half = _sum_in_sequence(share[:n, n:][either[:n, n:]])
    n_ret, n_imp = int(either[:n, :n].sum()), int(either[:n].sum())
    return {
        "pair": (listed + half) / max(int(either.sum()), 1),
        "pair_imp": (listed + half) / max(n_imp, 1),
        "pair_ret": listed / max(n_ret, 1),
    }


def _sum_in_sequence(values: Floats) -> float:
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _score_with_balanced_counts(
    query: QueryPreferences, tallies: list[Tally], *, only_listed: bool
) -> float:
    """Return prefs_avgjg, computed as if each judge had judged as many documents relevant as
    nonrelevant.

    If a judge has too few nonrelevant documents, the missing ones are assumed to be unlisted. Each
    relevant document is preferred to each missing document, and a listed relevant document fulfils
    this preference. If a judge has too many nonrelevant documents, the last of them in ranked order
    are excluded."""
    total = 0.0
    for group, counts in zip(query.groups, tallies, strict=True):
        relevant, nonrelevant = _count_judged_documents(group, group.level.size)
        relevant_listed, nonrelevant_listed = _count_judged_documents(group, query.retrieved)
        n_relevant, n_nonrelevant = (
            (relevant_listed, nonrelevant_listed) if only_listed else (relevant, nonrelevant)
        )
        if n_relevant < n_nonrelevant:
            fulfilled, possible = _count_balanced_preferences(group, query.retrieved, only_listed)
        else:
            missing = n_relevant - n_nonrelevant
            fulfilled = counts.fulfilled_ret + relevant_listed * missing
            possible = counts.possible_ret + relevant * missing
            if not only_listed:
                fulfilled += counts.fulfilled_imp
                possible += counts.possible_imp + counts.unlisted
        if not possible:
            return 0.0
        total += fulfilled / possible
    return total / len(query.groups)


def _count_judged_documents(group: JudgePreferences, n_first: int) -> tuple[int, int]:
    """Return two counts of the first `n_first` documents: the relevant and the nonrelevant
    documents, according to this judge."""
    level, times = group.level[:n_first], group.times[:n_first]
    if group.classes:
        relevant = int(times[level > 0].sum())
        return relevant, int(times.sum()) - relevant
    return int((level > 0).sum()), int((level == 0).sum())


def _count_balanced_preferences(
    group: JudgePreferences, n_retrieved: int, only_listed: bool
) -> tuple[int, int]:
    """Return the numbers of fulfilled and of possible preferences after superfluous nonrelevant
    documents were excluded."""
    if not group.classes:
        return _count_balanced_subgroups(group, n_retrieved, only_listed)
    keep = _count_judged_documents(group, n_retrieved if only_listed else group.level.size)[0]
    *upper, last = group.classes
    # As in trec_eval, the kept nonrelevant documents are also compared with their own class.
    class_pairs = [(a, b) for i, a in enumerate(upper) for b in upper[i + 1 :]]
    class_pairs += [(a, last[:keep]) for a in group.classes]
    fulfilled = possible = 0
    for above, below in class_pairs:
        if only_listed:
            above, below = above[above < n_retrieved], below[below < n_retrieved]
        is_fulfilled = (above[:, None] < below[None, :]) & (above[:, None] < n_retrieved)
        fulfilled += int(is_fulfilled.sum())
        possible += is_fulfilled.size
    return fulfilled, possible


def _count_balanced_subgroups(
    group: JudgePreferences, n_retrieved: int, only_listed: bool
) -> tuple[int, int]:
    """Return the result of `_count_balanced_preferences` for a judge with subgroups.

    If there are more nonrelevant than relevant documents, only the first n nonrelevant documents
    are kept; n is the number of relevant documents."""
    size = n_retrieved if only_listed else len(group.level)
    keep = _count_judged_documents(group, len(group.level))[0]
    nonrelevant = group.level[:size] == 0.0
    is_kept = ~(nonrelevant & (np.cumsum(nonrelevant) > keep))
    prefers = group.prefers[:size, :size] * np.outer(is_kept, is_kept)
    counts = tally_preferences(prefers, n_retrieved)
    fulfilled = counts.fulfilled_ret + counts.fulfilled_imp
    return fulfilled, counts.possible_ret + counts.possible_imp + counts.unlisted
