"""Overview: is it better, is it real, where to look."""

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import PLAIN, whole_list
from dashboard.address.view import Comparison
from dashboard.answers import overview as answers
from dashboard.answers.firmness import firmness as firmness_of
from dashboard.answers.firmness import firmness_known
from dashboard.answers.overview import Overview
from dashboard.answers.working import overview_steps
from dashboard.app_pages.parts import section, test_picker
from dashboard.drawing.blocks import differences, firmness, markup, overview
from dashboard.drawing.blocks.markup import Lead
from dashboard.session import Opened
from dashboard.session.deferred import defer
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.comparing.verdicts import FEWEST_QUERIES


def render() -> None:
    """The verdict, what it rests on, and the ways into it."""
    here = session.opened_study()
    view, styles = here.comparison, here.drawing.styles
    section.worked_through(overview_steps(here.study, view))
    shown = answers.overview(here.study, view)
    st.html(markup.sentence(shown.verdict, styles) + markup.second(shown.others, styles))
    _bests(shown, here)
    test_picker.explained(shown.together, here, shown.facts.queries)
    st.html(overview.facts_line(shown.facts, session.href))
    if not view.alone:
        _how_firm(here)
    _runs(shown, here)
    if view.alone:
        st.html(
            overview.three_lists(
                overview.score_list(shown.lowest, here.drawing, "lowest", session.href),
                overview.score_list(shown.highest, here.drawing, "highest", session.href),
            )
        )
        return
    _differences(shown, here)
    section.standing("lists", lambda: _lists(shown, here), shown, here.drawing)


def _bests(shown: Overview, here: Opened) -> None:
    """Which of many runs may be the best. All of their pairs take a while: the line follows, and
    its place is kept."""
    room, view = st.empty(), here.comparison

    def draw() -> None:
        line = overview.bests_line(
            answers.bests(here.study, view), here.drawing.styles, session.href("pairs")
        )
        if line:
            room.html(line)
        else:
            room.empty()

    if answers.bests_known(here.study, view):
        draw()
        return
    if shown.facts.queries >= FEWEST_QUERIES:
        room.html(overview.bests_waiting(view.loaded, session.href("pairs")))
    defer(draw, room)


def _how_firm(here: Opened) -> None:
    """What takes longer than all the rest, and so follows it; its place is kept."""
    room, view = st.empty(), here.comparison
    if not firmness_known(here.study, view):
        room.html(firmness.waiting())

    def draw() -> None:
        strip = firmness.strip(firmness_of(here.study, view), session.href)
        if strip:
            room.html(strip)
        else:
            room.empty()

    defer(draw, room)


def _runs(shown: Overview, here: Opened) -> None:
    view = here.comparison
    queries = section.counted(shown.facts.queries, "query", "queries")
    section.heading(
        "Runs and measures",
        f"Mean over {queries}." + (_how_coloured(shown, view) if len(view.runs) > 1 else ""),
        frame=shown.table,
        key="runs",
    )

    def draw() -> Markup:
        measures = [
            (name, gloss, _measure_lead(name, key, view)) for name, gloss, key in shown.measures
        ]
        return overview.runs_and_measures(
            shown.table, here.drawing, measures, shown.judged_shares, _run_lead(here)
        )

    section.standing("runs", draw, shown, here.drawing)


def _how_coloured(shown: Overview, view: Comparison) -> str:
    small = f" Small number: difference to {view.baseline}; "
    if len(shown.too_few) >= len(view.runs) - 1:
        return f"{small}under {FEWEST_QUERIES} queries none is coloured, for it may be chance."
    but = f" and rests on {FEWEST_QUERIES} queries or more" if shown.too_few else ""
    return (
        f"{small}coloured only where it is clear for all loaded runs together"
        f" ({w.share(view.method.level)}){but}. Best value of a column in bold."
    )


def _differences(shown: Overview, here: Opened) -> None:
    view = here.comparison
    chance = (
        f"under {FEWEST_QUERIES} queries any difference may be chance"
        if len(shown.too_few) >= len(view.runs) - 1
        else "an interval that crosses the line may be chance"
    )
    section.heading(
        f"Difference to {view.baseline} on {view.name}",
        f"Mean over queries; {chance}. {_how_likely(shown)}Right: queries won and lost, same means"
        f" within ±{SAME:g}.",
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


def _how_likely(shown: Overview) -> str:
    if shown.comparison["p_corrected"].isna().all():
        return ""
    return (
        "Small: how often equal runs would differ by so much in queries like these, and the effect,"
        " the mean difference in standard deviations of the queries’ differences. "
    )


def _lists(shown: Overview, here: Opened) -> Markup:
    view = here.comparison
    drawing, scale = here.drawing, shown.scale
    coloured = view.focus not in shown.too_few
    lists = [
        overview.query_list(
            shown.worse, drawing, "worse", session.href, total=shown.lost, scale=scale,
            coloured=coloured,
        ),
        overview.query_list(
            shown.better, drawing, "better", session.href, total=shown.won, scale=scale,
            coloured=coloured,
        ),
    ]  # fmt: skip
    if shown.groups is not None:
        by = shown.grouping or ""
        lists.append(
            overview.group_list(
                shown.groups,
                session.href,
                lambda group: session.href("queries", where=view.narrowed({by: [group]}), **PLAIN),
                by=by,
                looked_at=shown.looked_at,
                measure=view.name,
            )
        )
    return overview.three_lists(*lists)


def _run_lead(here: Opened) -> Lead:
    """A run's name puts it in focus; of the run in focus it leads to the queries."""

    def lead(run: str) -> str:
        if run == here.comparison.focus:
            return _listed(here, run, "")
        return session.href("overview", **here.view.comparing(run))

    return lead


def _listed(here: Opened, run: str, outcome: str) -> str:
    return session.href("queries", **here.view.comparing(run), **whole_list(outcome))


def _measure_lead(name: str, key: str, view: Comparison) -> str:
    """A measure's head chooses it; of the chosen one it leads to what it says."""
    if name == view.name:
        return session.href("measures", measure=view.measure.declaration.name)
    return session.href("overview", m=key)


if __name__ == "__main__":
    render()
