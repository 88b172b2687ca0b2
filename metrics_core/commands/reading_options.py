"""The options of the commands that score files."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from metrics_core import formats
from metrics_core.base.errors import ParameterError
from metrics_core.formats.source.limits import bytes_of

DEFAULT_MEASURES = ("nDCG@10", "P@10", "R@10", "AP", "RR", "Judged@10")


def add_reading_options(
    parser: argparse.ArgumentParser,
    *,
    baseline: str = "",
    one_run: bool = False,
    measures: Sequence[str] = DEFAULT_MEASURES,
) -> None:
    """The judgments, the runs or the one run, the measures with those that are taken where none is
    given, and how the files are read; before the other runs one that is the baseline, where there
    is a help text for it."""
    parser.add_argument("qrels", metavar="QRELS", help="the judgments")
    if baseline:
        parser.add_argument("baseline", metavar="BASELINE", help=baseline)
    runs = "the run" if one_run else "one file for each run"
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs=1 if one_run else "+",
        help=f"{runs}; - is the standard input",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        metavar="NAME",
        help="one or several: nDCG@10,AP or P.5,10 or P(rel=2)@5, by their names in ir_measures, in"
        " trec_eval (ndcg_cut_10) or everywhere (precision_at_5); may be given again. The command"
        f" measures lists them (default: {','.join(measures)})",
    )
    parser.set_defaults(default_measures=measures, memory=None, one_run=one_run)
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="the documents with their columns, for measures of price, popularity, category",
    )
    parser.add_argument(
        "--duplicates",
        choices=["error", "best", "first"],
        default="error",
        help="a document twice for a query: refuse, keep the best score, keep the first",
    )
    parser.add_argument(
        "--grades",
        type=_grades,
        default="integer",
        metavar="integer|real|WORD=NUMBER,…",
        help="how grades are read: whole numbers, gains, or words by what each is worth",
    )
    parser.add_argument("--encoding", metavar="NAME", help="such as latin-1 (default: UTF-8)")
    parser.add_argument(
        "--limit",
        type=size_argument,
        metavar="SIZE",
        help="how much a file may take, unpacked, such as 8GB (default: 4GB)",
    )
    parser.add_argument(
        "--clean-ids", action="store_true", help="drop blanks and invisible characters around ids"
    )
    parser.add_argument(
        "--without-relevant",
        choices=["zero", "leave out"],
        default="zero",
        help="judged queries without a relevant document: score 0, or leave them out",
    )


def size_argument(text: str) -> int:
    """The argument of --limit or --memory, in bytes."""
    try:
        return bytes_of(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _grades(text: str) -> formats.Grades:
    """The argument of --grades."""
    if text == "integer":
        return "integer"
    if text == "real":
        return "real"
    worth = {}
    for part in text.split(","):
        word, equals, number = part.rpartition("=")
        try:
            worth[word.strip()] = float(number)
        except ValueError:
            equals = ""
        if not (equals and word.strip() and math.isfinite(worth.get(word.strip(), math.nan))):
            raise argparse.ArgumentTypeError(
                f"{part!r} is neither integer nor real nor WORD=NUMBER, such as relevant=1"
            )
    return worth
