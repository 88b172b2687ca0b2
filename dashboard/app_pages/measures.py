"""Measures page: what each measure shows, and which measure answers a question."""

import streamlit as st

from dashboard import session
from dashboard.answers import measures as answers
from dashboard.answers.measures import MeasureDetail
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import markup, measures, navigation
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError


def render() -> None:
    """Show the measure that the address names. Without one, show the list of measures."""
    name = session.address()["measure"]
    context = session.page_context()
    if name:
        try:
            detail = answers.measure_detail(name, context.study if context else None)
        except RanklensError as error:
            st.html(
                navigation.draw_measure_error(
                    error, link=lambda n: session.href("measures", measure=n)
                )
            )
        else:
            _show_detail(detail, in_use=context is not None)
            return
    _show_list()


def _show_list() -> None:
    address = session.address()
    listing = answers.find_measures(address["find"])
    st.html(
        markup.draw_answer(
            f"{w.format_count(listing.total)} measures",
            "Search by name, by the name in other tools, or by what you want to know.",
            {},
        )
    )
    session.draw_widget(
        st.text_input,
        "Search the measures",
        "find",
        value=address["find"],
        store=lambda text: {"find": text.strip(), "measure": ""},
        placeholder="Search: recip_rank, hit rate, early results …",
        label_visibility="collapsed",
        width=420,
    )
    if listing.groups:
        st.html(
            measures.draw_catalogue(
                listing.groups, listing.questions, session.href, address["family"]
            )
        )
    else:
        st.html(measures.draw_no_matching_measure(address["find"], listing.similar, session.href))


def _show_detail(detail: MeasureDetail, *, in_use: bool) -> None:
    description = detail.description
    use_link = ""
    if detail.key and not detail.why_not and in_use:
        use_link = session.href("overview", m=detail.key, measure="")
    back = session.href("measures", measure="")
    st.html(measures.draw_measure_heading(description, back, use_link, detail.why_not))
    with st.container(key="formula"):
        st.latex(description.formula)
    section.show_heading("Parameters", "Values that can be set in the measure's name.")
    st.html(measures.draw_parameters(description))
    section.show_heading("Good to know", "")
    st.html(measures.draw_facts(description))
    section.show_heading(
        "Worked example",
        "A list of six documents in rank order, each with its grade. Grade 1 or more is relevant.",
    )
    st.html(measures.draw_worked_example(description))


if __name__ == "__main__":
    render()
