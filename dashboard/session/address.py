"""The address of the current view, as one value in the session state. The URL in the browser
follows it.

Widgets show values of the address and change it, so that a reload, a pasted link, Back and Forward
all lead to the same view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.address.address import Address
from dashboard.address.page import Page
from dashboard.study.cached_answers import wait_for_turn
from metrics_core.base.errors import RanklensError


def _read_browser_address() -> Address:
    parameters = {name: st.query_params.get_all(name) for name in st.query_params}
    return _empty_address().read(parameters)


def _browser_parameters() -> dict[str, Any]:
    list_fields = {f.name for f in _empty_address().fields if f.kind != "one"}
    return {
        name: st.query_params.get_all(name) if name in list_fields else st.query_params[name]
        for name in st.query_params
    }


def _empty_address() -> Address:
    empty: Address = st.session_state["_empty"]
    return empty


def register_pages(pages: Sequence[Page], streamlit_pages: Mapping[str, Any]) -> None:
    """Register the address fields of the pages, and the page objects of Streamlit that `goto`
    opens, keyed by page name."""
    st.session_state["_empty"] = Address.create(f for page in pages for f in page.fields)
    st.session_state["_pages"] = dict(streamlit_pages)
    st.session_state["_first_page"] = pages[0].name


def sync_address(page: Page) -> None:
    """Synchronise the address in the session state with the URL in the browser. This is called once
    per run of the app, before the page is drawn."""
    wait_for_turn()
    # The files may have changed since the last run, and the address may change now.
    for name in ("_library", "_opened", "_deferred"):
        st.session_state.pop(name, None)
    current, written = _browser_parameters(), st.session_state.get("_written", [])
    if "_address" not in st.session_state or current not in written:
        # Fields that are dropped here are removed from the browser's address by
        # `write_explicit_address`, without a new history entry.
        st.session_state["_address"] = _read_browser_address().restrict_to_fields(page.fields)
        st.session_state["_written"] = [current, address().parameters()]
        return
    parameters = address().parameters()
    if current != parameters:
        st.query_params.from_dict(parameters)
    # A click made before the browser received the new address still arrives with the old one, which
    # then counts as the new one.
    meant = [current] if current != parameters and parameters in written else []
    st.session_state["_written"] = [parameters, *meant]


def write_explicit_address(new_address: Address) -> None:
    """Set an address that names the collection, the run in focus and the baseline, because the app
    may have been opened with a URL that does not. The browser may still show the earlier URL until
    links.js replaces it."""
    st.session_state["_address"] = new_address
    st.session_state["_written"].append(new_address.parameters())


def address() -> Address:
    """Return the current address."""
    current: Address | None = st.session_state.get("_address")
    return current or _empty_address()


def href(page: str, **changes: Any) -> str:
    """Return a relative link to a page. It shows the current view with these changes of the
    address."""
    return address().with_values(**changes).link(_page_path(page))


def make_href_function(page: str, field: str, **changes: Any) -> Callable[[str], str]:
    """Return a function that makes the same links as `href`, given the value of one field. It is
    faster for many links."""
    return address().with_values(**changes).make_link_function(_page_path(page), field)


def menu_href(page: str) -> str:
    """Return the menu's link to a page. Address fields that apply only to the current page are
    omitted from the link."""
    return address().menu_address.link(_page_path(page))


def _page_path(page: str) -> str:
    return "" if page == st.session_state["_first_page"] else page


def goto(page: str, **changes: Any) -> None:
    """Open a page, with the changes of the address that are given as keyword arguments. This
    function does not return."""
    _open_page(page, address().with_values(**changes))


def open_link(link: str) -> None:
    """Open a link made by `href`. This function returns only if the page does not exist."""
    page, target = address().parse_link(link)
    page = page or st.session_state["_first_page"]
    if page in st.session_state["_pages"]:
        _open_page(page, target)


def _open_page(page: str, target: Address) -> None:
    st.session_state["_address"] = target
    st.session_state["_written"] = [target.parameters()]
    st.switch_page(st.session_state["_pages"][page], query_params=target.parameters())


def change_address(**changes: Any) -> None:
    """Change fields of the address without opening another page. This is for callbacks, which run
    before the page is drawn again."""
    st.session_state["_address"] = address().with_values(**changes)


def draw_widget(
    draw: Callable[..., Any],
    label: str,
    name: str,
    *,
    value: Any,
    store: Callable[[Any], dict[str, Any]],
    **options: Any,
) -> Any:
    """Draw a Streamlit widget for a value of the address.

    The widget shows `value`. If the user changes it, `store(new value)` returns the changes of the
    address. If `store` raises RanklensError, the address does not change, and `widget_error(name)`
    returns the error until the address changes."""
    key = f"w_{name}"
    st.session_state[key] = value

    def handle_change() -> None:
        try:
            changes = store(st.session_state[key])
        except RanklensError as error:
            st.session_state["_objection"] = (name, address(), error)
            return
        change_address(**changes)
        st.session_state["_told"] = (name, address(), st.session_state[key])

    return draw(label, key=key, on_change=handle_change, **options)


def draw_search(
    name: str, label: str, *, width: int, placeholder: str = "", **cleared: str
) -> None:
    """Draw a field in which the user types a search. The search is stored in the address under
    `name`. A new search also sets the `cleared` fields of the address. The placeholder is `label`
    by default."""
    draw_widget(
        st.text_input,
        label,
        name,
        value=address()[name],
        store=lambda text: {name: text.strip(), **cleared},
        placeholder=placeholder or label,
        label_visibility="collapsed",
        width=width,
    )


def store_event(key: str, name: str, store: Callable[[Any], dict[str, Any]]) -> None:
    """Change the address after one of our components sent the event `name` with a value.
    `store(value)` returns the changes of the address. This function is the component's callback."""
    value = st.session_state[key].get(name)
    if value is not None:
        change_address(**store(value))


def widget_error(name: str) -> RanklensError | None:
    """Return the error that the last value of a widget caused. Returns None if the value was
    accepted."""
    about, at_address, error = st.session_state.get("_objection", ("", None, None))
    current: RanklensError | None = error if about == name and at_address == address() else None
    return current


def last_widget_value(name: str) -> Any:
    """Return the last value that the user entered in a widget. Returns None if the address has
    changed since then."""
    about, at_address, value = st.session_state.get("_told", ("", None, None))
    return value if about == name and at_address == address() else None


def widget_generation(name: str) -> int:
    """Return a number that is part of a widget's key. It changes whenever the widget must lose its
    value."""
    return _generations().get(name, 0)


def reset_widget(name: str) -> None:
    """Reset the widgets that have `widget_generation(name)` in their key, by increasing this
    number."""
    _generations()[name] = widget_generation(name) + 1


def _generations() -> dict[str, int]:
    # One dict: each name in the session state is read again for every field that is drawn.
    generations: dict[str, int] = st.session_state.setdefault("_generations", {})
    return generations
