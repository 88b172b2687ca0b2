"""The charts for a paper: the curves, the forest plot, the breakdown and the pairs of a comparison,
drawn at their width on paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dashboard.address.view import Comparison
from dashboard.answers.breakdown import breakdown, scores_by_group
from dashboard.answers.curves import curves
from dashboard.answers.pairs import all_run_pairs
from dashboard.answers.run_comparisons import compare_runs, select_shown_runs
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.breakdown import difference_by_group, runs_with_values
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.curves import measure_by_cutoff
from dashboard.drawing.figures.forest import forest
from dashboard.drawing.figures.matrix import pair_matrix
from dashboard.drawing.figures.paper_chart import paper_chart
from dashboard.drawing.figures.run_key import KEY_COLUMN
from dashboard.drawing.svg.svg_file import LEAST_MM, make_printable_page, make_svg_file, width_in_px
from dashboard.drawing.theme import RunStyle
from dashboard.printing import print_pdf
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.errors import ParameterError, RanklensError, UnknownColumnError
from metrics_core.comparing.method import DEFAULT_METHOD
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_WIDTHS = {"column": 84.0, "page": 174.0}
_MM = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72.27}
_MOST_MM = 1000.0


class FigureRequest(NamedTuple):
    """A request for a figure. `width` is in mm. `by` is the column of the queries for a breakdown.
    `family` is the measure for curves; by default it is the measure of the comparison."""

    study: Study
    view: Comparison
    width: float
    by: str | None = None
    family: str = ""

    @property
    def drawing(self) -> Drawing:
        """The comparison, with the styles of the runs."""
        return Drawing.for_comparison(self.view, self.study.names)


class PaperFigure(NamedTuple):
    """A chart with its caption and its width in mm."""

    chart: Chart
    caption: str
    width: float

    @property
    def svg(self) -> str:
        """The chart as an SVG file."""
        return make_svg_file(self.chart, self.width, self.caption)

    @property
    def pdf(self) -> bytes:
        """The chart as a PDF file. Raises the errors of `print_pdf`."""
        return print_pdf(make_printable_page(self.svg, self.chart, self.width), "svg")


def draw_figure(name: str, request: FigureRequest) -> PaperFigure:
    """Draw the figure with this name in `FIGURES`.

    Raises ParameterError for an unknown name or a measure without curves, RanklensError if there is
    no run to compare with or no column to group by, and UnknownColumnError."""
    if name not in FIGURES:
        names = w.join_words(list(FIGURES), "or")
        raise ParameterError(f"There is no figure {name}.", f"Available: {names}.")
    if request.view.is_single_run and name != "curves":
        raise RanklensError(
            f"There is no run to compare with {request.view.focus}.", "Add another run."
        )
    return PaperFigure(*FIGURES[name](request), request.width)


def parse_width(text: str) -> float:
    """Convert a width to mm. `text` is "column", "page", or a number followed by mm, cm, in or pt.
    Raises ParameterError."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?(mm|cm|in|pt)", text.strip())
    size = _WIDTHS.get(text) or (float(match[1]) * _MM[match[2]] if match else 0.0)
    if not size:
        raise ParameterError(
            f"{text!r} is not a valid width: use column, page, or a length such as 84mm or 3.3in"
        )
    if not LEAST_MM <= size <= _MOST_MM:
        raise ParameterError(
            f"{text} is not a valid width: a figure can be {LEAST_MM:.0f} to {_MOST_MM:.0f} mm wide"
        )
    return size


def _curves_figure(request: FigureRequest) -> tuple[Chart, str]:
    view, drawing = request.view, request.drawing
    answer = curves(request.study, view)
    family = request.family or view.family
    if family not in answer.frames or not (request.family or view.measure.cutoff):
        name = request.family or view.name
        raise ParameterError(f"{name} has no cutoff to vary.", "Use a measure such as nDCG@10.")
    coloured_runs = answer.coloured_runs(view)
    chart = measure_by_cutoff(
        answer.frames[family],
        drawing,
        coloured_runs=coloured_runs,
        end_by_run=answer.list_ends,
    )
    caption = f"{family}@k by k (log scale), {w.format_query_count(answer.queries)}"
    if not view.is_single_run:
        caption += f"; below: difference from {view.baseline}, scaled to {view.focus}"
    if answer.queries >= FEWEST_QUERIES:
        caption += "; bands 95%"
        caption += "" if view.is_single_run else "; the lower bands are simultaneous over all k"
    n_more = len(drawing.styles) - len(coloured_runs)
    caption += f"; {w.number_word(n_more)} more {w.plural(n_more, 'run')} in grey" if n_more else ""
    keyed = [drawing.styles[run] for run in coloured_runs]
    return (
        _chart_with_legend(chart, request, keyed, y_title=f"{family}@k", x_title="k"),
        f"{caption}.",
    )


def _forest_figure(request: FigureRequest) -> tuple[Chart, str]:
    view = request.view
    if not view.compares_means:
        raise ParameterError(
            f"The figure forest shows mean differences, but the test on {view.name} does not"
            " compare means.",
            "Use the figure pairs, or another measure.",
        )
    frame = select_shown_runs(compare_runs(request.study, view, view.measure), view)
    tested = int(frame["p_corrected"].notna().sum())
    caption = (
        f"Difference from {view.baseline} on {view.name},"
        f" {w.format_query_count(int(frame['queries'].max()))}"
    )
    caption += _interval_note(tested, "comparison")
    return (
        paper_chart(forest(frame, request.drawing), request.drawing, x_title=_axis_label(view)),
        caption,
    )


def _breakdown_figure(request: FigureRequest) -> tuple[Chart, str]:
    study, view = request.study, request.view
    columns = list(study.columns(view))
    if request.by is not None and request.by not in columns:
        raise UnknownColumnError(request.by, columns)
    answer = breakdown(study, view, request.by or "")
    if not answer.columns:
        raise RanklensError(
            "There is nothing to group the queries by.",
            "Give queries with columns (--queries FILE).",
        )
    scores = scores_by_group(study, view, answer.by, tuple(answer.groups["group"]))
    chart = difference_by_group(scores.groups, request.drawing, order=scores.order)
    caption = f"Difference from {view.baseline} on {view.name} by {answer.column}"
    if answer.tests_means:
        caption += _interval_note(answer.group_count, "group")
        caption += f" Groups with fewer than {FEWEST_QUERIES} queries have no interval."
    else:
        caption += ", without intervals."
    runs = runs_with_values(scores.groups, request.drawing, "difference")
    return (_chart_with_legend(chart, request, runs, x_title=_axis_label(view)), caption)


def _pairs_figure(request: FigureRequest) -> tuple[Chart, str]:
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
    return (pair_matrix(answer, request.drawing, width=width_in_px(request.width)), f"{caption}.")


def _chart_with_legend(
    chart: Chart, request: FigureRequest, runs: Sequence[RunStyle], **names: str
) -> Chart:
    columns = max(2, int(width_in_px(request.width) // KEY_COLUMN))
    return paper_chart(chart, request.drawing, runs=runs, n_columns=columns, **names)


def _axis_label(view: Comparison) -> str:
    return f"difference in {view.name}"


def _interval_note(n: int, noun: str) -> str:
    """Return the last part of a caption. It describes the intervals of `n` comparisons."""
    if not n:
        return "; not tested."
    correction_text = f", corrected for {w.number_word(n)} {noun}s" if n > 1 else ""
    return f"; {w.format_share(DEFAULT_METHOD.level)} intervals{correction_text}."


FIGURES: Mapping[str, Callable[[FigureRequest], tuple[Chart, str]]] = {
    "curves": _curves_figure,
    "forest": _forest_figure,
    "breakdown": _breakdown_figure,
    "pairs": _pairs_figure,
}
