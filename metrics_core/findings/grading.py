"""What there is to judge, and what judging it could do."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.findings.firmness import Pair
from metrics_core.findings.sentence import Sentence, muted, run, strong
from metrics_core.unjudged.next_judgments import NextJudgments


def judging_finding(cutoff: int, unjudged: int | None, settle: int | None) -> Sentence:
    """What is there to judge? `unjudged` documents within the cutoff of one of the runs or of both
    lack a grade in the files, None where nobody counted them because the lists are too long. After
    `settle` of them the sign of the difference is safe if they turn out not relevant, 0 where it is
    safe now, None where that is not known."""
    if unjudged is None:
        return strong("Too many results to judge one by one")
    if not unjudged:
        return strong(f"Every document in the top {cutoff} is judged")
    noun = w.plural(unjudged, "document")
    if settle is None:
        return strong(f"{unjudged:,} {noun} in the top {cutoff} without a grade")
    if not settle:
        return strong(f"{unjudged:,} unjudged {noun} cannot reverse the order")
    return strong(f"{settle:,} of {unjudged:,} unjudged {noun} would settle it")


def judging_lead(
    focus: str,
    baseline: str,
    cutoff: int,
    *,
    unjudged: int | None,
    queries: int,
    total: int,
    first: str,
    settle: int | None,
) -> Sentence:
    """Where the documents of `judging_finding` stand, on `queries` of `total` in view, and what
    judging them does; `first` says which come first."""
    lists = run(focus) if focus == baseline else run(focus) + muted(" or ") + run(baseline)
    if unjudged is None:
        return muted("Show fewer queries, or count fewer results.")
    if not unjudged:
        return muted("The files grade all that ") + lists + muted(f" list up to rank {cutoff}.")
    said = f", on {queries:,} of {total:,} {w.plural(total, 'query', 'queries')}; {first}."
    if settle:
        which = f"first {settle:,} turn" if settle > 1 else "first turns"
        said += f" Once the {which} out not relevant, no grade of the others can reverse the order."
    return muted(f"In the top {cutoff} of ") + lists + muted(said)


def judge_next_finding(found: NextJudgments, pair: Pair) -> str:
    """What judging could do, and in which order the documents stand."""
    if pair.side == 0:
        if found.table.empty:
            return "The two are level, whatever the unjudged documents are worth."
        return "The two are level. The documents that could move the difference most come first."
    behind = pair.leader(-pair.side)
    order = " Those that could move it most against the leader come first."
    if found.to_settle == 0:
        safe = (
            "The verdict is safe"
            if pair.is_clear
            else f"{pair.leader(pair.side)} has the better mean"
        )
        return f"{safe} whatever they are worth.{order}"
    said = []
    if found.to_turn is not None:
        count = f"the first {w.count(found.to_turn)}" if found.to_turn > 1 else "the first"
        said.append(f"If {count} had the highest grade, {behind} would lead")
    if found.to_settle is not None:
        few = f" {w.count(found.to_settle)} turn" if found.to_settle > 1 else " turns"
        said.append(f"if the first{few} out not relevant, it is settled")
    text = (
        w.sentence_case("; ".join(said)) + "." if said else "No number of these decides it alone."
    )
    about = "" if found.exact else " For this measure fewer might do."
    return f"{text}{about}{order}"
