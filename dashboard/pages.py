"""The table of pages, in the order of the menu."""

from __future__ import annotations

from dashboard.app_pages import (
    breakdown,
    collections,
    curves,
    data,
    firm,
    history,
    judge,
    measures,
    overview,
    pairs,
    queries,
    query,
)

PAGES = sorted(
    (
        page.PAGE
        for page in (
            overview,
            curves,
            breakdown,
            firm,
            judge,
            pairs,
            queries,
            query,
            history,
            data,
            collections,
            measures,
        )
    ),
    key=lambda page: page.place,
)
