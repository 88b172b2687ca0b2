"""Drawing of random queries for judging. There is one draw for each judge, pair of runs and k."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from secrets import randbelow

from dashboard.answers.judging_order import DRAWN
from dashboard.session.action_messages import run_action
from dashboard.session.actions.grading import judge_name
from dashboard.session.address import change
from dashboard.session.open_collection import (
    add_to_workspace,
    collection_id,
    current_library,
    workspace,
)
from dashboard.workspace.adding import current_time
from metrics_core.comparing.drawn_queries import QueryDraw

_SEEDS = 1_000_000


@dataclass(frozen=True)
class DrawTarget:
    """What queries are drawn for: the two compared runs, and the number k of first results that are
    judged."""

    focus: str
    baseline: str
    k: int

    @property
    def key(self) -> str:
        """The key in a collection's record: judge, names of the runs in their files, and k. The
        order of the runs has no effect."""
        own_names = current_library().own_names
        names = sorted(own_names.get(run, run) for run in (self.focus, self.baseline))
        return json.dumps([judge_name(), *names, self.k])


def find_draw(target: DrawTarget) -> tuple[QueryDraw, str] | None:
    """Return the queries that the judge has drawn, and the day on which the first of them were
    drawn. Returns None if the judge has drawn none."""
    identity = collection_id()
    if not workspace().has_collection(identity):
        return None
    record = workspace().collection(identity).draws.get(target.key)
    if record is None:
        return None
    return QueryDraw(record["seed"], tuple(record["sizes"])), record["dates"][0][:10]


def draw_queries(target: DrawTarget, size: int) -> None:
    """Draw `size` queries, in addition to those already drawn, and let the judging queue offer
    their documents. This is a callback."""
    identity, key = collection_id(), target.key
    new = {"seed": randbelow(_SEEDS), "sizes": [], "dates": []}

    def store_draw() -> None:
        add_to_workspace(identity)
        with workspace().hold_write_lock() as store:
            record, time = store.read_collection(identity), current_time()
            draw = dict(record.draws.get(key, new))
            draw |= {"sizes": [*draw["sizes"], size], "dates": [*draw["dates"], time]}
            store.put_collection(replace(record, draws={**record.draws, key: draw}, changed=time))
        change(order=DRAWN)

    run_action(store_draw)
