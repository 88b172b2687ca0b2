"""Judging documents in Ranklens: the unjudged documents on the Query page, and the queue that shows
one document at a time."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.answers import grading as answers
from dashboard.answers.drawn_judging import measure_for_random_queries
from dashboard.answers.judging_order import AT_RANDOM, ORDERS, parse_judging_order
from dashboard.app_pages.parts import add_files
from dashboard.app_pages.parts.completeness import show_completeness_switch
from dashboard.components.judge import judge_documents
from dashboard.drawing.blocks import card_head, layers, markup
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.word_marks import query_words, split_at_words
from dashboard.drawing.figures.text import short_names
from dashboard.session import PageContext
from dashboard.session.actions.draws import make_random_draw_key
from dashboard.session.actions.grading import (
    find_own_layer,
    handle_sent_actions,
    is_judging_blind,
    judge_name,
    last_stored_action,
    layer_href,
    skipped_pairs,
)
from dashboard.session.open_collection import current_collection_id
from metrics_core.base import wording as w
from metrics_core.findings.grading import all_judged_finding, judgments_effect_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.tables.ranked_run import judged_ranks_clause

WINDOW = 40
"""Number of queued documents that are sent to the browser in advance, so that the user never has to
wait for the server after a key press."""
_LONGEST_TEXT = 3_000
_QUEUE = "judge_queue"
LONGEST_NAME, _MOST_NAMED = 24, 3
"""Limits of the text about a document's ranks: the maximum length of a run's name, and the maximum
number of runs that it names."""


def show_query_judging(context: PageContext, query_id: str) -> None:
    """Show the unjudged documents of a query, so that the user can judge them by keyboard. Also
    show the effect of the grades."""
    comparison = context.comparison
    rows = answers.unjudged_documents(context.study, context.comparison, query_id)
    nameless = context.study.runs_without_doc_ids(comparison.runs)
    lists = f"the top {comparison.cutoff} of the {'other' if nameless else 'shown'} lists"
    message = "" if len(rows) else f"Every document in {lists} is judged."
    if context.study.settings.complete:
        message = (
            "The judgments are treated as complete, so unjudged documents count as not relevant."
        )
    if len(nameless) == len(comparison.runs):
        message = ""
    with st.container(key="side_judge"):
        st.html(card_head.draw_card_heading("Judge"))
        if len(rows):
            top = f"top {w.format_count(comparison.cutoff)}"
            st.html(card_head.draw_summary(f"{w.format_count(len(rows))} unjudged in the {top}"))
            grades = collect_layer_grades(context)
            pairs = zip(rows["query_id"], rows["doc_id"], strict=True)
            show_judging_component(
                context, rows, n_judged=sum(pair in grades for pair in pairs), total=len(rows)
            )
            _show_effect(context, query_id)
        show_own_layer(
            context, "query", f"{message} {explain_nameless_documents(nameless)}".strip()
        )
        st.html(layers.draw_judging_link(session.href("judge"), "Judge all queries"))


def _show_effect(context: PageContext, query_id: str) -> None:
    if not any(len(layer) for layer in context.layers):
        return
    comparison = context.comparison
    effect = answers.effect_of_layers(context.study, comparison, query_id)
    pair = comparison.pair
    st.html(
        layers.draw_layers_effect(
            effect.scores,
            effect.difference,
            pair,
            measure=comparison.name,
            n_queries=effect.queries,
        )
    )


def show_judging_queue(context: PageContext) -> None:
    """Show the judging queue of the comparison, one document at a time."""
    comparison = context.comparison
    reason = explain_nameless_documents(context.study.runs_without_doc_ids(comparison.pair))
    back = (
        session.href("queries")
        if comparison.is_single_run
        else session.href("firm", part="unjudged")
    )
    back_name = "All queries" if comparison.is_single_run else "Robustness"
    st.html(layers.draw_judging_link(back, f"← {back_name}", "back"))
    if reason:
        st.html(
            markup.draw_heading("The unjudged documents are unknown", reason, context.look.styles)
        )
        return
    if context.study.settings.complete:
        text = "Unjudged documents count as not relevant, so there is nothing to judge."
        st.html(
            markup.draw_heading("The judgments are treated as complete", text, context.look.styles)
        )
        show_completeness_switch(context.study, "judge")
        return
    summary = answers.judging_summary(context.study, comparison)
    order = parse_judging_order(context.view.address["order"])
    queue = answers.judging_queue(context.study, comparison, order, summary.settle)
    pairs = query_doc_pairs(queue)
    settling = _find_settling_pairs(context, summary)
    grades = collect_layer_grades(context)
    judged_count = sum(pair in grades for pair in (settling or pairs))
    is_done = bool(settling) and judged_count == len(settling)
    title, lead = _all_judged_texts(context, summary) if is_done else (summary.title, summary.lead)
    st.html(markup.draw_heading(title, lead, context.look.styles))
    with add_files.make_message_area():
        add_files.show_messages()
    done = {*grades, *skipped_pairs()}
    waiting = answers.next_documents_in_queue(context.study, queue, done, WINDOW)
    waiting = answers.add_effects(context.study, comparison, waiting, summary)
    if is_done or waiting.empty:
        st.html(layers.draw_judging_link(back, f"See {back_name}", "primary" if is_done else ""))
    if pairs:
        about = _queue_summary(context, waiting, summary, order, is_settling=bool(settling))
        about["behind"] = len((settling or set(pairs)).difference(done, query_doc_pairs(waiting)))
        show_judging_component(
            context,
            waiting,
            n_judged=judged_count,
            total=summary.unjudged,
            settling_pairs=settling,
            queue=about,
        )
        show_own_layer(context, "judge", "")


def _find_settling_pairs(
    context: PageContext, summary: answers.JudgingSummary
) -> set[tuple[str, str]]:
    """Return the documents whose judgments would settle the order of the runs. The result is empty
    if the documents are offered in random order."""
    if not summary.settle or context.view.address["order"] == AT_RANDOM:
        return set()
    first = answers.judging_queue(context.study, context.comparison).head(summary.settle)
    return set(query_doc_pairs(first))


def query_doc_pairs(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs (query_id, doc_id) of these rows."""
    return list(zip(rows["query_id"], rows["doc_id"], strict=True))


def _all_judged_texts(
    context: PageContext, summary: answers.JudgingSummary
) -> tuple[Sentence, Sentence]:
    after = answers.effect_of_layers(context.study, context.comparison).difference[1]
    worst = answers.layers_effect_on_worst_case(context.study, context.comparison)
    lead = judgments_effect_finding(
        after, worst.after if worst else None, can_reverse=bool(worst and worst.turns)
    )
    return all_judged_finding(summary.settle or 0), lead


def _queue_summary(
    context: PageContext,
    queue: pd.DataFrame,
    summary: answers.JudgingSummary,
    order: str,
    *,
    is_settling: bool,
) -> dict[str, Any]:
    """Return the labels around a document in the queue: where the documents are, the orders that
    the user can choose, and the effect of the grades."""
    comparison = context.comparison
    blind = is_judging_blind()
    short = short_names(context.drawing.styles, LONGEST_NAME)
    scope = (
        f"in the top {w.format_count(comparison.measure.cutoff or comparison.cutoff)}, on"
        f" {w.format_count(summary.queries)} of {w.format_query_count(summary.total)}"
    )
    return {
        # The component shows the total before this text.
        "counted": "" if is_settling else scope,
        "order": order,
        "orders": offered_orders(context),
        "blind": blind,
        "changes": [] if comparison.is_single_run else _effect_rows(context),
        "title": "The result so far",
        "of": f"{comparison.name}, {short[comparison.focus]} minus {short[comparison.baseline]}."
        " Each grade updates these values.",
        "scores": {} if blind else _score_changes_by_query(context, queue),
    }


def offered_orders(context: PageContext) -> list[tuple[str, str, str]]:
    """Return the orders that the user can choose, as (key, title, use). The result is empty without
    judgments, because only one order is then possible."""
    orders = [(word, *texts) for word, texts in ORDERS.items()]
    return orders if context.study.judged else []


def random_draw_key(context: PageContext) -> str:
    """Return the key of the judge's random draw of queries for the two compared runs."""
    comparison = context.comparison
    k = measure_for_random_queries(context.study, comparison).cutoff or 0
    return make_random_draw_key(*comparison.pair, k)


def _effect_rows(context: PageContext) -> list[list[str]]:
    """Return the effect of the grades on the comparison, as rows (name, value before, value
    after)."""
    difference = answers.effect_of_layers(context.study, context.comparison).difference
    worst = answers.layers_effect_on_worst_case(context.study, context.comparison)
    rows = [["difference", *map(w.format_difference, difference)]]
    if worst:
        both = (w.format_difference(worst.before), w.format_difference(worst.after))
        rows.append(["worst case", *both])
    return rows


def _score_changes_by_query(
    context: PageContext, queue: pd.DataFrame
) -> Mapping[str, list[list[str]]]:
    """Return the effect of the grades on the scores of the queries in the queue: a dict from
    query_id to rows (run, score before, score after). Queries without grades in the active layers
    are omitted."""
    graded = {query_id for layer in context.layers for query_id, _ in layer.grades}
    comparison, short = context.comparison, short_names(context.drawing.styles, LONGEST_NAME)
    return {
        query_id: [
            [short[run], w.format_score(before), w.format_score(after)]
            for run, (before, after) in answers.effect_of_layers(
                context.study, comparison, query_id
            ).scores.items()
            if run in comparison.pair
        ]
        for query_id in graded.intersection(queue["query_id"])
    }


def explain_nameless_documents(runs: list[str]) -> str:
    """Explain why the unjudged documents of these runs cannot be judged: the runs were loaded as
    judged ranks, which contain only judged documents. Returns "" if there are no such runs."""
    if not runs:
        return ""
    return (
        f"{judged_ranks_clause(runs)}, so their unjudged documents are unknown. If you judge"
        f" another document here, {w.plural(len(runs), 'this run', 'these runs')} can no longer be"
        " scored."
    )


def show_own_layer(context: PageContext, page: str, message: str) -> None:
    """Show a message about judging, and the user's own layer with a switch that activates it."""
    layer = find_own_layer()
    is_on = layer in context.layers
    link = layer_href(page, layer, is_active=not is_on) if layer else ""
    if message or layer:
        st.html(layers.draw_own_layer(message, layer, is_active=is_on, link=link))
    if page == "query":
        with add_files.make_message_area():
            add_files.show_messages()


def collect_layer_grades(context: PageContext) -> dict[tuple[str, str], float]:
    """Return the grades given in Ranklens: the grades of the active layers, and the grades of the
    user's own layer even if it is inactive."""
    reader_layer = find_own_layer()
    grades: dict[tuple[str, str], float] = {}
    for layer in (*context.layers, *([reader_layer] if reader_layer else [])):
        grades |= layer.grades
    return grades


def show_judging_component(
    context: PageContext,
    rows: pd.DataFrame,
    *,
    n_judged: int,
    total: int,
    settling_pairs: AbstractSet[tuple[str, str]] = frozenset(),
    queue: Mapping[str, Any] | None = None,
) -> None:
    """Show the component with which the user judges the documents in `rows` by keyboard or clicks.
    `queue` has the labels around a document of a queue; it is None for a single query.
    `settling_pairs` are the documents that could settle the comparison. `n_judged` is the number of
    judged documents among `settling_pairs` or, if there are no such pairs, among all documents."""
    comparison = context.comparison
    grades = answers.offered_grades(context.study)
    tints = Grades.from_grades(context.study.unlayered.grades)
    key = _QUEUE if queue else "judge_query"
    query_id = "" if queue else str(rows["query_id"].iloc[0])
    order = queue["order"] if queue else ""
    judge_documents(
        key,
        {
            **last_stored_action(),
            "rows": _document_rows(
                context, rows, settling_pairs, hide_runs=bool(queue and queue["blind"] is not False)
            ),
            "one": queue is not None,
            "queue": dict(queue or {}),
            "place": [
                current_collection_id(),
                query_id,
                *comparison.runs,
                comparison.name,
                comparison.cutoff,
                order,
            ],
            "grades": grades,
            "names": answers.grade_names(context.study),
            "settle": len(settling_pairs),
            "tints": {str(grade): tints.tint(grade) for grade in grades},
            "name": judge_name(),
            "total": total,
            "judged": n_judged,
            "nothing": (queue or {}).get("nothing", "Every document is judged or skipped."),
        },
        partial(handle_sent_actions, key, query_id),
        partial(session.store_event, key, "chosen", _address_fields_of_event),
    )


def _address_fields_of_event(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the address fields of the judging queue that an event in the browser changes."""
    return {name: str(event[name]) for name in ("order", "blind") if name in event}


def _document_rows(
    context: PageContext,
    rows: pd.DataFrame,
    settling_pairs: AbstractSet[tuple[str, str]],
    *,
    hide_runs: bool,
) -> list[dict[str, Any]]:
    """Return the data of each document for the component in the browser."""
    grades, query_texts = collect_layer_grades(context), context.study.texts
    cutoff = context.comparison.measure.cutoff or context.comparison.cutoff
    short = short_names(context.drawing.styles, LONGEST_NAME)
    words = {query: query_words(query_texts.get(query, "")) for query in set(rows["query_id"])}
    return [
        {
            "query_id": row["query_id"],
            "doc_id": row["doc_id"],
            "where": "" if hide_runs else _rank_text(row["ranks"], short, cutoff),
            "title": split_at_words(row["title"], words[row["query_id"]]),
            "text": split_at_words(row["text"][:_LONGEST_TEXT], words[row["query_id"]]),
            "query": row.get("query", ""),
            "heading": row.get("heading", "Query"),
            "effect": f"up to {w.format_score(row['effect'])}" if row.get("effect") else "",
            "grade": grades.get((row["query_id"], row["doc_id"])),
            "settles": (row["query_id"], row["doc_id"]) in settling_pairs,
        }
        for row in rows.to_dict("records")
    ]


def _rank_text(ranks: Mapping[str, int], shortened_names: Mapping[str, str], cutoff: int) -> str:
    """Describe the ranks of a document, for example "rank 10 in bm25, not in the top 10 of
    dense"."""
    ranked = [
        f"{w.format_count(rank)} in {shortened_names[run]}" for run, rank in ranks.items() if rank
    ]
    more = len(ranked[_MOST_NAMED:])
    others = f" and {w.format_count(more)} other {w.plural(more, 'run')}" if more else ""
    missing_runs = [shortened_names[run] for run, rank in ranks.items() if not rank]
    parts = [f"rank {', '.join(ranked[:_MOST_NAMED])}{others}"]
    return ", ".join(
        [*parts, *(f"not in the top {w.format_count(cutoff)} of {run}" for run in missing_runs)]
    )
