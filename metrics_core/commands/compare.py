"""`metrics_core compare`: runs against a baseline, with intervals, tests and verdicts."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.commands import command
from metrics_core.commands.reading import groups_of, judged_files, nothing_to_compare, say_unused
from metrics_core.commands.reading_options import (
    ReadingOptions,
    add_grouping_options,
    add_reading_options,
)
from metrics_core.commands.score_tables import IN_FULL, aligned, piped
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method
from metrics_core.comparing.pairs import compare as compared
from metrics_core.comparing.pairs import interval_tested
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import Scores, score_runs
from metrics_core.slicing.bridge import bridge

_COLUMNS = {
    "run": "run",
    "baseline": "baseline",
    "measure": "measure",
    "queries": "n",
    "mean": "mean",
    "baseline_mean": "baseline_mean",
    "difference": "difference",
    "low": "low",
    "high": "high",
    "level": "level",
    "inner_low": "inner_low",
    "inner_high": "inner_high",
    "p": "p",
    "p_corrected": "p_corrected",
    "effect": "effect",
    "effect_low": "effect_low",
    "effect_high": "effect_high",
    "won": "won",
    "lost": "lost",
    "same": "same",
    "verdict": "verdict",
    "reason": "reason",
}
"""The columns of a comparison, and what they are called where they are printed in full."""

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ReadingOptions):
    """What `compare` is asked for besides."""

    test: str
    correction: str
    margin: float | None
    level: float


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, baseline="the run that the others are compared with")
    add_grouping_options(parser, "what each group of the queries adds to the mean difference")
    parser.add_argument("--test", choices=list(TESTS), default="bootstrap", help="how it is tested")
    parser.add_argument(
        "--correction",
        choices=list(CORRECTIONS),
        default="",
        help="for several runs (default: Holm's, where p-values are fine enough for it)",
    )
    parser.add_argument(
        "--margin", type=float, metavar="SIZE", help="the smallest difference that matters"
    )
    parser.add_argument(
        "--level",
        type=float,
        default=LEVEL,
        metavar="SHARE",
        help="of the interval and the test (default: %(default)s)",
    )
    parser.add_argument("--format", choices=sorted(FORMATS), default="table")


@command("compare", CompareOptions, help="test runs against a baseline run", arguments=_arguments)
def compare(options: CompareOptions) -> str:
    """A row for each run and measure, those of one measure corrected together; notes go to stderr.
    The table and Markdown have three decimals and no reasons, the other formats all in full."""
    method = Method(options.test, options.correction, options.margin, options.level)
    judged, measures = judged_files(options)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant)
    baseline, *others = scores.runs
    if not others:
        raise nothing_to_compare(baseline)
    say_unused(options)
    if options.by:
        groups = groups_of(options.by, scores.query_ids, options)
        return _BRIDGES[options.format](_bridges(scores, baseline, others, groups))
    parts = []
    for measure in scores.measures:
        rows = compared(scores, measure, baseline, method=method).iloc[1:]
        parts.append(rows.assign(baseline=baseline, measure=str(measure)))
    found = pd.concat(parts, ignore_index=True).assign(level=method.level)
    return FORMATS[options.format](found.rename(columns=_COLUMNS)[list(_COLUMNS.values())])


def _bridges(scores: Scores, baseline: str, others: list[str], groups: pd.Series) -> pd.DataFrame:
    """What each group adds to the difference of each run and measure; the parts add up to it."""
    parts = [
        bridge(scores, measure, run, baseline, groups).assign(
            run=run, baseline=baseline, measure=str(measure)
        )
        for measure in scores.measures
        for run in others
    ]
    found = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    return found[["run", "baseline", "measure", "group", "n", "difference", "part"]]


def _shown_bridges(frame: pd.DataFrame) -> pd.DataFrame:
    """Bridges as people read them, each with its sum below."""
    rows = []
    for key, own in frame.groupby(["run", "baseline", "measure"], sort=False):
        whole, n = math.fsum(own["part"]), int(own["n"].sum())
        own = own.assign(part=w.parts_of(whole, own["part"].tolist()))
        sums = pd.DataFrame([{"group": "all", "n": n, "difference": whole, "part": whole}])
        for row in pd.concat([own, sums]).to_dict("records"):
            rows.append(
                dict(zip(("run", "baseline", "measure"), key, strict=True))
                | {"group": row["group"], "n": w.count(row["n"])}
                | {name: w.difference(row[name]) for name in ("difference", "part")}
            )
    return pd.DataFrame(rows, dtype=object)


def _interval(row: Mapping[str, Any]) -> tuple[tuple[float, float], str]:
    """The interval that was tested, and which it is where that is not the usual one."""
    low, high, own = interval_tested(row, row["level"])
    return (low, high), "" if own == row["level"] else f" ({w.share(own)})"


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """A comparison as people read it, as texts."""
    rows = [
        {
            "run": row["run"],
            "baseline": row["baseline"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.count(row["n"]),
            "mean": w.score(row["mean"]),
            "difference": w.difference(row["difference"], digits),
            "interval": w.interval(*ends, digits) + note,
            "p": _p_value(row["p_corrected"]),
            "won": w.count(row["won"]),
            "lost": w.count(row["lost"]),
            "same": w.count(row["same"]),
        }
        for row in frame.to_dict("records")
        for ends, note in [_interval(row)]
        for digits in [w.decimals(*ends)]
    ]
    return pd.DataFrame(rows, dtype=object)


def _p_value(p: float) -> str:
    return "<0.0001" if p < 0.0001 else w.score(p, 4)


def table(frame: pd.DataFrame) -> str:
    """Aligned columns for a terminal."""
    return aligned(_shown(frame), _LABELS)


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table."""
    return piped(_shown(frame), _LABELS)


_BRIDGES: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: aligned(_shown_bridges(frame), _LABELS),
    "markdown": lambda frame: piped(_shown_bridges(frame), _LABELS),
    **IN_FULL,
}
FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": table,
    "markdown": markdown,
    **IN_FULL,
}
