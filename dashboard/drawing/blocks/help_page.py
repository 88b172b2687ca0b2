"""Blocks of the Help page: keyboard shortcuts, glossary, and file formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from dashboard.answers.file_formats import FileFormat
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.query_kinds import GOOD
from metrics_core.scoring.intervals import LEVEL

_render = Template("help_page")

FORMATS = "formats"
"""Value of the address field `about` for which the Help page shows the file formats."""

_WORDS = (
    (
        "clear difference",
        "A significant difference: p is below 0.05 after correction for all runs (or steps, groups,"
        " cutoffs) that are tested together.",
    ),
    (
        "contribution",
        "A group’s share of the queries times its own difference. The contributions of all groups"
        " add up to the difference.",
    ),
    (
        "cutoff (k)",
        "The number of top results that count. nDCG@10 counts the first ten results.",
    ),
    (
        "effect size",
        "The mean difference divided by the standard deviation of the queries’ differences.",
    ),
    (
        "fixed or broken query",
        f"{GOOD} The ideal score is the best that its judgments allow. A fixed query is good only"
        " with the run, a broken query only with the baseline.",
    ),
    (
        "false discovery rate",
        "The expected share of chance findings among the groups that are reported as different.",
    ),
    (
        "grade",
        "The relevance of a document to a query, for example from 0 (not relevant) to 3.",
    ),
    (
        "headroom",
        "What a run could still gain on a query: from a better order in its top k, from"
        " documents that it ranks below k, and from documents that it never retrieved.",
    ),
    (
        "interval",
        "Over many samples of queries, 95% of such intervals contain the true value. Each page"
        " corrects its intervals for its own comparisons, so their widths may differ.",
    ),
    (
        "judged share",
        "The share of the top results that have a grade. A low share makes scores uncertain.",
    ),
    (
        "median difference",
        "The middle value of the sorted differences, once for the queries that are better and once"
        " for those that are worse.",
    ),
    (
        "missing query",
        "A judged query for which a run has no results. It counts as 0, unless missing queries are"
        " left out.",
    ),
    (
        "nDCG",
        "Normalised discounted cumulative gain: how close the results come to the best possible"
        " order. 1 is perfect.",
    ),
    (
        "no clear difference",
        "The difference is not significant on these queries. This does not mean that"
        " the runs are equally good.",
    ),
    (
        "p",
        "How often a difference at least this large would occur if the runs were equally good."
        " Below 0.05 after correction, the difference is significant.",
    ),
    (
        "rank of a run",
        "Its place among all runs by its mean. A range, such as 2\u2060–\u20604, covers the"
        " places possible on these queries. In a long table, a thick line joins the runs that may"
        " be the best.",
    ),
    (
        "run",
        "The ranked results of one system for all queries.",
    ),
    (
        "baseline",
        "The run that others are compared with. Differences are run minus baseline.",
    ),
    (
        "simultaneous",
        "A simultaneous band, or set of intervals, is corrected for all its values together. If"
        " two runs are equal, only one such band in twenty excludes zero somewhere.",
    ),
    (
        "group",
        "All queries with the same value in a column, for example one category.",
    ),
    (
        "tied",
        "Runs with the same mean, or documents with the same score in a run. Tied documents are"
        " ordered by document id.",
    ),
    (
        "too few queries",
        f"Nothing is tested with fewer than {FEWEST_QUERIES} queries, or if the scores differ on"
        f" fewer than {FEWEST_DIFFERING} of them.",
    ),
    (
        "unjudged",
        "A retrieved document without a grade in the judgments. It counts as not relevant.",
    ),
    (
        "likely range",
        f"The range of the difference in {w.format_share(LEVEL)} of simulations that grade the"
        " unjudged documents like similar judged ones.",
    ),
    (
        "worst case",
        "The difference if unjudged documents favoured the trailing run as much as possible.",
    ),
)


def draw_keyboard_shortcuts(pages: Sequence[tuple[str, str]]) -> Markup:
    """Draw the keyboard shortcuts. `pages` has the letter to press after G, and the title of the
    page that this opens."""
    return _render("keys", pages=pages)


def draw_first_steps(href: Callable[..., str]) -> Markup:
    """Draw the instructions for getting started. `href` returns the link to a page."""
    return _render("start", href=href, formats=FORMATS)


def draw_glossary(measures: str, find: str) -> Markup:
    """Draw the entries of the glossary that contain the text `find`. `measures` is the link to the
    Measures page."""
    colours = _render("colours", fewest_queries=FEWEST_QUERIES, same=SAME)
    entries = sorted([*_WORDS, ("colours", colours)])
    words = [entry for entry in entries if find.casefold() in " ".join(entry).casefold()]
    return _render("words", words=words, measures=measures)


def draw_formats(file_formats: Sequence[FileFormat], back_link: str) -> Markup:
    """Draw a description of every file format that can be read. `back_link` leads back to the main
    help page."""
    return _render("formats", formats=file_formats, back=back_link)
