"""Overview: is it better, is it real, where to look."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import PLAIN, whole_list
from dashboard.answers import overview as answers
from dashboard.answers.firmness import firmness as firmness_of
from dashboard.answers.firmness import firmness_known
from dashboard.answers.overview import Overview
from dashboard.answers.overview_steps import overview_steps
from dashboard.app_pages.parts import add_files, rail, section, test_picker
from dashboard.drawing.blocks import (
    differences,
    firmness,
    leaderboard,
    markup,
    overview,
    untested,
)
from dashboard.drawing.blocks.markup import Badge, Lead
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.pairs import SAME
from metrics_core.comparing.verdicts import CANNOT_TELL, FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.findings.places import places_title
from metrics_core.findings.sentence import Sentence

_ANSWER, _DRAWING = 62, 38
"""Widths of the two parts of the head."""


def render() -> None:
    """The verdict, what it rests on, and the ways into it."""
    here = session.opened_study()
    view = here.comparison
    rail.own_files("page")
    add_files.landed()
    section.worked_through(overview_steps(here.study, view))
    shown = answers.overview(here.study, view)
    if view.alone:
        _of_one_run(shown, here)
    elif view.focus in shown.too_few:
        _of_few_queries(shown, here)
    else:
        _compared(shown, here)
    first = here.study.names[0] if here.guessed and not view.alone else ""
    guess = (view.baseline, first) if first else None
    st.html(overview.facts_line(shown.facts, session.href, guess))


def _compared(shown: Overview, here: Opened) -> None:
    view, drawing = here.comparison, here.drawing
    row = shown.every.set_index("run").loc[view.focus].to_dict()
    answer, drawn = st.columns([_ANSWER, _DRAWING], gap="medium")
    # The way to the method goes on in the lead's line.
    with answer, st.container(key="verdict"):
        _answer(shown, here)
        test_picker.explained(shown.tested, here, shown.facts.queries)
    with drawn:
        st.html(differences.against_zero(row, shown.interval, shown.every, drawing))
    if shown.doubts:
        st.html(markup.second(shown.doubts, drawing.styles))
    st.html(overview.outcomes(row, session.href))
    if row["differing"] and not shown.is_leaderboard:
        _checks(row, here)
    _runs(shown, here)
    if row["differing"] and shown.is_leaderboard:
        _checks(row, here)
    section.standing("lists", lambda: _lists(shown, here, row), shown, drawing)
    _differences(shown, here)


def _answer(shown: Overview, here: Opened) -> None:
    found = shown.verdict
    badge = Badge(found.badge, found.tone) if found.badge else None
    st.html(markup.answer(found.title, found.lead, here.drawing.styles, badge=badge))


def _checks(row: Mapping[str, Any], here: Opened) -> None:
    """What takes longer than all the rest, and so follows it; its place is kept."""
    room, view = st.empty(), here.comparison
    if not firmness_known(here.study, view):
        unclear = row["verdict"] == CANNOT_TELL
        room.html(firmness.waiting(unclear=unclear))

    def draw() -> None:
        checks = firmness.checks(firmness_of(here.study, view), session.href)
        if checks:
            room.html(checks)
        else:
            room.empty()

    defer(draw, room)


def _runs(shown: Overview, here: Opened) -> None:
    if shown.is_leaderboard:
        _leaderboard(shown, here)
    note = overview.table_note(_how_coloured(shown, here), shown.by_measure, here.drawing)
    with st.container(key="runs_table"):
        if shown.is_leaderboard:
            st.html(note)
            return
        section.standing("runs", lambda: _runs_table(shown, here), shown, here.drawing)
        section.noted(note, "Runs and measures", frame=shown.table, key="runs")


def _runs_table(shown: Overview, here: Opened) -> Markup:
    return overview.runs_and_measures(
        shown.table, here.drawing, _measures(shown, here), shown.judged_shares, _run_lead(here)
    )


def _leaderboard(shown: Overview, here: Opened) -> None:
    """All loaded runs. All of their pairs take a while: the places follow, and their room is
    kept."""
    view, study, named = here.comparison, here.study, here.view.address["named"]
    with st.container(horizontal=True, key="head_leaderboard", vertical_alignment="center"):
        told = st.empty()
        session.widget(
            st.text_input,
            "Find a run",
            "named",
            value=named,
            store=lambda text: {"named": text.strip()},
            placeholder="Find a run",
            label_visibility="collapsed",
            width=220,
        )
        section.csv_link("Runs and measures", shown.table, "runs")
    title = f"All {w.count(len(shown.every))} runs"
    told.html(markup.section(title, "Their places are being computed."))
    room = st.empty()

    def draw(found: AllPairs | None) -> None:
        room.html(
            leaderboard.leaderboard(
                shown.table,
                replace(here.drawing, styles=here.look.styles),
                _measures(shown, here),
                shown.judged_shares,
                _run_lead(here),
                pairs=session.href("pairs"),
                places=found,
                named=named,
            )
        )

    def follow() -> None:
        found = answers.places(study, view)
        draw(found)
        said = Sentence()
        if found is not None:
            said = places_title(found, view.name, shown.facts.queries)
        told.html(markup.section(title, said, styles=here.look.styles))

    if answers.places_known(study, view):
        follow()
        return
    draw(None)
    defer(follow)


def _measures(shown: Overview, here: Opened) -> list[tuple[str, str, str]]:
    """A measure's head chooses it; of the chosen one it leads to what it says."""
    view = here.comparison
    own = session.href("measures", measure=view.measure.declaration.name)
    return [
        (name, gloss, own if name == view.name else session.href("overview", m=key))
        for name, gloss, key in shown.measures
    ]


def _how_coloured(shown: Overview, here: Opened) -> str:
    view = here.comparison
    if len(shown.comparison) < 2:
        return ""
    small = f"Differences from {view.baseline}"
    if not shown.coloured:
        enough = (shown.comparison["queries"] >= FEWEST_QUERIES).any()
        few = f"{FEWEST_DIFFERING} differing" if enough else f"{FEWEST_QUERIES}"
        return f"{small}; none is tested with fewer than {few} queries."
    told = f"{small}; {shown.coloured}."
    if not shown.is_leaderboard:
        return told
    pairs = w.count(math.comb(len(shown.every), 2))
    return f"{told} Place: the possible range after correction for all {pairs} pairs."


def _lists(shown: Overview, here: Opened, row: dict[str, int]) -> Markup:
    drawing = here.drawing
    lists = [
        overview.query_list(shown.worse, drawing, "worse", session.href, total=int(row["lost"])),
        overview.query_list(shown.better, drawing, "better", session.href, total=int(row["won"])),
    ]
    if shown.groups is not None:
        lists.append(
            overview.group_list(
                shown.groups,
                drawing,
                session.href,
                _group_lead(shown, here),
                by=(shown.grouping or "", shown.grouped_by),
                finding=shown.by_group,
                looked_at=shown.looked_at,
            )
        )
    return overview.side_by_side(*lists)


def _differences(shown: Overview, here: Opened) -> None:
    view = here.comparison
    section.heading(
        f"Difference from {view.baseline} on {view.name}",
        "Effect size: the mean difference divided by the standard deviation of the"
        f" queries’ differences. Right: queries lost, won, and the same within ±{SAME:g}.",
        frame=shown.comparison,
        key="difference",
    )

    def draw() -> Markup:
        return differences.difference_rows(
            shown.comparison,
            here.drawing,
            lead=_run_lead(here),
            level=view.method.level,
            listed=lambda run, outcome: _listed(here, run, outcome),
        )

    section.standing("differences", draw, shown, here.drawing)


def _of_few_queries(shown: Overview, here: Opened) -> None:
    """Too few to test: the queries themselves."""
    view, drawing = here.comparison, here.drawing
    _answer(shown, here)
    every, queries = len(here.study.query_ids), shown.facts.queries
    if queries < every:
        whole = session.href("overview", where=())
        noun = w.plural(every, "query", "queries")
        told = f"Your filter leaves {w.count(queries)} of {w.count(every)} {noun}."
        if view.where:
            st.html(untested.box(told, "", f"Show all {w.count(every)} {noun}", whole))
    if len(shown.examples):
        st.html(untested.examples(shown.examples, drawing, session.href))
    _runs(shown, here)


def _of_one_run(shown: Overview, here: Opened) -> None:
    """Nothing is compared: how good one run is."""
    view, drawing = here.comparison, here.drawing
    _answer(shown, here)
    if view.loaded < 2:
        text = (
            "Add results of another version or system on the same queries, in any supported format."
        )
        st.html(
            untested.box("Add a second run to compare", text, "Add a run", session.href("data"))
        )
    else:
        first = answers.first_comparison(here.study, here.view.address)
        way = session.href("overview", run=first.focus, base=first.baseline)
        label = f"Compare {first.focus} with {first.baseline}"
        st.html(untested.box(f"{view.focus} is shown alone, without a comparison", "", label, way))
    if shown.is_leaderboard or len(here.study.names) > 1:
        _runs(shown, here)
    else:
        values = _runs_table(shown, here)
        section.noted(values, "Runs and measures", frame=shown.table, key="runs")
    unanswerable = shown.facts.unanswerable
    lists = []
    if shown.histogram:
        lists.append(untested.histogram(shown.histogram, drawing, _by_score(here)))
    if shown.groups is not None:
        by, lead = (shown.grouping or "", shown.grouped_by), _group_lead(shown, here)
        lists.append(untested.mean_list(shown.groups, drawing, session.href, lead, by=by))
    lists += [
        untested.score_list(
            shown.lowest, drawing, "lowest", session.href, unanswerable=unanswerable
        ),
        untested.score_list(shown.highest, drawing, "highest", session.href),
    ]
    st.html(overview.side_by_side(*lists))


def _by_score(here: Opened) -> untested.ScoreLead:
    """Leads to the queries whose scores lie between two."""
    run = here.comparison.focus
    return lambda low, high: session.href(
        "queries", **PLAIN | {"filter": answers.scores_between(run, low, high)}
    )


def _group_lead(shown: Overview, here: Opened) -> Lead:
    by = shown.grouping or ""

    def lead(group: str) -> str:
        where = here.comparison.narrowed({by: [group]})
        return session.href("queries", where=where, **PLAIN)

    return lead


def _run_lead(here: Opened) -> Lead:
    """A run's name puts it in focus; of the run in focus it leads to the queries."""

    def lead(run: str) -> str:
        if run == here.comparison.focus:
            return _listed(here, run, "")
        return session.href("overview", **here.view.comparing(run))

    return lead


def _listed(here: Opened, run: str, outcome: str) -> str:
    return session.href("queries", **here.view.comparing(run), **whole_list(outcome))


if __name__ == "__main__":
    render()
