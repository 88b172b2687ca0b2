"""A visit without a page: what a session keeps, and a collection of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st

from dashboard.address.address import Address
from dashboard.files import uploaded_file
from dashboard.session.open_collection import workspace
from tests.dashboard.workspace.stored_runs import short_are_long


@pytest.fixture
def own_visit(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What the session of a visit to a collection of one's own keeps; files of a few lines are
    long in it."""
    workspace().get_or_create_collection("Mine", "own")
    here = Address.create(set="own")
    state: dict[str, Any] = {"_empty": here, "_address": here}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(uploaded_file, "SMALLEST", 100)
    with short_are_long(rows=2):
        yield state
