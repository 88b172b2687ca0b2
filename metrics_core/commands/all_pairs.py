"""`metrics_core all-pairs`: every pair of runs on each measure, corrected together."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.commands import command
from metrics_core.commands.paper_table import NOTHING_TESTED, Pair, paper_table
from metrics_core.commands.reading import judged_files, nothing_to_compare
from metrics_core.commands.reading_options import (
    ReadingOptions,
    add_level_option,
    add_reading_options,
)
from metrics_core.commands.score_tables import IN_FULL, aligned, p_value, piped
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.comparing.method import BOOTSTRAP, TESTS
from metrics_core.comparing.verdicts import BETTER_RUN
from metrics_core.scoring.scores import Scores, score_runs

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class AllPairsOptions(ReadingOptions):
    """What `all-pairs` is asked for besides."""

    level: float


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    add_level_option(parser)
    parser.add_argument("--format", choices=sorted([*FORMATS, "latex"]), default="table")


@command("all-pairs", AllPairsOptions, help="test every pair of runs", arguments=_arguments)
def every_pair(options: AllPairsOptions) -> str:
    """A row for each measure and pair, the run of the better mean first; as LaTeX the table of a
    paper. Notes go to stderr."""
    files = judged_files(options)
    scores = score_runs(files.judged, files.measures, without_relevant=options.without_relevant)
    if len(scores.runs) < 2:
        raise nothing_to_compare(scores.runs[0])
    found = {str(m): all_pairs(scores, m, level=options.level) for m in scores.measures}
    if options.format == "latex":
        return _latex(scores, found, options.level)
    parts = [pairs.frame.assign(measure=name) for name, pairs in found.items()]
    whole = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    told = ["n", "difference", "low", "high", "p", "p_corrected"]
    return FORMATS[options.format](whole[["run", "other", "measure", "verdict", *told]])


def _latex(scores: Scores, found: dict[str, AllPairs], level: float) -> str:
    return paper_table(scores, {name: _beaten(p) for name, p in found.items()}, _told(found, level))


def _beaten(found: AllPairs) -> set[Pair]:
    rows, columns = np.nonzero(found.verdict == BETTER_RUN)
    return {(found.runs[i], found.runs[j]) for i, j in zip(rows, columns, strict=True)}


def _told(found: dict[str, AllPairs], level: float) -> str:
    """How the letters of a table were found."""
    if all(np.isnan(pairs.p).all() for pairs in found.values()):
        return NOTHING_TESTED
    pairs = next(iter(found.values())).n_pairs
    corrected = (
        f", corrected for {w.number(pairs)} comparisons per measure (geometric mean of Holm and"
        " step-down max-statistic)"
    )
    return (
        "Superscripts mark runs that a run significantly outperforms (significance level"
        f" {1 - level:.2g}); all pairs of runs are compared; test:"
        f" {TESTS[BOOTSTRAP]}{corrected if pairs > 1 else ''}."
    )


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Pairs as people read them, as texts."""
    digits = w.column_decimals(frame["low"], frame["high"])
    rows = [
        {
            "run": row["run"],
            "other": row["other"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.count(row["n"]),
            "difference": w.difference(row["difference"], digits),
            "interval": w.interval(row["low"], row["high"], digits),
            "p": p_value(row["p_corrected"]),
        }
        for row in frame.to_dict("records")
    ]
    return pd.DataFrame(rows, dtype=object)


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: aligned(_shown(frame), _LABELS),
    "markdown": lambda frame: piped(_shown(frame), _LABELS),
    **IN_FULL,
}
