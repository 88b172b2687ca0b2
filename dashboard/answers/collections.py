"""The list of collections, and facts about them that are known without reading their files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers.overview import is_overview_cached, overview
from dashboard.files.collections import ListedCollection, Preview
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings.sentence import Sentence, muted_span, strong_span

_DEFINITION = "A collection is one set of queries with its judgments and runs."

MAX_WITHOUT_SEARCH = 8
"""Number of collections above which the page offers a search by name."""


def collections_finding(collections: Sequence[ListedCollection], missing_id: str) -> Sentence:
    """Return the headline of the list: how many collections there are, or that the collection in
    the link was not found. `missing_id` is the id of the collection that was not found, "" if there
    is none."""
    if missing_id:
        return strong_span("The collection in this link was not found. ") + muted_span(
            "It may be in another workspace or may have been removed. Available collections:"
        )
    n = len(collections)
    title = (
        f"{w.sentence_case(w.number_word(n))} collections"
        if n > 1
        else "The example is your only collection"
    )
    return strong_span(f"{title}. ") + muted_span(_DEFINITION)


def collection_preview(study: Study, slots: Mapping[str, int]) -> Preview | None:
    """Return the preview that the list of collections shows: the result on the collection's
    Overview with default choices. Returns None if this Overview is not in the cache, because
    nothing is computed just for the list."""
    comparison = study.cached_answer(_default_comparison)
    if not is_overview_cached(study, comparison):
        return None
    by_run = overview(study, comparison).all_rows.set_index("run")
    focus_row, baseline_row = by_run.loc[comparison.focus], by_run.loc[comparison.baseline]
    is_tested = not comparison.is_single_run and not math.isnan(focus_row["p_corrected"])
    return Preview(
        measure=comparison.name,
        run=comparison.focus,
        slot=slots[comparison.focus],
        mean=float(focus_row["mean"]),
        baseline=comparison.baseline,
        baseline_mean=float(baseline_row["mean"]),
        difference=0.0 if comparison.is_single_run else float(focus_row["difference"]),
        clear=focus_row["verdict"] in CLEAR if is_tested else None,
        queries=len(study.query_ids),
        runs=len(study.names),
    )


def _default_comparison(study: Study) -> Comparison:
    return study.view(Address.create()).comparison


def describe_contents(row: ListedCollection) -> str:
    """Describe in a few words what a collection contains."""
    if row.folder:
        return f"damaged; its files are in {row.folder}"
    runs = row.preview.runs if row.preview and row.runs is None else row.runs
    queries = row.preview.queries if row.preview and row.queries is None else row.queries
    parts = []
    if queries is not None:
        parts.append(w.format_query_count(queries))
    elif row.origin == "own":
        parts.append("no judgments")
    if runs is not None:
        parts.append(w.format_with_noun(runs, "run"))
    if row.damaged:
        parts.append(f"{w.format_count(row.damaged)} damaged")
    parts += {
        "sample": ["read-only; editing makes a copy"],
        "folder": ["the folder given at startup"],
    }.get(row.origin, [])
    return " · ".join(parts)


def missing_result_reason(row: ListedCollection) -> str:
    """Return the reason why a collection's result is missing or outdated, "" if its result is up to
    date."""
    if row.folder:
        return f"cannot be opened; under Actions, {'restore or ' if row.good else ''}remove it"
    if row.preview is None:
        ready = row.origin != "own" or (row.runs and row.queries is not None)
        return "no result yet" if ready else "no result: judgments or runs are missing"
    return "files have changed; open to update the result" if row.outdated else ""


def describe_test_result(saved_preview: Preview) -> str:
    """Return the result of the significance test as a phrase."""
    if saved_preview.difference == 0:
        return "tied"
    return {None: "not tested", True: "clear difference", False: "no clear difference"}[
        saved_preview.clear
    ]


def format_opening_time(row: ListedCollection, today: datetime) -> str:
    """Format the time at which a collection was last opened, in the time zone of `today`. The
    result is "" if the collection was never opened."""
    if not row.opened:
        return ""
    opened_at = datetime.fromtimestamp(row.opened, today.tzinfo)
    days = (today.date() - opened_at.date()).days
    if days in (0, 1):
        return ("today", "yesterday")[days]
    return f"{opened_at.day} {opened_at:%b}" + (
        f" {opened_at.year}" if opened_at.year != today.year else ""
    )


def format_timestamp(timestamp: str) -> str:
    """Format an ISO timestamp to the minute."""
    return f"{timestamp[:16].replace('T', ' ')} UTC"


def file_name(name: str) -> str:
    """Convert a collection's name to a file name by removing characters that file systems
    refuse."""
    return re.sub(r"[^\w.@+-]+", "-", name).strip("-.") or "collection"
