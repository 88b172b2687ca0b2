"""Blocks about judgment layers and notes: the active layers, their effect, and the notes on a
query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.workspace import Layer, QueryNotes

_render = Template("layers")


def draw_active_layers_notice(layers: Sequence[Layer], link: str) -> Markup:
    """Draw a notice that the scores include grades of these layers, with a link that deactivates
    the layers. The result is empty if no layer has grades."""
    non_empty = [layer for layer in layers if len(layer)]
    return _render("notice", layers=non_empty, link=link) if non_empty else Markup()


def draw_own_layer(
    explanation: str, layer: Layer | None = None, *, is_active: bool = False, link: str = ""
) -> Markup:
    """Draw a line that explains judging, and the user's own layer with a switch that activates
    it."""
    return _render(
        "own",
        name=layer.name if layer else "",
        count=len(layer) if layer else None,
        is_on=is_active,
        link=link,
        explanation=explanation,
    )


def draw_layers_effect(
    scores: Mapping[str, tuple[float, float]],
    difference: tuple[float, float],
    names: tuple[str, str],
    *,
    measure: str,
    n_queries: int,
) -> Markup:
    """Draw values before and after the layers are applied: the scores of runs on a query, if they
    changed, and the mean difference of the two runs in `names`."""
    rows = [(run, *both) for run, both in scores.items() if both[0] != both[1]]
    return _render(
        "effect",
        scores=rows,
        difference=difference,
        names=names,
        measure=measure,
        queries=n_queries,
    )


def draw_judging_link(link: str, text: str, kind: Literal["", "primary", "back"] = "") -> Markup:
    """Draw a link to judging. If `kind` is "primary", it looks like a button; if `kind` is "back",
    it leads to the page from which judging started."""
    return _render("onward", link=link, words=text, kind=kind)


def draw_random_queries_card(n_queries: int, steps: Sequence[str], link: str) -> Markup:
    """Draw a card that offers to judge a random sample of `n_queries` queries. It has the steps of
    judging, and a link to the page on which the sample is selected."""
    return _render("draw_card", n=n_queries, steps=steps, link=link)


def draw_steps(steps: Sequence[str]) -> Markup:
    """Draw the numbered steps of judging a random sample of queries."""
    return _render("draw_steps", steps=steps)


def draw_layer_row(layer: Layer, *, is_active: bool) -> Markup:
    """Draw a layer in the list of layers."""
    return _render("row", layer=layer, is_on=is_active)


def draw_query_notes(notes: QueryNotes) -> Markup:
    """Draw the notes on a query. The result is empty if there are none."""
    return _render("noted", notes=notes.notes) if notes.notes else Markup()
