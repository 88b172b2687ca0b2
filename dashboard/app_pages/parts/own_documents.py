"""The switch that leaves each query's own document out of every run."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.session.actions.judgments import leave_out_own
from dashboard.study.study import Study

_MEANT = (
    "For searches by an item of the collection, as for duplicates or similar items: a document"
    " whose id is the query's is taken out of the lists before they are ranked, so that k counts"
    " the others. Every page says so. Kept with the collection."
)


def own_switch(study: Study) -> None:
    """The switch."""
    session.widget(
        st.toggle,
        "Leave out each query's own document",
        "exclude_self",
        value=study.settings.exclude_self,
        store=leave_out_own,
        help=_MEANT,
    )
