"""The order of the versions by hand: chips that are dragged, or moved by keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard.drawing.figures.text import short_names

_HERE = Path(__file__).parent
KEY = "order"
_NAME, _SHORT, _MANY = 28, 14, 12
"""Characters of a name on its chip, and of one among many."""

_CHIPS = st.components.v2.component(
    "ranklens_order",
    html='<div class="order"><p id="keys">Drag a version<span class="keys">, or move it with'
    ' Alt and the arrow keys; Delete takes it out</span><span class="fingers"> by its dots, or'
    ' touch it for more</span>.</p><ol></ol><ul hidden></ul><div class="said" role="status"></div>'
    "</div>",
    css=(_HERE / "order.css").read_text("utf-8"),
    js=(_HERE / "order.js").read_text("utf-8"),
)


def by_hand(
    shown: Sequence[str],
    every: Sequence[str],
    *,
    collection: str,
    fewest: int,
    on_order: Callable[[], None],
) -> None:
    """The `shown` versions of `every` one of a collection, first to last, to be put in another
    order, which is told by `on_order`; never fewer than `fewest`."""
    left_out = [name for name in every if name not in shown]
    length = _NAME if len(every) <= _MANY else _SHORT
    short = {name: text for name, text in short_names(every, length).items() if text != name}
    _CHIPS(
        key=KEY,
        data={
            "collection": collection,
            "names": list(shown),
            "out": left_out,
            "short": short,
            "fewest": fewest,
        },
        on_order_change=on_order,
    )
