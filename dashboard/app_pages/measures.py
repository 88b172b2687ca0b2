"""Measures page: what each measure shows, and which measure answers a question."""

from collections.abc import Mapping

import streamlit as st

from dashboard import session
from dashboard.answers import measures as answers
from dashboard.answers.measures import MeasureDetail
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import markup, measures, navigation
from metrics_core.base.errors import RanklensError


def render() -> None:
    """Show the measure that the address names. If it names none, show the list of measures."""
    name = session.address()["measure"]
    context = session.page_context()
    study = context.study if context else None
    cutoff = context.comparison.cutoff if context else ""
    links = {
        n: (key.replace("@k", f"@{cutoff}"), session.href("overview", m=key, measure="", find=""))
        for n, key in answers.selectable_keys(study).items()
    }
    if context:
        links[context.comparison.measure.declaration.name] = ("in use", "")
    if name:
        try:
            detail = answers.measure_detail(name, study)
        except RanklensError as error:
            st.html(
                navigation.draw_measure_error(
                    error, link=lambda n: session.href("measures", measure=n)
                )
            )
        else:
            _show_detail(detail, links.get(detail.description.name, ("", ""))[1])
            return
    _show_list(links, str(context.comparison.measure) if context else "")


def _show_list(use_links: Mapping[str, tuple[str, str]], measure_in_use: str) -> None:
    address = session.address()
    listing = answers.find_measures(address["find"])
    lead = "Search by name, by the name in other tools, or by question."
    title = f"{listing.total} measures"
    if measure_in_use:
        lead += f" “Use” replaces {measure_in_use} on all pages."
        title = f"{len(use_links)} of {title} are available here"
    st.html(markup.draw_heading(title, lead, {}))
    placeholder = "Search: recip_rank, hit rate, early results …"
    session.draw_search(
        "find", "Search the measures", width=420, placeholder=placeholder, measure=""
    )
    if listing.groups:
        st.html(
            measures.draw_catalogue(
                listing.groups, listing.questions, session.href, use_links, address["family"]
            )
        )
    else:
        st.html(measures.draw_no_match_message(address["find"], listing.similar, session.href))


def _show_detail(detail: MeasureDetail, use_link: str) -> None:
    description = detail.description
    back = session.href("measures", measure="")
    st.html(measures.draw_measure_heading(description, back, use_link, detail.why_not))
    with st.container(key="formula"):
        st.latex(description.formula)
    section.show_heading("Parameters", "Values that can be set in the measure's name.")
    st.html(measures.draw_parameters(description))
    left, right = st.columns([3, 2], gap="large")
    with left:
        section.show_heading("Good to know", "")
        st.html(measures.draw_facts(description))
    with right:
        section.show_heading(
            "Worked example",
            "A list of six documents in rank order, each with its grade."
            " Grade 1 or more is relevant.",
        )
        st.html(measures.draw_worked_example(description))


if __name__ == "__main__":
    render()
