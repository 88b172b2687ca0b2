"""The address: one value in the session state, which the browser's address mirrors.

Widgets are views on it, so that reload, a pasted link, Back and Forward all give the same view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.address.address import Address
from dashboard.address.page import Page
from dashboard.study.keeping import take_turns
from metrics_core.base.errors import RanklensError


def _from_browser() -> Address:
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    return _empty().read(given)


def _in_browser() -> dict[str, Any]:
    several = {f.name for f in _empty().fields if f.kind != "one"}
    return {
        name: st.query_params.get_all(name) if name in several else st.query_params[name]
        for name in st.query_params
    }


def _empty() -> Address:
    empty: Address = st.session_state["_empty"]
    return empty


def register_pages(pages: Sequence[Page], shown: Mapping[str, Any]) -> None:
    """Tell the address the pages' fields, and `goto` Streamlit's pages by their names."""
    st.session_state["_empty"] = Address.of(f for page in pages for f in page.fields)
    st.session_state["_pages"] = dict(shown)
    st.session_state["_first_page"] = pages[0].name


def sync(page: Page) -> None:
    """Bring session state and browser address together; once a run, before the page is drawn."""
    take_turns()
    # The files may have changed since the last run, and the address may now.
    for name in ("_library", "_opened", "_deferred"):
        st.session_state.pop(name, None)
    now, written = _in_browser(), st.session_state.get("_written", [])
    if "_address" not in st.session_state or now not in written:
        # What it leaves out of the browser's address, `pin` takes out there without a new entry.
        st.session_state["_address"] = _from_browser().restricted_to(page.fields)
        st.session_state["_written"] = [now, address().parameters()]
        return
    wanted = address().parameters()
    if now != wanted:
        st.query_params.from_dict(wanted)
    # What was clicked before the browser heard of it still comes with the address that meant this.
    meant = [now] if now != wanted and wanted in written else []
    st.session_state["_written"] = [wanted, *meant]


def pin(pinned: Address) -> None:
    """Say what the address means: from here on it holds collection, run in focus and baseline, also
    where it was opened without. The browser's own is replaced in the page, by links.js; until then
    it may still be what it was."""
    st.session_state["_address"] = pinned
    st.session_state["_written"].append(pinned.parameters())


def address() -> Address:
    """The address as it stands."""
    current: Address | None = st.session_state.get("_address")
    return current or _empty()


def href(page: str, **changes: Any) -> str:
    """A relative link to a page in the present view with these changes."""
    return address().changed(**changes).link(_path(page))


def hrefs(page: str, field: str, **changes: Any) -> Callable[[str], str]:
    """As `href`, for many values of one field."""
    return address().changed(**changes).links(_path(page), field)


def menu_href(page: str) -> str:
    """The menu's link to a page: what was only looked up stays behind."""
    return address().left.link(_path(page))


def _path(page: str) -> str:
    return "" if page == st.session_state["_first_page"] else page


def goto(page: str, **changes: Any) -> None:
    """Open a page with these changes to the address; does not return."""
    _open(page, address().changed(**changes))


def follow(link: str) -> None:
    """Open a link made by `href`; does not return unless it leads nowhere."""
    page, target = address().followed(link)
    page = page or st.session_state["_first_page"]
    if page in st.session_state["_pages"]:
        _open(page, target)


def _open(page: str, target: Address) -> None:
    st.session_state["_address"] = target
    st.session_state["_written"] = [target.parameters()]
    st.switch_page(st.session_state["_pages"][page], query_params=target.parameters())


def change(**changes: Any) -> None:
    """Change the address in place; for callbacks, which run before the page is drawn again."""
    st.session_state["_address"] = address().changed(**changes)


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
        st.session_state["_told"] = (name, address(), st.session_state[key])

    return draw(label, key=key, on_change=changed, **options)


def hear(key: str, name: str, store: Callable[[Any], dict[str, Any]]) -> None:
    """Store what a component of our own told under this name, as `store` says; for its callback."""
    told = st.session_state[key].get(name)
    if told is not None:
        change(**store(told))


def objection(name: str) -> RanklensError | None:
    """Why the last value of this widget was not taken."""
    about, then, error = st.session_state.get("_objection", ("", None, None))
    known: RanklensError | None = error if about == name and then == address() else None
    return known


def told(name: str) -> Any:
    """What this widget was given last; None once the address has changed since."""
    about, then, value = st.session_state.get("_told", ("", None, None))
    return value if about == name and then == address() else None


def generation(name: str) -> int:
    """A number that changes when a widget must forget its value."""
    return _generations().get(name, 0)


def forget(name: str) -> None:
    """Make a widget with this generation in its key start anew."""
    _generations()[name] = generation(name) + 1


def _generations() -> dict[str, int]:
    # In one: each name in the session's state is read again for every field that is drawn.
    kept: dict[str, int] = st.session_state.setdefault("_generations", {})
    return kept
