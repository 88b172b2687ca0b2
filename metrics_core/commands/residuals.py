"""`metrics_core residuals`: the lowest and highest scores that are possible, given the unjudged
documents."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.commands import command
from metrics_core.commands.reading import read_judged_files, score_files
from metrics_core.commands.reading_options import ReadingOptions, add_reading_options
from metrics_core.measures import parse_measure
from metrics_core.scoring.residuals import residual_frame
from metrics_core.text_tables.score_tables import FULL_FORMATS

_LABELS = ("run", "query_id", "measure")
_VALUES = ("score", "lowest", "highest")


def _parse_grade(text: str) -> float:
    """Parse the value of the option --highest, a relevance grade."""
    grade = float(text)
    if not 0 < grade < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a grade above 0")
    return grade


@dataclass(frozen=True, kw_only=True)
class ResidualsOptions(ReadingOptions):
    """The additional options of `residuals`."""

    highest: float | None


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    parser.add_argument("--per-query", action="store_true", help="print one line per query")
    parser.add_argument(
        "--highest",
        type=_parse_grade,
        metavar="GRADE",
        help="the highest possible grade (default: the highest grade in the judgments)",
    )
    parser.add_argument("--format", choices=sorted(FORMATS), default="table")


@command(
    "residuals",
    ResidualsOptions,
    help="show how much unjudged documents could change the scores",
    add_arguments=_add_arguments,
)
def residuals(options: ResidualsOptions) -> str:
    """Format a table of the lowest and the highest possible score.

    Columns: run, query_id ("all" for the mean), measure, score, lowest, highest and kind. The kind
    is "exact" if both extremes can be reached. It is "bound" if the score cannot lie outside them,
    but might not be able to reach them. The table format has three decimals; all other formats have
    full precision."""
    files = read_judged_files(options)
    residual_table = residual_frame(files.judged, files.measures, highest_grade=options.highest)
    scores = score_files(files, options).frame
    long = scores.melt(id_vars=["run", "query_id"], var_name="measure", value_name="score")
    residual_table = residual_table.merge(long, on=["run", "query_id", "measure"], sort=False)
    # An excluded query has no extremes either.
    residual_table.loc[residual_table["score"].isna(), ["low", "high"]] = np.nan
    rows = residual_table if options.per_query else _combine_queries(residual_table)
    return FORMATS[options.format](_rename_columns(rows))


def _rename_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Select the columns to print and rename them."""
    names = {"low": "lowest", "high": "highest", "exact": "kind"}
    frame = rows.rename(columns=names)[[*_LABELS, *_VALUES, "kind"]]
    return frame.assign(kind=np.where(frame["kind"].to_numpy(dtype=bool), "exact", "bound"))


def format_table(frame: pd.DataFrame) -> str:
    """Format tab-separated lines with the columns of `residuals`. Scores have three decimals."""
    lines = ["\t".join(frame.columns)]
    for row in frame.to_dict("records"):
        values = (w.format_score(row[name]) for name in _VALUES)
        lines.append(
            "\t".join([*(w.escape_controls(row[name]) for name in _LABELS), *values, row["kind"]])
        )
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table": format_table,
    **FULL_FORMATS,
}


def _combine_queries(residual_table: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each run and measure. The values of the queries are combined as the
    measure defines.

    Columns: run, query_id ("all"), measure, score, low, high, exact."""
    rows = []
    for (run, name), part in residual_table.groupby(["run", "measure"], sort=False):
        combination = parse_measure(str(name)).declaration.combination
        values = {c: float(combination.combine(part[c])) for c in ("score", "low", "high")}
        exact = bool(part["exact"].iloc[0])
        rows.append({"run": run, "query_id": "all", "measure": name, **values, "exact": exact})
    return pd.DataFrame(rows)
