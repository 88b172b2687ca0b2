"""`ranklens figure`: save a chart of the dashboard as SVG or PDF, with a given width on paper."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dashboard.address.view import ALL_RUNS, Comparison
from dashboard.answers.breakdown import breakdown, group_scores
from dashboard.answers.curves import curves
from dashboard.answers.pairs import all_run_pairs
from dashboard.answers.run_comparisons import compare_runs, select_shown
from dashboard.commands.view_options import ViewOptions, add_view_options, read_view
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.breakdown import difference_by_group, runs_with_values
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.curves import measure_by_cutoff
from dashboard.drawing.figures.forest import forest
from dashboard.drawing.figures.matrix import pair_matrix
from dashboard.drawing.figures.paper_chart import paper_chart
from dashboard.drawing.figures.run_key import KEY_COLUMN
from dashboard.drawing.svg.svg_file import LEAST_MM, height_in_mm, print_page, svg_file, width_in_px
from dashboard.drawing.theme import RunStyle
from dashboard.printing import print_pdf
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, UnknownColumnError
from metrics_core.base.whole_files import encode_text, replace_file
from metrics_core.commands.command_parser import CommandParser
from metrics_core.comparing.method import DEFAULT_METHOD
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_WIDTHS = {"column": 84.0, "page": 174.0}
_MM = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72.27}
_MOST_MM = 1000.0


@dataclass(frozen=True, kw_only=True)
class FigureOptions(ViewOptions):
    """The additional options of `ranklens figure`; the width is in mm."""

    figure: str
    width: float
    by: str | None


class _FigureRequest(NamedTuple):
    """Input of a figure; `width` is in px, `by` a column of the queries."""

    study: Study
    view: Comparison
    drawing: Drawing
    width: float
    by: str | None


class _Figure(NamedTuple):
    """A chart and its caption."""

    chart: Chart
    caption: str


def made(arguments: Sequence[str]) -> str:
    """Write the figure; return its path, its size and its caption."""
    options = FigureOptions(**vars(_make_parser().parse_args(arguments)))
    ending = Path(options.out).suffix.lower()
    if ending not in (".svg", ".pdf"):
        raise ParameterError(
            f"{options.out} is neither SVG nor PDF.", "Use a name that ends in .svg or .pdf."
        )
    study, view, _ = read_view(options, "A figure", other_runs=(ALL_RUNS,))
    if view.is_alone and options.figure != "curves":
        raise RanklensError(f"There is no run to compare with {view.focus}.", "Add another run.")
    drawing = Drawing.for_comparison(view, study.names)
    request = _FigureRequest(study, view, drawing, width_in_px(options.width), options.by)
    chart, caption = FIGURES[options.figure](request)
    svg = svg_file(chart, options.width, caption)
    page = print_page(svg, chart, options.width)
    encode_text(page, options.out)
    replace_file(options.out, svg if ending == ".svg" else print_pdf(page, "svg"))
    return f"{options.out}: {options.width:.0f} × {height_in_mm(chart):.0f} mm. {caption}"


def _make_parser() -> argparse.ArgumentParser:
    description = "A chart for a paper, as SVG or PDF."
    parser = argparse.ArgumentParser(prog="ranklens figure", description=description)
    figures = parser.add_subparsers(dest="figure", required=True, parser_class=CommandParser)
    for name in FIGURES:
        figure_parser = figures.add_parser(name, description=description)
        add_view_options(figure_parser, "figure.svg")
        figure_parser.add_argument(
            "--width",
            type=_parse_millimetres,
            default="column",
            metavar="SIZE",
            help="column (84 mm), page (174 mm), or a length such as 3.3in; text is always 7.5 pt"
            " (default: column)",
        )
        figure_parser.add_argument(
            "--by", metavar="COLUMN", help="column of a breakdown (default: the first column)"
        )
    return parser


def _parse_millimetres(text: str) -> float:
    """Parse the argument of --width; returns millimetres."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?(mm|cm|in|pt)", text.strip())
    size = _WIDTHS.get(text) or (float(match[1]) * _MM[match[2]] if match else 0.0)
    if not size:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a valid width: use column, page, or a length such as 84mm or 3.3in"
        )
    if not LEAST_MM <= size <= _MOST_MM:
        raise argparse.ArgumentTypeError(
            f"{text} is not a valid width: a figure can be {LEAST_MM:.0f} to {_MOST_MM:.0f} mm wide"
        )
    return size


def _curves_figure(request: _FigureRequest) -> _Figure:
    view, drawing = request.view, request.drawing
    answer = curves(request.study, view)
    family = view.family
    if view.measure.cutoff is None or family not in answer.frames:
        raise ParameterError(
            f"{view.name} has no cutoff to vary.", "Use a measure such as nDCG@10."
        )
    coloured_runs = answer.coloured_runs(view)
    chart = measure_by_cutoff(
        answer.frames[family],
        drawing,
        in_colour=coloured_runs,
        ends=answer.list_ends,
        value_range=answer.ranges[family],
    )
    caption = f"{family}@k by k (log scale), {_count_queries(answer.queries)}"
    if not view.is_alone:
        caption += f"; below: difference from {view.baseline}"
    if answer.queries >= FEWEST_QUERIES:
        caption += "; bands 95\N{NO-BREAK SPACE}%"
        caption += "" if view.is_alone else "; the bands below are simultaneous over all k"
    n_more = len(drawing.styles) - len(coloured_runs)
    caption += f"; {w.number_word(n_more)} more {w.plural(n_more, 'run')} in grey" if n_more else ""
    keyed = [drawing.styles[run] for run in coloured_runs]
    return _Figure(
        _chart_with_key(chart, request, keyed, above=f"{family}@k", below="k"), f"{caption}."
    )


def _forest_figure(request: _FigureRequest) -> _Figure:
    view = request.view
    frame = select_shown(compare_runs(request.study, view, view.measure), view)
    tested = int(frame["p_corrected"].notna().sum())
    caption = (
        f"Difference from {view.baseline} on {view.name},"
        f" {_count_queries(int(frame['queries'].max()))}"
    )
    caption += _interval_note(tested, "comparison")
    return _Figure(
        paper_chart(forest(frame, request.drawing), request.drawing, below=_axis_label(view)),
        caption,
    )


def _breakdown_figure(request: _FigureRequest) -> _Figure:
    study, view = request.study, request.view
    columns = list(study.columns(view))
    if request.by is not None and request.by not in columns:
        raise UnknownColumnError(request.by, columns)
    answer = breakdown(study, view, request.by or "")
    if not answer.columns:
        raise RanklensError(
            "There is nothing to group the queries by.", "Pass --queries FILE with columns."
        )
    scores = group_scores(study, view, answer.by, tuple(answer.groups["group"]))
    chart = difference_by_group(scores.groups, request.drawing, order=scores.order)
    caption = f"Difference from {view.baseline} on {view.name} by {answer.column}"
    caption += _interval_note(answer.group_count, "group")
    caption += f" Groups with fewer than {FEWEST_QUERIES} queries have no interval."
    runs = runs_with_values(scores.groups, request.drawing, "difference")
    return _Figure(_chart_with_key(chart, request, runs, below=_axis_label(view)), caption)


def _pairs_figure(request: _FigureRequest) -> _Figure:
    view = request.view
    answer = all_run_pairs(request.study, view)
    caption = f"Row minus column on {view.name}; "
    if answer.draws:
        pairs = (
            f" after correction for {w.number_word(answer.n_pairs)} pairs"
            if answer.n_pairs > 1
            else ""
        )
        caption += f"coloured: significant{pairs}"
    else:
        caption += "not tested"
    return _Figure(pair_matrix(answer, request.drawing, width=request.width), f"{caption}.")


def _chart_with_key(
    chart: Chart, request: _FigureRequest, runs: Sequence[RunStyle], **names: str
) -> Chart:
    columns = max(2, int(request.width // KEY_COLUMN))
    return paper_chart(chart, request.drawing, runs=runs, columns=columns, **names)


def _axis_label(view: Comparison) -> str:
    return f"difference in {view.name}"


def _count_queries(n: int) -> str:
    return f"{w.format_count(n)} {w.plural(n, 'query', 'queries')}"


def _interval_note(n: int, noun: str) -> str:
    """Describe the intervals of `n` comparisons, as the end of a caption."""
    if not n:
        return "; not tested."
    correction_text = f", corrected for {w.number_word(n)} {noun}s" if n > 1 else ""
    return f"; {w.format_share(DEFAULT_METHOD.level)} intervals{correction_text}."


FIGURES: Mapping[str, Callable[[_FigureRequest], _Figure]] = {
    "curves": _curves_figure,
    "forest": _forest_figure,
    "breakdown": _breakdown_figure,
    "pairs": _pairs_figure,
}
