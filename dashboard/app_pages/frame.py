"""The frame of every page: styles, the rail, the controls, and messages that are shown instead of
the page."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache, partial
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address import method_key
from dashboard.address.address import NO_PAGE, SHARED_FIELDS
from dashboard.address.page import Page
from dashboard.address.view import NO_OTHER_RUN
from dashboard.answers.collections import describe_contents
from dashboard.answers.id_offers import id_maps_sentence
from dashboard.answers.list_changes import find_depth_problem
from dashboard.answers.own_documents import exclusion_sentence
from dashboard.app_pages.parts import add_files, controls, rail
from dashboard.app_pages.parts.directions import ask_directions
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.app_pages.parts.report_dialog import save_button
from dashboard.app_pages.parts.style_sheet import style_sheet
from dashboard.components.connection import watch_connection
from dashboard.components.links import clicked_link
from dashboard.components.meeting import show_presentation
from dashboard.components.place import remember_scroll_position
from dashboard.drawing.blocks import data, layers, markup, navigation
from dashboard.drawing.blocks.navigation import ShelfEntry
from dashboard.drawing.theme import COLORS, RunStyle
from dashboard.session import PageContext
from dashboard.session.actions.arrival import open_landing_page
from dashboard.session.actions.collections import collection_href, remove_collection
from dashboard.session.actions.notes import toggle_star
from dashboard.session.actions.reports import make_presentation_screens
from dashboard.session.actions.runs import rename_run
from dashboard.session.context import current_theme
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
    workspace,
)
from dashboard.session.reconnection import handle_reconnection, max_upload_size
from dashboard.streamlit_internals import is_served_by_streamlit, static_folder
from dashboard.workspace.disk.errors import collection_error, failed_page_error
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError

_NAME = "run_name"


def show_run_dialog(context: PageContext) -> None:
    """Show a dialog for the run that the address names, if this run exists."""
    run = session.address()["naming"]
    if run not in context.study.names:
        return

    @st.dialog("Name and colour", on_dismiss=lambda: session.change_address(naming=""))
    def show_card() -> None:
        _show_run_dialog(run)

    show_card()


def _show_run_dialog(run: str) -> None:
    library = current_library()
    original_name, slot = library.own_names.get(run, run), library.slots[run]
    file = library.run_files.get(run)
    name = st.text_input(
        "Name",
        run,
        key=f"{_NAME}_{run}",
        help=f"Leave this empty to use the name in the file: {escape_markdown(original_name)}.",
    )
    styles = [RunStyle(name, other_slot) for other_slot in sorted({*range(COLORS), slot})]
    glyphs = {style.slot: f":gray[&#{ord(style.glyph)};]" for style in styles}
    chosen_slot = st.pills(
        "Colour and shape",
        list(glyphs),
        default=slot,
        format_func=glyphs.__getitem__,
        key="run_slot",
        help="Saved permanently. While a run is the baseline, it is drawn in the text colour.",
    )
    st.html(navigation.pill_colors("run_slot", styles))
    holder = next(
        (n for n, other_slot in library.slots.items() if other_slot == chosen_slot and n != run),
        None,
    )
    if holder is not None:
        st.caption(
            f"{escape_markdown(holder)} already uses this colour and shape, so the two runs will"
            " swap theirs."
        )
    if file is not None and file.file != run:
        st.caption(
            f"From the file {escape_markdown(file.file)}. Changes are saved with the collection,"
            " not in the file."
        )
    if st.button("Save", type="primary"):
        try:
            rename_run(run, name, slot if chosen_slot is None else chosen_slot)
        except RanklensError as error:
            st.html(data.draw_error_card(error))
        else:
            st.rerun()


_FIRST_SCREENS = {"firm": "checks", "judge": "checks", "breakdown": "groups", "curves": "curves"}
_FIRST_SCREENS |= {"queries": "losses", "query": "losses"}
"""The first screen of a presentation, by page; from other pages it is the verdict."""


def show_presentation_link(context: PageContext, page: Page) -> None:
    """Show the link that starts the presentation."""
    screen = _FIRST_SCREENS.get(page.name, "verdict")
    st.html(
        navigation.draw_presentation_link(session.href(page.name, screen=screen)), width="content"
    )


def draw_presentation(context: PageContext) -> None:
    """Show the presentation, if the address requests one of its screens."""
    screen = context.view.address["screen"]
    if screen:
        show_presentation(
            make_presentation_screens(context), screen, lambda: session.change_address(screen="")
        )


_STATIC = Path(__file__).parents[1] / "static"
ICON = str(_STATIC / "icon.svg")


def streamlit_pages(pages: tuple[Page, ...]) -> dict[str, st.Page]:
    """Return Streamlit's page objects, keyed by page name. Each rerun of the app gets its own
    copies, because Streamlit changes the object of the current page."""
    return {name: copy(page) for name, page in _make_pages(pages).items()}


@cache
def _make_pages(pages: tuple[Page, ...]) -> dict[str, st.Page]:
    """Create Streamlit's page objects. They are cached, because creating them accesses the files of
    the pages."""
    return {
        page.name: st.Page(
            f"app_pages/{page.name}.py",
            title=page.title,
            url_path=page.name,
            default=page is pages[0],
        )
        for page in pages
    }


def draw_frame(pages: Sequence[Page], current: Page) -> Callable[[], None]:
    """Draw the rail and the controls, and follow a clicked link. The returned function updates the
    rail; call it after the page is drawn."""
    if is_served_by_streamlit():
        # Ranklens's own server sends it with the page that loads the app.
        st.html(f"<style>{style_sheet()}</style>")
    st.logo(str(_STATIC / f"logo-{current_theme()}.svg"), size="large")
    context = session.page_context()
    open_landing_page(is_ready=context is not None)
    query = session.address().query_string
    theme_generation = session.widget_generation("theme")
    link = clicked_link(
        current_theme(),
        theme_generation,
        query,
        partial(session.reset_widget, "theme"),
        toggle_star,
    )
    remember_scroll_position()
    uploads, largest = session.widget_generation("upload"), max_upload_size()
    handle_reconnection(watch_connection(query, uploads, largest, _chart_script()))
    if link:
        session.open_link(link)
    controls.watch_controls(context, current.name)
    with st.sidebar:
        update_counts = rail.draw_navigation(pages, current, context)
    with st.container(
        key="top", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.html(navigation.draw_page_title(current.title, current.name))
        if context is not None and current.controls:
            controls.show_control_sentence(context, current)
        if current.bar == "files":
            add_files.show_files_bar()
        elif context is not None:
            st.html(navigation.draw_copy_link(), width="content")
            if current.controls:
                save_button(context)
                if not context.study.is_unjudged:
                    show_presentation_link(context, current)
    if context is not None:
        show_run_dialog(context)
        if current.controls and not context.study.is_unjudged:
            draw_presentation(context)
    return update_counts


@cache
def _chart_script() -> str:
    """Return the path of the script that draws charts. Returns "" if Streamlit has renamed the
    script."""
    scripts = list((static_folder() / "static" / "js").glob("PlotlyChart.*.js"))
    return f"./static/js/{scripts[0].name}" if len(scripts) == 1 else ""


_NO_OUTCOME_COLOURS = (
    "<style>.lens{--better:var(--muted);--worse:var(--muted);--diverging-low:var(--line);"
    "--diverging-lower:var(--hairline);--diverging-higher:var(--hairline);"
    "--diverging-high:var(--line)}</style>"
)
"""The colours of a page on a measure whose direction is not declared."""


def show_message_instead_of_page(page: Page) -> bool:
    """Show a message instead of the page if necessary, and return whether one was shown.

    A message is shown if the page does not exist, no files are open, the link is invalid, no query
    is in view, or the page cannot show the measure. Otherwise, notices on layers, id maps,
    exclusions and refused runs are shown above the page. If the direction of the measure is not
    declared, the user is asked for it above the page or, on the Overview, beside the values."""
    if no_page := session.address()[NO_PAGE.name]:
        st.html(
            markup.draw_empty_state(f"There is no page “{no_page}”.", "The menu lists all pages.")
        )
        st.button("Open the Overview", on_click=session.change_address, kwargs={NO_PAGE.name: ""})
        return True
    if not page.needs_study:
        return False
    context = session.page_context()
    if context is None:
        add_files.show_getting_started()
        return True
    if (
        _show_invalid_link_message(context, page)
        or _show_empty_view_message(context)
        or _show_missing_data_message(context)
        or (context.study.is_unjudged and _show_unjudged_message(context, page))
        or (
            page.needs_lists
            and not context.study.is_unjudged
            and _show_given_measure_message(context)
        )
    ):
        return True
    # Above all scores, because active layers must never go unnoticed. The placeholder always
    # exists, so that the first grade does not move the component that listens to the keys.
    placeholder = st.empty()
    notices = layers.draw_active_layers_notice(
        context.layers, session.href(page.name, layers=(NO_OTHER_RUN,))
    )
    receipts = list[Markup]()
    mapped = id_maps_sentence(context.study)
    if mapped:
        sentence = "Ids are mapped. Undo under Files."
        receipts.append(data.draw_action_message(sentence, f"{w.sentence_case(mapped)}."))
    left_out = exclusion_sentence(context.study)
    if left_out:
        receipts.append(data.draw_action_message(f"{left_out} Undo under Files."))
    notices = Markup().join([notices, *receipts, *map(data.draw_error_card, context.refused)])
    if notices:
        placeholder.html(notices)
    if not context.comparison.has_direction and page.name != "overview" and page.controls:
        st.html(_NO_OUTCOME_COLOURS)
        ask_directions(context.study)
    return False


def _show_invalid_link_message(context: PageContext, page: Page) -> bool:
    field_names = {field.name for field in (*SHARED_FIELDS, *page.fields)}
    problems = {
        name: sentence for name, sentence in context.view.lacking.items() if name in field_names
    }
    if not problems:
        return False
    st.html(
        markup.draw_empty_state(
            "This link refers to something that is no longer here:", " ".join(problems.values())
        )
    )
    # The sentence on runs is about all fields that name runs.
    runs = {"run": "", "base": "", "also": ()} if "run" in problems else {}
    method_fields = dict.fromkeys(method_key.METHOD_FIELDS, "") if "test" in problems else {}
    empty = {
        field.name: field.empty_value
        for field in (*SHARED_FIELDS, *page.fields)
        if field.name in problems
    }
    st.button(
        "Continue without it", on_click=session.change_address, kwargs=runs | method_fields | empty
    )
    return True


def _show_empty_view_message(context: PageContext) -> bool:
    if context.study.view_mask(context.comparison).any():
        return False
    st.html(markup.draw_heading("No queries in view", "No query matches the filters.", {}))
    back = {"where": (), "missing": ""}
    st.button("Clear filters", on_click=session.change_address, kwargs=back)
    return True


def _show_unjudged_message(context: PageContext, page: Page) -> bool:
    """For runs without judgments, show a message if the page needs judgments or if the lists of the
    two runs cannot be compared. Return whether a message was shown."""
    comparison = context.comparison
    if page.needs_judgments:
        text = "Add judgments under Files."
        st.html(markup.draw_heading("This page needs judgments", text, {}))
        return True
    if not comparison.is_single_run:
        error, k = find_depth_problem(context.study, comparison)
        if error is None:
            return False
        show_error(error)
        st.button(f"Compare the top {k}", on_click=session.change_address, kwargs={"k": str(k)})
        return True
    for refusal in context.study.refused.values():
        show_error(refusal)
    is_single = len(context.study.names) == 1
    text = "Add a second run or judgments." if is_single else "Choose two different runs."
    st.html(markup.draw_heading("Nothing to compare yet", text, {}))
    return True


def _show_given_measure_message(context: PageContext) -> bool:
    """If the scores of the chosen measure come from a file, show a message that the page needs a
    computed measure, with a button that selects the default measure. Return whether the message was
    shown."""
    measure = context.comparison.measure
    if context.study.is_computed(measure):
        return False
    reason = f"The scores of {measure} come from a file, not from ranks."
    st.html(markup.draw_heading("This page needs a computed measure", reason, {}))
    if context.study.judged:
        st.button("Show the default measure", on_click=session.change_address, kwargs={"m": ""})
    return True


def _show_missing_data_message(context: PageContext) -> bool:
    measure = context.comparison.measure
    if not context.study.is_computed(measure):
        return False
    lack_error = measure.find_missing_data(context.study.judged[context.study.names[0]])
    if lack_error is None:
        return False
    show_error(lack_error)
    st.button("Show the default measure", on_click=session.change_address, kwargs={"m": ""})
    return True


def choose_draw_function(page: Page, draw: Callable[[], None]) -> Callable[[], None]:
    """Return the function that draws the page: `draw`, or its counterpart for runs without
    judgments."""
    context = session.page_context()
    if context is None or not page.needs_study or not context.study.is_unjudged:
        return draw
    from dashboard.app_pages.parts.list_changes import DRAWN_WITHOUT_JUDGMENTS

    return DRAWN_WITHOUT_JUDGMENTS.get(page.name, draw)


def show_error(error: RanklensError) -> None:
    """Show an error that the user can correct, in place of the page."""
    st.html(data.draw_error_card(error))


def show_failure(error: Exception, page_title: str) -> None:
    """Show a message instead of the page with this title. If the title is "", the collection cannot
    be opened; offer to open another or to remove it. The traceback is written to stderr."""
    logging.getLogger("ranklens").error("A page could not be shown.", exc_info=error)
    if page_title:
        show_error(failed_page_error(page_title, error))
        return
    collections, current = all_collections(), current_collection_id()
    entries, name = collections.list_collections(), collections.name_of(current)
    is_own = any(row.id == current and row.origin == "own" for row in entries)
    folder = workspace().folder_of(current) if is_own else collections.folder_of(current)
    show_error(collection_error(name, folder or workspace().folder, error))
    if is_own:
        st.button("Remove this collection", on_click=remove_collection, args=(current,))
    others = [
        ShelfEntry(row.name, describe_contents(row), collection_href(row.id), False, "", "")
        for row in entries
        if row.id != current
    ]
    st.html(navigation.draw_collection_choices(others))
