"""Ranking: who may be the best of all runs, and which of them can be told apart?"""

import streamlit as st

from dashboard import session
from dashboard.address.page import FEWEST_OF_PAIRS
from dashboard.answers import pairs as answers
from dashboard.answers import ranking as ranked
from dashboard.answers.pairs import MOST_IN_MATRIX, Pairs
from dashboard.answers.ranking import Ranking
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import markup
from dashboard.drawing.blocks import pairs as blocks
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted
from metrics_core.scoring.intervals import LEVEL

_ALL_MEASURES = "all"
_SEARCHED = 20
"""Of more runs than these those that are looked for can be found by their names."""


def render() -> None:
    """Who may be the best; all runs with their places, and every pair."""
    here = session.opened_study()
    if len(here.study.names) < FEWEST_OF_PAIRS:
        _too_few_runs(here)
        return
    shown = answers.pairs(here.study, here.comparison)
    head = st.empty()

    def told(more: Sentence) -> None:
        lead = shown.lead + muted(" ") + more if more else shown.lead
        head.html(markup.answer(shown.title, lead, here.look.styles))

    told(Sentence())
    runs = _found_by_name(shown, here)
    if not runs:
        return
    if len(shown.found.runs) > blocks.ROOMY and not _all_measures(here):
        _beside(shown, runs, here)
        return
    with st.container(key="runs_table"):
        room = st.empty()

    def draw(*, whole: bool) -> None:
        if whole:
            told(ranked.ranking(here.study, here.comparison).alone)
        with room.container(gap=None):
            _table(shown, runs, here, whole)

    # Places take longer, measure by measure; their room is kept.
    known = ranked.ranking_soon(here.study, here.comparison)
    draw(whole=known)
    if not known:
        defer(lambda: draw(whole=True), room)
    with st.container(gap=None):
        _matrix(shown, runs[:MOST_IN_MATRIX], here)


def _too_few_runs(here: Opened) -> None:
    runs = section.counted(len(here.study.names), "run is", "runs are")
    text = f"Ranking needs at least {w.number(FEWEST_OF_PAIRS)} runs; {runs} loaded."
    st.html(markup.nothing("There are too few runs for this page.", text))
    if st.button("Open the Overview"):
        session.goto("overview")


def _found_by_name(shown: Pairs, here: Opened) -> tuple[str, ...]:
    """All runs, or of many those that are looked for; none where no name fits."""
    if len(shown.found.runs) <= _SEARCHED:
        return shown.found.runs
    asked = here.view.address["named"]
    session.widget(
        st.text_input,
        "Find runs",
        "named",
        value=asked,
        store=lambda text: {"named": text.strip()},
        placeholder="Find runs: parts of names, separated by commas",
        label_visibility="collapsed",
        width=420,
    )
    named = shown.named(asked)
    if not named:
        every = w.count(len(shown.found.runs))
        text = f"None of the {every} runs has “{asked}” in its name."
        st.html(markup.nothing("No run matches.", text))
        st.button("Show all runs", on_click=session.change, kwargs={"named": ""})
    return named


def _all_measures(here: Opened) -> bool:
    """The choice of the measure that many runs are ranked by, or of all; whether it is all."""
    measures = {c.key: str(c.measure) for c in _ranking(here).columns}
    chosen = next(key for key, name in measures.items() if name == here.comparison.name)
    every = here.view.address["part"] == _ALL_MEASURES
    names = {**measures, _ALL_MEASURES: f"all {w.number(len(measures))}"}

    def store(key: str | None) -> dict[str, str]:
        if key == _ALL_MEASURES:
            return {"part": _ALL_MEASURES}
        return {"part": "", **({} if key in (None, chosen) else {"m": str(key)})}

    session.widget(
        st.pills,
        "Measure",
        "part",
        value=_ALL_MEASURES if every else chosen,
        store=store,
        options=list(names),
        format_func=lambda key: literal(names[key]),
        label_visibility="collapsed",
    )
    return every


def _ranking(here: Opened) -> Ranking:
    return ranked.ranking(here.study, here.comparison, whole=False)


def _beside(shown: Pairs, runs: tuple[str, ...], here: Opened) -> None:
    """Many runs on one measure, with their pairs at their side."""
    found, view = shown.found, here.comparison
    some = found.among(runs[:MOST_IN_MATRIX])
    pairs = blocks.pair_table(
        some, here.look.styles, _compared(here), label=f"Every pair on {view.name}"
    )
    with st.container(key="runs_table"):
        st.html(
            blocks.beside(
                _ranking(here),
                runs,
                found,
                here.look.styles,
                view.focus,
                view.name,
                _compared(here),
                pairs,
            )
        )
        rests_on, drawn = _rests_on(shown, here)
        note = blocks.note(f"{_how_read(shown, some.runs, here)} {rests_on}", drawn)
        section.noted(note, "Every pair", frame=shown.table, key="pairs")


def _table(shown: Pairs, runs: tuple[str, ...], here: Opened, whole: bool) -> None:
    view = here.comparison
    ranking = ranked.ranking(here.study, view, whole=whole)
    st.html(
        blocks.ranking_table(
            ranking,
            runs,
            shown.found,
            here.look.styles,
            view.focus,
            view.name,
            _compared(here),
            lambda key: session.href("pairs", m=key),
        )
    )
    told = f"With fewer than {FEWEST_QUERIES} queries there are no intervals and no places."
    if shown.found.draws:
        bests = len(shown.found.possible_bests) > 1
        told = f"Bracket: may be the best on {view.name}. " if bests else ""
        told += (
            f"The {w.share(LEVEL)} intervals are each run’s own. Places are corrected for"
            f" all {w.number(shown.found.n_pairs)} pairs on a measure, so overlapping"
            " intervals are not decisive."
        )
    key = "ranking" if whole else "ranking_awaited"
    note = blocks.note(f"{told} Click a column to sort.")
    section.noted(note, "Ranking", frame=ranking.table, key=key)


def _matrix(shown: Pairs, runs: tuple[str, ...], here: Opened) -> None:
    view = here.comparison
    section.heading(
        f"Every pair on {view.name}",
        _how_read(shown, runs, here),
        frame=shown.table,
        key="pairs",
    )
    st.html(
        blocks.pair_table(
            shown.found.among(runs),
            here.look.styles,
            _compared(here),
            label=f"Every pair on {view.name}",
        )
    )
    st.html(blocks.note(*_rests_on(shown, here)))


def _how_read(shown: Pairs, runs: tuple[str, ...], here: Opened) -> str:
    """How the triangle is read, and what is coloured."""
    found = shown.found
    every = len(found.runs)
    told = "Each row is the run with the higher mean. "
    if len(runs) < every:
        told = f"{w.sentence_case(w.number(len(runs)))} of {w.count(every)} runs. {told}"
    if not found.draws:
        return f"{told}With fewer than {FEWEST_QUERIES} queries no pair is tested or coloured."
    few = f" Pairs that share fewer than {FEWEST_QUERIES} queries are not tested."
    corrected = f"not significant after correction for all {w.number(found.n_pairs)} pairs"
    level = w.share(here.comparison.method.level)
    ends = f"simultaneous {level} intervals"
    if len(runs) > blocks.ROOMY:
        ends = f"hover for the simultaneous {level} CI"
    told += f"Grey: {corrected}; {ends}."
    return f"{told}{few if found.too_few else ''}"


def _rests_on(shown: Pairs, here: Opened) -> tuple[str, str]:
    """What all pairs rest on, and how they are tested."""
    view = here.comparison
    told = (
        f"{section.counted(shown.queries, 'query', 'queries')}, {w.share(shown.judged_share)} of"
        f" all documents in the top {w.count(view.cutoff)} judged"
        f"{'; the judgments are taken as complete' if here.study.settings.complete else ''}."
    )
    if not shown.found.draws:
        return told, ""
    draws, pairs = w.count(shown.found.draws), w.count(shown.found.n_pairs)
    how = f"Tested by {draws} bootstrap draws and sign flips; corrected for all {pairs} pairs"
    return told, f"{how} (geometric mean of Holm and step-down max-statistic)."


def _compared(here: Opened) -> blocks.PairLink:
    return lambda run, baseline: session.href("overview", **here.view.comparing(run, baseline))


if __name__ == "__main__":
    render()
