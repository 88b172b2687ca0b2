"""The table of pages, in the order of the rail. Each page is drawn by the file of the same name in
`app_pages/`. The file is loaded when the page is opened, so that the app starts without loading all
pages."""

from __future__ import annotations

from dashboard.address.address import Field
from dashboard.address.group_table import GROUP_TABLE
from dashboard.address.page import FEWEST_OF_PAIRS, FEWEST_VERSIONS, Page
from dashboard.address.query_list import QUERIES_FIELDS, QUERY_FIELDS

PAGES = (
    Page(
        "overview",
        "Overview",
        "This comparison",
        "o",
        fields=tuple(Field(name, lasting=False) for name in ("named", "quality", "cost")),
    ),
    Page("breakdown", "Breakdown", "This comparison", "b", fields=GROUP_TABLE),
    Page(
        "curves",
        "By cutoff",
        "This comparison",
        "c",
        fields=(Field("part", lasting=False),),
        needs_lists=True,
    ),
    Page(
        "firm",
        "Robustness",
        "This comparison",
        "r",
        fields=(Field("part", lasting=False),),
        needs_judgments=True,
    ),
    Page(
        "queries",
        "All queries",
        "Queries",
        "q",
        # "by" is shared with the Breakdown: its column also groups the strips.
        fields=(
            *QUERIES_FIELDS,
            Field("cols", "several"),
            Field("open", lasting=False),
            Field("view"),
            Field("tool"),
            Field("by"),
        ),
    ),
    Page(
        "query",
        "Query",
        within="queries",
        fields=(
            Field("q"),
            *QUERY_FIELDS,
            Field("rows"),
            Field("beside", "several"),
            Field("doc", lasting=False),
            Field("what", "several", lasting=False),
            Field("try", lasting=False),
        ),
    ),
    Page(
        "judge",
        "To judge",
        "Queries",
        "j",
        fields=(Field("order"), Field("blind")),
        needs_lists=True,
    ),
    Page(
        "pairs",
        "Ranking",
        "All runs",
        "k",
        controls="runs",
        fields=(Field("named", lasting=False),),
        fewest_runs=FEWEST_OF_PAIRS,
    ),
    Page(
        "history",
        "Versions",
        "All runs",
        "v",
        controls="runs",
        fields=(
            Field("versions", "several"),
            Field("in_order"),
            Field("also_from", "several"),
            Field("by"),
        ),
        fewest_runs=FEWEST_VERSIONS,
        needs_judgments=True,
    ),
    Page(
        "data",
        "Files",
        "",
        "f",
        needs_study=False,
        controls="",
        bar="files",
        fields=(Field("file", lasting=False),),
    ),
    Page("collections", "Collections", needs_study=False, controls=""),
    Page(
        "measures",
        "Measures",
        "",
        "m",
        needs_study=False,
        controls="",
        fields=(
            Field("measure", lasting=False),
            Field("find", lasting=False),
            Field("family", lasting=False),
        ),
    ),
    Page(
        "help",
        "Help",
        "",
        "h",
        needs_study=False,
        controls="",
        fields=(Field("about", lasting=False), Field("find", lasting=False)),
    ),
)
