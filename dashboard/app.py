"""The entry: one run of the app, whichever page it shows."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

# `streamlit run` looks for modules in this folder, not in the one that holds the package.
ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from dashboard import session
from dashboard.app_pages import frame
from dashboard.app_pages.menu import PAGES
from dashboard.session.deferred_drawing import draw_deferred
from dashboard.session.last_opened import remember_opened
from dashboard.session.memory import give_back_after_long_runs
from dashboard.session.open_collection import no_collection_open
from dashboard.session.reconnection import page_drawn
from metrics_core.base.errors import RanklensError


def main() -> None:
    """Draw one run of the app."""
    st.set_page_config(page_title="Ranklens", page_icon=frame.ICON, layout="wide")
    shown = frame.pages_of(PAGES)
    session.register_pages(PAGES, shown)
    chosen = st.navigation(list(shown.values()), position="hidden")
    current = next(page for page in PAGES if page.name == (chosen.url_path or PAGES[0].name))
    session.sync(current)
    try:
        nowhere = no_collection_open()
        # Another collection is chosen before any page can show one.
        shown_page = next(p for p in PAGES if p.name == "collections") if nowhere else current
        tell = frame.draw(PAGES, shown_page)
        if nowhere:
            from dashboard.app_pages import collections

            collections.render()
        elif not frame.stands_in(current):
            chosen.run()
            draw_deferred()
            tell()
            remember_opened()
            give_back_after_long_runs()
        page_drawn()
    except RanklensError as error:
        frame.refuse(error)
    except Exception as error:
        frame.failed(error)  # whatever a collection holds, the others can be opened


main()
