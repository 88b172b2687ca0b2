"""The address: one value in the session state, which the browser's address mirrors.

Widgets are views on it, so that reload, a pasted link, Back and Forward all give the same view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import streamlit as st

from dashboard.address.view import MULTIPLE, Address
from metrics_core.errors import RanklensError

_PARAMETERS = [f.name for f in fields(Address)]


def _from_browser() -> Address:
    given = {
        name: tuple(st.query_params.get_all(name)) if name in MULTIPLE else st.query_params[name]
        for name in _PARAMETERS
        if name in st.query_params
    }
    return Address(**given)


def _as_params(address: Address) -> dict[str, Any]:
    default = asdict(Address())
    return {
        name: list(value) if name in MULTIPLE else value
        for name, value in asdict(address).items()
        if value != default[name]
    }


def _in_browser() -> dict[str, Any]:
    return {
        name: st.query_params.get_all(name) if name in MULTIPLE else st.query_params[name]
        for name in st.query_params
    }


def sync() -> None:
    """Bring session state and browser address together; once a run, before the page is drawn."""
    # The files may have changed since the last run.
    st.session_state.pop("_library", None)
    now = _in_browser()
    if "_address" not in st.session_state or now != st.session_state.get("_written"):
        st.session_state["_address"] = _from_browser()
    wanted = _as_params(address())
    if now != wanted:
        st.query_params.from_dict(wanted)
    st.session_state["_written"] = wanted


def address() -> Address:
    """The address as it stands."""
    current: Address = st.session_state.get("_address", Address())
    return current


def params(**changes: Any) -> dict[str, Any]:
    """Query parameters of the address with these changes; for links."""
    return _as_params(replace(address(), **changes))


def href(page: str, **changes: Any) -> str:
    """A relative link to a page in the present view with these changes."""
    query = urlencode(params(**changes), doseq=True)
    path = "" if page == "overview" else page
    return f"./{path}?{query}" if query else f"./{path}"


def goto(page: str, **changes: Any) -> None:
    """Open a page with these changes to the address; does not return."""
    st.session_state["_address"] = replace(address(), **changes)
    st.session_state["_written"] = params()
    st.switch_page(st.session_state["_pages"][page], query_params=params())


def follow(link: str) -> None:
    """Open a link made by `href`; does not return unless it leads nowhere."""
    parts = urlsplit(link)
    page = parts.path.strip("./") or "overview"
    given = parse_qs(parts.query)
    known = {n: v for n, v in given.items() if n in _PARAMETERS}
    target = Address(**{n: tuple(v) if n in MULTIPLE else v[-1] for n, v in known.items()})
    if page in st.session_state["_pages"]:
        goto(page, **asdict(target))


def register_pages(pages: Mapping[str, Any]) -> None:
    """Tell `goto` the pages by their names."""
    st.session_state["_pages"] = dict(pages)


def change(**changes: Any) -> None:
    """Change the address in place; for callbacks, which run before the page is drawn again."""
    st.session_state["_address"] = replace(address(), **changes)


def widget(
    draw: Callable[..., Any],
    label: str,
    name: str,
    *,
    value: Any,
    store: Callable[[Any], dict[str, Any]],
    **options: Any,
) -> Any:
    """Draw a Streamlit widget as a view on the address: it shows `value`, and a change of it is
    stored as `store(new value)` says. Where that raises RanklensError nothing is stored, and
    `objection(name)` tells the error until the address changes."""
    key = f"w_{name}"
    st.session_state[key] = value

    def changed() -> None:
        try:
            changes = store(st.session_state[key])
        except RanklensError as error:
            st.session_state["_objection"] = (name, address(), error)
            return
        change(**changes)

    return draw(label, key=key, on_change=changed, **options)


def objection(name: str) -> RanklensError | None:
    """Why the last value of this widget was not taken."""
    about, then, error = st.session_state.get("_objection", ("", None, None))
    known: RanklensError | None = error if about == name and then == address() else None
    return known


def generation(name: str) -> int:
    """A number that changes when a widget must forget its value."""
    number: int = st.session_state.setdefault(f"_generation_{name}", 0)
    return number


def forget(name: str) -> None:
    """Make a widget with this generation in its key start anew."""
    st.session_state[f"_generation_{name}"] = generation(name) + 1
