"""The entry: the table of pages, and what surrounds every page."""

from __future__ import annotations

import streamlit as st

from dashboard import frame, intake, session
from dashboard.frame import Page
from metrics_core.errors import RanklensError

PAGES = [
    Page("overview", "Overview"),
    Page("curves", "Curves"),
    Page("breakdown", "Breakdown"),
    Page("queries", "Queries"),
    Page("query", "Query"),
    Page("data", "Data", needs_study=False),
    Page("measures", "Measures", needs_study=False),
]


def main() -> None:
    """Draw one run of the app."""
    st.set_page_config(page_title="Ranklens", page_icon=frame.ICON, layout="wide")
    pages = {
        page.name: st.Page(
            f"app_pages/{page.name}.py",
            title=page.title,
            url_path=page.name,
            default=page is PAGES[0],
        )
        for page in PAGES
    }
    session.register_pages(pages)
    chosen = st.navigation(list(pages.values()), position="hidden")
    current = chosen.url_path or PAGES[0].name
    session.sync()
    try:
        frame.draw(PAGES, current)
        needs_study = next(page.needs_study for page in PAGES if page.name == current)
        if needs_study and session.study() is None:
            intake.first_run()
        elif not (needs_study and (frame.nothing_in_view() or frame.lacking_data())):
            chosen.run()
    except RanklensError as error:
        frame.refuse(error)


main()
