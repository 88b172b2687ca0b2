"""Overview page: whether the run in focus is better, whether the difference is significant, and
where to look next."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import DEFAULT_LIST, fields_of_list
from dashboard.answers import overview as answers
from dashboard.answers.overview import Overview
from dashboard.answers.overview_steps import overview_steps
from dashboard.answers.paper_text import overview_texts
from dashboard.answers.robustness_summary import is_robustness_cached
from dashboard.answers.robustness_summary import robustness_summary as firmness_of
from dashboard.app_pages.parts import add_files, rail, section, test_picker
from dashboard.app_pages.parts.directions import ask_directions
from dashboard.app_pages.parts.quality_cost import show_quality_cost
from dashboard.drawing.blocks import (
    differences,
    leaderboard,
    markup,
    overview,
    robustness_checks,
    untested,
)
from dashboard.drawing.blocks.markup import LinkMaker
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import CANNOT_TELL, FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.findings.phrases import EFFECT_SIZE, describe_tie_rule
from metrics_core.findings.ranking import ranking_title
from metrics_core.findings.sentence import Sentence, join_sentences

_ANSWER, _DRAWING = 62, 38
"""Relative widths of the two parts at the top of the page."""


def render() -> None:
    """Show the verdict, its evidence, and links to the details."""
    context = session.study_context()
    comparison = context.comparison
    add_files.show_upload_result()
    section.run_steps_with_progress(overview_steps(context.study, comparison))
    answer = answers.overview(context.study, comparison)
    if comparison.is_single_run:
        _show_single_run(answer, context)
    elif comparison.focus in answer.too_few:
        _show_few_queries(answer, context)
    else:
        _show_comparison(answer, context)
    first = context.study.names[0] if context.is_guessed and not comparison.is_single_run else ""
    guess = (comparison.baseline, first) if first else None
    st.html(overview.draw_facts_line(answer.facts, session.href, context.look.styles, guess))
    rail.own_files_button("page")


def _show_comparison(answer: Overview, context: PageContext) -> None:
    comparison, drawing = context.comparison, context.drawing
    row = answer.all_rows.set_index("run").loc[comparison.focus].to_dict()
    left_column, right_column = st.columns([_ANSWER, _DRAWING], gap="medium")
    # The link to the method is beside the badge, and the lead is below both.
    with left_column, st.container(key="verdict"):
        st.html(markup.draw_finding(replace(answer.verdict, lead=Sentence()), drawing.styles))
        test_picker.show_test_method(answer.test_sentence, context, answer.facts.queries)
        _show_block(markup.draw_subtitle(answer.verdict.lead, drawing.styles))
    with right_column:
        _show_block(
            differences.draw_difference_interval(row, answer.interval, answer.all_rows, drawing)
        )
    if answer.doubts:
        st.html(markup.draw_subtitle(answer.doubts, drawing.styles))
    _show_block(overview.draw_outcomes(row, session.href))
    has_verdict = row["differing"] and comparison.has_direction
    if has_verdict and not answer.is_leaderboard:
        _show_checks(row, context)
    ask_directions(context.study)
    _show_runs(answer, context)
    if has_verdict and answer.is_leaderboard:
        _show_checks(row, context)
    show_quality_cost(context)
    section.show_cached("lists", lambda: _lists_markup(answer, context, row), answer, drawing)
    if comparison.compares_means and comparison.other_runs:
        _show_differences(answer, context)


def _show_block(block: Markup) -> None:
    """Show a block of markup unless it is empty."""
    if block:
        st.html(block)


def _show_verdict(answer: Overview, context: PageContext) -> None:
    st.html(markup.draw_finding(answer.verdict, context.drawing.styles))


def _show_checks(row: Mapping[str, Any], context: PageContext) -> None:
    """Show the robustness checks after the rest of the page, because they take longest. A
    placeholder of the same size is shown until then."""
    placeholder, comparison = st.empty(), context.comparison
    if not is_robustness_cached(context.study, comparison):
        unclear = row["verdict"] == CANNOT_TELL
        placeholder.html(robustness_checks.draw_checks_placeholder(is_inconclusive=unclear))

    def draw() -> None:
        checks = robustness_checks.draw_checks(firmness_of(context.study, comparison), session.href)
        if checks:
            placeholder.html(checks)
        else:
            placeholder.empty()

    defer_drawing(draw, placeholder)


def _show_runs(answer: Overview, context: PageContext) -> None:
    if answer.is_leaderboard:
        _show_leaderboard(answer, context)
    note = overview.draw_table_note(
        _colour_note(answer, context),
        join_sentences([answer.measures_sentence, answer.places_sentence], " "),
        context.drawing,
    )
    with st.container(key="runs_table"):
        if answer.is_leaderboard:
            st.html(note)
            return
        section.show_cached("runs", lambda: _runs_markup(answer, context), answer, context.drawing)
        section.show_note_with_csv(
            note,
            "Runs and measures",
            frame=answer.table,
            key="runs",
            make_texts=lambda: overview_texts(context.study, context.comparison),
        )


def _runs_markup(answer: Overview, context: PageContext) -> Markup:
    return overview.draw_runs_and_measures(
        answer.table,
        context.drawing,
        _measure_links(answer, context),
        answer.judged_shares,
        _run_link_maker(context),
    )


def _show_leaderboard(answer: Overview, context: PageContext) -> None:
    """Show all loaded runs with their places. Comparing all pairs takes a while, so the places are
    filled in later, in space reserved for them."""
    comparison, study, search = context.comparison, context.study, context.view.address["named"]
    with st.container(horizontal=True, key="head_leaderboard", vertical_alignment="center"):
        heading = st.empty()
        session.draw_search("named", "Find a run", width=220)
        section.copy_menu("runs", lambda: overview_texts(study, comparison))
        section.show_csv_link("Runs and measures", answer.table, "runs")
    title = f"All {w.format_count(len(answer.all_rows))} runs"
    heading.html(
        markup.draw_section_heading(title, "The possible ranks of the runs are being computed.")
    )
    placeholder = st.empty()

    def draw(run_pairs: AllPairs | None) -> None:
        placeholder.html(
            leaderboard.draw_leaderboard(
                answer.table,
                replace(context.drawing, styles=context.look.styles),
                _measure_links(answer, context),
                answer.judged_shares,
                _run_link_maker(context),
                pairs=session.href("pairs"),
                all_pairs=run_pairs,
                search=search,
            )
        )

    def show_run_ranks() -> None:
        run_pairs = answers.compare_all_runs(study, comparison)
        draw(run_pairs)
        places_text = Sentence()
        if run_pairs is not None:
            places_text = ranking_title(
                run_pairs,
                comparison.name,
                answer.facts.queries,
                has_direction=comparison.has_direction,
            )
        heading.html(markup.draw_section_heading(title, places_text, styles=context.look.styles))

    if answers.are_all_runs_compared(study, comparison):
        show_run_ranks()
        return
    draw(None)
    defer_drawing(show_run_ranks)


def _measure_links(answer: Overview, context: PageContext) -> list[tuple[str, str, str]]:
    """Return (name, gloss, link) for each measure. The link selects the measure. If the measure is
    selected already, the link opens its description."""
    comparison = context.comparison
    measure_link = session.href("measures", measure=comparison.measure.declaration.name)
    return [
        (name, gloss, measure_link if name == comparison.name else session.href("overview", m=key))
        for name, gloss, key in answer.measures
    ]


def _colour_note(answer: Overview, context: PageContext) -> str:
    comparison = context.comparison
    if len(answer.shown_rows) < 2:
        return ""
    small = f"Differences from {comparison.baseline}"
    if not answer.colour_note:
        enough = (answer.shown_rows["queries"] >= FEWEST_QUERIES).any()
        few = f"{FEWEST_DIFFERING} differing" if enough else f"{FEWEST_QUERIES}"
        return f"{small}; no difference is tested with fewer than {few} queries."
    rounding = ", computed before rounding" * bool(answer.rounding_note)
    text = f"{small}{rounding}; {answer.colour_note}."
    if not answer.is_leaderboard:
        return text
    pairs = w.format_count(math.comb(len(answer.all_rows), 2))
    return f"{text} Place: the possible ranks of a run, after correction for all {pairs} pairs."


def _lists_markup(answer: Overview, context: PageContext, row: dict[str, int]) -> Markup:
    drawing = context.drawing
    lists = []
    if context.comparison.has_direction:
        lists += [
            overview.draw_query_list(
                answer.better, drawing, "better", session.href, total=int(row["won"])
            ),
            overview.draw_query_list(
                answer.worse, drawing, "worse", session.href, total=int(row["lost"])
            ),
        ]
    if answer.groups is not None:
        lists.append(
            overview.draw_group_list(
                answer.groups,
                drawing,
                session.href,
                _group_link_maker(answer, context),
                column=(answer.grouping or "", answer.grouping_name),
                finding=answer.groups_sentence,
            )
        )
    return overview.draw_side_by_side(*lists)


def _show_differences(answer: Overview, context: PageContext) -> None:
    """Show the differences of the runs outside the compared pair from the baseline. That of the run
    in focus is at the top of the page."""
    comparison = context.comparison
    section.show_heading(
        markup.shorten_run_names(
            f"Other runs vs {comparison.baseline} on {comparison.name}", context.drawing.styles
        ),
        w.sentence_case(
            differences.interval_note(answer.all_rows, comparison, comparison.method.level)
        )
        + f". {EFFECT_SIZE} {describe_tie_rule(comparison.measure)}",
        frame=answer.shown_rows,
        key="difference",
    )

    def draw() -> Markup:
        return differences.draw_difference_rows(
            answer.shown_rows[answer.shown_rows["run"] != comparison.focus],
            context.drawing,
            make_link=_run_link_maker(context),
            level=comparison.method.level,
            list_link=lambda run, outcome: _query_list_link(context, run, outcome),
        )

    section.show_cached("differences", draw, answer, context.drawing)


def _show_few_queries(answer: Overview, context: PageContext) -> None:
    """Show the queries themselves, because there are too few to test."""
    comparison, drawing = context.comparison, context.drawing
    _show_verdict(answer, context)
    total, queries = len(context.study.query_ids), answer.facts.queries
    if queries < total:
        all_link = session.href("overview", where=())
        noun = w.plural(total, "query", "queries")
        text = f"Your filter leaves {w.format_count(queries)} of {w.format_count(total)} {noun}."
        if comparison.filters:
            st.html(
                untested.draw_message_box(
                    text, "", f"Show all {w.format_count(total)} {noun}", all_link
                )
            )
    if len(answer.examples):
        st.html(untested.draw_examples(answer.examples, drawing, session.href))
    _show_runs(answer, context)


def _show_single_run(answer: Overview, context: PageContext) -> None:
    """Show the scores of a single run, and how to compare it with another run."""
    comparison, drawing = context.comparison, context.drawing
    _show_verdict(answer, context)
    if comparison.loaded < 2:
        text = (
            "Add results of another version or system on the same queries, in any supported format."
        )
        st.html(
            untested.draw_message_box(
                "Add a second run to compare", text, "Add a run", session.href("data")
            )
        )
    else:
        first = answers.comparison_to_offer(context.study, context.view.address)
        link = session.href("overview", run=first.focus, base=first.baseline)
        label = f"Compare {first.focus} with {first.baseline}"
        st.html(
            untested.draw_message_box(
                f"{comparison.focus} is shown alone, without a comparison", "", label, link
            )
        )
    if answer.is_leaderboard or len(context.study.names) > 1:
        _show_runs(answer, context)
    else:
        values = _runs_markup(answer, context)
        section.show_note_with_csv(values, "Runs and measures", frame=answer.table, key="runs")
    unanswerable = answer.facts.unanswerable
    lists = []
    if answer.histogram:
        lists.append(untested.draw_histogram(answer.histogram, drawing, _score_link_maker(context)))
    if answer.groups is not None:
        by, lead = (answer.grouping or "", answer.grouping_name), _group_link_maker(answer, context)
        lists.append(untested.draw_mean_list(answer.groups, drawing, session.href, lead, by=by))
    lists += [
        untested.draw_score_list(
            answer.lowest, drawing, "lowest", session.href, unanswerable=unanswerable
        ),
        untested.draw_score_list(answer.highest, drawing, "highest", session.href),
    ]
    st.html(overview.draw_side_by_side(*lists))


def _score_link_maker(context: PageContext) -> untested.ScoreLinkMaker:
    """Return a function that makes a link to the queries whose scores lie between two values."""
    run = context.comparison.focus
    return lambda low, high: session.href(
        "queries", **DEFAULT_LIST | {"filter": answers.score_filter(run, low, high)}
    )


def _group_link_maker(answer: Overview, context: PageContext) -> LinkMaker:
    by = answer.grouping or ""

    def group_link(group: str) -> str:
        filters = context.comparison.replace_filters({by: [group]})
        return session.href("queries", where=filters, **DEFAULT_LIST)

    return group_link


def _run_link_maker(context: PageContext) -> LinkMaker:
    """Return a function that makes the link of a run's name. The link puts the run in focus. For
    the run that is in focus already, the link opens the list of queries instead."""

    def run_link(run: str) -> str:
        if run == context.comparison.focus:
            return _query_list_link(context, run, "")
        return session.href("overview", **context.view.address_changes_to_compare(run))

    return run_link


def _query_list_link(context: PageContext, run: str, outcome: str) -> str:
    return session.href(
        "queries", **context.view.address_changes_to_compare(run), **fields_of_list(outcome)
    )


if __name__ == "__main__":
    render()
