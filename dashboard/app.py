"""The entry point of the app. Streamlit runs this file for every page."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

# `streamlit run` looks for modules in this folder, not in the parent of the package.
ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from dashboard import session
from dashboard.app_pages import frame
from dashboard.app_pages.menu import PAGES
from dashboard.session.deferred_drawing import draw_deferred
from dashboard.session.last_opened import remember_opened_collection
from dashboard.session.memory import release_after_page
from dashboard.session.open_collection import is_collection_missing
from dashboard.session.reconnection import mark_page_drawn
from metrics_core.base.errors import RanklensError


def main() -> None:
    """Draw the page that the address selects, with the frame around it."""
    st.set_page_config(page_title="Ranklens", page_icon=frame.ICON, layout="wide")
    pages = frame.streamlit_pages(PAGES)
    session.register_pages(PAGES, pages)
    navigation = st.navigation(list(pages.values()), position="hidden")
    current = next(page for page in PAGES if page.name == (navigation.url_path or PAGES[0].name))
    session.sync_address(current)
    is_frame_drawn = False
    try:
        has_no_collection = is_collection_missing()
        # The user must choose another collection before a page can show one.
        shown_page = (
            next(p for p in PAGES if p.name == "collections") if has_no_collection else current
        )
        tell = frame.draw_frame(PAGES, shown_page)
        is_frame_drawn = True
        if has_no_collection:
            from dashboard.app_pages import collections

            collections.render()
        elif not frame.show_message_instead_of_page(current):
            frame.choose_draw_function(current, navigation.run)()
            draw_deferred()
            tell()
            remember_opened_collection()
            release_after_page()
        mark_page_drawn()
    except RanklensError as error:
        frame.show_error(error)
    except Exception as error:
        frame.show_failure(error, current.title if is_frame_drawn else "")


main()
