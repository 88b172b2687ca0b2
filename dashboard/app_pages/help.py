"""Help: the keys, the words, and where more is said."""

import streamlit as st

from dashboard import session
from dashboard.app_pages.menu import PAGES
from dashboard.drawing.blocks import help_page, markup


def render() -> None:
    """The keys that work everywhere, what the words of the pages mean, and the measures."""
    st.html(markup.answer("Help", "Keys, words, and where more is said.", {}))
    opened = [(page.key.upper(), page.title) for page in PAGES if page.key]
    keys, words = st.columns([2, 3], gap="large")
    keys.html(help_page.keys(opened))
    words.html(help_page.words(session.href("measures")))


if __name__ == "__main__":
    render()
