"""A gate for a program: is a run worse than its baseline by more than is allowed?

The rule is that of `metrics_core compare --gate` (`comparing.gates`), the answer its report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from metrics_core.base.errors import RanklensError
from metrics_core.checks.snapshots import is_snapshot, read_snapshot, refuse_other_reading
from metrics_core.comparing.gates import Gate
from metrics_core.findings.gate_report import Compared, GateConditions, GateReport, compared_with
from metrics_core.findings.gate_report import gate_report as report_of
from metrics_core.findings.snapshots import changes_findings
from metrics_core.formats.in_memory import (
    GivenQrels,
    GivenQueries,
    GivenRuns,
    qrels_from,
    queries_from,
)
from metrics_core.judging import JudgedRanks
from metrics_core.measures import measures_from
from metrics_core.scoring.evaluate import judged_runs
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.slicing.breakdowns import refuse_strangers
from metrics_core.tables import Queries
from metrics_core.tables.run_names import baseline_name


def gate(
    runs: GivenRuns,
    baseline: GivenRuns,
    qrels: GivenQrels,
    gates: str | Gate | Iterable[str | Gate],
    *,
    floors: str | Iterable[str] = (),
    queries: GivenQueries | None = None,
    if_unclear: Literal["pass", "fail"] = "pass",
    allow_changed: bool = False,
) -> GateReport:
    """What gates such as "nDCG@10 > -0.01" find of one run or several.

    `runs`, `qrels` and `queries` are as in `evaluate` and `breakdown`; `baseline` is a run, or the
    path of a snapshot; `floors` are "nDCG@10 >= 0.4". The report has the `status` of the command
    line (0 passed, 1 worse or below a floor, 3 cannot tell, where that is set to fail, 4 something
    changed since the snapshot), `outcomes` with differences and intervals, `sentences`, under
    `broken` the queries that changed, and under `unanswered` those without results. Raises as
    `evaluate`, ParameterError for a gate that is none, and FileFormatError for a damaged snapshot.

    >>> gate("new.run", "baseline.json", "qrels.txt", "nDCG@10 > -0.01").status  # doctest: +SKIP
    """
    asked = GateConditions.of(
        [gates] if isinstance(gates, (str, Gate)) else gates,
        [floors] if isinstance(floors, str) else floors,
    )
    if not asked.measures:
        raise RanklensError("No gate is given.", "Give one, such as 'nDCG@10 > -0.01'.")
    compared, file = _compared(runs, baseline, qrels, asked)
    known = None if queries is None else queries_from(queries)

    def queries_of(scores: Scores) -> Queries | None:
        if known is not None:
            refuse_strangers(known, scores.query_ids, "The table of queries")
        return known

    return replace(
        report_of(asked, compared, queries_of, fail_unclear=if_unclear == "fail"),
        changes=changes_findings(compared.changes, file, compared.scores.n_queries),
        allow_changed=allow_changed,
    )


def _compared(
    runs: GivenRuns, baseline: GivenRuns, qrels: GivenQrels, asked: GateConditions
) -> tuple[Compared, str]:
    """What is compared, and the name of the snapshot, "" without one."""
    measures, table = measures_from(asked.measures), qrels_from(qrels)
    judged = judged_runs(runs, table, measures)
    if isinstance(baseline, (str, Path)) and is_snapshot(str(baseline)):
        snapshot = read_snapshot(str(baseline))
        refuse_other_reading(str(baseline), snapshot, {})
        file = Path(baseline).name
        scores = score_runs(judged, measures)
        return compared_with(snapshot, file, judged, table, scores, asked), file
    before = judged_runs(baseline, table, measures)
    if len(before) > 1:
        names = ", ".join(ranks.run_name for ranks in before)
        raise RanklensError(
            f"The baseline contains {len(before)} runs: {names}.", "Give one of them."
        )
    both = _named_apart([*before, *judged])
    scores = score_runs(both, measures)
    by_name = {ranks.run_name: ranks for ranks in both}
    return Compared(scores, scores.runs[0], by_name, table), ""


def _named_apart(judged: Sequence[JudgedRanks]) -> list[JudgedRanks]:
    """The same, the baseline under a name of its own."""
    first, *others = judged
    name = baseline_name(first.run_name, [ranks.run_name for ranks in others])
    return [replace(first, run_name=name), *others]
