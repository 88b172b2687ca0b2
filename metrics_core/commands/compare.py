"""`metrics_core compare`: runs against a baseline, with intervals, tests and verdicts."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pandas as pd

from metrics_core import wording as w
from metrics_core.commands.command import command
from metrics_core.commands.reading import add_reading_options, judged_files
from metrics_core.commands.score_tables import PRINTERS, aligned, piped
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method
from metrics_core.comparing.pairs import compare as compared
from metrics_core.errors import RanklensError
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import score_runs

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
    "p": "p",
    "p_corrected": "p_corrected",
    "effect": "effect",
    "won": "won",
    "lost": "lost",
    "same": "same",
    "verdict": "verdict",
    "reason": "reason",
}
"""The columns of a comparison, and what they are called where they are printed in full."""

_LABELS = 4


def _options(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, baseline="the run that the others are compared with")
    parser.set_defaults(queries=None)
    parser.add_argument("--test", choices=list(TESTS), default="bootstrap", help="how it is tested")
    parser.add_argument(
        "--correction",
        choices=list(CORRECTIONS),
        default="",
        help="for several runs (default: the one that suits the test: max-t for the bootstrap)",
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


@command("compare", help="test runs against a baseline run", options=_options)
def compare(options: argparse.Namespace) -> str:
    """A row for each run and measure, those of one measure corrected together; notes go to stderr.
    The table and Markdown have three decimals and no reasons, the other formats all in full."""
    method = Method(options.test, options.correction, options.margin, options.level)
    options.runs = [options.baseline, *options.runs]
    judged, measures = judged_files(options)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant)
    baseline, *others = scores.runs
    if not others:
        raise RanklensError(
            f"There is nothing but {baseline} to compare.",
            "The runs hold the same lines as the baseline; give another run.",
        )
    parts = []
    for measure in scores.measures:
        rows = compared(scores, measure, baseline, method=method).iloc[1:]
        parts.append(rows.assign(baseline=baseline, measure=str(measure)))
    found = pd.concat(parts, ignore_index=True)
    return FORMATS[options.format](found.rename(columns=_COLUMNS)[list(_COLUMNS.values())])


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
            "interval": w.interval(row["low"], row["high"], digits),
            "p": _p_value(row["p_corrected"]),
            "won": w.count(row["won"]),
            "lost": w.count(row["lost"]),
            "same": w.count(row["same"]),
        }
        for row in frame.to_dict("records")
        for digits in [w.decimals(row["low"], row["high"])]
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


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": table,
    "markdown": markdown,
    **{name: PRINTERS[name] for name in ("tsv", "csv", "json")},
}
