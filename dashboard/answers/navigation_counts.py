"""The rail: what waits on the pages, as far as it is known without working anything out."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.address.view import Comparison
from dashboard.answers.firmness import firmness, firmness_known
from dashboard.answers.unjudged import how_many_unjudged
from dashboard.study.library import Library
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES


def counts(study: Study, shown: Comparison) -> Mapping[str, str]:
    """Page -> what stands beside its name."""
    in_view = int(study.in_view(shown).sum())
    found = {"queries": w.count(in_view), "pairs": w.count(len(study.names))}
    if len(study.names) == 1:
        return {**found, "firm": "needs 2"}
    if shown.alone or not firmness_known(study, shown):
        return found
    held = firmness(study, shown)
    if held.pair is None or not held.entries:
        found["firm"] = "not tested" if in_view < FEWEST_QUERIES else ""
    elif held.settling:
        found["firm"] = "n.s."
    else:
        found["firm"] = f"{held.holding} of {len(held.checks)}"
    if shown.measure.cutoff is not None and not study.settings.complete:
        waiting = how_many_unjudged(study, shown)
        found["judge"] = w.count(waiting) if waiting else ""
    return found


def held_so_far(library: Library) -> str:
    """What a collection holds before anything can be compared, in a few words."""
    if not library.files:
        return "no files yet"
    runs = len(library.of_kind("run"))
    judged = "judgments" if library.of_kind("qrels") else "no judgments"
    return f"{judged} · {w.count(runs) if runs else 'no'} {w.plural(runs, 'run')}"
