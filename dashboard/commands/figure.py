"""`ranklens figure`: save a chart of the dashboard as SVG or PDF, at a given width on paper."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dashboard.address.view import ALL_RUNS
from dashboard.commands.view_options import ViewOptions, add_view_options, read_view
from dashboard.drawing.svg.svg_file import height_in_mm
from dashboard.paper_figures import FIGURES, FigureRequest, draw_figure, parse_width
from metrics_core.base.errors import ParameterError
from metrics_core.base.whole_files import encode_text, replace_file
from metrics_core.commands.command_parser import CommandParser


@dataclass(frozen=True, kw_only=True)
class FigureOptions(ViewOptions):
    """The options of `ranklens figure`. They extend the options of all commands that show a view.
    `width` is in mm."""

    figure: str
    width: float
    by: str | None


def execute(arguments: Sequence[str]) -> str:
    """Write the figure. Return a message with its path, its size and its caption."""
    options = FigureOptions(**vars(_make_parser().parse_args(arguments)))
    ending = Path(options.out).suffix.lower()
    if ending not in (".svg", ".pdf"):
        raise ParameterError(
            f"{options.out} is neither SVG nor PDF.", "Use a name that ends in .svg or .pdf."
        )
    study, view, _ = read_view(options, "A figure", other_runs=(ALL_RUNS,))
    request = FigureRequest(study, view, options.width, options.by)
    figure = draw_figure(options.figure, request)
    encode_text(figure.svg, options.out)
    replace_file(options.out, figure.svg if ending == ".svg" else figure.pdf)
    height = height_in_mm(figure.chart)
    return f"{options.out}: {figure.width:.0f} × {height:.0f} mm. {figure.caption}"


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
            help="column (84 mm, the default), page (174 mm), or a length such as 3.3in; text is"
            " always 7.5 pt",
        )
        figure_parser.add_argument(
            "--by", metavar="COLUMN", help="column to group queries by (default: the first column)"
        )
    return parser


def _parse_millimetres(text: str) -> float:
    """Parse the value of `--width` and return it in millimetres."""
    try:
        return parse_width(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
