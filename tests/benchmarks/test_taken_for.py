"""Files of forty shapes are taken for what they are, or asked about; and a wrong guess is seen."""

from __future__ import annotations

import random
from dataclasses import replace

from benchmarks.taken_for import SHAPES, made, open_collection, outcome, taken


def test_nothing_is_guessed_in_silence() -> None:
    found = taken(2 * len(SHAPES), seed=3)
    assert len(found) == 40
    wrong = {s.title: counts for s, counts in found.items() if counts["another"]}
    assert not wrong
    assert not {s.title for s, counts in found.items() if counts["changed"]}
    named = [counts for shape, counts in found.items() if shape.named]
    in_doubt = sum(counts["asked"] + counts["refused"] for counts in named)
    assert in_doubt < 0.1 * sum(counts.total() for counts in named)


def test_a_file_taken_for_another_kind_is_seen() -> None:
    chance, here = random.Random(1), open_collection()
    shape = next(s for s in SHAPES if s.title == "CSV qrels")
    name, content = made(shape, chance)
    assert outcome(shape, name, content, here) == "right"
    assert outcome(replace(shape, kind="run"), name, content, here) == "another"
