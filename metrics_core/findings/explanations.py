"""Why one query scores as it does: one explanation, from the ranks alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.findings.changes import NO_NAMES, change, stand
from metrics_core.findings.sentence import Sentence, muted, run, strong

DEEP = 100
"""How deep "not among the first …" looks."""


def explain(diagnosis: Diagnosis, grade_names: Mapping[float, str] = NO_NAMES) -> Sentence:
    """The one explanation at the head of a query's page. `grade_names` are what grades are called
    that have a name, as "highly"; the others are told by number."""
    if not diagnosis.is_judged:
        return strong(
            "This query has no judgments, so it has no score. You can still read the lists."
        )
    if not diagnosis.n_relevant:
        nothing = "None of the judged documents is relevant to this query"
        zero = not diagnosis.standings["score"].any()
        return strong(f"{nothing}, so every run scores 0." if zero else f"{nothing}.")
    if not diagnosis.standings["relevant_in_top"].any():
        return _nobody_succeeds(diagnosis)
    if diagnosis.focus == diagnosis.baseline:
        return _alone(diagnosis)
    difference = diagnosis.score(diagnosis.focus) - diagnosis.score(diagnosis.baseline)
    if abs(difference) <= SAME + 1e-12:
        return _same(diagnosis)
    return change(diagnosis, difference, grade_names)


def _nobody_succeeds(diagnosis: Diagnosis) -> Sentence:
    best = [
        (int(row["first_relevant"]), str(row["run"]))
        for row in diagnosis.standings.to_dict("records")
        if not math.isnan(row["first_relevant"])
    ]
    single = len(diagnosis.standings) == 1
    what = f"relevant document in its top {diagnosis.cutoff}; "
    head = run(diagnosis.focus) + strong(" has no ") if single else strong("No run has a ")
    head += strong(what)
    nearest = [(rank, name) for rank, name in best if rank <= DEEP]
    if not nearest:
        first = f"its first {DEEP}" if single else f"the first {DEEP} of any run"
        return head + muted(f"none is among {first}.")
    rank, name = min(nearest)
    stands = muted(f"the highest is at rank {rank}")
    return head + stands + (Sentence() if single else muted(" in ") + run(name)) + muted(".")


def _alone(diagnosis: Diagnosis) -> Sentence:
    row = diagnosis.standings.set_index("run").loc[diagnosis.focus]
    found = int(row["relevant_in_top"])
    return (
        run(diagnosis.focus)
        + strong(
            f" has {found} of {diagnosis.n_relevant} relevant"
            f" {w.plural(diagnosis.n_relevant, 'document')} in its top {diagnosis.cutoff}; "
        )
        + muted(f"the first is at rank {int(row['first_relevant'])}.")
        if found
        else run(diagnosis.focus)
        + strong(f" has no relevant document in its top {diagnosis.cutoff}.")
    )


def _same(diagnosis: Diagnosis) -> Sentence:
    focus, baseline, k = diagnosis.focus, diagnosis.baseline, diagnosis.cutoff
    ours, theirs = diagnosis.score(focus), diagnosis.score(baseline)
    if w.score(ours) == w.score(theirs):
        head = strong(f"Both score {w.score(ours)}") + muted(f" on {diagnosis.measure}; ")
    else:
        head = strong(f"Both runs score about the same, {w.score(ours)} and {w.score(theirs)}")
        head += muted(f" on {diagnosis.measure}; ")
    in_focus, in_baseline = (
        _relevant_places(diagnosis, focus),
        _relevant_places(diagnosis, baseline),
    )
    if not in_focus and not in_baseline:
        return head + muted(f"neither has a relevant document in its top {k}.")
    if in_focus == in_baseline:
        what = _documents(len(in_focus), "relevant document")
        places = w.plural(len(in_focus), "rank")
        return head + muted(f"the same {what} {stand(len(in_focus))} at the same {places}.")
    if in_focus.keys() == in_baseline.keys():
        what = _documents(len(in_focus), "relevant document")
        moved = sum(in_focus[d] != in_baseline[d] for d in in_focus)
        if moved < len(in_focus):
            these = f"{w.number(moved)} of the same {what} {stand(moved)}"
        else:
            these = f"the same {what} {stand(moved)}"
        return head + muted(f"{these} at {'another rank' if moved == 1 else 'other ranks'}.")
    shared = len(in_focus.keys() & in_baseline.keys())
    of_them = f"{w.number(shared) if shared else 'none'} of them {'are' if shared > 1 else 'is'}"
    return (
        head
        + run(focus)
        + muted(
            f" has {w.number(len(in_focus))} relevant {w.plural(len(in_focus), 'document')}"
            f" in its top {k}, "
        )
        + run(baseline)
        + muted(f" {w.number(len(in_baseline))}; {of_them} in both.")
    )


def _documents(n: int, noun: str) -> str:
    return noun if n == 1 else f"{w.number(n)} {noun}s"


def _relevant_places(diagnosis: Diagnosis, name: str) -> dict[str, int]:
    top = diagnosis.rankings[name].head(diagnosis.cutoff)
    top = top[top["grade"] >= diagnosis.relevant_from]
    return dict(zip(top["doc_id"], top["rank"].astype(int), strict=True))
