"""Robustness page: the checks of a verdict, and the evidence for the open check."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.query_list import NO_LIST
from dashboard.answers import robustness, unjudged
from dashboard.answers import robustness_summary as answers
from dashboard.answers.spreadsheet import format_spreadsheet_csv
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.completeness import show_completeness_switch
from dashboard.drawing.blocks import card_head, layers, markup, robustness_checks
from dashboard.drawing.blocks.robustness_checks import Cell, DifferenceRange
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures import curves as figures
from dashboard.drawing.figures import removal
from dashboard.drawing.figures.text import short_names
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings.grading import judge_next_finding
from metrics_core.findings.robustness import robustness_finding
from metrics_core.scoring.intervals import LEVEL
from metrics_core.tables.ranked_run import judged_ranks_clause

_SHOWN = 20
_IN_A_HEAD = 18


def render() -> None:
    """Show one row per check, with failed checks first, and the evidence for the check that is
    open."""
    context = session.study_context()
    comparison, styles = context.comparison, context.drawing.styles
    strip = answers.robustness_summary(context.study, comparison)
    st.html(markup.draw_heading(*robustness_finding(strip).statement_and_rest, styles))
    if not strip.all_checks:
        more = "Include more queries." if strip.text else "Compare another run."
        if not comparison.has_direction:
            more = "Answer the question above first: is higher or lower better?"
        st.html(markup.draw_empty_state("Nothing to check.", more))
        return
    # Entries without anything to check come last.
    checks = sorted(strip.all_checks, key=lambda entry: (not entry.brief, entry.tone == "firm"))
    part_name = context.view.address["part"]
    open_part = part_name if part_name in [entry.part for entry in checks] else checks[0].part
    with st.container(key="checks", gap=None):
        for entry in checks:
            is_open = entry.part == open_part
            link, unclear = session.href("firm", part=entry.part), bool(strip.settling_checks)
            # The chart below the open check shows the range.
            hidden = entry.range_text * is_open
            row = robustness_checks.draw_check(
                replace(entry, reason=entry.reason.removesuffix(hidden).rstrip()),
                link,
                context.look.styles,
                is_inconclusive=unclear,
                is_open=is_open,
            )
            if not is_open:
                st.html(row)
                continue
            with st.container(key="open_check", gap=None):
                st.html(row)
                with st.container(key=f"part_{entry.part}"):
                    _PARTS[entry.part](context, entry.reason)


def _show_unjudged(context: PageContext, _: str) -> None:
    effects = unjudged.unjudged_effects(context.study, context.comparison)
    spans = robustness_checks.unjudged_ranges(effects)
    _show_difference_ranges(context, spans, "Possible range of the difference")
    defer_drawing(lambda: _show_next_judgments(context, effects.shares))


def _show_difference_ranges(
    context: PageContext, ranges: Sequence[DifferenceRange], label: str
) -> None:
    comparison = context.comparison
    pair = f"{comparison.focus} minus {comparison.baseline}"
    label = f"{label} on {comparison.name}, {pair}"
    st.html(robustness_checks.draw_difference_ranges(ranges, context.drawing, label))


def _show_judged_shares(context: PageContext, shares: pd.DataFrame) -> None:
    with st.popover("Judged share by k", type="tertiary", key="judged_by_k"):
        section.show_heading(
            "Judged share",
            "Share of the top k that is judged, over all queries.",
            frame=shares,
            key="judged",
        )
        heads = [Column("k"), *(Column(run, "number") for run in _pair_names(context))]
        rows = [
            [
                Cell(w.format_count(row["k"])),
                Cell(w.format_share(row["run"])),
                Cell(w.format_share(row["baseline"])),
            ]
            for row in shares.to_dict("records")
        ]
        st.html(robustness_checks.draw_table(heads, rows, "Judged share by k"))
        show_completeness_switch(context.study, "robustness")


def _show_next_judgments(context: PageContext, shares: pd.DataFrame) -> None:
    comparison, study = context.comparison, context.study
    nameless = study.runs_without_doc_ids(comparison.pair)
    if nameless:
        section.show_heading(
            "Judge next",
            f"{judged_ranks_clause(nameless)}, so it is unknown which documents are unjudged."
            " Only their number and their maximum effect are known.",
        )
        _show_judged_shares(context, shares)
        return
    judgments = unjudged.next_judgments(study, comparison)
    waiting = unjudged.count_unjudged_documents(study, comparison)
    sentence = judge_next_finding(judgments, robustness.compared_pair(study, comparison), waiting)
    if judgments.table.empty:
        st.html(markup.draw_empty_state("No unjudged document could reverse the order.", sentence))
        _show_judged_shares(context, shares)
        return
    sheet = judgments.make_blank_judgments()
    settling = judgments.n_to_settle or 0
    judge_label = (
        f"Judge {w.format_count(settling)} documents" if settling > 1 else "Judge one by one"
    )
    with st.container(horizontal=True, vertical_alignment="center", key="judge_these"):
        st.html(layers.draw_judging_link(session.href("judge"), judge_label, "primary"))
        st.html(card_head.draw_card_remark(markup.shorten_run_names(sentence, context.look.styles)))
        _show_judged_shares(context, shares)
        st.download_button(
            f"Judging sheet (CSV) :gray[{w.format_with_noun(len(sheet), 'document', 'documents')}]",
            data=lambda: format_spreadsheet_csv(sheet),
            file_name=section.make_download_name("to-judge"),
            mime="text/csv",
            key="csv_to_judge",
            type="tertiary",
            on_click="ignore",
            help="Fill in the column “relevance”, then upload the file as judgments under"
            " Files. Rows left empty stay unjudged.",
        )


def _show_queries(context: PageContext, reason: str) -> None:
    comparison, study = context.comparison, context.study
    removed = robustness.queries_that_reverse_sign(study, comparison)
    section.show_heading(
        title := "Difference without the most favourable queries",
        "The smallest number of queries that reverses the result when removed one by one."
        + " Differences of logarithms." * (not comparison.compares_means)
        if len(removed)
        else "Removing queries cannot reverse the result.",
        frame=removed,
        key="turning",
    )
    figure = draw_figure_cached(
        removal.difference_after_removal,
        robustness.difference_after_removal(study, comparison),
        robustness.query_fragility(study, comparison).turning,
        context.drawing,
    )
    picture = section.make_caption(title, runs=comparison.pair)
    section.show_chart(figure, "removal", alt=reason, caption=picture, clickable=False)
    if len(removed):
        ends = {"difference": "difference", "left": "mean after removal"}
        with st.expander(f"{w.format_query_count(len(removed))}, in order"):
            _show_query_table(removed, ends, "Fewest queries that reverse the result when removed")


def _show_query_table(frame: pd.DataFrame, column_names: Mapping[str, str], caption: str) -> None:
    """Show one row per query. `column_names` maps columns of differences to the headings that are
    shown."""
    heads = [Column("Query"), *(Column(name, "number") for name in column_names.values())]
    rows = [
        [_query_cell(row), *(Cell(w.format_difference(row[column])) for column in column_names)]
        for row in frame.head(_SHOWN).to_dict("records")
    ]
    st.html(robustness_checks.draw_table(heads, rows, caption))
    _show_note_on_further_queries(len(frame))


def _show_cutoffs(context: PageContext, reason: str) -> None:
    comparison = context.comparison
    by_cutoff = robustness.compare_pair_by_cutoff(context.study, comparison)
    if by_cutoff is None:
        section.show_heading("No cutoff", reason)
        return
    name = comparison.family
    section.show_heading(
        f"{name} by number of results (k)",
        "Top: the scores. Bottom: their difference, with a band that is simultaneous over all k.",
        frame=by_cutoff.frame,
        key="by_cutoff",
    )
    figure = draw_figure_cached(
        figures.measure_by_cutoff,
        by_cutoff.frame,
        context.drawing,
    )
    runs = comparison.pair
    picture = section.make_caption(f"{name} by k", section.INTERVALS, runs=runs)
    alt = f"{name} by k. {reason}"
    section.show_chart(figure, "firm_cutoff", alt=alt, caption=picture, clickable=False, zoom=True)


def _show_measures(context: PageContext, _: str) -> None:
    comparison = context.comparison
    table = robustness.measure_agreement(context.study, comparison).table
    section.show_heading(
        "Results on other measures",
        f"Difference with {w.format_share(LEVEL)} intervals, grey if not significant."
        f" {comparison.name} is tested as on the Overview. The intervals of the other measures are"
        " simultaneous.",
        frame=table,
        key="measures",
    )
    spans = [
        DifferenceRange(
            row["measure"],
            f"{w.format_score(row['baseline_mean'])} → {w.format_score(row['mean'])}",
            row["low"],
            row["high"],
            row["difference"],
            grey=row["verdict"] not in CLEAR,
            link=session.href("measures", measure=row["measure"]),
        )
        for row in table.to_dict("records")
    ]
    _show_difference_ranges(context, spans, f"Difference on {comparison.name} and other measures")
    other, disagreements = robustness.most_opposed_measure(context.study, comparison)
    title = f"Queries on which {comparison.name} and {other} disagree most"
    with st.expander(title):
        st.html(
            card_head.draw_card_remark(
                "Each difference is shown relative to its measure's typical difference."
            )
        )
        section.show_csv_link(title, disagreements, "apart")
        _show_query_table(disagreements, {"first": comparison.name, "second": other}, title)


def _show_ties(context: PageContext, reason: str) -> None:
    study, comparison = context.study, context.comparison
    effects = robustness.tie_effects(study, comparison)
    queries = robustness.queries_moved_by_ties(study, comparison)
    if effects is None or queries is None:
        section.show_heading("Ties", reason)
        return
    section.show_heading(
        "Difference if tied documents are ordered differently",
        "Ties are broken by document id, an arbitrary order.",
        frame=queries,
        key="ties",
    )
    low, high = effects.span
    difference = float(
        robustness.compare_means_by_coverage(study, comparison)["difference"].iloc[0]
    )
    orders = "lowest and highest" if effects.exact else "only two orders were tried"
    spans = [
        DifferenceRange("Now", "ties broken by document id", difference, difference),
        DifferenceRange("Any order of ties", orders, low, high, grey=not effects.exact),
    ]
    _show_difference_ranges(
        context, spans, "Range of the difference over all orders of tied documents"
    )
    if queries.empty:
        st.html(markup.draw_empty_state("None.", "Ties affect no query's difference."))
        return
    affected = w.format_query_count(len(queries))
    with st.expander(f"{affected} whose difference depends on the order of ties"):
        ends = {"difference": "difference", "low": "lowest", "high": "highest"}
        _show_query_table(queries, ends, "Queries affected by tie-breaking")


def _show_missing(context: PageContext, reason: str) -> None:
    comparison, study = context.comparison, context.study
    if not study.is_computed(comparison.measure):
        section.show_heading("Queries without a score", reason)
        unscored = robustness.unscored_queries(study, comparison).items()
        ids = [(query_id, run) for run, missing in unscored for query_id in missing]
        _show_gaps(study.with_texts(pd.DataFrame(ids, columns=["query_id", "run"])), "no score")
        return
    queries = robustness.queries_without_results(study, comparison)
    section.show_heading(
        "Difference with and without these queries",
        "A run without results for a query gets the score of an empty list, usually 0.",
        frame=queries,
        key="missing",
    )
    rows = robustness.compare_means_by_coverage(study, comparison).to_dict("records")
    spans = [
        DifferenceRange(
            name,
            f"{w.format_query_count(row['queries'])},"
            f" {w.format_score(row['baseline_mean'])} → {w.format_score(row['mean'])}",
            row["difference"],
            row["difference"],
        )
        for name, row in zip(("All queries", "Results from both runs"), rows, strict=True)
    ]
    _show_difference_ranges(context, spans, "Difference over all queries and over shared queries")
    _show_gaps(queries, "no results")


def _show_gaps(queries: pd.DataFrame, what: str) -> None:
    """Show the queries for which a run has no results or no score. If there are none, show
    nothing."""
    if queries.empty:
        return
    heads = [Column("Query"), Column(f"{what} from")]
    table = [[_query_cell(r), Cell(r["run"])] for r in queries.head(_SHOWN).to_dict("records")]
    title = f"Queries for which a run has {what}"
    with st.expander(f"{title} ({w.format_count(len(queries))})"):
        st.html(robustness_checks.draw_table(heads, table, title))
        _show_note_on_further_queries(len(queries))


def _pair_names(context: PageContext) -> tuple[str, str]:
    """Return the names of the two compared runs, shortened for column headings."""
    comparison, short = context.comparison, short_names(context.drawing.styles, _IN_A_HEAD)
    return short[comparison.focus], short[comparison.baseline]


def _query_cell(row: dict[str, object]) -> Cell:
    name = str(row["query_id"])
    link = session.href("query", q=name, rows="", **NO_LIST)
    return Cell(str(row["text"]), link, str(row["meta"]))


def _show_note_on_further_queries(count: int) -> None:
    if count > _SHOWN:
        st.html(
            markup.draw_empty_state("", f"{w.format_count(count - _SHOWN)} more are in the CSV.")
        )


_PARTS = {
    "unjudged": _show_unjudged,
    "queries": _show_queries,
    "cutoff": _show_cutoffs,
    "measures": _show_measures,
    "ties": _show_ties,
    "missing": _show_missing,
}


if __name__ == "__main__":
    render()
