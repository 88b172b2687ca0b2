"""One visit: the only user of Streamlit's session state, query parameters and caches. What is open
and the address are asked here, everything else in the module that does it."""

from dashboard.session.address import (
    address,
    change,
    follow,
    forget,
    generation,
    goto,
    hear,
    href,
    hrefs,
    menu_href,
    objection,
    register_pages,
    sync,
    told,
    widget,
)
from dashboard.session.view import Opened, opened, opened_study

__all__ = [
    "Opened",
    "address",
    "change",
    "follow",
    "forget",
    "generation",
    "goto",
    "hear",
    "href",
    "hrefs",
    "menu_href",
    "objection",
    "opened",
    "opened_study",
    "register_pages",
    "sync",
    "told",
    "widget",
]
