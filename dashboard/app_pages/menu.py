"""The table of pages, in the order of the menu. Each is drawn by the file of its name in
`app_pages/`, loaded when it is opened: a start is not to wait for pages that nobody looks at."""

from __future__ import annotations

from dashboard.address.address import Field
from dashboard.address.group_table import GROUP_TABLE
from dashboard.address.page import FEWEST_OF_PAIRS, FEWEST_VERSIONS, Page
from dashboard.address.query_list import CAME_FROM, OWN

PAGES = (
    Page("overview", "Overview"),
    Page("curves", "Curves"),
    Page("breakdown", "Breakdown", fields=GROUP_TABLE),
    Page("firm", "How firm?", fields=(Field("part", lasting=False),)),
    Page(
        "pairs",
        "All pairs",
        fields=(Field("named", lasting=False),),
        fewest_runs=FEWEST_OF_PAIRS,
    ),
    Page(
        "queries",
        "Queries",
        # "by" is also the Breakdown's: what it breaks down by, the strips stand by.
        fields=(*OWN, Field("cols", "several"), Field("view"), Field("tool"), Field("by")),
    ),
    Page(
        "query",
        "Query",
        fields=(
            Field("q"),
            *CAME_FROM,
            Field("rows"),
            Field("beside", "several"),
            Field("doc", lasting=False),
            Field("what", "several", lasting=False),
            Field("try", lasting=False),
        ),
    ),
    Page(
        "history",
        "History",
        fields=(
            Field("versions", "several"),
            Field("in_order"),
            Field("also_from", "several"),
            Field("by"),
        ),
        fewest_runs=FEWEST_VERSIONS,
    ),
    Page("data", "Data", needs_study=False),
    Page("collections", "Collections", needs_study=False),
    Page(
        "measures",
        "Measures",
        needs_study=False,
        fields=(
            Field("measure", lasting=False),
            Field("find", lasting=False),
            Field("family", lasting=False),
        ),
    ),
    Page("judge", "Judge", in_menu=False),
)
