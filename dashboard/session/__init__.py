"""One visit: the only package that uses Streamlit's session state, query parameters and caches.

The open collection and the address are imported from here, everything else from its module.
"""

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
