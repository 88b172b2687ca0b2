"""How firm is a verdict? Each way in which it could turn: a word for the answer, and its reason.

The rule of every word stands here. A word is toned only where its answer is clear, and only where
the verdict is: of a difference that may be chance nothing is firm. That a difference does not
matter is a verdict, too, and could break (`margin_risks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES, NO_MATTER
from metrics_core.findings.phrases import THE_TWO_ARE_LEVEL
from metrics_core.findings.sentence import Sentence, muted, run, strong

Tone = Literal["firm", "not firm", ""]

_EVIDENCE = "Each links to its evidence."
_TOLD = 2
_SUBJECTS = {
    "unjudged": "unjudged documents",
    "ties": "ties",
    "missing": "queries missing from one run",
}


@dataclass(frozen=True)
class WayToTurn:
    """One way in which a verdict could turn: `word` answers, `reason` says why in a sentence or
    two, `part` names the evidence. `brief` is the answer on the Overview; "" where there is nothing
    that could turn it: no ties, all judged."""

    part: str
    title: str
    word: str
    tone: Tone
    reason: str
    brief: str = ""


@dataclass(frozen=True)
class ComparedPair:
    """What every entry speaks of: the run, its baseline, the measure's name and the verdict; `side`
    is 1 where the run does better, -1 where the baseline does, 0 where the two are level."""

    run: str
    baseline: str
    measure: str
    verdict: str
    side: int

    @property
    def is_clear(self) -> bool:
        """Whether one of the two is ahead."""
        return self.verdict in CLEAR

    def leader(self, side: int) -> str:
        """Who is better on this side, 1 or -1. Raises ValueError for 0, where nobody is."""
        if side == 0:
            raise ValueError("tied runs have no leader")
        return self.run if side > 0 else self.baseline


@dataclass(frozen=True)
class Firmness:
    """The ways in which the verdict on a pair could turn, and a line that introduces them. Without
    entries there is no verdict, and the line says why; without a pair nothing is compared. Where no
    run is clearly ahead, `settling` says what would settle it."""

    entries: tuple[WayToTurn, ...] = ()
    text: str = ""
    pair: ComparedPair | None = None
    settling: tuple[WayToTurn, ...] = ()

    @property
    def checks(self) -> tuple[WayToTurn, ...]:
        """The checks of the Overview: those that apply."""
        return self.settling or tuple(entry for entry in self.entries if entry.brief)

    @property
    def holding(self) -> int:
        """How many of them hold."""
        return sum(check.tone == "firm" for check in self.checks)


def firmness_of(pair: ComparedPair, entries: Sequence[WayToTurn | None], queries: int) -> Firmness:
    """The strip of these entries, those that apply."""
    if queries < FEWEST_QUERIES:
        count = f"{w.count(queries)} {w.plural(queries, 'query', 'queries')}"
        text = f"Only {count}: too few to test ({FEWEST_QUERIES} needed)."
        return Firmness((), text, pair)
    found = tuple(entry for entry in entries if entry is not None)
    ways = w.sentence_case(w.number(len(found)))
    if pair.is_clear:
        text = f"{ways} checks of how robust the verdict is. {_EVIDENCE}"
        return Firmness(found, text, pair)
    if pair.verdict == NO_MATTER:
        text = f"{ways} checks of whether the difference could matter. {_EVIDENCE}"
        return Firmness(found, text, pair)
    plain = tuple(replace(entry, tone="") for entry in found)
    if pair.side == 0:
        text = f"{THE_TWO_ARE_LEVEL} lead to reverse."
        return Firmness(
            plain, f"{text} {ways} checks of what could separate them. {_EVIDENCE}", pair
        )
    text = "Not significant yet: the difference may be chance."
    return Firmness(
        plain, f"{text} {ways} checks of what its direction depends on. {_EVIDENCE}", pair
    )


def firmness_finding(firmness: Firmness) -> Sentence:
    """The headline of the evidence: in how many of the checks the verdict holds."""
    compared = firmness.pair
    if compared is None:
        return strong("Robustness needs two runs.")
    if not firmness.entries:
        return strong(firmness.text)
    pair = run(compared.run) + strong(" and ") + run(compared.baseline)
    if compared.verdict == NO_MATTER:
        return strong("“No difference that matters”") + _held(firmness)
    if compared.side == 0:
        level = strong(f" are tied on {compared.measure}. ")
        return pair + level + muted("Neither leads; the checks show what could separate them.")
    if not compared.is_clear:
        return (
            strong("No clear difference between ")
            + pair
            + strong(". ")
            + muted("Not significant yet; the checks show what the direction depends on.")
        )
    return strong("The lead of ") + run(compared.leader(compared.side)) + _held(firmness)


def _held(firmness: Firmness) -> Sentence:
    """In how many of the checks it holds, and what the first of the others says."""
    checks, held = firmness.checks, firmness.holding
    every = f"{w.number(len(checks))} {w.plural(len(checks), 'check')}"
    many = f"all {every}" if held == len(checks) > 1 else f"{w.number(held)} of {every}"
    told = strong(f" holds in {many if held else f'none of {every}'}.")
    if held == len(checks):
        return told + muted(" Nothing was found that could reverse it.")
    not_held = sorted(
        (check for check in checks if check.tone != "firm"), key=lambda check: not check.tone
    )
    said = [_in_a_sentence(check) for check in not_held[:_TOLD]]
    return told + muted(f" {' '.join(said)}")


def _in_a_sentence(check: WayToTurn) -> str:
    """What a check that does not hold found, in its own word."""
    word, subject = check.word, _SUBJECTS.get(check.part)
    if word.startswith(("rests", "reverses")):
        return f"It {word}."
    if subject is None:
        return f"{check.title}: {word}."
    if word in (w.DASH, "unknown"):
        return f"The effect of {subject} is unknown."
    if word.startswith("unlikely"):
        return f"{w.sentence_case(subject)} are {word}, but they could."
    return f"{w.sentence_case(subject)} {word}."
