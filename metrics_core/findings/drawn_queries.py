"""Sentences on queries drawn at random: what is to be judged, and the result of the judgments so
far."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.comparing.drawn_queries import EARLY_LEVEL, detectable_difference
from metrics_core.comparing.verdicts import AHEAD, CLEAR, FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.explaining.drawn_judging import DrawnJudgments, needs_one_list
from metrics_core.findings.sentence import muted_span, run_span, strong_span
from metrics_core.findings.verdicts import VerdictFinding


def drawn_queries_finding(state: DrawnJudgments, date: str) -> VerdictFinding:
    """State the result on the drawn queries or, before the comparison is shown, what is to be
    judged. `date` is the day of the draw."""
    n, row = len(state.query_ids), state.row
    if row is None or not state.is_open:
        title = f"Judge {w.format_count(n)} {_queries(n)} drawn at random"
        return VerdictFinding(strong_span(title), muted_span(_describe_task(state)))
    lead = muted_span(f"{state.measure}: difference ")
    lead += strong_span(w.format_difference(row["difference"]))
    judged = f"{w.format_count(state.n_counted)} of {w.format_count(n)} drawn {_queries(n)}"
    others = ""
    if state.n_others:
        does = w.plural(state.n_others, "query does", "queries do")
        others = f"; {w.format_count(state.n_others)} other judged {does} not count"
    test = f"{' '.join(_format_interval(state))} ({w.format_p_value(row['p'])})"
    test = f"not tested: {row['reason']}" if row["p"] != row["p"] else test
    lead += muted_span(
        f"{'' if state.is_at_end else ' so far'}, {test}. Judged: {judged} (drawn at random on"
        f" {date}, seed {state.draw.seed}){others}."
    )
    if row["verdict"] in CLEAR:
        ahead = row["verdict"] in AHEAD
        verb = strong_span(" beats " if ahead else " falls behind ")
        title_of_verdict = run_span(state.run) + verb + run_span(state.baseline)
        badge = "clear difference" if ahead else "clear loss"
        return VerdictFinding(title_of_verdict, lead, badge, "better" if ahead else "worse")
    pair = run_span(state.run) + strong_span(" and ") + run_span(state.baseline)
    if state.is_at_end:
        return VerdictFinding(pair, lead, "no clear difference")
    lead += muted_span(f" Before the end of the draw, a verdict needs p ≤ {1 - EARLY_LEVEL:.3f}.")
    return VerdictFinding(pair + strong_span(" so far"), lead, "no verdict yet")


def opening_share(state: DrawnJudgments) -> float | None:
    """Return the minimum share of the drawn queries, in per cent, that must be judged before the
    comparison is shown; None once it is shown."""
    return None if state.is_open else 100 * FEWEST_QUERIES / len(state.query_ids)


def result_rows(state: DrawnJudgments) -> list[tuple[str, str]]:
    """Return pairs of a name and a value: the scores and the difference.

    Before the comparison is shown, the pairs instead state how many more queries it needs, and
    which difference the whole draw would detect."""
    row, missing = state.row, FEWEST_QUERIES - state.n_counted
    if row is None or not state.is_open:
        opens = f"{missing} more {_queries(missing)}"
        if missing <= 0:
            opens = f"{FEWEST_DIFFERING} differing queries ({state.n_differing} so far)"
        n, smallest = len(state.query_ids), state.detectable_difference
        guess = "unknown" if smallest != smallest else _format_guess(smallest)
        return [("opens after", opens), (f"all {w.format_count(n)} detect", guess)]
    return [
        (state.run, w.format_score(row["mean"])),
        (state.baseline, w.format_score(row["baseline_mean"])),
        (
            "difference" if state.is_at_end else "difference so far",
            w.format_difference(row["difference"]),
        ),
        _format_interval(state),
    ]


def new_draw_text(
    n: int, changed_share: float, waiting_share: float, documents_per_query: float, measure: str
) -> str:
    """State how many documents must be judged for `n` randomly drawn queries, and which difference
    these queries can detect. `changed_share` is the share of all queries whose lists differ,
    `waiting_share` the share of all queries that still need grades, and `documents_per_query` the
    mean number of documents to judge."""
    n_same, n_documents = round(n * (1 - waiting_share)), round(n * documents_per_query)
    smallest, queries = (
        detectable_difference(n, changed_share),
        f"{w.format_count(n)} {_queries(n)}",
    )
    text = (
        f"About {w.format_count(n_same)} of {queries} {w.plural(n_same, 'needs', 'need')} no grades"
        f" for {measure}. The others have about {w.format_count(n_documents)} documents to judge."
    )
    if smallest != smallest:
        return text
    return f"{text} {queries} can detect a difference of {_format_guess(smallest)}."


def _format_interval(state: DrawnJudgments) -> tuple[str, str]:
    """Format the interval of the difference as a pair: its level, and its bounds.

    The level is higher before the end of a draw. The bounds are "–" without a test."""
    row = state.row
    assert row is not None
    low, high = (w.format_difference(row[end]) for end in ("low", "high"))
    return f"{100 * state.level:g} % interval", low if row["low"] != row[
        "low"
    ] else f"{low} to {high}"


def _format_guess(smallest: float) -> str:
    return f"about {w.format_score(smallest)} (a guess)"


def _describe_task(state: DrawnJudgments) -> str:
    n_to_judge, n_documents = state.n_to_judge, len(state.documents)
    n_same, one_list = len(state.query_ids) - n_to_judge, needs_one_list(state.measure)
    has, needs = w.plural(n_same, "query has", "queries have"), w.plural(n_same, "needs", "need")
    what = "documents" if one_list else "list"
    same = f"{w.format_count(n_same)} {has} the same {what} in both runs and {needs} no grades."
    which = "of one list" if one_list else f"in the top {state.measure.cutoff} of either run"
    noun = w.plural(n_documents, "document")
    return (f"{same} " if n_same else "") + (
        f"For the other {w.format_count(n_to_judge)}, only the {w.format_count(n_documents)} {noun}"
        f" {which} can change {state.measure}."
    )


def _queries(n: int) -> str:
    return w.plural(n, "query", "queries")
