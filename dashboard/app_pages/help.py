"""Help page: how to start, glossary, keyboard shortcuts, and links to further documentation."""

import streamlit as st

from dashboard import session
from dashboard.answers.file_formats import file_formats
from dashboard.app_pages.menu import PAGES
from dashboard.drawing.blocks import data, help_page, markup
from dashboard.streamlit_internals import is_served_by_streamlit


def render() -> None:
    """Show the glossary, the link to the measures, and the keyboard shortcuts. If the address
    requests the file formats, show these instead."""
    if session.address()["about"] == help_page.FORMATS:
        lead = "Formats are recognised by content. The Files page shows how each file was read."
        st.html(markup.draw_heading("File formats", lead, {}))
        st.html(help_page.draw_formats(file_formats(), session.href("help", about="")))
        return
    st.html(markup.draw_heading("How to use Ranklens", "First steps, and what the words mean.", {}))
    if is_served_by_streamlit():
        st.html(
            data.draw_action_message(
                "If you start Ranklens with streamlit run, any program on this computer can open"
                " it.",
                "Start it with python -m dashboard instead to admit only browsers with its token.",
            )
        )
    page_keys = [(page.key.upper(), page.title) for page in PAGES if page.key]
    st.html(help_page.draw_first_steps(session.href))
    session.draw_search("find", "Search the glossary", width=420)
    st.html(help_page.draw_glossary(session.href("measures"), session.address()["find"]))
    st.html(help_page.draw_keyboard_shortcuts(page_keys))


if __name__ == "__main__":
    render()
