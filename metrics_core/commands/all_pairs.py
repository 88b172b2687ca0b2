"""`metrics_core all-pairs`: test every pair of runs on each measure, corrected together."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.commands import command
from metrics_core.commands.paper_table import NOTHING_TESTED, Pair, paper_table
from metrics_core.commands.reading import nothing_to_compare_error, read_judged_files
from metrics_core.commands.reading_options import (
    ReadingOptions,
    add_level_option,
    add_reading_options,
)
from metrics_core.commands.score_tables import (
    FULL_FORMATS,
    align_texts,
    format_p_value,
    markdown_table,
)
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.comparing.method import BOOTSTRAP, TESTS
from metrics_core.comparing.verdicts import BETTER_RUN
from metrics_core.scoring.scores import Scores, score_runs

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class AllPairsOptions(ReadingOptions):
    """The additional options of `all-pairs`."""

    level: float


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    add_level_option(parser)
    parser.add_argument("--format", choices=sorted([*FORMATS, "latex"]), default="table")


@command("all-pairs", AllPairsOptions, help="test every pair of runs", arguments=_add_arguments)
def format_all_pairs(options: AllPairsOptions) -> str:
    """Format one row for each measure and pair, the run with the better mean first.

    The columns are run, other, measure, verdict, n, difference, low, high, p and p_corrected. In
    the LaTeX format, the output is a table for a paper instead. Notes go to stderr. Raises
    RanklensError if there is only one run.
    """
    files = read_judged_files(options)
    scores = score_runs(files.judged, files.measures, without_relevant=options.without_relevant)
    if len(scores.runs) < 2:
        raise nothing_to_compare_error(scores.runs[0])
    pairs_by_measure = {str(m): all_pairs(scores, m, level=options.level) for m in scores.measures}
    if options.format == "latex":
        return _format_latex(scores, pairs_by_measure, options.level)
    parts = [pairs.frame.assign(measure=name) for name, pairs in pairs_by_measure.items()]
    table = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    columns = ["n", "difference", "low", "high", "p", "p_corrected"]
    return FORMATS[options.format](table[["run", "other", "measure", "verdict", *columns]])


def _format_latex(scores: Scores, pairs_by_measure: dict[str, AllPairs], level: float) -> str:
    return paper_table(
        scores,
        {name: _beaten_pairs(p) for name, p in pairs_by_measure.items()},
        _test_caption(pairs_by_measure, level),
    )


def _beaten_pairs(pairs: AllPairs) -> set[Pair]:
    rows, columns = np.nonzero(pairs.verdict == BETTER_RUN)
    return {(pairs.runs[i], pairs.runs[j]) for i, j in zip(rows, columns, strict=True)}


def _test_caption(pairs_by_measure: dict[str, AllPairs], level: float) -> str:
    """Return the caption that describes the test on which the letters in the table are based."""
    if all(np.isnan(pairs.p).all() for pairs in pairs_by_measure.values()):
        return NOTHING_TESTED
    pairs = next(iter(pairs_by_measure.values())).n_pairs
    corrected = (
        f", corrected for {w.number_word(pairs)} comparisons per measure (geometric mean of the"
        " Holm and step-down max-statistic p-values)"
    )
    return (
        "Superscripts mark runs with a significantly lower mean (significance level"
        f" {1 - level:.2g}); all pairs of runs are compared; test:"
        f" {TESTS[BOOTSTRAP]}{corrected if pairs > 1 else ''}."
    )


def _format_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return pairs as text cells for people: run, other, measure, verdict, n, difference, interval,
    p."""
    digits = w.column_decimals(frame["low"], frame["high"])
    rows = [
        {
            "run": row["run"],
            "other": row["other"],
            "measure": row["measure"],
            "verdict": row["verdict"],
            "n": w.format_count(row["n"]),
            "difference": w.format_difference(row["difference"], digits),
            "interval": w.format_interval(row["low"], row["high"], digits),
            "p": format_p_value(row["p_corrected"]),
        }
        for row in frame.to_dict("records")
    ]
    return pd.DataFrame(rows, dtype=object)


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: align_texts(_format_rows(frame), _LABELS),
    "markdown": lambda frame: markdown_table(_format_rows(frame), _LABELS),
    **FULL_FORMATS,
}
