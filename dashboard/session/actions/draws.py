"""Drawing of random queries for judging. There is one draw for each judge, pair of runs and k."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from secrets import randbelow
from typing import Any

from dashboard.answers.judging_order import DRAWN
from dashboard.session.action_messages import add_message
from dashboard.session.actions.grading import judge_name
from dashboard.session.address import change_address
from dashboard.session.open_collection import (
    all_collections,
    change_record,
    current_collection_id,
    current_library,
)
from dashboard.workspace import Collection
from dashboard.workspace.adding import current_time
from metrics_core.base import wording as w
from metrics_core.comparing.drawn_queries import QueryDraw

_SEEDS = 1_000_000


def make_random_draw_key(focus: str, baseline: str, k: int) -> str:
    """Return the key of a random draw of queries in a collection's record. It names what the
    queries are drawn for: the judge, the names of the two runs in their files, and the number `k`
    of first results that are judged. The order of the runs has no effect."""
    own_names = current_library().own_names
    names = sorted(own_names.get(run, run) for run in (focus, baseline))
    return json.dumps([judge_name(), *names, k])


def find_random_queries(key: str) -> QueryDraw | None:
    """Return the queries that were drawn at random for the judge. Returns None if no queries were
    drawn."""
    record = all_collections().record(current_collection_id()).draws.get(key)
    if record is None:
        return None
    sizes, left_out = tuple(record["sizes"]), tuple(record.get("left_out", ()))
    return QueryDraw(record["seed"], sizes, left_out, record["dates"][0][:10])


def draw_random_queries(key: str, n_queries: int) -> None:
    """Draw `n_queries` queries at random, in addition to those already drawn, and let the judging
    queue offer their documents. This is a callback."""
    new: dict[str, Any] = {"seed": randbelow(_SEEDS), "sizes": [], "dates": []}

    def add_queries(old: Mapping[str, Any]) -> dict[str, Any]:
        draw = {**new, **old}
        dates = [*draw["dates"], current_time()]
        return {**draw, "sizes": [*draw["sizes"], n_queries], "dates": dates}

    _store_random_draw(key, add_queries)


def leave_out_queries(key: str, query_ids: Sequence[str]) -> None:
    """Exclude randomly drawn queries that the judge skipped, and show a message with Undo.
    This is a callback."""

    def leave_out(draw: Mapping[str, Any]) -> dict[str, Any]:
        before = draw.get("left_out", ())
        undo = ("Undo", lambda: _store_random_draw(key, lambda now: {**now, "left_out": before}))
        count = w.format_query_count(len(query_ids))
        add_message(f"{count} left out.", "", (undo,))
        return {**draw, "left_out": [*before, *query_ids]}

    _store_random_draw(key, leave_out)


def _store_random_draw(
    key: str, make_draw: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> None:
    """Call `make_draw` to draw queries, store the draw, and let the judging queue offer the
    documents of its queries. `make_draw` gets the record of the draw so far. The record is empty if
    there is no draw."""

    def change_draw(record: Collection) -> Collection:
        draw = make_draw(record.draws.get(key, {}))
        return replace(record, draws={**record.draws, key: draw})

    if change_record(change_draw):
        change_address(order=DRAWN)
