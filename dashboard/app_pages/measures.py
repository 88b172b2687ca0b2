"""Measures: what does this one say, and which one answers my question?"""

import streamlit as st

from dashboard import session
from dashboard.answers import measures as answers
from dashboard.answers.measures import MeasureDetail
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import markup, measures, navigation
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError


def render() -> None:
    """All about one measure where the address names one, else the list."""
    name = session.address()["measure"]
    here = session.opened()
    if name:
        try:
            detail = answers.measure_detail(name, here.study if here else None)
        except RanklensError as error:
            st.html(navigation.refused(error, link=lambda n: session.href("measures", measure=n)))
        else:
            _one(detail, in_use=here is not None)
            return
    _all()


def _all() -> None:
    asked = session.address()
    shown = answers.measure_list(asked["find"], asked["family"])
    st.html(
        markup.answer(
            f"{w.count(shown.total)} measures",
            "Search by name, by its name in other tools, or by what you want to know.",
            {},
        )
    )
    with st.container(key="finding"):
        session.widget(
            st.text_input,
            "Search the measures",
            "find",
            value=asked["find"],
            store=lambda text: {"find": text.strip(), "measure": ""},
            placeholder="Search: recip_rank, hit rate, early results …",
            label_visibility="collapsed",
            width=420,
        )
        session.widget(
            st.pills,
            "Family",
            "family",
            value=asked["family"] if asked["family"] in shown.families else None,
            store=lambda family: {"family": family or "", "measure": ""},
            options=shown.families,
            format_func=literal,
            label_visibility="collapsed",
            wrap=True,
        )
    if shown.groups:
        st.html(measures.catalogue(shown.groups, shown.questions, session.href))
    else:
        st.html(measures.no_measure(asked["find"], shown.near, session.href))


def _one(shown: MeasureDetail, *, in_use: bool) -> None:
    told = shown.told
    use = ""
    if shown.key and not shown.why_not and in_use:
        use = session.href("overview", m=shown.key, measure="")
    back = session.href("measures", measure="")
    st.html(measures.head(told, back, use, shown.why_not))
    with st.container(key="formula"):
        st.latex(told.formula)
    section.heading("Parameters", "What the measure's name can contain.")
    st.html(measures.parameters(told))
    section.heading("Good to know", "")
    st.html(measures.facts(told))
    section.heading(
        "Worked example",
        "A list of six documents in rank order, each with its grade. Grade 1 or more is relevant.",
    )
    st.html(measures.worked(told))


if __name__ == "__main__":
    render()
