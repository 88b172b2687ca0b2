"""One visit: the only user of Streamlit's session state, query parameters and caches. What is open
and the address are asked here, everything else in the module that does it."""

from dashboard.session.address import (
    address,
    change,
    follow,
    forget,
    generation,
    goto,
    href,
    hrefs,
    last_value,
    menu_href,
    objection,
    register_pages,
    store_event,
    sync,
    widget,
)
from dashboard.session.context import PageContext, page_context, study_context

__all__ = [
    "PageContext",
    "address",
    "change",
    "follow",
    "forget",
    "generation",
    "goto",
    "href",
    "hrefs",
    "last_value",
    "menu_href",
    "objection",
    "page_context",
    "register_pages",
    "store_event",
    "study_context",
    "sync",
    "widget",
]
