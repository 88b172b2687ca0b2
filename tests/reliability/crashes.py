"""kill -9 in a loop: what a workspace has acknowledged is there when it is opened again.

    python -m tests.reliability.crashes --count 1000

A child process changes a workspace through its own methods and acknowledges each change on a pipe
after the method returned; it is killed at a random moment. What is then shown must be what was
acknowledged, with or without the one change that was being made; after a start nothing may be left
over. The next child goes on with the same folder.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from dashboard.workspace import Workspace
from tests.reliability.acts import Act, State, do, done, propose
from tests.reliability.killing import READY, killed, preload
from tests.reliability.shown import (
    can_bring_back,
    left_over,
    must_bring_back,
    must_show,
    shows,
)

LONGEST_LIFE = 0.25
"""A child is killed within this many seconds of its first act, wherever it is by then."""
_FOLDERS_EVERY = 25
"""After so many kills a new folder is begun, so that first acts are met as often as later ones."""


@dataclass
class Kills:
    """What became of the kills: how many acts were acknowledged, how many kills hit an act."""

    acknowledged: int = 0
    in_an_act: int = 0


def crash(count: int, seed: int, folder: Path) -> Kills:
    """Kill a child `count` times. Fails where something acknowledged is lost."""
    preload(["tests.reliability.acts"])
    kills, chance, state = Kills(), random.Random(seed), {}
    for number in range(count):
        if number % _FOLDERS_EVERY == 0:
            here, state = folder / f"workspace-{number}", {}
        try:
            state = _one(here, state, chance, kills, number)
        except AssertionError as error:
            raise AssertionError(f"kill {number} of seed {seed}: {error}") from error
    return kills


def _one(folder: Path, state: State, chance: random.Random, kills: Kills, number: int) -> State:
    """Kill one child; returns the state with which the next one begins."""
    told: list[tuple[str, Act, str]] = killed(
        _work, chance.uniform(0, LONGEST_LIFE), folder, state, chance.random(), number * 1000
    )
    begun: Act | None = None
    for word, act, identity in told:
        if word == "begun":
            begun = act
        else:
            state, begun = done(state, act, identity), None
            kills.acknowledged += 1
    possible = [state] if begun is None else [state, done(state, begun)]
    kept = recovered(folder, possible, sweeping=begun == ("start",))
    kills.in_an_act += begun is not None
    return kept


def recovered(folder: Path, possible: list[State], *, sweeping: bool) -> State:
    """Open a folder anew that must be in one of these states; the one that it is in after a start.
    Fails where it is in none, or something is left over. While it was `sweeping` out what was
    removed, it may have got half of its way."""
    opened = Workspace(folder)
    found = that_is_shown(opened, possible)
    if not sweeping:
        bring_back = can_bring_back(opened)
        assert bring_back == must_bring_back(found), f"can bring back {bring_back}"
    do(opened, found, ("start",))
    again, kept = Workspace(folder), done(found, ("start",))
    that_is_shown(again, [kept])
    assert can_bring_back(again) == {} and again.read_collections(only_removed=True) == []
    assert left_over(folder) == [], f"left over: {left_over(folder)}"
    for collection in again.read_collections():
        kept[collection.name].id = collection.id
    return kept


def that_is_shown(workspace: Workspace, possible: list[State]) -> State:
    """The one of these states that a workspace shows. Fails where it is none of them."""
    found = shows(workspace)
    for state in possible:
        if must_show(state) == found:
            return state
    wanted = " or\n  ".join(str(must_show(state)) for state in possible)
    raise AssertionError(f"is shown:\n  {found}\nmust be:\n  {wanted}")


def _work(pipe: Connection, folder: Path, state: State, seed: float, count: int) -> None:
    """Change a workspace until killed, and tell before and after each change."""
    workspace, chance = Workspace(folder), random.Random(seed)
    pipe.send(READY)
    act: Act = ("start",)
    while True:
        pipe.send(("begun", act, ""))
        identity = do(workspace, state, act)
        state = done(state, act, identity)
        pipe.send(("done", act, identity))
        count += 1
        act = propose(chance, state, count)


def main() -> None:
    """Kill as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills = crash(asked.count, asked.seed, Path(folder))
    print(
        f"{asked.count} kills, {kills.in_an_act} of them in the middle of a change,"
        f" {kills.acknowledged} changes"
        " acknowledged: none lost, nothing left over"
    )


if __name__ == "__main__":
    main()
