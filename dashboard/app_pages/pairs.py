"""All pairs: who may be the best of all runs, and which of them can be told apart?"""

import streamlit as st

from dashboard import session
from dashboard.address.page import FEWEST_OF_PAIRS
from dashboard.answers import pairs as answers
from dashboard.answers.pairs import MOST_IN_MATRIX, Pairs
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import markup
from dashboard.drawing.blocks import pairs as blocks
from dashboard.session import Opened
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES


def render() -> None:
    """Who may be the best, then every pair; of many runs the places first, and a search."""
    here = session.opened_study()
    if len(here.study.names) < FEWEST_OF_PAIRS:
        _too_few_runs(here)
        return
    shown = answers.pairs(here.study, here.comparison)
    st.html(markup.sentence(shown.finding, here.look.styles))
    if len(shown.found.runs) <= MOST_IN_MATRIX:
        _matrix(shown, shown.found.runs, here)
        return
    asked = here.view.address["named"]
    session.widget(
        st.text_input,
        "Find runs",
        "named",
        value=asked,
        store=lambda text: {"named": text.strip()},
        placeholder="Find runs: parts of their names, with commas between",
        label_visibility="collapsed",
        width=420,
    )
    named = shown.named(asked)
    if not named:
        every = w.count(len(shown.found.runs))
        text = f"None of the {every} runs has “{asked}” in its name."
        st.html(markup.nothing("No run matches.", text))
        st.button("Show all runs", on_click=session.change, kwargs={"named": ""})
        return
    _places(shown, named, here)
    _matrix(shown, named[:MOST_IN_MATRIX], here)


def _too_few_runs(here: Opened) -> None:
    runs = section.counted(len(here.study.names), "run is", "runs are")
    text = f"All pairs compares {w.number(FEWEST_OF_PAIRS)} runs or more; {runs} loaded."
    st.html(markup.nothing("There are too few runs for this page.", text))
    if st.button("To the Overview"):
        session.goto("overview")


def _matrix(shown: Pairs, runs: tuple[str, ...], here: Opened) -> None:
    found, view = shown.found, here.comparison
    every = len(found.runs)
    told = f"Row minus column, mean over {section.counted(shown.queries, 'query', 'queries')}"
    if len(runs) < every:
        told = f"{w.sentence_case(w.number(len(runs)))} of {w.count(every)} runs. {told}"
    else:
        told = f"All {w.number(every)} runs. {told}"
    told += (
        f"; {w.share(shown.judged_share)} of all documents in the top {w.count(view.cutoff)}"
        " judged."
    )
    section.heading(
        f"Every pair on {view.name}",
        f"{told} {_how_coloured(shown, view.method.level)} A click compares the two.",
        frame=shown.table,
        key="pairs",
    )
    st.html(
        blocks.pair_table(
            found.among(runs),
            here.look.styles,
            lambda run, baseline: session.href("overview", **here.view.comparing(run, baseline)),
            label=f"Every pair on {view.name}",
        )
    )


def _how_coloured(shown: Pairs, level: float) -> str:
    found = shown.found
    if not found.draws:
        return f"Under {FEWEST_QUERIES} queries any difference may be chance: none is coloured."
    few = (
        f" Pairs that share fewer than {FEWEST_QUERIES} queries are left open."
        if found.too_few
        else ""
    )
    return (
        f"Coloured where it holds for all {w.number(found.n_pairs)} pairs together"
        f" ({w.share(level)}, from {w.count(found.draws)} draws of the queries; corrected step by"
        f" step by the largest difference of each draw).{few}"
        " A bracket joins runs that cannot be told apart."
    )


def _places(shown: Pairs, runs: tuple[str, ...], here: Opened) -> None:
    found, view = shown.found, here.comparison
    total = w.count(len(found.runs))
    title = (
        "Places"
        if len(runs) == len(found.runs)
        else f"Places of {section.counted(len(runs), 'run', 'runs')}"
    )
    section.heading(
        f"{title} on {view.name}",
        f"From the best to the worst place of {total} that a run may have, by all pairs together."
        f" Right: difference to {view.focus}, coloured where it is clear; a click on a name"
        " compares the two.",
        key="placed",
    )
    st.html(
        blocks.place_table(
            found,
            runs,
            here.look.styles,
            view.focus,
            lambda run, baseline: session.href("overview", **here.view.comparing(run, baseline)),
        )
    )


if __name__ == "__main__":
    render()
