"""Saved views: kept with the collection, renamed, deleted, copied with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dashboard.address.address import Address
from dashboard.session.actions.saved_views import (
    delete_view,
    rename_view,
    save_view,
    saved_views,
)
from dashboard.session.open_collection import workspace
from dashboard.workspace.disk.records import Collection, DamagedRecordError, parse_record


def save(state: dict[str, Any], name: str, **values: Any) -> None:
    state |= {"_address": Address.create(set="own", **values), "_first_page": "overview"}
    state["name"] = name
    save_view("name", "overview")


def measures(links: Mapping[str, str]) -> dict[str, str]:
    """The measure that each link asks for, in its collection."""
    found = {}
    for name, link in links.items():
        page, address = Address.create().parse_link(link)
        assert page == "" and link.startswith("./?")
        found[name] = f"{address['set']} {address['m']}"
    return found


def test_a_view_is_saved_renamed_and_deleted(own_visit: dict[str, Any]) -> None:
    assert saved_views() == {}
    save(own_visit, "  by   precision ", m="P@k")
    save(own_visit, "by precision", m="AP")
    save(own_visit, "   ", m="RR")
    assert measures(saved_views()) == {"by precision": "own P@k", "by precision (2)": "own AP"}
    own_visit["typed"] = "by precision (2)"
    rename_view("by precision", "typed")
    assert measures(saved_views()) == {
        "by precision (2) (2)": "own P@k",
        "by precision (2)": "own AP",
    }
    own_visit["typed"] = " "
    rename_view("by precision (2)", "typed")
    delete_view("by precision (2) (2)")
    assert measures(saved_views()) == {"by precision (2)": "own AP"}


def test_views_of_a_copy_lead_to_the_copy(own_visit: dict[str, Any]) -> None:
    save(own_visit, "mine", m="AP")
    copy = workspace().duplicate_collection("own", "Copy")
    own_visit["_address"] = Address.create(set=copy.id)
    assert measures(saved_views()) == {"mine": f"{copy.id} AP"}


def test_a_record_with_a_view_that_is_no_text_is_refused() -> None:
    values = {"id": "a", "name": "A", "changed": ""}
    assert parse_record({**values, "views": {"a": "./"}}, Collection).views == {"a": "./"}
    assert parse_record(values, Collection).views == {}, "earlier records have none"
    for views in ({"a": 1}, {"a": None}, ["a"]):
        with pytest.raises(DamagedRecordError):
            parse_record({**values, "views": views}, Collection)
