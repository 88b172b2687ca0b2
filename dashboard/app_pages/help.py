"""Help: the words, the keys, and where more is said."""

import streamlit as st

from dashboard import session
from dashboard.app_pages.menu import PAGES
from dashboard.drawing.blocks import help_page, markup


def render() -> None:
    """What the words of the pages mean, the measures, and the keys that work everywhere."""
    st.html(markup.answer("Help", "Words, keys, and where more is said.", {}))
    opened = [(page.key.upper(), page.title) for page in PAGES if page.key]
    words, keys = st.columns([3, 2], gap="large")
    words.html(help_page.words(session.href("measures")))
    keys.html(help_page.keys(opened))


if __name__ == "__main__":
    render()
