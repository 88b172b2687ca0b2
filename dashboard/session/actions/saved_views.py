"""Saved views: named addresses that are stored with the open collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from dashboard.session.actions.collections import clean_name
from dashboard.session.address import address, href
from dashboard.session.open_collection import all_collections, change_record, current_collection_id
from metrics_core.tables.run_names import find_free_name


def saved_views() -> dict[str, str]:
    """Return the links of the open collection's saved views by name, in the order in which they
    were saved."""
    identity, links = current_collection_id(), {}
    for name, link in all_collections().record(identity).views.items():
        page, saved_address = address().parse_link(link)
        links[name] = saved_address.with_values(set=identity).link(page)
    return links


def save_view(field_key: str, page: str) -> None:
    """Save the current address under the name in the form field with the key `field_key`. If the
    name is in use, a number is added to it."""
    name, link = clean_name(st.session_state[field_key]), href(page, set="")
    if name:
        _change_views(lambda views: {**views, find_free_name(name, views): link})


def rename_view(name: str, field_key: str) -> None:
    """Rename a saved view. The new name is in the form field with the key `field_key`."""
    typed = clean_name(st.session_state[field_key])

    def rename(views: Mapping[str, str]) -> Mapping[str, str]:
        new_name = find_free_name(typed, views.keys() - {name})
        return {new_name if old == name else old: link for old, link in views.items()}

    if typed:
        _change_views(rename)


def delete_view(name: str) -> None:
    """Delete a saved view."""
    _change_views(lambda views: {old: link for old, link in views.items() if old != name})


def _change_views(change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    change_record(lambda record: replace(record, views=change(record.views)))
