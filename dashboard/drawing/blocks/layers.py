"""Judgment layers and notes as they are drawn: what is on, what it changed, what is noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.workspace import Layer, Noted

_drawn = Template("layers")


def notice(layers: Sequence[Layer], link: str) -> Markup:
    """That scores hold grades of these layers, and the way to do without; nothing where none is
    on."""
    given = [layer for layer in layers if len(layer)]
    return _drawn("notice", layers=given, link=link) if given else Markup()


def own(
    explanation: str, layer: Layer | None = None, *, is_on: bool = False, link: str = ""
) -> Markup:
    """A muted line on judging, with the reader's layer and its switch."""
    return _drawn(
        "own",
        name=layer.name if layer else "",
        count=len(layer) if layer else None,
        is_on=is_on,
        link=link,
        explanation=explanation,
    )


def effect(
    scores: Mapping[str, tuple[float, float]],
    difference: tuple[float, float],
    names: tuple[str, str],
    *,
    of: str,
    queries: int,
) -> Markup:
    """What layers changed on the measure `of`: the score on a query of each run whose it changed,
    and the mean difference of the two named runs; before and after."""
    rows = [(run, *both) for run, both in scores.items() if both[0] != both[1]]
    return _drawn(
        "effect", scores=rows, difference=difference, names=names, measure=of, queries=queries
    )


def onward(link: str, words: str, kind: Literal["", "primary", "back"] = "") -> Markup:
    """A link to where judging goes on, as a button for the eye, or `back` to where it came from."""
    return _drawn("onward", link=link, words=words, kind=kind)


def row(layer: Layer, *, is_on: bool) -> Markup:
    """A layer in the list of layers."""
    return _drawn("row", layer=layer, is_on=is_on)


def noted(found: Noted) -> Markup:
    """The notes on a query; nothing where there are none."""
    return _drawn("noted", notes=found.notes) if found.notes else Markup()
