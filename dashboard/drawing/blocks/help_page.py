"""The parts of the Help page: its keys, and the words of all pages."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from dashboard.answers.file_formats import FileFormat
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.kinds import GOOD
from metrics_core.scoring.intervals import LEVEL

_drawn = Template("help_page")

FORMATS = "formats"
"""What an address asks the Help page about for the formats of files."""

_WORDS = (
    (
        "clear, significant after correction",
        "The difference is larger than chance would often make it, with all runs (or steps,"
        " groups, cutoffs) that were tested together taken into account. Only then a page says"
        " “beats” or “best”, and only then a difference of means is coloured. That of a single"
        " query is a fact:"
        f" better and worse are coloured from {FEWEST_QUERIES} queries on.",
    ),
    (
        "no clear difference",
        "These queries cannot tell. It does not mean that the runs are equally good.",
    ),
    (
        "too few queries",
        f"Nothing is tested below {FEWEST_QUERIES} queries, or where fewer than"
        f" {FEWEST_DIFFERING} of them differ.",
    ),
    (
        "interval",
        "Where the difference may lie, given these queries. What it holds for stands in its head:"
        " for all comparisons together, or for each.",
    ),
    (
        "place, bracket",
        "Where a run stands among all by its mean. A range of places, as 2–4, covers those that"
        " these queries cannot tell apart; the bracket joins the runs that may be the best.",
    ),
    (
        "fixed, broken",
        f"Good with the run and not with the baseline, and the other way round. {GOOD}",
    ),
    (
        "median win",
        "Half of the queries that got better gained more than this, half of them less.",
    ),
    (
        "slice",
        "The queries with one value of a column, as all of one category; also called a group.",
    ),
    (
        "unjudged",
        "A document in a list that the judgments do not grade. It counts as not relevant.",
    ),
    (
        "worst case, likely",
        "What the difference would be if unjudged documents turned out as badly as they can, and"
        f" where it would lie in {w.share(LEVEL)} of draws if they were graded like similar judged"
        " ones.",
    ),
    (
        "effect size",
        "The mean difference in standard deviations of the queries’ differences.",
    ),
    (
        "room for improvement",
        "What a run could still gain on a query: by a better order in its top k, by documents that"
        " it ranks below k, by those that it never retrieved.",
    ),
    ("baseline", "Differences are always run minus baseline."),
)


def keys(pages: Sequence[tuple[str, str]]) -> Markup:
    """The keys; `pages` are the letters that open a page after G, with its title."""
    return _drawn("keys", pages=pages)


def words(measures: str, formats: str) -> Markup:
    """What the words mean; `measures` and `formats` lead to these."""
    return _drawn("words", words=_WORDS, measures=measures, formats=formats)


def formats(each: Sequence[FileFormat], back: str) -> Markup:
    """Each format that is read; `back` leads to the rest of the help."""
    return _drawn("formats", formats=each, back=back)
