"""Collections: which ones there are, and what is known of each without reading it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers.overview import overview, overview_known
from dashboard.files.collections import ListedCollection, Preview
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings.sentence import Sentence, muted, strong

_MEANT = "A collection is one set of queries with its judgments and runs."

MANY = 8
"""Collections beyond which one is looked for by its name."""


def finding(listed: Sequence[ListedCollection], asked: str) -> Sentence:
    """The headline: how many collections there are, or that the one in the link, whose id is
    `asked`, "" where it is here, is not."""
    if asked:
        return strong("The collection in this link was not found. ") + muted(
            "It may be in another workspace, or it was removed. Available collections:"
        )
    if all(row.origin != "own" for row in listed):
        return strong("No collection of your own yet. ") + muted(
            f"{_MEANT} Add judgments and runs to create one. You can open the example at any time."
        )
    n = len(listed)
    here = strong(f"{w.sentence_case(w.number(n))} {w.plural(n, 'collection')}. ")
    return here + muted(_MEANT)


def preview(study: Study, slots: Mapping[str, int]) -> Preview | None:
    """What the list shows of a collection: the Overview as it is without any choice, once somebody
    has seen it; None before, for nothing is worked out for a list."""
    shown = study.kept(_without_choice)
    if not overview_known(study, shown):
        return None
    every = overview(study, shown).every.set_index("run")
    own, other = every.loc[shown.focus], every.loc[shown.baseline]
    tested = not shown.alone and not math.isnan(own["p_corrected"])
    return Preview(
        measure=shown.name,
        run=shown.focus,
        slot=slots[shown.focus],
        mean=float(own["mean"]),
        baseline=shown.baseline,
        baseline_mean=float(other["mean"]),
        difference=0.0 if shown.alone else float(own["difference"]),
        clear=own["verdict"] in CLEAR if tested else None,
        queries=len(study.query_ids),
        runs=len(study.names),
    )


def _without_choice(study: Study) -> Comparison:
    return study.view(Address.of()).comparison


def holds(row: ListedCollection) -> str:
    """What a collection holds, in a few words."""
    if row.folder:
        return f"damaged; it is kept in {row.folder}"
    runs = row.preview.runs if row.preview and row.runs is None else row.runs
    queries = row.preview.queries if row.preview and row.queries is None else row.queries
    parts = []
    if queries is not None:
        parts.append(f"{w.count(queries)} {w.plural(queries, 'query', 'queries')}")
    elif row.origin == "own":
        parts.append("no judgments")
    if runs is not None:
        parts.append(f"{w.count(runs)} {w.plural(runs, 'run')}")
    if row.damaged:
        parts.append(f"{w.count(row.damaged)} damaged")
    parts += {"sample": ["read-only"], "folder": ["the folder given at startup"]}.get(
        row.origin, []
    )
    return " · ".join(parts)


def lacking(row: ListedCollection) -> str:
    """Why there is no result to show of a collection; "" where there is one."""
    if row.folder:
        return f"cannot be opened; {'restore or ' if row.good else ''}remove it with ⋯"
    if row.preview is None:
        ready = row.origin != "own" or (row.runs and row.queries is not None)
        return "open it to see its result" if ready else "no result without judgments and runs"
    return "changed since; open it to update" if row.outdated else ""


def tested(found: Preview) -> str:
    """What the test says of the difference."""
    if found.difference == 0:
        return "tied"
    return {None: "not tested", True: "clear difference", False: "no clear difference"}[found.clear]


def opened(row: ListedCollection, today: datetime) -> str:
    """When a collection was opened last, in the time of `today`."""
    if not row.opened:
        return ""
    then = datetime.fromtimestamp(row.opened, today.tzinfo)
    days = (today.date() - then.date()).days
    if days in (0, 1):
        return ("today", "yesterday")[days]
    return f"{then.day} {then:%b}" + (f" {then.year}" if then.year != today.year else "")


def moment(when: str) -> str:
    """A time of a record, to the minute."""
    return f"{when[:16].replace('T', ' ')} UTC"


def file_name(name: str) -> str:
    """A collection's name as that of a file: without what no file system takes."""
    return re.sub(r"[^\w.@+-]+", "-", name).strip("-.") or "collection"
