"""`metrics_core residuals`: what the unjudged documents could make of the scores."""

from __future__ import annotations

import argparse

from metrics_core import wording as w
from metrics_core.commands.command import command
from metrics_core.commands.reading import add_reading_options, judged_files
from metrics_core.residuals import residual_frame
from metrics_core.scoring import score_frame


def _options(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser)
    parser.add_argument("--per-query", action="store_true", help="one line per query")
    parser.add_argument(
        "--highest", type=float, metavar="GRADE", help="the highest grade there is (default: given)"
    )


@command("residuals", help="what the unjudged documents could make of the scores", options=_options)
def residuals(options: argparse.Namespace) -> str:
    """Tab-separated lines: run, query_id (all: the mean), measure, score, lowest, highest, and
    whether the two are reached (exact) or only never passed (bound)."""
    judged, measures = judged_files(options)
    found = residual_frame(judged, measures, highest=options.highest)
    scores = score_frame(judged, measures, without_relevant=options.without_relevant)
    long = scores.melt(id_vars=["run", "query_id"], var_name="measure", value_name="score")
    found = found.merge(long, on=["run", "query_id", "measure"], sort=False)
    summary = found.groupby(["run", "measure"], sort=False, as_index=False).agg(
        {"score": "mean", "low": "mean", "high": "mean", "exact": "first"}
    )
    rows = found if options.per_query else summary.assign(query_id="all")
    lines = ["run\tquery_id\tmeasure\tscore\tlowest\thighest\tkind"]
    for row in rows.to_dict("records"):
        values = (w.score(row[name]) for name in ("score", "low", "high"))
        kind = "exact" if row["exact"] else "bound"
        lines.append("\t".join([row["run"], row["query_id"], row["measure"], *values, kind]))
    return "\n".join(lines) + "\n"
