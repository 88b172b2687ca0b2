"""Why a query's score changed: the documents whose change of place made most of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.explaining.top_document import TopDocument
from metrics_core.findings.sentence import Sentence, muted, run, strong

_MOST_NAMED = 3
_ENOUGH_OF_THE_CHANGE = 0.7
_FEW_BEST = 5
_NOTHING = 1e-9

NO_NAMES: Mapping[float, str] = MappingProxyType({})


@dataclass(frozen=True)
class _Move:
    """A relevant document that changed place; rank None: not listed. `weight` is the size of its
    part of the difference."""

    doc_id: str
    grade: float
    before: int | None
    after: int | None
    weight: float

    @property
    def fell(self) -> bool:
        """Whether it stands lower than before, or is not listed any more."""
        return (self.after or math.inf) > (self.before or math.inf)


def stand(n: int) -> str:
    """The verb that goes with n documents."""
    return "is" if n == 1 else "are"


def change(
    diagnosis: Diagnosis, difference: float, grade_names: Mapping[float, str] = NO_NAMES
) -> Sentence:
    """Why the run in focus gains or loses this much on the query; `grade_names` as in `explain`."""
    loses = difference < 0
    head = (
        run(diagnosis.focus)
        + muted(" loses " if loses else " gains ")
        + strong(w.score(abs(difference)))
    )
    silent = _without_list(diagnosis, loses)
    if silent is not None:
        return (
            head
            + muted(": ")
            + run(silent)
            + muted(" returned nothing for this query, so it scores 0.")
        )
    moves = _decisive_moves(diagnosis, loses)
    reasons = []
    if moves:
        reasons = [_moved(diagnosis, moves, loses, grade_names), _above(diagnosis, moves, loses)]
    because = "; ".join(filter(None, reasons))
    told = [f": {because}." if because else ".", _left_out(diagnosis, loses)]
    return head + muted(" ".join(filter(None, told)))


def change_in_short(
    top: TopDocument | None, worse: str, *, loses: bool, found: bool, cutoff: int
) -> str:
    """The same in a few words, for a row of a list: what became of the best document where it went
    the way of the score, else that the `worse` run has nothing relevant in its top; `found` says
    whether it has. Empty where neither is so."""
    if top is not None and top.before != top.after:
        who = f"{'only relevant' if top.is_only_relevant else 'best'} document"
        if not top.after:
            told = f"{who} at rank {top.before}, then not retrieved" if loses else ""
        elif not top.before:
            told = "" if loses else f"{who} not retrieved, then at rank {top.after}"
        elif (top.after > top.before) == loses:
            told = f"{who} {'fell' if loses else 'rose'} to rank {top.after}"
        else:
            told = ""
        if told:
            return told
    return "" if found else f"{worse}: nothing relevant in the top {cutoff}"


def _without_list(diagnosis: Diagnosis, loses: bool) -> str | None:
    """The worse of the two runs, where it has no list at all for the query."""
    worse = diagnosis.focus if loses else diagnosis.baseline
    return worse if diagnosis.rankings[worse].empty else None


def _decisive_moves(diagnosis: Diagnosis, loses: bool) -> list[_Move]:
    """The few relevant documents whose change of place makes most of the difference."""
    before, after = diagnosis.ranks(diagnosis.baseline), diagnosis.ranks(diagnosis.focus)
    moves = [
        _Move(d, diagnosis.grades[d], before.get(d), after.get(d), abs(effect))
        for d, effect in diagnosis.effects.items()
        if (effect < -_NOTHING if loses else effect > _NOTHING)
    ]
    # Some measures lose by a document that rose (AUC, where it joins the list near its end): that
    # is nothing a reader can see, so it is no reason.
    moves = [m for m in moves if m.fell == loses]
    moves.sort(key=lambda m: (-m.weight, m.doc_id))
    total, chosen = sum(m.weight for m in moves), list[_Move]()
    for move in moves[:_MOST_NAMED]:
        if chosen and sum(m.weight for m in chosen) >= _ENOUGH_OF_THE_CHANGE * total:
            break
        chosen.append(move)
    return chosen


def _moved(
    diagnosis: Diagnosis, moves: list[_Move], loses: bool, grade_names: Mapping[float, str]
) -> str:
    """What happened to these documents, those with the same fate together."""
    k = diagnosis.cutoff
    fates: dict[str, list[_Move]] = {}
    for move in moves:
        place, other = (move.after, move.before) if loses else (move.before, move.after)
        fate = "unlisted" if place is None else ("inside" if place <= k else "outside")
        if other is not None:
            fates.setdefault(fate, []).append(move)
    clauses = [
        _fate(diagnosis, _who(diagnosis, group, grade_names), fate, group, loses)
        for fate, group in fates.items()
    ]
    return w.listing(clauses)


def _fate(diagnosis: Diagnosis, who: str, fate: str, moves: list[_Move], loses: bool) -> str:
    moves = sorted(moves, key=lambda m: (m.before or 0, m.after or 0))
    old, new = _ranks([m.before for m in moves]), _ranks([m.after for m in moves])
    several = len(moves) > 1
    if fate == "inside":
        return f"{who} {'fell' if loses else 'rose'} from {old} to {new}"
    if fate == "outside":
        if loses:
            return f"{who} fell from {old} to {new}, below the top {diagnosis.cutoff}"
        return f"{who} rose from {old} into the top {diagnosis.cutoff}, to {new}"
    if loses:
        be = "are" if several else "is"
        return f"{who}, at {old} before, {be} no longer retrieved"
    return f"{who} entered at {new} (not retrieved by {diagnosis.baseline})"


def _ranks(ranks: list[int | None]) -> str:
    known = [str(r) for r in ranks if r is not None]
    return f"{w.plural(len(known), 'rank')} {w.listing(known)}"


def _who(diagnosis: Diagnosis, moves: list[_Move], grade_names: Mapping[float, str]) -> str:
    """The documents in words: "the only highly relevant document", where its grade has a name,
    "the only document graded 3", "two documents graded 1 and 2"."""
    best = max(diagnosis.grades.values())
    grades = [m.grade for m in moves]
    n_best = sum(grade == best for grade in diagnosis.grades.values())
    if diagnosis.n_relevant == 1:
        return "the only relevant document"
    unnamed = diagnosis.grades.keys() - {m.doc_id for m in moves}
    # "Three of the four fell" would say that the fourth did not.
    others_moved = any(
        diagnosis.grades[d] == best and abs(diagnosis.effects.get(d, 0)) > _NOTHING for d in unnamed
    )
    few_best = best > 1 and n_best <= _FEW_BEST and not others_moved
    if few_best and all(grade == best for grade in grades):
        of_them = "" if n_best == len(moves) else f"{w.number(len(moves))} of "
        many = "only" if n_best == 1 else w.number(n_best)
        return f"{of_them}the {many} {_graded(best, w.plural(n_best, 'document'), grade_names)}"
    noun = w.plural(len(moves), "document")
    article = "a" if len(moves) == 1 else w.number(len(moves))
    if best == 1:
        return f"{article} relevant {noun}"
    if len(set(grades)) == 1:
        return f"{article} {_graded(grades[0], noun, grade_names)}"
    named = w.listing(w.grade(g) for g in sorted(set(grades), reverse=True))
    return f"{article} {noun} graded {named}"


def _graded(grade: float, noun: str, grade_names: Mapping[float, str]) -> str:
    """Documents of one grade, by its name where it has one."""
    name = grade_names.get(grade)
    return f"{name} relevant {noun}" if name else f"{noun} graded {w.grade(grade)}"


def _above(diagnosis: Diagnosis, moves: list[_Move], loses: bool) -> str:
    """What stands above them in the list in which they stand lower, and did not in the other; in
    its top k where they are not in it."""
    name = diagnosis.focus if loses else diagnosis.baseline
    k = diagnosis.cutoff
    places = [(m.after if loses else m.before) for m in moves]
    reach = max(min(p, k + 1) if p is not None else k + 1 for p in places)
    above = diagnosis.rankings[name]
    above = above[above["rank"] < reach]
    if loses:
        if {name, diagnosis.baseline} & diagnosis.nameless:
            # Nobody knows where these stood before.
            above = above[above["grade"].notna()]
        above = above[_newly_above(diagnosis, above, moves, reach)]
    zero = int((above["grade"] == 0).sum())
    unjudged = int(above["grade"].isna().sum())
    parts = []
    if zero:
        noun = w.plural(zero, "document", "documents")
        parts.append(f"{w.number(zero)} non-relevant {noun}")
    if unjudged:
        noun = "" if zero else f" {w.plural(unjudged, 'document')}"
        parts.append(f"{w.number(unjudged)} unjudged{noun}")
    if not parts:
        return ""
    verb = stand(zero + unjudged)
    them = "it" if len(moves) == 1 else "them"
    if reach > k:
        where = f"{verb} now in its top {k}" if loses else f"{verb} in the top {k} of {name}"
    else:
        where = f"{verb} now above {them}" if loses else f"{verb} above {them} in {name}"
    return f"{w.listing(parts)} {where}"


def _newly_above(diagnosis: Diagnosis, above: pd.DataFrame, moves: list[_Move], reach: int) -> Mask:
    """Which of these documents of the run in focus did not stand there in the baseline: above one
    of the moved documents, or in the top k where those are not in it."""
    before = above["doc_id"].map(diagnosis.ranks(diagnosis.baseline)).fillna(math.inf).to_numpy()
    if reach > diagnosis.cutoff:
        return before > diagnosis.cutoff
    now = above["rank"].to_numpy()
    passed = [(now < (m.after or math.inf)) & (before > (m.before or 0)) for m in moves]
    return np.logical_or.reduce(passed)


def _left_out(diagnosis: Diagnosis, loses: bool) -> str:
    """What remains of the difference when unjudged documents are left out of both lists."""
    tops = [
        diagnosis.rankings[n].head(diagnosis.cutoff) for n in (diagnosis.focus, diagnosis.baseline)
    ]
    if not pd.concat(tops)["grade"].isna().any():
        return ""
    rest = diagnosis.condensed_difference
    if math.isnan(rest):
        return ""
    if abs(rest) < 0.0005:
        return f"If unjudged documents are ignored, the {'loss' if loses else 'gain'} disappears."
    noun = "loss" if rest < 0 else "gain"
    size = w.score(abs(rest))
    difference = diagnosis.score(diagnosis.focus) - diagnosis.score(diagnosis.baseline)
    if w.score(rest) == w.score(difference):
        return ""
    if (rest < 0) == loses:
        return f"If unjudged documents are ignored, the {noun} is {size}."
    return f"If unjudged documents are ignored, it becomes a {noun} of {size}."
