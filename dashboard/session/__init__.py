"""The state of one user's visit. Only this package uses Streamlit's session state, query parameters
and caches.

The open collection and the address are imported from this package; everything else is imported from
its module."""

from dashboard.session.address import (
    address,
    change,
    draw_widget,
    goto,
    href,
    hrefs,
    last_widget_value,
    menu_href,
    open_link,
    register_pages,
    reset_widget,
    store_event,
    sync_address,
    widget_error,
    widget_generation,
)
from dashboard.session.context import PageContext, page_context, study_context

__all__ = [
    "PageContext",
    "address",
    "change",
    "draw_widget",
    "goto",
    "href",
    "hrefs",
    "last_widget_value",
    "menu_href",
    "open_link",
    "page_context",
    "register_pages",
    "reset_widget",
    "store_event",
    "study_context",
    "sync_address",
    "widget_error",
    "widget_generation",
]
