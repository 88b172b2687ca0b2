"""Sentences on queries drawn at random: what is to be judged, and the result of the judgments so
far."""

from __future__ import annotations

import numpy as np

from metrics_core.base import wording as w
from metrics_core.comparing.drawn_queries import EARLY_LEVEL, detectable_difference
from metrics_core.comparing.verdicts import AHEAD, CLEAR, FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.drawn_judging import DrawnJudgments, depends_on_unshared_documents
from metrics_core.findings.sentence import muted_span, run_span, strong_span
from metrics_core.findings.verdicts import VerdictFinding


def drawn_queries_finding(state: DrawnJudgments) -> VerdictFinding:
    """State the result on the queries that were drawn at random. If there are not yet enough
    judgments to show the comparison, state what is to be judged instead."""
    row, n = state.row, w.format_query_count(len(state.query_ids), "random ")
    if row is None and state.is_finished:
        lead = muted_span(f"A comparison needs at least {FEWEST_QUERIES} queries.")
        return VerdictFinding(strong_span(f"{n} judged"), lead)
    if row is None or not state.is_comparison_shown:
        title = f"Judge {n}"
        return VerdictFinding(strong_span(title), muted_span(_describe_task(state)))
    counted = n if state.is_finished else f"{w.format_count(state.n_counted)} of {n}"
    test = f"{' '.join(_format_interval(state))} ({w.format_p_value(row['p'])})"
    test = f"not tested: {row['reason']}" if row["p"] != row["p"] else test
    difference = w.format_difference(row["difference"])
    lead = muted_span(f"{state.measure} differs by ") + strong_span(difference)
    lead += muted_span(f"{'' if state.is_finished else ' so far'}, on {counted}: {test}.")
    is_ahead, is_significant = row["verdict"] in AHEAD, row["verdict"] in CLEAR
    if not (state.is_finished or is_significant):
        lead += muted_span(
            f" Until all random queries are judged, a verdict needs p ≤ {1 - EARLY_LEVEL:.3f}."
        )
    for number, which, what in (
        (len(state.draw.left_out), "skipped", "left out"),
        (state.n_others, "other judged", "not counted"),
    ):
        if number:
            queries, are = w.format_query_count(number, f"{which} "), w.plural(number, "is", "are")
            lead += muted_span(f" {queries} {are} {what}.")
    lead += muted_span(f" Randomly selected on {state.draw.date}, seed {state.draw.seed}.")
    run, baseline = run_span(state.run), run_span(state.baseline)
    if is_significant:
        verb = strong_span(" beats " if is_ahead else " falls behind ")
        badge = "clear difference" if is_ahead else "clear loss"
        return VerdictFinding(run + verb + baseline, lead, badge, "better" if is_ahead else "worse")
    pair = run + strong_span(" and ") + baseline
    badge = "no clear difference" if state.is_finished else "no verdict yet"
    return VerdictFinding(pair, lead, badge)


def drawn_progress_text(state: DrawnJudgments) -> str:
    """State how many queries are judged. If they are too few for a comparison, also state the
    minimum. Returns "" if no query is judged."""
    n_counted, needed = state.n_counted, ""
    if n_counted < FEWEST_QUERIES:
        needed = f"of {FEWEST_QUERIES} "
    return f"{n_counted} {needed}queries judged" if n_counted else ""


def judged_percent_needed(state: DrawnJudgments) -> float | None:
    """Return the minimum share of the randomly drawn queries, in per cent, that must be judged
    before the comparison is shown. Returns None if it is already shown."""
    return None if state.is_comparison_shown else 100 * FEWEST_QUERIES / len(state.query_ids)


def result_rows(state: DrawnJudgments) -> list[tuple[str, str]]:
    """Return pairs of a name and a value: the scores and the difference.

    Until the comparison is shown, the pairs instead state how many more queries are needed, and the
    smallest difference that can be detected once all randomly drawn queries are judged."""
    row, missing = state.row, FEWEST_QUERIES - state.n_counted
    if row is None or not state.is_comparison_shown:
        opens = w.format_query_count(missing, "more ")
        if missing <= 0:
            opens = f"{FEWEST_DIFFERING} differing queries ({state.n_differing} so far)"
        n, smallest = len(state.query_ids), state.detectable_difference
        guess = "unknown" if smallest != smallest else f"{w.format_score(smallest)} (a guess)"
        return [("first result after", opens), (f"all {w.format_count(n)} can detect", guess)]
    return [
        (state.run, w.format_score(row["mean"])),
        (state.baseline, w.format_score(row["baseline_mean"])),
        (
            "difference" if state.is_finished else "difference so far",
            w.format_difference(row["difference"]),
        ),
        _format_interval(state),
    ]


def result_note(state: DrawnJudgments) -> str:
    """Name the measure and the direction of the difference, and explain missing scores."""
    note = f"{state.measure}, {state.run} minus {state.baseline}."
    if state.row is None or not np.isnan(state.row["mean"]):
        return note
    return (
        f"{note} Only the difference is known, because some documents that occur in both lists"
        " have no grade."
    )


def new_draw_steps(
    n: int,
    n_available: int,
    changed_share: float,
    waiting_share: float,
    documents_per_query: float,
    measure: str,
) -> list[str]:
    """Describe the steps of judging `n` queries drawn at random from `n_available` queries: how
    many documents must be judged, and which difference these queries can detect.

    `changed_share` is the share of all queries whose lists differ, `waiting_share` the share of all
    queries that still need grades, and `documents_per_query` the mean number of documents to judge
    per query."""
    n_waiting, n_documents = round(n * waiting_share), round(n * documents_per_query)
    steps = [
        f"Draw {w.format_count(n)} of the {w.format_query_count(n_available)} at random.",
        f"Judge about {w.format_with_noun(n_documents, 'document')} in"
        f" {w.format_query_count(n_waiting)}. Runs and ranks are hidden.",
        f"See a first result after {FEWEST_QUERIES} queries, the verdict after"
        f" {w.format_count(n)}.",
    ]
    smallest = detectable_difference(n, changed_share)
    if smallest == smallest:
        steps[0] += (
            f" They can detect a difference in {measure} of about {w.format_score(smallest)} or"
            " more."
        )
    return steps


def new_draw_reasons(n: int, n_available: int, changed_share: float) -> dict[str, str]:
    """Answer three questions about judging `n` queries drawn at random: why this number, why at
    random, and why runs are hidden. The arguments are the same as for `new_draw_steps`. The first
    question is omitted if half as many queries are too few for an estimate, or if no more are
    available."""
    reasons = {
        "Why at random?": f"A random sample represents all {w.format_query_count(n_available)}."
        " Queries that you choose yourself may favour one run.",
        "Why are runs hidden?": "A grade should depend on the document alone, not on the run or"
        " the rank at which it was found.",
    }
    half, every = (detectable_difference(size, changed_share) for size in (n // 2, n_available))
    if n == n_available or half != half:
        return reasons
    how_many = (
        f"{w.format_count(n // 2)} queries detect a difference of about"
        f" {w.format_score(half)} or more, all {w.format_count(n_available)} one of about"
        f" {w.format_score(every)}. You can draw more queries later."
    )
    return {f"Why {w.format_query_count(n)}?": how_many, **reasons}


def _format_interval(state: DrawnJudgments) -> tuple[str, str]:
    """Return the level and the bounds of the difference's interval as two strings.

    The level is higher as long as some of the randomly drawn queries are not judged. If there is no
    test, the bounds are "–"."""
    row = state.row
    assert row is not None
    low, high = (w.format_difference(row[end]) for end in ("low", "high"))
    bounds = low if row["low"] != row["low"] else f"{low} to {high}"
    return f"{100 * state.level:g}% interval", bounds


def _describe_task(state: DrawnJudgments) -> str:
    n, n_documents = len(state.query_ids), len(state.documents)
    n_same, one_list = n - state.n_to_judge, depends_on_unshared_documents(state.measure)
    top = f"top {state.measure.cutoff}"
    lists = f"that only one run has in its {top}" if one_list else f"in the {top} of either run"
    parts = [
        f"These are a random sample of the {w.format_query_count(state.n_available)}.",
        f"{state.measure} needs grades for the {w.format_with_noun(n_documents, 'document')}"
        f" {lists}.",
    ]
    if n_same:
        same = "documents" if one_list else "list"
        needs = w.plural(n_same, "needs", "need")
        has = w.plural(n_same, "has", "have")
        parts.append(
            f"{w.format_query_count(n_same)} {has} the same {same} in both runs and {needs} no"
            " grades."
        )
    return " ".join(parts)
