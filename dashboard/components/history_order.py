"""A component to order versions by hand: chips that the user drags or moves with keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle

_HERE = Path(__file__).parent
KEY = "order"
_NAME, _SHORT, _MANY = 28, 14, 12
"""Maximum length of a run's name on its chip. It is `_NAME`, or `_SHORT` if there are more than
`_MANY` runs."""

_CHIPS = st.components.v2.component(
    "ranklens_order",
    html='<div class="order"><p id="keys">Drag the runs into order, or use the arrows.'
    " ✕ leaves a run out.</p><ol></ol><ul"
    ' hidden></ul><div class="said" role="status"></div></div>',
    css=(_HERE / "history_order.css").read_text("utf-8"),
    js=(_HERE / "history_order.js").read_text("utf-8"),
)


def show_version_order(
    version_names: Sequence[str],
    all_names: Sequence[str],
    *,
    styles: Mapping[str, RunStyle],
    collection_id: str,
    min_versions: int,
    one_per_row: bool,
    on_order: Callable[[], None],
) -> None:
    """Draw the versions `version_names`, from first to last, so that the user can change their
    order.

    `all_names` are all runs of the collection. The user can remove versions, but at least
    `min_versions` remain. Each change calls `on_order`. A version is shown with the mark of its
    run. With `one_per_row`, each version has a row of its own."""
    left_out = [name for name in all_names if name not in version_names]
    length = _NAME if len(all_names) <= _MANY else _SHORT
    short = {name: text for name, text in short_names(all_names, length).items() if text != name}
    _CHIPS(
        key=KEY,
        data={
            "collection": collection_id,
            "names": list(version_names),
            "out": left_out,
            "short": short,
            "marks": {name: [styles[name].glyph, styles[name].css_color] for name in all_names},
            "rows": one_per_row,
            "fewest": min_versions,
        },
        on_order_change=on_order,
    )
