"""The leaderboard: all loaded runs on the default measures, with the possible ranks of each run."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import LinkMaker, run_style
from dashboard.drawing.blocks.overview import measure_columns, measure_header_cells, runs_by_mean
from dashboard.drawing.blocks.pairs import format_rank_range
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs

FIRST_ROWS = 17
"""Number of runs that are visible at first. The user can unfold the remaining ones."""
MAX_ROWS = 40
"""Maximum number of runs in the leaderboard. Further runs can be found by name or on the Ranking
page."""
_NAMED = 3
_NAME = 20
"""Maximum number of characters of a run's name in the leaderboard."""

_render = Template("leaderboard")


def draw_leaderboard(
    table: pd.DataFrame,
    drawing: Drawing,
    measures: Sequence[tuple[str, str, str]],
    judged_shares: dict[str, float],
    make_run_link: LinkMaker,
    *,
    pairs: str,
    all_pairs: AllPairs | None = None,
    search: str = "",
) -> Markup:
    """Draw all runs in `table`, sorted by mean, best first. The table is in long format, as
    described in `overview.measure_columns`.

    Runs after the first `FIRST_ROWS` are folded, except for the compared pair. If `search` is
    given, only runs with this text in their names are drawn. `all_pairs` is the comparison of all
    pairs of runs, or None until it is computed; `pairs` is the link to the page with all pairs."""
    order = runs_by_mean(table, drawing)
    short = short_names(order, _NAME)
    search_text = search.strip().lower()
    matching = [(rank, run) for rank, run in enumerate(order) if search_text in run.lower()]
    first = (
        MAX_ROWS if search_text else FIRST_ROWS if len(matching) > FIRST_ROWS + 1 else len(matching)
    )
    pair = (drawing.focus, drawing.baseline)
    first_rows = [*matching[:first], *(one for one in matching[first:] if one[1] in pair)]
    rest = [one for one in matching[first:] if one[1] not in pair]
    columns = measure_columns(table, drawing, measures)
    run_places = {}
    if all_pairs is not None:
        run_places = dict(
            zip(all_pairs.runs, zip(all_pairs.first, all_pairs.last, strict=True), strict=True)
        )
    return _render(
        "leaderboard",
        columns=columns,
        heads=measure_header_cells(columns, drawing.name),
        styles={run: run_style(drawing.styles, run) for run in order},
        short=short,
        judged=judged_shares,
        lead=make_run_link,
        places=run_places,
        best={run for run, (best, _) in run_places.items() if best == 1},
        format_ranks=format_rank_range,
        rows=first_rows,
        rest=rest if len(matching) <= MAX_ROWS else [],
        more=len(rest),
        rest_text=""
        if search_text
        else _folded_runs_text([(rank, short[run]) for rank, run in rest]),
        chosen=drawing.name,
        cutoff=drawing.cutoff,
        scale=Ticks([], [], (0, len(order))),
        search=search.strip(),
        pairs=pairs,
    )


def _folded_runs_text(folded_runs: Sequence[tuple[int, str]]) -> str:
    """Return a note that says which runs are folded. `folded_runs` has the rank by mean (from 0)
    and the name of each of these runs."""
    if not folded_runs:
        return ""
    low, high = (w.format_count(rank + 1) for rank, _ in (folded_runs[0], folded_runs[-1]))
    ranks = low if low == high else f"{low} to {high}"
    return (
        f"(by mean {ranks}: {w.shorten_list([name for _, name in folded_runs], max_words=_NAMED)})"
    )
