"""Present: the findings over the page, one a screen, from the one that the page shows."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.address.page import Page
from dashboard.components.meeting import present
from dashboard.drawing.blocks import navigation
from dashboard.session import Opened
from dashboard.session.actions.reports import presented

_BEGINS = {"firm": "checks", "judge": "checks", "breakdown": "groups", "curves": "curves"}
_BEGINS |= {"queries": "losses", "query": "losses"}
"""The screen that a page begins with; further pages begin with the verdict."""


def present_link(here: Opened, page: Page) -> None:
    """The way into the meeting."""
    screen = _BEGINS.get(page.name, "verdict")
    st.html(navigation.present_link(session.href(page.name, screen=screen)), width="content")


def meeting(here: Opened) -> None:
    """The screens, where the address asks for one."""
    screen = here.view.address["screen"]
    if screen:
        present(presented(here), screen, lambda: session.change(screen=""))
