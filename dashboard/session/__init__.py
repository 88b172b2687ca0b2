"""The state of one user's visit. Only this package uses Streamlit's session state, query parameters
and caches.

The open collection and the address are imported from this package; everything else is imported from
its module."""

from dashboard.session.address import (
    address,
    change_address,
    draw_search,
    draw_widget,
    goto,
    href,
    last_widget_value,
    make_href_function,
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
    "change_address",
    "draw_search",
    "draw_widget",
    "goto",
    "href",
    "last_widget_value",
    "make_href_function",
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
