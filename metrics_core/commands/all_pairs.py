"""`metrics_core all-pairs`: test every pair of runs on each measure, corrected together."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from metrics_core.base import frames as pd
from metrics_core.commands import command
from metrics_core.commands.reading import nothing_to_compare_error, read_judged_files, score_files
from metrics_core.commands.reading_options import (
    ReadingOptions,
    add_level_option,
    add_reading_options,
)
from metrics_core.comparing.all_pairs.all_pairs import all_pairs
from metrics_core.text_tables.paper_table import RunMeans, all_pairs_table
from metrics_core.text_tables.score_tables import (
    FULL_FORMATS,
    align_texts,
    format_pairs,
    markdown_table,
)

_LABELS = 4


@dataclass(frozen=True, kw_only=True)
class AllPairsOptions(ReadingOptions):
    """The additional options of `all-pairs`."""

    level: float


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    add_level_option(parser)
    parser.add_argument("--format", choices=sorted([*FORMATS, "latex"]), default="table")


@command("all-pairs", AllPairsOptions, help="test every pair of runs", add_arguments=_add_arguments)
def format_all_pairs(options: AllPairsOptions) -> str:
    """Format one row for each measure and each pair of runs. The run with the better mean is named
    first in the row.

    The columns are run, other, measure, verdict, n, difference, low, high, p and p_corrected. In
    the LaTeX format, the output is a table for a paper instead. Notes go to stderr. Raises
    RanklensError if there is only one run."""
    files = read_judged_files(options)
    scores = score_files(files, options)
    if len(scores.runs) < 2:
        raise nothing_to_compare_error(scores.runs[0])
    pairs_by_measure = {str(m): all_pairs(scores, m, level=options.level) for m in scores.measures}
    if options.format == "latex":
        means = RunMeans.from_scores(scores)
        return all_pairs_table(means, pairs_by_measure, options.level).to_latex()
    parts = [pairs.frame.assign(measure=name) for name, pairs in pairs_by_measure.items()]
    table = pd.concat(parts, ignore_index=True).rename(columns={"queries": "n"})
    columns = ["n", "difference", "low", "high", "p", "p_corrected"]
    return FORMATS[options.format](table[["run", "other", "measure", "verdict", *columns]])


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": lambda frame: align_texts(format_pairs(frame), _LABELS),
    "markdown": lambda frame: markdown_table(format_pairs(frame), _LABELS),
    **FULL_FORMATS,
}
