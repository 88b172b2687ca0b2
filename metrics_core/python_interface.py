"""The analyses of the dashboard for programs: functions of runs and judgments, like `evaluate`.

    compare     which run is better, significantly?   one row per measure and run
    breakdown   which groups of queries differ?       one row per group and run
    curves      at which cutoffs k do runs differ?    one row per run and k
    all_pairs   which of many runs may be the best?   every pair, and possible ranks
    explain     where does a query's score come from? the contribution of each document

`exclude_self` and `exclude` work as in `evaluate`. `compare_scores` compares scores that were
computed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, UnknownRunError, did_you_mean
from metrics_core.comparing.curves import make_curve_frame, mean_curves, means_by_cutoff
from metrics_core.comparing.method import BOOTSTRAP, Method
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.explaining.ledger import difference_ledger, score_ledger
from metrics_core.explaining.one_query import select_query
from metrics_core.findings import explanations
from metrics_core.formats.in_memory import (
    DocumentsLike,
    PairsLike,
    QrelsLike,
    QueriesLike,
    RunsLike,
    convert_to_documents,
    convert_to_qrels,
    convert_to_queries,
    convert_to_runs,
)
from metrics_core.formats.parsing.columns import NAMES, find_position
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.exclusions import Exclusions, exclude_documents
from metrics_core.measures import GivenMeasure, Measure, parse_measure, parse_measures_by_name
from metrics_core.python_lists import compare_unjudged
from metrics_core.results.explanation import Explanation
from metrics_core.results.pairs import MeasuredPairs, PairsByMeasure, compare_all_pairs
from metrics_core.scoring.curves import check_cutoffs, cutoffs_up_to, longest_list_length
from metrics_core.scoring.evaluate import join_runs, make_exclusions, refuse_repeated_names
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.score_tables import select_scores
from metrics_core.scoring.scores import Scores, WithoutRelevant, score_runs
from metrics_core.slicing.breakdowns import find_groups, refuse_unknown_queries, summarise_groups
from metrics_core.tables import GivenScores
from metrics_core.tables.columns import to_id_text

_TOP = 10
"""The cutoff that is used if a measure has no cutoff."""


def compare(
    runs: RunsLike,
    qrels: QrelsLike | None,
    measures: GivenMeasure | Iterable[GivenMeasure] = (),
    *,
    baseline: str | None = None,
    top: int = _TOP,
    test: str = BOOTSTRAP,
    correction: str = "",
    margin: float | None = None,
    level: float = LEVEL,
    same: float = SAME,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> pd.DataFrame:
    """Compare runs with a baseline, by default the first run. Returns one row per measure and run.

    `runs`, `qrels` and `measures` have the same forms as for `evaluate`. `margin` is the smallest
    difference that matters; `test` and `correction` have the same values as on the command line.
    Columns: run, baseline, measure, mean, baseline_mean, difference, low, high (its interval),
    inner_low, inner_high, won, lost, same (numbers of queries; scores that differ by at most the
    parameter `same` count as the same), queries, differing, p, p_corrected (for all runs of a
    measure), effect, effect_low, effect_high, error, width, verdict, reason.
    `comparing.pairs.compare` explains them. Raises the errors of `evaluate`, and UnknownRunError.

    If there are no judgments, `qrels` is None and `measures` is omitted. The result then says what
    changed in the first `top` results. Columns: run, baseline, k, queries, changed, kept (mean
    number of documents that stay, with its interval low, high), none_kept, same_first,
    new_documents, first_change (median), rbo.

    >>> compare({"old": old, "new": new}, qrels, "nDCG@10")  # doctest: +SKIP"""
    _refuse_scores(runs)
    if qrels is None:
        return compare_unjudged(runs, measures, baseline, top=top, level=level)
    named, method = parse_measures_by_name(measures), Method(test, correction, margin, level)
    parsed, left_out = list(named.values()), make_exclusions(exclude_self, exclude)
    scores = _score_runs(runs, qrels, parsed, without_relevant, documents, left_out)
    return _compare_with_baselines(scores, baseline, method, same, named)


def compare_scores(
    scores: Scores | GivenScores | pd.DataFrame | str | Path,
    measure: GivenMeasure | Iterable[GivenMeasure] | None = None,
    *,
    baseline: str | None = None,
    test: str = BOOTSTRAP,
    correction: str = "",
    margin: float | None = None,
    level: float = LEVEL,
    same: float = SAME,
    lower: str | Iterable[str] = (),
    higher: str | Iterable[str] = (),
) -> pd.DataFrame:
    """Compare existing scores. Returns a frame with the columns of `compare`.

    `scores` is the result of `evaluate` or of `read_scores`, the path of a file that `read_scores`
    reads, or a table with query_id, run and columns of numbers. A column such as a latency need not
    be a known measure. A table with one row per measure is also accepted, with the measure's name
    in `measure` and its number in `value`, such as PyTerrier's perquery.csv. `measure` is one or
    several columns, by default every numeric column. `lower` and `higher` name the columns for
    which lower or higher is better. Any other column has the direction of the measure with its
    name; names such as latency_ms have no direction, and therefore no verdict. For a cost (lower is
    better, no value below 0, some above 1) the verdict is on the typical ratio or the sign. Raises
    RanklensError if there are no matching scores or a value is not a number, and UnknownRunError.

    >>> compare_scores(frame, "latency", baseline="v1", lower="latency")  # doctest: +SKIP"""
    method = Method(test, correction, margin, level)
    selected_scores, named = select_scores(scores, measure, lower, higher)
    return _compare_with_baselines(selected_scores, baseline, method, same, named)


def breakdown(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: GivenMeasure,
    queries: QueriesLike,
    *,
    by: str,
    baseline: str | None = None,
    level: float = LEVEL,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> pd.DataFrame:
    """Return means by the groups in a column of the queries, one row per group and run.

    `queries` is a path, a table with query_id and the column, {query_id: {column: value}}, or
    Queries. Columns: group, run, queries, mean, low, high, difference, diff_low, diff_high, clear.
    The last four compare with the baseline, by default the first run; diff_low and diff_high are
    simultaneous over all groups of a run, and clear is whether the difference is significant.
    Raises the errors of `evaluate`, UnknownColumnError, UnknownRunError, and NoSharedQueriesError
    if `queries` has none of the judged queries."""
    query_table, parsed = convert_to_queries(queries), parse_measure(measure)
    left_out = make_exclusions(exclude_self, exclude)
    scores = _score_runs(runs, qrels, [parsed], without_relevant, documents, left_out)
    refuse_unknown_queries(query_table, scores.query_ids, "The table of queries")
    groups = find_groups(query_table, scores.query_ids, by)
    baseline_name = _resolve_baseline(scores.runs, baseline)
    return summarise_groups(scores, parsed, groups, baseline=baseline_name, level=level)


def curves(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: GivenMeasure,
    *,
    cutoffs: Iterable[int] | None = None,
    baseline: str | None = None,
    level: float = LEVEL,
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> pd.DataFrame:
    """Return the mean of a measure at each cutoff k, one row per run and k.

    Columns: run, k, mean, low, high, difference, diff_low, diff_high (a simultaneous band over all
    k), queries. The differences are from the baseline, by default the first run. Without `cutoffs`
    the curves are as deep as the runs, at most 1,000. Raises the errors of `evaluate`,
    UnknownRunError, and ParameterError if the measure has no cutoff or a k is invalid."""
    parsed, table = _parse_with_default_cutoff(measure), convert_to_qrels(qrels)
    left_out = make_exclusions(exclude_self, exclude)
    judged = join_runs(runs, table, [parsed], documents=documents, exclusions=left_out)
    ks = cutoffs_up_to(longest_list_length(judged)) if cutoffs is None else check_cutoffs(cutoffs)
    baseline_name = _resolve_baseline([ranks.run_name for ranks in judged], baseline)
    if len(judged) == 1:
        (means,) = means_by_cutoff([(judged[0], parsed)], ks, level=level)
        return make_curve_frame(baseline_name, ks, means, None)
    return mean_curves(judged, parsed, ks, baseline_name, level=level)


@overload
def all_pairs(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: str | Measure,
    *,
    level: float = LEVEL,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> MeasuredPairs:
    """Compare every pair of runs on one measure."""


@overload
def all_pairs(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: Iterable[GivenMeasure],
    *,
    level: float = LEVEL,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> PairsByMeasure:
    """Compare every pair of runs on each measure."""


def all_pairs(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: GivenMeasure | Iterable[GivenMeasure],
    *,
    level: float = LEVEL,
    without_relevant: WithoutRelevant = "zero",
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> MeasuredPairs | PairsByMeasure:
    """Compare every pair of runs on a measure, with a correction for all pairs, and find the
    possible ranks of each run.

    The result has `frame` with one row per pair, `places` with one row per run, and `to_latex()`,
    which returns the table for a paper. For several measures, the result is a dictionary from
    measure name to result, whose own `frame`, `places` and `to_latex()` cover all measures. Each
    measure is corrected separately. Raises the errors of `evaluate`."""
    named, left_out = parse_measures_by_name(measure), make_exclusions(exclude_self, exclude)
    measures = list(named.values())
    scores = _score_runs(runs, qrels, measures, without_relevant, documents, left_out)
    pairs = {name: compare_all_pairs(scores, one, level) for name, one in named.items()}
    if isinstance(measure, (str, Measure)) or not isinstance(measure, Iterable):
        return next(iter(pairs.values()))
    return PairsByMeasure(pairs)


def explain(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: GivenMeasure,
    query: Any,
    *,
    run: str | None = None,
    baseline: str | None = None,
    documents: DocumentsLike | None = None,
    exclude_self: bool = False,
    exclude: PairsLike | None = None,
) -> Explanation:
    """Explain a query's score, or the difference of two runs, with a sentence and with the
    contribution of each document.

    By default `baseline` is the first run and `run` the next. Raises the errors of `evaluate`,
    UnknownRunError, RanklensError if the query is not judged, and LackingDataError for a measure
    that needs more data than ranks and grades."""
    parsed, table = parse_measure(measure), convert_to_qrels(qrels)
    query_id = to_id_text(query)
    if query_id is None or query_id not in table.query_ids:
        suggestion = did_you_mean(str(query), table.query_ids)
        raise RanklensError(f"There is no judged query {w.shorten_value(query)}.", suggestion)
    left_out = make_exclusions(exclude_self, exclude)
    all_runs = [exclude_documents(run, left_out) for run in convert_to_runs(runs, table.query_ids)]
    names = [candidate_run.name for candidate_run in all_runs]
    refuse_repeated_names(names)
    baseline_name = _resolve_baseline(names, baseline)
    other_name = next((name for name in names if name != baseline_name), baseline_name)
    focus = other_name if run is None else _check_run_name(run, names)
    sides = [all_runs[names.index(name)] for name in dict.fromkeys((baseline_name, focus))]
    document_table = convert_to_documents(documents)
    judged = [join_judgments(side, table, documents=document_table) for side in sides]
    top = parsed.cutoff or _TOP
    diagnosis = diagnose(
        sides, judged, table, query_id, parsed, baseline=baseline_name, focus=focus, cutoff=top
    )
    parts, rest = _contributions([select_query(ranks, query_id) for ranks in judged], parsed)
    parts.insert(0, "doc_id", table.doc_ids.take(parts.pop("qrels_row").to_numpy()).to_pylist())
    order = np.argsort(-np.abs(parts["part"].to_numpy()), kind="stable")
    return Explanation(
        query_id=query_id,
        measure=str(parsed),
        run=focus,
        score=diagnosis.score(focus),
        baseline=None if focus == baseline_name else baseline_name,
        baseline_score=None if focus == baseline_name else diagnosis.score(baseline_name),
        sentence=explanations.explain(diagnosis).text,
        frame=parts.iloc[order].reset_index(drop=True),
        rest=rest,
        missed=diagnosis.missed,
    )


def _contributions(judged: Sequence[JudgedRanks], measure: Measure) -> tuple[pd.DataFrame, float]:
    """Return the contributions of documents, and the part that no document contributes. For one
    run, they are contributions to its score; for two runs, to the second run's score minus the
    first's. Columns: qrels_row, grade, rank, part; for two runs also baseline_rank."""
    ledger: Any = (
        score_ledger(judged[0], measure)
        if len(judged) == 1
        else difference_ledger(judged[1], judged[0], measure)
    )
    names = ["qrels_row", "grade", "rank", "baseline_rank"][: len(judged) + 2]
    columns = {name: getattr(ledger, name) for name in (*names, "part")}
    return pd.DataFrame(columns), float(ledger.empty[0])


def _score_runs(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Sequence[Measure],
    without_relevant: WithoutRelevant,
    documents: DocumentsLike | None,
    exclusions: Exclusions,
) -> Scores:
    judged = join_runs(
        runs, convert_to_qrels(qrels), measures, documents=documents, exclusions=exclusions
    )
    return score_runs(judged, measures, without_relevant=without_relevant)


def _compare_with_baselines(
    scores: Scores,
    baseline: str | None,
    method: Method,
    tie_threshold: float,
    measures_by_name: Mapping[str, Measure],
) -> pd.DataFrame:
    from metrics_core.results.comparison_frame import compare_by_name

    baseline_name = _resolve_baseline(scores.runs, baseline)
    if len(scores.runs) < 2:
        raise RanklensError(
            f"There is no run to compare with {baseline_name}.", "Give at least one more run."
        )
    return compare_by_name(scores, measures_by_name, baseline_name, method, tie_threshold)


def _resolve_baseline(names: Sequence[str], baseline: str | None) -> str:
    """Return the name of the baseline. By default it is the first run."""
    return names[0] if baseline is None else _check_run_name(baseline, names)


def _check_run_name(name: Any, names: Sequence[str]) -> str:
    text = to_id_text(name)
    if text is None or text not in names:
        raise UnknownRunError(text or w.shorten_value(name), list(names))
    return text


def _refuse_scores(value: Any) -> None:
    """Raise RanklensError if `value` contains scores, because runs are expected."""
    columns = [str(c) for c in value.columns] if isinstance(value, pd.DataFrame) else []
    has_names = (
        find_position(columns, NAMES["query_id"]) >= 0 and find_position(columns, NAMES["tag"]) >= 0
    )
    if isinstance(value, Scores) or (has_names and find_position(columns, NAMES["doc_id"]) < 0):
        raise RanklensError(
            "Expected runs, found scores.",
            "Compare scores with compare_scores(scores, measure, baseline=…).",
        )


def _parse_with_default_cutoff(measure: GivenMeasure) -> Measure:
    """Return the measure. If its name lacks a required cutoff, the default cutoff is used."""
    try:
        return parse_measure(measure)
    except ParameterError:
        if not isinstance(measure, str) or "@" in measure:
            raise
        return parse_measure(f"{measure}@{_TOP}")
