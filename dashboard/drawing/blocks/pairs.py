"""Blocks of the Ranking page: all runs by their possible ranks, and every pair of runs as a cell
with its difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from dashboard.answers.ranking import RankedMeasure, Ranking
from dashboard.drawing.blocks.markup import LinkMaker, Styles, run_style
from dashboard.drawing.blocks.overview import shorten_gloss
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks, nice_ticks
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import BETTER_RUN, CANNOT_TELL, FEWEST_QUERIES, WORSE_RUN
from metrics_core.findings.costs import format_ratio_change
from metrics_core.findings.ranking import format_pair
from metrics_core.scoring.intervals import LEVEL

PairLink = Callable[[str, str], str]
"""A function that takes a run and a baseline and returns the link to their comparison."""

MAX_DETAILED_RUNS = 6
"""Maximum number of runs for which the cells of the pairs show numbers and the table shows all
measures."""
_LEAST_COLOUR = 0.3
_NAME_LENGTH, _LONGEST_NAME = 18, 24

_render = Template("pairs")


def draw_ranking_table(
    ranking: Ranking, runs: Sequence[str], run_pairs: AllPairs, styles: Styles, compared_run: str,
    chosen_name: str, pair_link: PairLink, measure_link: LinkMaker,
) -> Markup:  # fmt: skip
    """Draw a table of these runs on all measures: the mean, the possible ranks and the interval.

    `measure_link` returns the link of a measure's heading; the heading of `chosen_name` has no
    link. A run's name links to the comparison of this run with `compared_run`. The scale of a
    column covers its intervals."""
    scales = [_interval_scale(c) for c in ranking.columns]
    heads = [
        Column(
            str(c.measure),
            "chosen" * is_chosen,
            "" if is_chosen else measure_link(c.key),
            about=(shorten_gloss(str(c.measure), c.gloss), _render("axis_ends", scale=scale)),
        )
        for c, scale in zip(ranking.columns, scales, strict=True)
        for is_chosen in [str(c.measure) == chosen_name]
    ]
    return _render(
        "ranking_table",
        heads=heads,
        columns=[*zip(ranking.columns, scales, strict=True)],
        rows=_ranking_rows(ranking, runs, run_pairs, styles, compared_run, pair_link),
        format_ranks=format_rank_range,
        label="Runs and measures",
    )


def draw_ranking_and_pairs(
    ranking: Ranking, runs: Sequence[str], run_pairs: AllPairs, styles: Styles, compared_run: str,
    chosen_name: str, pair_link: PairLink, pairs: Markup,
) -> Markup:  # fmt: skip
    """Draw a table of these runs on the chosen measure. `pairs`, the table of their pairs, is drawn
    beside it."""
    column = next(c for c in ranking.columns if str(c.measure) == chosen_name)
    scale = _interval_scale(column)
    whose = [f"each run’s {w.format_share(LEVEL)} CI"] if run_pairs.draws else []
    return _render(
        "beside",
        heads=[
            Column("rank", "place"),
            Column("Run", "who"),
            Column("mean", "number"),
            Column(_render("axis_ends", scale=scale), "span", about=whose),
        ],
        column=column,
        rows=_ranking_rows(ranking, runs, run_pairs, styles, compared_run, pair_link),
        scale=scale,
        format_ranks=format_rank_range,
        pairs=pairs,
        label=f"Ranks on {chosen_name}",
    )


def _interval_scale(column: RankedMeasure) -> Ticks:
    """Return a scale that covers the intervals of all runs on a measure."""
    ends = np.concatenate([column.low, column.mean, column.high])
    ends = ends[np.isfinite(ends)]
    return nice_ticks(ends.min(initial=np.inf), ends.max(initial=-np.inf), max_ticks=8)


def format_rank_range(first: int, last: int) -> str:
    """Format a range of possible ranks, for example "1–4", or "3" if there is only one."""
    return (
        w.format_count(first)
        if first == last
        else f"{w.format_count(first)}{w.DASH}{w.format_count(last)}"
    )


def _ranking_rows(
    ranking: Ranking, runs: Sequence[str], run_pairs: AllPairs, styles: Styles, compared_run: str,
    pair_link: PairLink,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the data of each run for the table: its position in `ranking`, its link and hover
    text, whether it could be the best, and an explanation of its possible ranks."""
    short = short_names(run_pairs.runs, _LONGEST_NAME)
    several_bests, total = len(run_pairs.possible_best_runs) > 1, len(run_pairs.runs)
    rows = []
    for run in runs:
        i = run_pairs.runs.index(run)
        first = int(run_pairs.first[i])
        last = int(run_pairs.last[i])
        is_compared = run == compared_run
        rows.append(
            {
                "at": ranking.runs.index(run),
                "style": run_style(styles, run),
                "short": short[run],
                "link": "" if is_compared else pair_link(run, compared_run),
                "hint": (
                    run
                    if is_compared
                    else _pair_text(run_pairs, i, run_pairs.runs.index(compared_run))
                ),
                "best": bool(run_pairs.draws) and first == 1 and several_bests,
                "places": (
                    ""
                    if not run_pairs.draws
                    else (
                        f"runs significantly ahead: {w.format_count(first - 1)}, significantly"
                        f" behind: {w.format_count(total - last)}, not significantly different:"
                        f" {w.format_count(last - first)}"
                    )
                ),
            }
        )
    return rows


def draw_pair_table(
    run_pairs: AllPairs, styles: Styles, pair_link: PairLink, *, label: str
) -> Markup:
    """Draw all pairs of these runs as the upper triangle of a matrix, with the run with the best
    mean first. Each cell has a difference: the run in its row minus the run in its column.
    `pair_link` returns the link of a pair."""
    short = short_names(run_pairs.runs, _NAME_LENGTH)
    many = range(len(run_pairs.runs))
    digits = w.column_decimals(run_pairs.low.ravel(), run_pairs.high.ravel())
    return _render(
        "pair_table",
        runs=[(run_style(styles, run), short[run]) for run in run_pairs.runs],
        rows=[
            [_pair_cell(run_pairs, i, j, pair_link, digits) for j in many[i + 1 :]]
            for i in many[:-1]
        ],
        roomy=len(run_pairs.runs) <= MAX_DETAILED_RUNS,
        scale=_significant_range_text(run_pairs),
        label=label,
    )


def _significant_range_text(run_pairs: AllPairs) -> str:
    """Return the range of the absolute values of significant differences, as text. Returns "" if no
    difference is significant."""
    sizes = run_pairs.tested.mean[run_pairs.clear]
    if not len(sizes):
        return ""
    if run_pairs.log_ratios is not None:
        return " to ".join(format_ratio_change(math.exp(end)) for end in (sizes.min(), sizes.max()))
    sizes = abs(sizes)
    return f"{w.format_difference(float(sizes.min()))} to {w.format_difference(float(sizes.max()))}"


def _pair_cell(
    run_pairs: AllPairs,
    row: int,
    column: int,
    pair_link: PairLink,
    digits: int,
) -> dict[str, str]:
    """Return the contents of a cell: link, difference, interval, result of the test in words, hover
    text, tone, and the strength of the cell's colour as CSS ("" for no colour)."""
    value, kind = float(run_pairs.tested.mean[row, column]), run_pairs.verdict[row, column]
    text, interval = format_pair(run_pairs, row, column, digits)
    return {
        "link": pair_link(run_pairs.runs[row], run_pairs.runs[column]),
        "difference": text,
        "interval": interval,
        "word": _verdict_word(run_pairs, row, column),
        "hint": _pair_text(run_pairs, row, column),
        "tone": {BETTER_RUN: "ahead", WORSE_RUN: "behind"}.get(kind, "unclear"),
        "part": "" if kind == CANNOT_TELL else percent(_color_strength(run_pairs, value)),
    }


def _verdict_word(run_pairs: AllPairs, row: int, column: int) -> str:
    if int(run_pairs.queries[row, column]) < FEWEST_QUERIES:
        return "too few queries"
    if math.isnan(run_pairs.p_corrected[row, column]):
        return "not tested"
    return "not significant" if run_pairs.verdict[row, column] == CANNOT_TELL else "significant"


def _pair_text(run_pairs: AllPairs, row: int, column: int) -> str:
    """Describe a pair: its difference, interval, p-value, number of queries, and the result of the
    test."""
    low, high = float(run_pairs.low[row, column]), float(run_pairs.high[row, column])
    value, interval = format_pair(run_pairs, row, column, w.interval_decimals(low, high))
    text = f"{run_pairs.runs[row]} vs {run_pairs.runs[column]}: {value}"
    if interval:
        p = w.format_score(float(run_pairs.p_corrected[row, column]), 4)
        text += f" {interval}, p = {p}"
    shared = int(run_pairs.queries[row, column])
    text += f"; {w.format_query_count(shared)}"
    return f"{text}; {_verdict_word(run_pairs, row, column)}"


def _color_strength(run_pairs: AllPairs, value: float) -> float:
    """Return the strength of the colour for a difference, from 0.3 to 1. The largest significant
    difference has the strength 1."""
    most = max(abs(run_pairs.tested.mean[run_pairs.clear]).max(), 1e-12)
    return _LEAST_COLOUR + (1 - _LEAST_COLOUR) * abs(value) / most


def draw_table_note(text: str, hint: str = "") -> Markup:
    """Draw a note below the table that says how to read it. `hint` is shown on hover."""
    return _render("note", text=text, hint=hint)
