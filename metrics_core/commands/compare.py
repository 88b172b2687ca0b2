"""`metrics_core compare`: compare runs with a baseline, with intervals, tests and verdicts."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.commands import CommandResult, command
from metrics_core.commands.changed_lists import (
    LIST_COLUMNS,
    NO_JUDGMENTS,
    describe_changed_lists,
    list_change_columns,
    refuse_options_needing_judgments,
)
from metrics_core.commands.gate.options import GATE_FORMATS, GateOptions, add_gate_options
from metrics_core.commands.reading import (
    note_unused_queries,
    nothing_to_compare_error,
    read_complete_runs,
    read_files_with_runs,
    read_groups,
    read_judged_files,
)
from metrics_core.commands.reading_options import (
    add_grouping_options,
    add_level_option,
    add_reading_options,
    refuse_options,
)
from metrics_core.commands.scores_option import read_scores_and_runs
from metrics_core.comparing.method import BOOTSTRAP, CORRECTIONS, TESTS, Method
from metrics_core.comparing.pairs import compare as compared
from metrics_core.comparing.pairs import verdict_interval
from metrics_core.comparing.tested_quantities import MEAN_DIFFERENCE, NOT_TESTED, TYPICAL_RATIO
from metrics_core.findings.costs import describe_cost, describe_mean_difference
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.contributions import group_contributions
from metrics_core.text_tables.latex import format_tabular
from metrics_core.text_tables.paper_table import RunMeans, comparison_table
from metrics_core.text_tables.score_tables import (
    FULL_FORMATS,
    align_texts,
    escape_markdown,
    format_p_value,
    markdown_table,
)

_COLUMNS = (
    "run",
    "baseline",
    "measure",
    "n",
    "mean",
    "baseline_mean",
    "difference",
    "low",
    "high",
    "level",
    "inner_low",
    "inner_high",
    "p",
    "p_corrected",
    "effect",
    "effect_low",
    "effect_high",
    "won",
    "lost",
    "same",
    "verdict",
    "reason",
    "tested",
    "ratio",
    "ratio_low",
    "ratio_high",
    "half_from",
)
"""Columns of a comparison in the formats that print all columns. `n` is the number of queries."""

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class CompareOptions(GateOptions):
    """The additional options of `compare`."""

    test: str
    correction: str
    margin: float | None
    level: float
    more_baselines: Sequence[str]
    top: int
    show: str

    @property
    def columns_to_add(self) -> list[str]:
        """The column names in the option `show`."""
        return [name for name in self.show.split(",") if name]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(
        parser, baseline="the run that all others are compared with", takes_scores=True
    )
    add_grouping_options(
        parser, "show how much each group of queries contributes to the mean difference"
    )
    parser.add_argument("--test", choices=list(TESTS), default="bootstrap", help="statistical test")
    parser.add_argument(
        "--correction",
        choices=list(CORRECTIONS),
        default="",
        help="correction for multiple comparisons (default: Holm, or none if the test’s"
        " p-values are too coarse)",
    )
    parser.add_argument(
        "--margin", type=float, metavar="SIZE", help="the smallest difference that matters"
    )
    add_level_option(parser)
    parser.add_argument(
        "--baseline",
        dest="more_baselines",
        action="append",
        default=[],
        metavar="RUN",
        help="name of another run to use as an additional baseline; repeatable",
    )
    parser.add_argument(
        "--show",
        default="",
        metavar="NAMES",
        help="additional columns, separated by a comma: overlap (mean overlap of the top results"
        " with the baseline), rbo (mean rank-biased overlap)",
    )
    parser.add_argument(
        "--top",
        type=int,
        default=10,
        metavar="K",
        help="number of top results that --show compares (default: 10). Without judgments (QRELS is"
        f" {NO_JUDGMENTS!r}), only the changes in these top results are shown",
    )
    parser.add_argument(
        "--format", choices=sorted({*FORMATS, "latex", *GATE_FORMATS}), default="table"
    )
    add_gate_options(parser)


@command(
    "compare", CompareOptions, help="test runs against a baseline run", add_arguments=_add_arguments
)
def compare(options: CompareOptions) -> str | CommandResult:
    """Compare the runs with the baselines, and format one row for each run, baseline and measure.

    For each measure and baseline, the tests of all runs are corrected together. The table and
    Markdown formats have three decimals and no column of reasons. The LaTeX format is a table for a
    paper. All other formats have all columns in full precision. If gates are given, the outcome of
    the gates is returned instead. Notes go to stderr. Raises RanklensError for options that cannot
    be combined, and if there is only one run."""
    if options.is_gate:
        _refuse_comparison_options(options)
        from metrics_core.commands.gate.gate_command import run_gate

        names = options.more_baselines
        return run_gate(replace(options, baseline=names[0]) if names else options)
    _refuse_gate_options(options)
    method = Method(options.test, options.correction, options.margin, options.level)
    if options.judgments == [NO_JUDGMENTS]:
        refuse_options_needing_judgments(
            {
                "--measure": options.measures,
                "--by": options.by,
                "--margin": options.margin is not None,
                "--test": options.test != BOOTSTRAP,
                "--correction": options.correction,
                "--baseline": options.more_baselines,
                "--show": options.show,
            }
        )
        runs = [file_run.run for file_run in read_complete_runs(options)]
        return describe_changed_lists(runs, options.top, options.level, options.format)
    if options.scores and options.show:
        raise RanklensError("--show cannot be combined with --scores.", "Leave out one of them.")
    reader = read_files_with_runs if options.show else read_judged_files
    scores, runs = read_scores_and_runs(options, reader, needs_direction=True)
    if len(scores.runs) < 2:
        raise nothing_to_compare_error(scores.runs[0])
    first = [] if options.has_only_scores and options.more_baselines else [scores.runs[0]]
    baselines = list(dict.fromkeys([*first, *options.more_baselines]))
    baseline_scores = [
        _select_compared_scores(scores, baselines[:position], entry)
        for position, entry in enumerate(baselines)
    ]
    note_unused_queries(options)
    if options.by:
        groups = read_groups(options.by, scores.query_ids, options)
        return _BRIDGES[options.format](_find_group_contributions(baseline_scores, groups))
    parts = [
        compared(entry, measure, entry.runs[0], method=method)
        .iloc[1:]
        .assign(baseline=entry.runs[0], measure=str(measure))
        for measure in scores.measures
        for entry in baseline_scores
    ]
    comparison = pd.concat(parts, ignore_index=True).assign(level=method.level)
    overlaps = list_change_columns(comparison, runs, options.columns_to_add, options.top)
    if options.format == "latex":
        means = RunMeans.from_scores(scores)
        return comparison_table(means, comparison, baselines, method).to_latex()
    frame = comparison.assign(**overlaps).rename(columns={"queries": "n"})
    return FORMATS[options.format](frame[[*_COLUMNS, *overlaps]])


def _refuse_comparison_options(options: CompareOptions) -> None:
    """Raise RanklensError for comparison options that cannot be combined with a gate, because the
    decision rule of a gate is fixed."""
    refuse_options(
        {
            "--by": options.by,
            "--test": options.test != BOOTSTRAP,
            "--correction": options.correction,
            "--margin": options.margin is not None,
            "--level": options.level != LEVEL,
            "--baseline": options.more_baselines[options.has_only_scores :],
        },
        "{} cannot be used with a gate, because a gate has a fixed test and its own margin.",
        "Leave the option out, or compare without a gate.",
    )


def _refuse_gate_options(options: CompareOptions) -> None:
    """Raise RanklensError for options that are only allowed with a gate."""
    format = options.format if options.format not in {*FORMATS, "latex"} else ""
    refuse_options(
        {f"--format {options.format}": format, **options.gate_only_options},
        "{} needs a gate.",
        "Add a gate, such as --gate 'nDCG@10 > -0.01'.",
    )


def _select_compared_scores(
    scores: Scores, earlier_baselines: Sequence[str], baseline: str
) -> Scores:
    """Return the scores of a baseline and of the runs compared with it, the baseline first.

    Earlier baselines are left out, so that each pair is compared once. Raises UnknownRunError if
    the baseline does not exist."""
    scores.position(baseline)
    others = [run for run in scores.runs if run != baseline and run not in earlier_baselines]
    return scores.select_runs([baseline, *others])


def _find_group_contributions(baseline_scores: Sequence[Scores], groups: pd.Series) -> pd.DataFrame:
    """Return the contribution of each group to the difference of each run and measure.

    The contributions add up to the difference. Columns: run, baseline, measure, group, n,
    difference, part (the contribution)."""
    parts = [
        group_contributions(scores, measure, run, scores.runs[0], groups).assign(
            run=run, baseline=scores.runs[0], measure=str(measure)
        )
        for measure in baseline_scores[0].measures
        for scores in baseline_scores
        for run in scores.runs[1:]
    ]
    frame = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    return frame[["run", "baseline", "measure", "group", "n", "difference", "part"]]


def _format_contributions(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the contributions of groups as human-readable text cells. For each run, baseline and
    measure, a row with their sum is added."""
    rows = []
    for key, group_rows in frame.groupby(["run", "baseline", "measure"], sort=False):
        total, n = math.fsum(group_rows["part"]), int(group_rows["n"].sum())
        group_rows = group_rows.assign(part=w.round_parts(total, group_rows["part"].tolist()))
        sums = pd.DataFrame([{"group": "all", "n": n, "difference": total, "part": total}])
        for row in pd.concat([group_rows, sums]).to_dict("records"):
            rows.append(
                dict(zip(("run", "baseline", "measure"), key, strict=True))
                | {"group": row["group"], "n": w.format_count(row["n"])}
                | {name: w.format_difference(row[name]) for name in ("difference", "part")}
            )
    return pd.DataFrame(rows, dtype=object)


def _tested_interval(row: Mapping[str, Any]) -> tuple[tuple[float, float], str]:
    """Return the bounds of the interval on which the verdict is based, and a note on its confidence
    level. The note is "" if the level equals `row["level"]`."""
    low, high, interval_level = verdict_interval(row, row["level"])
    return (low, high), "" if interval_level == row[
        "level"
    ] else f" ({w.format_share(interval_level)})"


def _ratio_cells(row: Mapping[str, Any]) -> dict[str, str]:
    """Return two table cells: `tested`, the name of the tested quantity, and `typical ratio`, the
    ratio with its interval, such as "×1.27 [1.19, 1.36]"."""
    interval = w.format_interval(row["ratio_low"], row["ratio_high"], 2)
    has_ratio = row["tested"] == TYPICAL_RATIO
    ratio = f"×{w.format_score(row['ratio'], 2)} {interval}" if has_ratio else w.DASH
    return {"tested": row["tested"] or w.DASH, "typical ratio": ratio}


def _format_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison as human-readable text cells."""
    ends_of = [_tested_interval(row) for row in frame.to_dict("records")]
    digits = w.column_decimals(*zip(*(ends for ends, _ in ends_of), strict=True)) if ends_of else 3
    # Says of each row which of the two the verdict and p concern.
    has_costs = not set(frame["tested"]) <= {MEAN_DIFFERENCE, NOT_TESTED}
    rows = [
        {
            "run": row["run"],
            "baseline": row["baseline"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.format_count(row["n"]),
            "mean": w.format_score(row["mean"], decimals),
            "difference": w.format_difference(row["difference"], max(digits, decimals)),
            "interval": w.format_interval(*ends, digits) + note,
            **(_ratio_cells(row) if has_costs else {}),
            "p": format_p_value(row["p_corrected"]),
            **{name: w.format_count(row[name]) for name in ("won", "lost", "same")},
            **{name: w.format_score(row[name]) for name in LIST_COLUMNS if name in row},
        }
        for row, (ends, note) in zip(frame.to_dict("records"), ends_of, strict=True)
        for decimals in [w.mean_decimals([row["mean"], row["baseline_mean"]])]
    ]
    return pd.DataFrame(rows, dtype=object)


def format_table(frame: pd.DataFrame) -> str:
    """Format a comparison, with the columns of `_COLUMNS`, in aligned columns for a terminal."""
    lines = [f"{w.escape_controls(line)}\n" for line in _describe_rows(frame)]
    table = align_texts(_format_rows(frame), _LABELS)
    return "\n".join([table, "".join(lines)] if lines else [table])


def _describe_rows(frame: pd.DataFrame) -> list[str]:
    """Return a sentence for each measure that is a cost, and for each measure whose direction is
    not declared."""
    sentences = []
    for row in frame.to_dict("records"):
        measure = str(row["measure"])
        if cost := describe_cost(row, measure, row["level"]):
            mean = describe_mean_difference(row, measure)
            sentences.append(f"{row['run']}, {measure}: {cost}. Not tested: {mean}.")
        elif row["tested"] == NOT_TESTED:
            sentences.append(f"{measure}: {row['reason']}.")
    return list(dict.fromkeys(sentences))


def format_markdown(frame: pd.DataFrame) -> str:
    """Format a comparison, with the columns of `_COLUMNS`, as a Markdown table."""
    lines = [f"{escape_markdown(line)}\n" for line in _describe_rows(frame)]
    return "\n".join([markdown_table(_format_rows(frame), _LABELS), *lines])


def _format_latex_contributions(frame: pd.DataFrame) -> str:
    texts = _format_contributions(frame)
    return format_tabular(list(texts.columns), texts.to_numpy().tolist(), _LABELS)


_BRIDGES: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: align_texts(_format_contributions(frame), _LABELS),
    "markdown": lambda frame: markdown_table(_format_contributions(frame), _LABELS),
    "latex": _format_latex_contributions,
    **FULL_FORMATS,
}
FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": format_table,
    "markdown": format_markdown,
    **FULL_FORMATS,
}
