"""`ranklens figure`: a chart of the pages at a width on paper, as SVG or PDF."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dashboard.address.view import EVERYBODY, Comparison
from dashboard.answers.breakdown import breakdown, group_scores
from dashboard.answers.compared import compared, of_shown
from dashboard.answers.curves import curves
from dashboard.answers.pairs import every_pair
from dashboard.commands.viewed import ViewOptions, add_view_options, viewed
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.breakdown import difference_by_group, runs_drawn
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.curves import measure_by_cutoff
from dashboard.drawing.figures.forest import forest
from dashboard.drawing.figures.matrix import pair_matrix
from dashboard.drawing.figures.paper_chart import printed
from dashboard.drawing.figures.run_key import KEY_COLUMN
from dashboard.drawing.svg.svg_file import LEAST_MM, mm_high, page_of, px_of, svg_file
from dashboard.drawing.theme import RunStyle
from dashboard.printing import pdf_of
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, UnknownColumnError
from metrics_core.base.whole_files import encoded, replace_file
from metrics_core.commands.command_parser import CommandParser
from metrics_core.comparing.method import METHOD
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_WIDTHS = {"column": 84.0, "page": 174.0}
_MM = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72.27}
_MOST_MM = 1000.0


@dataclass(frozen=True, kw_only=True)
class FigureOptions(ViewOptions):
    """What `ranklens figure` is asked for besides; the width in mm."""

    figure: str
    width: float
    by: str | None


class _Asked(NamedTuple):
    """What a figure is of; `width` in px as it is drawn, `by` a column of the queries."""

    study: Study
    view: Comparison
    drawing: Drawing
    width: float
    by: str | None


class _Figure(NamedTuple):
    """A chart, and what a caption has to say of it."""

    chart: Chart
    told: str


def made(arguments: Sequence[str]) -> str:
    """Write the figure; says where it is, how large, and what its caption has to say."""
    options = FigureOptions(**vars(_parser().parse_args(arguments)))
    ending = Path(options.out).suffix.lower()
    if ending not in (".svg", ".pdf"):
        raise ParameterError(
            f"{options.out} is neither SVG nor PDF.", "Use a name that ends in .svg or .pdf."
        )
    study, view, _ = viewed(options, "A figure", also=(EVERYBODY,))
    if view.alone and options.figure != "curves":
        raise RanklensError(f"There is no run to compare with {view.focus}.", "Add another run.")
    drawing = Drawing.of(view, study.names)
    asked = _Asked(study, view, drawing, px_of(options.width), options.by)
    chart, told = FIGURES[options.figure](asked)
    svg = svg_file(chart, options.width, told)
    page = page_of(svg, chart, options.width)
    encoded(page, options.out)
    replace_file(options.out, svg if ending == ".svg" else pdf_of(page, "svg"))
    return f"{options.out}: {options.width:.0f} × {mm_high(chart):.0f} mm. {told}"


def _parser() -> argparse.ArgumentParser:
    told = "A chart for a paper, as SVG or PDF."
    parser = argparse.ArgumentParser(prog="ranklens figure", description=told)
    figures = parser.add_subparsers(dest="figure", required=True, parser_class=CommandParser)
    for name in FIGURES:
        own = figures.add_parser(name, description=told)
        add_view_options(own, "figure.svg")
        own.add_argument(
            "--width",
            type=_millimetres,
            default="column",
            metavar="SIZE",
            help="column (84 mm), page (174 mm), or such as 3.3in; text is always 7.5 pt (column)",
        )
        own.add_argument("--by", metavar="COLUMN", help="column of a breakdown (the first column)")
    return parser


def _millimetres(text: str) -> float:
    """The argument of --width."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?(mm|cm|in|pt)", text.strip())
    size = _WIDTHS.get(text) or (float(found[1]) * _MM[found[2]] if found else 0.0)
    if not size:
        raise argparse.ArgumentTypeError(f"{text!r} is not a width like column, page, 84mm, 3.3in")
    if not LEAST_MM <= size <= _MOST_MM:
        raise argparse.ArgumentTypeError(
            f"{text} is not a width for a figure: it has {LEAST_MM:.0f} to {_MOST_MM:.0f} mm"
        )
    return size


def _curves(asked: _Asked) -> _Figure:
    view, drawing = asked.view, asked.drawing
    shown = curves(asked.study, view)
    family = view.family
    if view.measure.cutoff is None or family not in shown.frames:
        raise ParameterError(
            f"{view.name} has no cutoff to vary.", "Use a measure such as nDCG@10."
        )
    own = shown.in_colour(view)
    chart = measure_by_cutoff(
        shown.frames[family],
        drawing,
        in_colour=own,
        ends=shown.ends,
        value_range=shown.ranges[family],
    )
    told = f"{family}@k by k (log scale), {_queries(shown.queries)}"
    if not view.alone:
        told += f"; below minus {view.baseline}"
    if shown.queries >= FEWEST_QUERIES:
        told += "; bands 95\N{NO-BREAK SPACE}%"
        told += "" if view.alone else ", those below simultaneous over all k"
    more = len(drawing.styles) - len(own)
    told += f"; {w.number(more)} more {w.plural(more, 'run')} in grey" if more else ""
    keyed = [drawing.styles[run] for run in own]
    return _Figure(_keyed(chart, asked, keyed, above=f"{family}@k", below="k"), f"{told}.")


def _forest(asked: _Asked) -> _Figure:
    view = asked.view
    frame = of_shown(compared(asked.study, view, view.measure), view)
    tested = int(frame["p_corrected"].notna().sum())
    told = (
        f"Difference from {view.baseline} on {view.name}, {_queries(int(frame['queries'].max()))}"
    )
    told += _corrected(tested, "comparison")
    return _Figure(printed(forest(frame, asked.drawing), asked.drawing, below=_axis(view)), told)


def _breakdown(asked: _Asked) -> _Figure:
    study, view = asked.study, asked.view
    columns = list(study.columns(view))
    if asked.by is not None and asked.by not in columns:
        raise UnknownColumnError(asked.by, columns)
    found = breakdown(study, view, asked.by or "")
    if not found.columns:
        raise RanklensError(
            "There is nothing to group the queries by.", "Pass --queries FILE with columns."
        )
    scores = group_scores(study, view, found.by, tuple(found.groups["group"]))
    chart = difference_by_group(scores.groups, asked.drawing, order=scores.order)
    told = f"Difference from {view.baseline} on {view.name} by {found.column}"
    told += _corrected(found.looked_at, "group")
    told += f" Groups with fewer than {FEWEST_QUERIES} queries have none."
    runs = runs_drawn(scores.groups, asked.drawing, "difference")
    return _Figure(_keyed(chart, asked, runs, below=_axis(view)), told)


def _pairs(asked: _Asked) -> _Figure:
    view = asked.view
    found = every_pair(asked.study, view)
    told = f"Row minus column on {view.name}; "
    if found.draws:
        pairs = (
            f" after correction for {w.number(found.n_pairs)} pairs" if found.n_pairs > 1 else ""
        )
        told += f"coloured: significant{pairs}"
    else:
        told += "not tested"
    return _Figure(pair_matrix(found, asked.drawing, width=asked.width), f"{told}.")


def _keyed(chart: Chart, asked: _Asked, runs: Sequence[RunStyle], **names: str) -> Chart:
    columns = max(2, int(asked.width // KEY_COLUMN))
    return printed(chart, asked.drawing, runs=runs, columns=columns, **names)


def _axis(view: Comparison) -> str:
    return f"difference in {view.name}"


def _queries(n: int) -> str:
    return f"{w.count(n)} {w.plural(n, 'query', 'queries')}"


def _corrected(n: int, noun: str) -> str:
    """What the intervals of so many are, at the end of a sentence."""
    if not n:
        return "; not tested."
    many = f", corrected for {w.number(n)} {noun}s" if n > 1 else ""
    return f"; {w.share(METHOD.level)} intervals{many}."


FIGURES: Mapping[str, Callable[[_Asked], _Figure]] = {
    "curves": _curves,
    "forest": _forest,
    "breakdown": _breakdown,
    "pairs": _pairs,
}
