"""What sentences on files and on several measures claim is so, read back out of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from metrics_core.findings.files import files_finding
from metrics_core.findings.verdicts import measures_finding
from tests.claims import count_of, named_in, offenders
from tests.situations import Situation, situations

pytestmark = pytest.mark.random

CASES = [given for given in situations() if len(given.scores.runs) > 1]
AT_ONCE = 5


@dataclass(frozen=True)
class Loaded:
    """Ids of the queries of the judgments and of the runs, and how many files there are."""

    seed: int
    files: int
    refused: int
    judged: frozenset[int]
    asked: frozenset[int]
    missing: str
    fits: bool


def loaded(seed: int) -> Loaded:
    draw = np.random.default_rng(seed)
    judged = frozenset(range(int(draw.integers(1, 30))))
    beyond = frozenset(range(100, 100 + int(draw.integers(0, 3))))
    missing = str(draw.choice(["", "", "", "judgments", "judgments and runs"]))
    return Loaded(
        seed,
        int(draw.integers(0, 15)),
        int(draw.integers(0, 4)),
        judged,
        frozenset(q for q in judged if q % 2) | beyond,
        missing,
        bool(draw.random() < 0.7),
    )


def false_in_files(given: Loaded, text: str) -> Iterator[str | bool]:
    told = re.match(r"(\w+) files? (?:is|are) loaded(; the ids match)?\. ", text)
    if not given.files and not given.refused:
        yield text != "Nothing is loaded yet. Add judgments and runs."
        return
    yield (count_of(told[1]) if told else -1) != given.files and "how many"
    lost = re.search(r"(\w+) could not be read", text)
    yield (count_of(lost[1]) if lost else 0) != given.refused and "how many are lost"
    unjudged = len(given.asked - given.judged)
    every = "Every query in the runs has judgments" in text
    yield every is not (not unjudged and given.fits and not given.missing) and "that all match"
    yield bool(told and told[2]) is not (every and given.files > 1) and "that they fit"
    lacks = "one run has no results for some queries" in text
    yield lacks is not (every and bool(given.judged - given.asked)) and "that some are lacking"
    some = re.search(r"([\d,]+) quer(?:y|ies) in the runs ha(?:s|ve) no judgments", text)
    said = unjudged if given.fits and not given.missing else 0
    yield (count_of(some[1]) if some else 0) != said and "how many have no judgments"
    still = re.search(r"Add (.+?)\.", text)
    yield (still[1] if still else "") != given.missing and "what is missing"


def test_what_is_loaded() -> None:
    def text_of(given: Loaded) -> str:
        return files_finding(
            given.files,
            given.refused,
            files_fit=given.fits,
            n_unjudged=len(given.asked - given.judged),
            missing_table=given.missing,
            n_incomplete=int(not given.asked >= given.judged),
        ).text

    assert not offenders(map(loaded, range(500)), text_of, false_in_files)


@dataclass(frozen=True)
class Several:
    """One run on several measures, each a situation of its own; the first is the chosen one."""

    seed: int
    on: tuple[Situation, ...]

    @property
    def table(self) -> pd.DataFrame:
        verdicts = [given.compared["verdict"].iloc[1] for given in self.on]
        names = [f"m{i}" for i in range(len(self.on))]
        return pd.DataFrame({"run": "run1", "measure": names, "verdict": verdicts})


def side(given: Situation) -> int:
    """1 where the run is clearly better, -1 where clearly worse, 0 where nothing is clear."""
    row = given.compared.iloc[1]
    if not row["p_corrected"] < 1 - given.level:
        return 0
    return int(np.sign(row["difference"])) * given.direction


def false_in_measures(given: Several, text: str) -> Iterator[str | bool]:
    sides = {f"m{i}": side(one) for i, one in enumerate(given.on)}
    yield sides["m0"] != 0 and "that the chosen one says nothing"
    named: list[str] = []
    for where, wanted in (
        (r"significantly ahead on", 1),
        (r"significantly behind on", -1),
        (r", but not on", 0),
    ):
        found = re.search(rf"{where} (.+?)(?= and significantly|, but not on|\. Decide)", text)
        names = named_in(found[1])[0] if found else []
        named += names
        yield any(sides[name] != wanted for name in names) and where
    yield sorted(named) != sorted(sides) and "which measures there are"


def test_what_other_measures_say() -> None:
    cases = [
        Several(at, tuple(CASES[at : at + AT_ONCE])) for at in range(0, len(CASES) - AT_ONCE, 2)
    ]
    told = [given for given in cases if measures_finding(given.table, "run1", "m0")]
    assert len(told) > 50
    assert not offenders(
        told, lambda given: measures_finding(given.table, "run1", "m0").text, false_in_measures
    )
