"""Gates for programs. A gate tests whether a run is worse than its baseline by more than the
allowed margin.

The rule is the same as for `metrics_core compare --gate` (`comparing.gates`); the result is the
same report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.checks.snapshots import (
    is_snapshot,
    read_given_snapshot,
    read_snapshot,
    refuse_changed_reading_options,
)
from metrics_core.comparing.gate_conditions import (
    Gate,
    declare_directions,
    find_gated_measure_names,
)
from metrics_core.findings.gate_report import (
    GateComparison,
    GateConditions,
    GateReport,
    compare_with_snapshot,
)
from metrics_core.findings.gate_report import gate_report as report_of
from metrics_core.findings.snapshots import describe_snapshot_changes
from metrics_core.formats.in_memory import (
    QrelsLike,
    QueriesLike,
    RunsLike,
    convert_to_qrels,
    convert_to_queries,
)
from metrics_core.judging import JudgedRanks
from metrics_core.measures import parse_measures
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.evaluate import join_runs
from metrics_core.scoring.score_tables import select_scores
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.slicing.breakdowns import refuse_unknown_queries
from metrics_core.tables import Queries
from metrics_core.tables.run_names import baseline_name


def gate(
    runs: RunsLike,
    baseline: RunsLike,
    qrels: QrelsLike,
    gates: str | Gate | Iterable[str | Gate],
    *,
    floors: str | Iterable[str] = (),
    queries: QueriesLike | None = None,
    if_unclear: Literal["pass", "fail"] = "pass",
    allow_changed: bool = False,
) -> GateReport:
    """Evaluate gates such as "nDCG@10 > -0.01" for one or several runs.

    `runs`, `qrels` and `queries` have the same forms as for `evaluate` and `breakdown`; `baseline`
    is a run, or the path of a snapshot; `floors` are conditions such as "nDCG@10 >= 0.4". The
    report has the `status` of the command line (0: passed; 1: worse, or below a floor; 3: cannot
    tell, if `if_unclear` is "fail"; 4: something changed since the snapshot), `outcomes` with
    differences and intervals, `sentences`, `broken` (the worst queries of each gate that did not
    pass) and `unanswered` (runs without results for some queries). Raises the errors of
    `evaluate`, ParameterError for a malformed gate, and FileFormatError for a damaged snapshot.

    >>> gate("new.run", "baseline.json", "qrels.txt", "nDCG@10 > -0.01").status  # doctest: +SKIP"""
    conditions = GateConditions.from_texts(
        [gates] if isinstance(gates, (str, Gate)) else gates,
        [floors] if isinstance(floors, str) else floors,
    )
    if not conditions.measures:
        raise RanklensError("No gate is given.", "Give a gate, such as 'nDCG@10 > -0.01'.")
    compared, file = _read_comparison(runs, baseline, qrels, conditions)
    query_table = None if queries is None else convert_to_queries(queries)

    def read_queries(scores: Scores) -> Queries | None:
        if query_table is not None:
            refuse_unknown_queries(query_table, scores.query_ids, "The table of queries")
        return query_table

    return replace(
        report_of(conditions, compared, read_queries, fails_if_unclear=if_unclear == "fail"),
        changes=describe_snapshot_changes(compared.changes, file, compared.scores.n_queries),
        allow_changed=allow_changed,
    )


def gate_scores(
    scores: Scores | pd.DataFrame,
    gates: str | Iterable[str],
    *,
    baseline: str | Path | None = None,
    floors: str | Iterable[str] = (),
    queries: QueriesLike | None = None,
    if_unclear: Literal["pass", "fail"] = "pass",
) -> GateReport:
    """Evaluate gates on existing scores. `scores` has the same forms as for `compare_scores`.

    The sign of a gate declares the direction: `correct > -0.02`. For a cost, a gate limits either
    the typical ratio, `latency_ms < 5%`, or the difference of the means, `mean(latency_ms) < 50`;
    only the ratio is protected against skewed tails. `baseline` is the path of a snapshot of given
    scores, or the name of a run; by default it is the first run. Raises the errors of
    `compare_scores`, ParameterError for a malformed gate, and FileFormatError for a damaged
    snapshot.

    >>> gate_scores(frame, "latency_ms < 5%", baseline="v1").status  # doctest: +SKIP"""
    texts, floor_texts = ([t] if isinstance(t, str) else [*t] for t in (gates, floors))
    all_texts = [*texts, *floor_texts]
    names = [name.removeprefix(PREFIX) for name in find_gated_measure_names(all_texts)]
    if not names:
        raise RanklensError("No gate is given.", "Give a gate, such as 'correct > -0.02'.")
    selected, _ = select_scores(scores, names, (), ())
    declared = declare_directions(selected, all_texts)
    conditions = GateConditions.from_texts(texts, floor_texts, measures=declared.measures)
    query_table = None if queries is None else convert_to_queries(queries)
    if baseline is not None and is_snapshot(str(baseline)):
        snapshot, file = read_given_snapshot(str(baseline), declared.measures), Path(baseline).name
        compared = compare_with_snapshot(snapshot, file, (), None, declared, conditions)
    else:
        name = declared.runs[0] if baseline is None else str(baseline)
        declared.position(name)
        compared = GateComparison(declared, name)
    report = report_of(
        conditions, compared, lambda _: query_table, fails_if_unclear=if_unclear == "fail"
    )
    changes = describe_snapshot_changes(
        compared.changes, compared.file, compared.scores.n_queries, is_given=True
    )
    return replace(report, changes=changes)


def _read_comparison(
    runs: RunsLike, baseline: RunsLike, qrels: QrelsLike, conditions: GateConditions
) -> tuple[GateComparison, str]:
    """Return the comparison, and the file name of the snapshot if the baseline is a snapshot,
    otherwise ""."""
    measures, table = parse_measures(conditions.measures), convert_to_qrels(qrels)
    judged = join_runs(runs, table, measures)
    if isinstance(baseline, (str, Path)) and is_snapshot(str(baseline)):
        snapshot = read_snapshot(str(baseline))
        refuse_changed_reading_options(str(baseline), snapshot, {})
        file = Path(baseline).name
        scores = score_runs(judged, measures)
        return compare_with_snapshot(snapshot, file, judged, table, scores, conditions), file
    baseline_ranks = join_runs(baseline, table, measures)
    if len(baseline_ranks) > 1:
        names = ", ".join(ranks.run_name for ranks in baseline_ranks)
        raise RanklensError(
            f"The baseline contains {len(baseline_ranks)} runs: {names}.", "Give one of them."
        )
    all_ranks = _with_distinct_names([*baseline_ranks, *judged])
    scores = score_runs(all_ranks, measures)
    by_name = {ranks.run_name: ranks for ranks in all_ranks}
    return GateComparison(scores, scores.runs[0], by_name, table), ""


def _with_distinct_names(judged: Sequence[JudgedRanks]) -> list[JudgedRanks]:
    """Return the judged runs with distinct names. The baseline is renamed if another run has the
    same name."""
    first, *other_ranks = judged
    name = baseline_name(first.run_name, [ranks.run_name for ranks in other_ranks])
    return [replace(first, run_name=name), *other_ranks]
