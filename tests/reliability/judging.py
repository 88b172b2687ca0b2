"""kill -9 while somebody judges: every grade that was told to be kept is there, in its order.

python -m tests.reliability.judging --count 300

A child gives grades, one after the other, and tells of each on a pipe before and after; it is
killed at a random moment. What the layer then holds is what was told to be kept, with or without
the one grade that was being given. The next child goes on with the same layer.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from dashboard.workspace import Workspace
from dashboard.workspace.startup import clean_workspace
from tests.reliability.killing import READY, killed, preload

HERE, BY = "shop", "ann"
_LONGEST_LIFE = 0.15
_DOCUMENTS = 6

Act = tuple[str, int | None]
"""A document and its grade; None takes it back."""


@dataclass
class Judged:
    """What became of the kills: grades that were told to be kept, kills in the middle of one."""

    kept: int = 0
    in_an_act: int = 0
    grades: dict[str, int] = field(default_factory=dict)


def judged(count: int, seed: int, folder: Path) -> Judged:
    """Kill a child `count` times. Fails where a grade that was told to be kept is lost."""
    preload(["dashboard.workspace"])
    workspace, chance, found = Workspace(folder), random.Random(seed), Judged()
    workspace.get_or_create_collection("Shop", HERE)
    workspace.layers.create_layer(HERE, BY)
    for number in range(count):
        begun: Act | None = None
        told: list[tuple[str, Act]] = killed(
            _work, chance.uniform(0, _LONGEST_LIFE), folder, chance.random()
        )
        for word, act in told:
            begun = act if word == "begun" else None
            if word == "kept":
                _take(found.grades, act)
                found.kept += 1
        possible = [found.grades]
        if begun is not None:
            possible.append(_take(dict(found.grades), begun))
            found.in_an_act += 1
        if chance.random() < 0.3:
            clean_workspace(Workspace(folder))
        (seen,) = Workspace(folder).layers.list_layers(HERE)
        grades = {doc_id: int(grade) for (_, doc_id), grade in seen.grades.items()}
        assert grades in possible, f"kill {number} of seed {seed}: {grades}, not {possible}"
        assert seen.lost == (), f"kill {number} of seed {seed}: damaged rows {seen.lost}"
        found.grades = grades
    return found


def _take(grades: dict[str, int], act: Act) -> dict[str, int]:
    doc_id, grade = act
    grades.pop(doc_id, None)
    if grade is not None:
        grades[doc_id] = grade
    return grades


def _work(pipe: Connection, folder: Path, seed: float) -> None:
    """Judge until killed."""
    workspace, chance = Workspace(folder), random.Random(seed)
    pipe.send(READY)
    while True:
        grade = chance.choice([None, 0, 1, 2, 3])
        act: Act = (f"d{chance.randrange(_DOCUMENTS)}" + "x" * chance.randrange(40), grade)
        pipe.send(("begun", act))
        workspace.layers.grade_documents(HERE, BY, {("q", act[0]): grade})
        pipe.send(("kept", act))


def main() -> None:
    """Kill as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = judged(asked.count, asked.seed, Path(folder) / "workspace")
    print(
        f"{asked.count} kills, {found.in_an_act} of them while a grade was being given,"
        f" {found.kept} grades told to be kept: none lost"
    )


if __name__ == "__main__":
    main()
