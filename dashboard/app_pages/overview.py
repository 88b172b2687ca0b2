"""Overview: is it better, is it real, where to look."""

import streamlit as st

from dashboard import answers, parts, session
from dashboard.blocks import differences, markup, overview
from dashboard.page import Page
from metrics_core.comparing.pairs import SAME

PAGE = Page("overview", "Overview", place=1)


def render() -> None:
    """The verdict, what it rests on, and the ways into it."""
    here = session.opened_study()
    view, styles = here.comparison, here.look.of(here.comparison.runs)
    shown = answers.overview(here.study, view)
    st.html(markup.sentence(shown.verdict, styles) + markup.second(shown.others, styles))
    st.html(overview.facts_line(shown.facts, session.href))
    name, base = view.name, view.baseline
    mean = f"Mean over {parts.counted(shown.facts.queries, 'query', 'queries')}."
    compared = (
        f" Small number: difference to {base}; coloured only where its 95 % interval excludes zero."
        " Best value of a column in bold."
    )
    parts.heading(
        "Runs and measures",
        mean + (compared if len(view.runs) > 1 else ""),
        frame=shown.table,
        key="runs",
    )
    st.html(
        overview.runs_and_measures(
            shown.table,
            shown.measures,
            name,
            styles,
            base,
            view.cutoff,
            shown.judged_shares,
        )
    )
    if view.alone:
        extremes = (
            overview.score_list(shown.lowest, "lowest", session.href, styles[base], name),
            overview.score_list(shown.highest, "highest", session.href, styles[base], name),
        )
        st.html(overview.three_lists(*extremes))
        return
    parts.heading(
        f"Difference to {base} on {name}",
        "Mean over queries; an interval that crosses the line may be chance."
        f" Right: queries won and lost, same means within ±{SAME:g}.",
        frame=shown.comparison,
        key="difference",
    )
    st.html(differences.difference_rows(shown.comparison, styles, view.focus, base, name))
    lists = [
        overview.query_list(
            rows, kind, session.href, styles, view.focus, base, total=total, scale=shown.scale
        )
        for rows, kind, total in (
            (shown.worse, "worse", shown.lost),
            (shown.better, "better", shown.won),
        )
    ]
    if shown.groups is not None:
        lists.append(overview.group_list(shown.groups, session.href, by=shown.grouping or ""))
    st.html(overview.three_lists(*lists))


if __name__ == "__main__":
    render()
