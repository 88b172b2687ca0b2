"""Ranking page: the runs that could be the best, and the significant differences between runs."""

from dataclasses import replace
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.address.page import FEWEST_OF_PAIRS
from dashboard.address.view import Comparison
from dashboard.answers import pairs as answers
from dashboard.answers import ranking as ranked
from dashboard.answers.pairs import MOST_IN_MATRIX, Pairs
from dashboard.answers.paper_text import ranking_texts
from dashboard.answers.ranking import Ranking
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import markup
from dashboard.drawing.blocks import pairs as blocks
from dashboard.paper_figures import FigureRequest, draw_figure
from dashboard.printing import find_browser
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.phrases import describe_judged_results
from metrics_core.findings.sentence import muted_span
from metrics_core.scoring.intervals import LEVEL

_ALL_MEASURES = "all"
_SEARCHED = 20
"""Maximum number of runs for which the page offers no search by name."""


def render() -> None:
    """Show which runs could be the best, all runs with their possible ranks, and every pair."""
    context = session.study_context()
    if len(context.study.names) < FEWEST_OF_PAIRS:
        _show_too_few_runs(context)
        return
    answer = answers.pairs(context.study, context.comparison)
    head = st.empty()

    def show_answer_heading(further_text: str) -> None:
        lead = answer.lead + muted_span(f" {further_text}" if further_text else "")
        head.html(markup.draw_heading(answer.title, lead, context.look.styles))

    show_answer_heading("")
    runs = _matching_runs(answer, context)
    if not runs:
        return
    if len(answer.run_pairs.runs) > blocks.MAX_DETAILED_RUNS and not _choose_measure(context):
        _show_ranking_beside_pairs(answer, runs, context)
        return
    with st.container(key="runs_table"):
        placeholder = st.empty()

    def draw(*, with_rank_ranges: bool) -> None:
        if with_rank_ranges:
            show_answer_heading(ranked.ranking(context.study, context.comparison).first_places)
        with placeholder.container(gap=None):
            _show_table(answer, runs, context, with_rank_ranges)

    # Places take longer, measure by measure; a placeholder keeps their space.
    is_known = ranked.is_ranking_cached(context.study, context.comparison)
    draw(with_rank_ranges=is_known)
    if not is_known:
        defer_drawing(lambda: draw(with_rank_ranges=True), placeholder)
    with st.container(gap=None):
        _show_matrix(answer, runs[:MOST_IN_MATRIX], context)


def _show_too_few_runs(context: PageContext) -> None:
    runs = w.format_with_noun(len(context.study.names), "run is", "runs are")
    text = f"Ranking needs at least {w.number_word(FEWEST_OF_PAIRS)} runs; {runs} loaded."
    st.html(markup.draw_empty_state("There are too few runs for this page.", text))
    if st.button("Open the Overview"):
        session.goto("overview")


def _matching_runs(answer: Pairs, context: PageContext) -> tuple[str, ...]:
    """Return the runs to show: all runs or, if there are many, those that match the search. The
    result is empty if no name matches."""
    if len(answer.run_pairs.runs) <= _SEARCHED:
        return answer.run_pairs.runs
    search = context.view.address["named"]
    placeholder = "Find runs: parts of names, separated by commas"
    session.draw_search("named", "Find runs", width=420, placeholder=placeholder)
    matching = answer.matching_runs(search)
    if not matching:
        total = w.format_count(len(answer.run_pairs.runs))
        text = f"None of the {total} runs has “{search}” in its name."
        st.html(markup.draw_empty_state("No run matches.", text))
        st.button("Show all runs", on_click=session.change_address, kwargs={"named": ""})
    return matching


def _choose_measure(context: PageContext) -> bool:
    """Show a control for the measure by which the runs are sorted. Return whether the user
    chose all measures. The page shows this choice only if there are many runs."""
    measures = {c.key: str(c.measure) for c in _ranking(context).columns}
    chosen_key = next(key for key, name in measures.items() if name == context.comparison.name)
    is_all = context.view.address["part"] == _ALL_MEASURES
    names = {**measures, _ALL_MEASURES: f"all {w.number_word(len(measures))}"}

    def store_choice(key: str | None) -> dict[str, str]:
        if key == _ALL_MEASURES:
            return {"part": _ALL_MEASURES}
        return {"part": "", **({} if key in (None, chosen_key) else {"m": str(key)})}

    session.draw_widget(
        st.pills,
        "Measure",
        "part",
        value=_ALL_MEASURES if is_all else chosen_key,
        store=store_choice,
        options=list(names),
        format_func=lambda key: escape_markdown(names[key]),
        label_visibility="collapsed",
    )
    return is_all


def _ranking(context: PageContext) -> Ranking:
    return ranked.ranking(context.study, context.comparison, with_all_rank_ranges=False)


def _show_ranking_beside_pairs(answer: Pairs, runs: tuple[str, ...], context: PageContext) -> None:
    """Show a ranking of many runs on one measure, and beside it the pairs of these runs."""
    run_pairs, comparison = answer.run_pairs, context.comparison
    some_pairs = run_pairs.select_runs(runs[:MOST_IN_MATRIX])
    pairs = blocks.draw_pair_table(
        some_pairs,
        context.look.styles,
        _pair_link_maker(context),
        label=f"Every pair on {comparison.name}",
    )
    with st.container(key="runs_table"):
        st.html(
            blocks.draw_ranking_and_pairs(
                _ranking(context),
                runs,
                run_pairs,
                context.look.styles,
                comparison.focus,
                comparison.name,
                _pair_link_maker(context),
                pairs,
            )
        )
        basis, hint = _data_and_test_notes(answer, context)
        note = blocks.draw_table_note(
            f"{_matrix_note(answer, some_pairs.runs, context)} {basis}", hint
        )
        with st.container(horizontal=True, key="head_figure", vertical_alignment="top"):
            section.show_note_with_csv(
                note,
                "Every pair",
                frame=answer.table,
                key="pairs",
                make_texts=lambda: ranking_texts(context.study, comparison),
            )
            _figure_links(context)


def _show_table(
    answer: Pairs, runs: tuple[str, ...], context: PageContext, with_rank_ranges: bool
) -> None:
    comparison = context.comparison
    ranking = ranked.ranking(context.study, comparison, with_all_rank_ranges=with_rank_ranges)
    st.html(
        blocks.draw_ranking_table(
            ranking,
            runs,
            answer.run_pairs,
            context.look.styles,
            comparison.focus,
            comparison.name,
            _pair_link_maker(context),
            lambda key: session.href("pairs", m=key),
        )
    )
    text = "No pair is tested, so there are no ranks."
    if answer.queries < FEWEST_QUERIES:
        text = f"No intervals or ranges of ranks are shown for fewer than {FEWEST_QUERIES} queries."
    if answer.run_pairs.draws:
        text = (
            f"Bars: {w.format_share(LEVEL)} interval of each mean. Ranks come from the tests of all"
            f" {w.number_word(answer.run_pairs.n_pairs)} pairs, so runs with overlapping bars can"
            " have different ranks."
        )
    key = "ranking" if with_rank_ranges else "ranking_awaited"
    note = blocks.draw_table_note(text)
    section.show_note_with_csv(
        note,
        "Ranking",
        frame=ranking.table,
        key=key,
        make_texts=lambda: ranking_texts(context.study, comparison),
    )


def _show_matrix(answer: Pairs, runs: tuple[str, ...], context: PageContext) -> None:
    comparison = context.comparison
    with st.container(horizontal=True, key="head_figure", vertical_alignment="bottom"):
        section.show_heading(
            f"Every pair on {comparison.name}",
            _matrix_note(answer, runs, context),
            frame=answer.table,
            key="pairs",
        )
        _figure_links(context)
    st.html(
        blocks.draw_pair_table(
            answer.run_pairs.select_runs(runs),
            context.look.styles,
            _pair_link_maker(context),
            label=f"Every pair on {comparison.name}",
        )
    )
    st.html(blocks.draw_table_note(*_data_and_test_notes(answer, context)))


def _figure_links(context: PageContext) -> None:
    """Show links that download the triangle of all pairs as a figure for a paper. PDF is offered
    only if a browser that can print it is installed on the computer that runs Ranklens."""
    view = replace(context.comparison, other_runs=tuple(context.study.names))
    for ending in ("svg", "pdf") if find_browser() else ("svg",):
        st.download_button(
            f"{ending.upper()} :gray[of every pair]",
            data=partial(_figure_file, context.study, view, ending),
            file_name=section.make_download_name("pairs", f".{ending}"),
            key=f"csv_pairs_{ending}",
            type="tertiary",
            on_click="ignore",
            help=f"Same figure as from `ranklens figure pairs --width page -o pairs.{ending}`",
        )


def _figure_file(study: Study, view: Comparison, ending: str) -> str | bytes:
    """Return the figure as a file of the type `ending`: "svg" or "pdf"."""
    figure = draw_figure("pairs", FigureRequest(study, view, 174.0))
    return figure.pdf if ending == "pdf" else figure.svg


def _matrix_note(answer: Pairs, runs: tuple[str, ...], context: PageContext) -> str:
    """Return a note that explains the matrix of pairs and its colours."""
    run_pairs = answer.run_pairs
    total = len(run_pairs.runs)
    is_detailed = len(runs) <= blocks.MAX_DETAILED_RUNS
    side = "lower" if context.comparison.measure.declaration.direction < 0 else "higher"
    text = "Difference from the run after “vs”. " if is_detailed else ""
    if run_pairs.log_ratios is not None:
        text = "Typical ratio of the run of the row to the run of the column. "
    elif not is_detailed:
        text = f"In each cell, the run of the row has the {side} mean. "
    if len(runs) < total:
        text = (
            f"{w.sentence_case(w.number_word(len(runs)))} of {w.format_count(total)} runs. {text}"
        )
    if not run_pairs.draws:
        is_small = answer.queries < FEWEST_QUERIES
        few = f"With fewer than {FEWEST_QUERIES} queries, no pair is tested or coloured."
        return f"{text}{few if is_small else 'No pair is tested or coloured.'}"
    few = f" Pairs that share fewer than {FEWEST_QUERIES} queries are not tested."
    level = w.format_share(context.comparison.method.level)
    ends = "In brackets" if is_detailed else "On hover"
    text += (
        f"Grey: not significant. {ends}: simultaneous {level} interval for all"
        f" {w.number_word(run_pairs.n_pairs)} pairs."
    )
    return f"{text}{few if run_pairs.has_too_few_queries else ''}"


def _data_and_test_notes(answer: Pairs, context: PageContext) -> tuple[str, str]:
    """Return two notes: one on the data behind the comparison of all pairs, and one on how pairs
    are tested."""
    comparison, n_runs = context.comparison, len(answer.run_pairs.runs)
    text = w.format_query_count(answer.queries)
    if context.study.is_computed(comparison.measure):
        complete = context.study.settings.complete
        text += (
            f", {w.format_share(answer.judged_share)}"
            f" {describe_judged_results(comparison.cutoff, n_runs, n_runs)}"
            f"{'; the judgments are treated as complete' if complete else ''}"
        )
    text += ". Differences are computed before rounding."
    if not answer.run_pairs.draws:
        return text, ""
    if comparison.method.is_default and n_runs > 2:
        text += " Overview compares fewer pairs, so its intervals can be narrower."
    return text, (
        f"Tested with {w.format_count(answer.run_pairs.draws)} bootstrap samples and sign flips;"
        f" corrected for all {w.format_count(answer.run_pairs.n_pairs)} pairs (geometric"
        " mean of the Holm and step-down max-statistic p-values)."
    )


def _pair_link_maker(context: PageContext) -> blocks.PairLink:
    return lambda run, baseline: session.href(
        "overview", **context.view.address_changes_to_compare(run, baseline)
    )


if __name__ == "__main__":
    render()
