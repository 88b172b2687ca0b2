"""`metrics_core residuals`: what the unjudged documents could make of the scores."""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from metrics_core import wording as w
from metrics_core.commands.command import command
from metrics_core.commands.reading import add_reading_options, judged_files
from metrics_core.measures import parse_measure
from metrics_core.scoring.residuals import residual_frame
from metrics_core.scoring.scores import score_runs


def _grade(text: str) -> float:
    """The argument of --highest."""
    grade = float(text)
    if not 0 < grade < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no grade above 0")
    return grade


def _options(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    parser.set_defaults(queries=None)
    parser.add_argument("--per-query", action="store_true", help="one line per query")
    parser.add_argument(
        "--highest",
        type=_grade,
        metavar="GRADE",
        help="the highest grade there is (default: given)",
    )


@command("residuals", help="what the unjudged documents could make of the scores", options=_options)
def residuals(options: argparse.Namespace) -> str:
    """Tab-separated lines: run, query_id (all: the mean), measure, score, lowest, highest, and
    whether the two are reached (exact) or only never passed (bound)."""
    judged, measures = judged_files(options)
    found = residual_frame(judged, measures, highest=options.highest)
    scores = score_runs(judged, measures, without_relevant=options.without_relevant).frame
    long = scores.melt(id_vars=["run", "query_id"], var_name="measure", value_name="score")
    found = found.merge(long, on=["run", "query_id", "measure"], sort=False)
    # A query that is left out has no extremes either.
    found.loc[found["score"].isna(), ["low", "high"]] = np.nan
    rows = found if options.per_query else _combined(found)
    lines = ["run\tquery_id\tmeasure\tscore\tlowest\thighest\tkind"]
    for row in rows.to_dict("records"):
        values = (w.score(row[name]) for name in ("score", "low", "high"))
        kind = "exact" if row["exact"] else "bound"
        lines.append("\t".join([row["run"], row["query_id"], row["measure"], *values, kind]))
    return "\n".join(lines) + "\n"


def _combined(found: pd.DataFrame) -> pd.DataFrame:
    """One row for each run and measure, its queries combined as the measure combines them."""
    rows = []
    for (run, name), part in found.groupby(["run", "measure"], sort=False):
        combination = parse_measure(str(name)).declaration.combination
        values = {c: float(combination.of(part[c])) for c in ("score", "low", "high")}
        exact = bool(part["exact"].iloc[0])
        rows.append({"run": run, "query_id": "all", "measure": name, **values, "exact": exact})
    return pd.DataFrame(rows)
