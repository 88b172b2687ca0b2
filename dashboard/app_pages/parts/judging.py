"""Judging in place: the card of the Query page, and a queue one by one."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.answers import grading as answers
from dashboard.answers.judging_order import AT_RANDOM, ORDERS, read_order
from dashboard.app_pages.parts import add_files, section
from dashboard.app_pages.parts.completeness import complete_switch
from dashboard.components.judge import graded_by_keys
from dashboard.drawing.blocks import card_head, layers, markup
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.word_marks import pieces, query_words
from dashboard.drawing.figures.text import short_names
from dashboard.session import Opened
from dashboard.session.actions.grading import (
    acts_kept,
    hear_acts,
    is_blind,
    judge_name,
    layer_href,
    own_layer,
    skipped,
)
from dashboard.session.open_collection import collection
from metrics_core.base import wording as w
from metrics_core.findings.grading import judged_finding, judged_lead
from metrics_core.findings.sentence import Sentence
from metrics_core.tables.ranked_run import as_judged_ranks

_WINDOW = 40
"""Documents of a queue that the browser has at hand, so that no key waits for the server."""
_LONGEST_TEXT = 3_000
_QUEUE = "judge_queue"
_NAME, _MOST_NAMED = 24, 3
"""Characters of a run's name, and runs that are named, where a document stands."""


def query_part(here: Opened, query_id: str) -> None:
    """The documents of a query that nobody judged, to be judged by keys, and what that changed."""
    view, rows = here.comparison, answers.to_judge(here.study, here.comparison, query_id)
    unknown = here.study.nameless(view.runs)
    lists = f"the top {view.cutoff} of the {'other' if unknown else 'shown'} lists"
    said = "" if len(rows) else f"Every document in {lists} is judged."
    if here.study.settings.complete:
        said = "The judgments are taken as complete: unjudged documents count as not relevant."
    if len(unknown) == len(view.runs):
        said = ""
    with st.container(key="side_judge"):
        st.html(card_head.head("Judge"))
        if len(rows):
            many = f"{w.count(len(rows))} unjudged"
            st.html(card_head.told(f"{many} in the top {w.count(view.cutoff)}"))
            known = _grades(here)
            pairs = zip(rows["query_id"], rows["doc_id"], strict=True)
            _keys(here, rows, judged=sum(pair in known for pair in pairs), total=len(rows))
            _effect(here, query_id)
        _own_layer(here, "query", f"{said} {_unknown(unknown)}".strip())
        st.html(layers.onward(session.href("judge"), "Keep judging across all queries"))


def _effect(here: Opened, query_id: str) -> None:
    if not any(len(layer) for layer in here.layers):
        return
    view = here.comparison
    found = answers.effect(here.study, view, query_id)
    pair = (view.focus, view.baseline)
    st.html(
        layers.effect(found.scores, found.difference, pair, of=view.name, queries=found.queries)
    )


def queue_part(here: Opened) -> None:
    """The queue of the comparison, one document at a time."""
    view = here.comparison
    unknown = _unknown(here.study.nameless((view.focus, view.baseline)))
    back = session.href("queries") if view.alone else session.href("firm", part="unjudged")
    named = "All queries" if view.alone else "Robustness"
    st.html(layers.onward(back, f"← {named}", "back"))
    if unknown:
        st.html(markup.answer("The unjudged documents are unknown", unknown, here.look.styles))
        return
    if here.study.settings.complete:
        told = "Unjudged documents count as not relevant, so there is nothing to judge."
        st.html(markup.answer("The judgments are taken as complete", told, here.look.styles))
        complete_switch(here.study, "judge")
        return
    found, order = answers.to_judge_now(here.study, view), read_order(here.view.address["order"])
    every = answers.queue(here.study, view, order, found.settle)
    pairs = _pairs(every)
    settling = _settling(here, found)
    known = _grades(here)
    judged = sum(pair in known for pair in (settling or pairs))
    is_done = bool(settling) and judged == len(settling)
    title, lead = _came_of_it(here, found) if is_done else (found.title, found.lead)
    st.html(markup.answer(title, lead, here.look.styles))
    with add_files.above_the_uploader():
        add_files.told()
    done = {*known, *skipped()}
    left = answers.window(here.study, every, done, _WINDOW)
    if is_done or left.empty:
        st.html(layers.onward(back, f"See {named}", "primary" if is_done else ""))
    if pairs:
        about = _about_queue(here, left, found, order, settles=bool(settling))
        about["behind"] = len((settling or set(pairs)).difference(done, _pairs(left)))
        _keys(here, left, judged=judged, total=found.unjudged, settling=settling, queue=about)
        _own_layer(here, "judge", "")


def _settling(here: Opened, found: answers.ToJudge) -> set[tuple[str, str]]:
    """Those that settle the order, which count while they come first."""
    if not found.settle or here.view.address["order"] == AT_RANDOM:
        return set()
    first = answers.queue(here.study, here.comparison).head(found.settle)
    return set(_pairs(first))


def _pairs(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(rows["query_id"], rows["doc_id"], strict=True))


def _came_of_it(here: Opened, found: answers.ToJudge) -> tuple[Sentence, Sentence]:
    after = answers.effect(here.study, here.comparison).difference[1]
    worst = answers.worst_case(here.study, here.comparison)
    lead = judged_lead(after, worst.after if worst else None, turns=bool(worst and worst.turns))
    return judged_finding(found.settle or 0), lead


def _about_queue(
    here: Opened, left: pd.DataFrame, found: answers.ToJudge, order: str, *, settles: bool
) -> dict[str, Any]:
    """What stands around the card of a queue: how much there is, the orders, what changed."""
    view, blind, short = here.comparison, is_blind(), short_names(here.drawing.styles, _NAME)
    where = f"on {w.count(found.queries)} of {section.counted(found.total, 'query', 'queries')}"
    where = f"in the top {w.count(view.measure.cutoff or view.cutoff)}, {where}"
    return {
        # Where all of them count, their number stands before it.
        "counted": f"{w.count(found.unjudged)} unjudged {where}" if settles else where,
        "order": order,
        "orders": list(ORDERS.items()),
        "blind": blind,
        "changes": [] if view.alone else _changes(here),
        "of": f"{view.name}, {short[view.focus]} minus {short[view.baseline]}",
        "scores": {} if blind else _scores(here, left),
    }


def _changes(here: Opened) -> list[list[str]]:
    """What the grades changed of the comparison: what, before, and after."""
    difference = answers.effect(here.study, here.comparison).difference
    worst = answers.worst_case(here.study, here.comparison)
    rows = [["difference", *map(w.difference, difference)]]
    if worst:
        rows.append(["worst case", w.difference(worst.before), w.difference(worst.after)])
    return rows


def _scores(here: Opened, left: pd.DataFrame) -> Mapping[str, list[list[str]]]:
    """What they changed of the scores of the queries that come next: run, before, and after."""
    graded = {query_id for layer in here.layers for query_id, _ in layer.grades}
    view, short = here.comparison, short_names(here.drawing.styles, _NAME)
    return {
        query_id: [
            [short[run], w.score(before), w.score(after)]
            for run, (before, after) in answers.effect(here.study, view, query_id).scores.items()
            if run in (view.focus, view.baseline)
        ]
        for query_id in graded.intersection(left["query_id"])
    }


def _unknown(runs: list[str]) -> str:
    """What cannot be judged here, where runs came as judged ranks."""
    if not runs:
        return ""
    return (
        f"{as_judged_ranks(runs)}: {w.plural(len(runs), 'its', 'their')} unjudged"
        f" documents are unknown, and {w.plural(len(runs), 'it', 'they')} cannot be"
        " scored while a further document is judged here."
    )


def _own_layer(here: Opened, page: str, said: str) -> None:
    """What is said of judging here, with the reader's layer and its switch."""
    own = own_layer()
    is_on = own in here.layers
    link = layer_href(page, own, on=not is_on) if own else ""
    if said or own:
        st.html(layers.own(said, own, is_on=is_on, link=link))
    if page == "query":
        with add_files.above_the_uploader():
            add_files.told()


def _grades(here: Opened) -> dict[tuple[str, str], float]:
    """What was given here: in the layers that are on, and in the reader's own, on or off."""
    own = own_layer()
    grades: dict[tuple[str, str], float] = {}
    for layer in (*here.layers, *([own] if own else [])):
        grades |= layer.grades
    return grades


def _keys(
    here: Opened,
    rows: pd.DataFrame,
    *,
    judged: int,
    total: int,
    settling: AbstractSet[tuple[str, str]] = frozenset(),
    queue: Mapping[str, Any] | None = None,
) -> None:
    """The rows, judged by keys or by clicks: the browser's part. Those of a `queue` stand there
    with more around them; of those that are `settling` the order, if any are, `judged` counts."""
    view = here.comparison
    offered = answers.grades_offered(here.study)
    tints = Grades.of(here.study.bare.grades)
    key = _QUEUE if queue else "judge_query"
    query_id = "" if queue else str(rows["query_id"].iloc[0])
    order = queue["order"] if queue else ""
    graded_by_keys(
        key,
        {
            **acts_kept(),
            "rows": _told(here, rows, settling, blind=bool(queue and queue["blind"])),
            "one": queue is not None,
            "queue": dict(queue or {}),
            "place": [collection(), query_id, *view.runs, view.name, view.cutoff, order],
            "grades": offered,
            "names": answers.grade_names(here.study),
            "settle": len(settling),
            "tints": {str(grade): tints.tint(grade) for grade in offered},
            "name": judge_name(),
            "total": total,
            "judged": judged,
            "nothing": "Nothing is left to judge here: every document is judged or skipped.",
        },
        partial(hear_acts, key, query_id),
        partial(session.hear, key, "chosen", _chosen),
    )


def _chosen(told: Mapping[str, Any]) -> dict[str, str]:
    """What of a queue's fields in the address was chosen."""
    return {name: str(told[name]) for name in ("order", "blind") if name in told}


def _told(
    here: Opened, rows: pd.DataFrame, settling: AbstractSet[tuple[str, str]], *, blind: bool
) -> list[dict[str, Any]]:
    """What the browser is told of each document."""
    known, asked = _grades(here), here.study.texts
    cutoff = here.comparison.measure.cutoff or here.comparison.cutoff
    short = short_names(here.drawing.styles, _NAME)
    words = {query: query_words(asked.get(query, "")) for query in set(rows["query_id"])}
    return [
        {
            "query_id": row["query_id"],
            "doc_id": row["doc_id"],
            "where": "" if blind else _where(row["ranks"], short, cutoff),
            "title": pieces(row["title"], words[row["query_id"]]),
            "text": pieces(row["text"][:_LONGEST_TEXT], words[row["query_id"]]),
            "query": row.get("query", ""),
            "grade": known.get((row["query_id"], row["doc_id"])),
            "settles": (row["query_id"], row["doc_id"]) in settling,
        }
        for row in rows.to_dict("records")
    ]


def _where(ranks: Mapping[str, int], short: Mapping[str, str], cutoff: int) -> str:
    """Where a document stands: "rank 10 in bm25, not in the top 10 of dense"."""
    known = [f"{w.count(rank)} in {short[run]}" for run, rank in ranks.items() if rank]
    more = len(known[_MOST_NAMED:])
    others = f" and {w.count(more)} other {w.plural(more, 'run')}" if more else ""
    lacking = [short[run] for run, rank in ranks.items() if not rank]
    told = [f"rank {', '.join(known[:_MOST_NAMED])}{others}"]
    return ", ".join([*told, *(f"not in the top {w.count(cutoff)} of {run}" for run in lacking)])
