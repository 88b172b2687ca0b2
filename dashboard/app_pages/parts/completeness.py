"""The switch that declares the judgments complete. It is shown beside numbers of judged
documents."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.session.actions.judgments import set_judgments_complete
from dashboard.study.study import Study

_HELP = (
    "For judgments that contain every relevant document. Pages then do not warn about"
    " unjudged ones. No score changes. The setting is saved with the collection."
)


def show_completeness_switch(study: Study, key_suffix: str) -> None:
    """Show the switch that declares the judgments complete. `key_suffix` makes its widget key
    unique on the page."""
    session.draw_widget(
        st.toggle,
        "My judgments are complete",
        f"complete_{key_suffix}",
        value=study.settings.complete,
        store=set_judgments_complete,
        help=_HELP,
    )
    st.caption(
        "Turn this on if every relevant document has been judged. Scores stay the same, but"
        " unjudged documents no longer count as a risk."
    )
