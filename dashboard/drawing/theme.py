"""Colours, fonts and styles of runs. They are defined only in this module.

Number formats are in `metrics_core.base.wording`, because findings contain numbers, too."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Literal

Role = Literal["baseline", "focus", "other"]

FONT = "Inter, system-ui, sans-serif"
_FONTS = Path(__file__).parents[1] / "static"


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, named by their use. Every text colour has a contrast of at least
    4.5 : 1 on the background of the page."""

    page: str
    sidebar: str
    wash: str
    ink: str
    muted: str
    faint: str
    hairline: str
    line: str
    zero: str
    baseline: str
    run_1: str
    run_2: str
    run_3: str
    run_4: str
    run_5: str
    run_6: str
    run_7: str
    run_8: str
    run_more: str
    better: str
    worse: str
    grade_3: str
    grade_2: str
    grade_1: str
    on_grade_3: str
    on_grade_2: str
    on_grade_1: str
    warning: str
    error_ground: str
    word_mark: str
    diverging_low: str
    diverging_lower: str
    diverging_zero: str
    diverging_higher: str
    diverging_high: str

    @property
    def diverging_scale(self) -> tuple[str, str, str, str, str]:
        """The colour scale of differences, from the worst through zero to the best."""
        return (
            self.diverging_low,
            self.diverging_lower,
            self.diverging_zero,
            self.diverging_higher,
            self.diverging_high,
        )

    @property
    def without_outcome_colours(self) -> Palette:
        """The palette with grey in place of the colours for better and worse. It is used for views
        without a test."""
        ends = dict.fromkeys(("diverging_low", "diverging_high"), self.line)
        middle = dict.fromkeys(("diverging_lower", "diverging_higher"), self.hairline)
        return replace(self, better=self.muted, worse=self.muted, **ends, **middle)


LIGHT = Palette(
    page="#FFFFFF",
    sidebar="#F7F8F9",
    wash="#F4F5F7",
    ink="#161A22",
    muted="#565E6C",
    faint="#6B7280",
    hairline="#E6E9EE",
    line="#C3C9D2",
    zero="#8A929F",
    baseline="#2F3744",
    run_1="#3D55E6",
    run_2="#C93A8A",
    run_3="#256B1E",
    run_4="#7C4DDB",
    run_5="#84573E",
    run_6="#9A6700",
    run_7="#8E3255",
    run_8="#194F81",
    run_more="#6B7280",
    better="#0B7285",
    worse="#B93E0D",
    grade_3="#0B5566",
    grade_2="#56A6B7",
    grade_1="#D0E6EC",
    on_grade_3="#FFFFFF",
    on_grade_2="#032129",
    on_grade_1="#0B4653",
    warning="#8A5A00",
    error_ground="#FDF1EA",
    word_mark="#FFEFB8",
    diverging_low="#A8380A",
    diverging_lower="#E8A17C",
    diverging_zero="#F3F4F5",
    diverging_higher="#84BAC7",
    diverging_high="#0B6173",
)
DARK = Palette(
    page="#0F1217",
    sidebar="#14181F",
    wash="#171C23",
    ink="#E7EAF0",
    muted="#A3ACBA",
    faint="#7E8795",
    hairline="#232932",
    line="#3D4653",
    zero="#798494",
    baseline="#D5DAE3",
    run_1="#8C9EFF",
    run_2="#E56AB3",
    run_3="#8FD97F",
    run_4="#B195FF",
    run_5="#D9B08F",
    run_6="#E0B23E",
    run_7="#D79FAF",
    run_8="#4790D8",
    run_more="#7E8795",
    better="#45C4D6",
    worse="#FF9166",
    grade_3="#62D0E2",
    grade_2="#257B8C",
    grade_1="#16404A",
    on_grade_3="#04212A",
    on_grade_2="#F2FDFF",
    on_grade_1="#A9DFEA",
    warning="#E0B23E",
    error_ground="#2A1B15",
    word_mark="#4A3E14",
    diverging_low="#F2793F",
    diverging_lower="#8A4526",
    diverging_zero="#20262F",
    diverging_higher="#1E6675",
    diverging_high="#3FBFD2",
)
PALETTES: Mapping[str, Palette] = {"light": LIGHT, "dark": DARK}

BY_THEME = Palette(**{f.name: f"var(--{f.name.replace('_', '-')})" for f in fields(Palette)})
"""Palette in which every colour is a CSS variable that follows the theme, for HTML and SVG. Plotly
does not support CSS variables."""

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "cross")
_GLYPHS = ("●", "■", "◆", "▲", "★", "✚")
_DASHES = ("solid", "1.5px,3px", "10px,3px", "10px,3px,1.5px,3px", "14px,6px", "3px,6px")
COLORS = 8
SLOTS = COLORS * len(_SYMBOLS)
"""Number of distinct combinations of colour, shape and line. If there are more runs, the remaining
ones are grey."""


@dataclass(frozen=True)
class RunStyle:
    """Appearance of one run on all pages.

    - `slot` counts from 0 and belongs to a run permanently. It determines the run's colour and
      shape. The first eight slots have the eight colours; later slots repeat them with another
      shape and another line, so that no two of the first 48 runs look the same. The first four
      are the colours of Ranklens.
    - The baseline is always drawn in ink with a solid line; it keeps its shape.
    - While a run is in focus, no other run has its colour: a run of the same colour is grey
      (`is_dimmed`), but keeps its shape. The line of the run in focus is solid and the thickest.
    - Lines with distinct colours are solid (`make_lines_solid`).
    """

    name: str
    slot: int
    role: Role = "other"
    is_dimmed: bool = False
    is_solid: bool = False

    @property
    def color_name(self) -> str:
        """The name of the run's colour in the palette."""
        if self.role == "baseline":
            return "baseline"
        has_color = self.slot < SLOTS and not self.is_dimmed
        return f"run_{self.slot % COLORS + 1}" if has_color else "run_more"

    def color(self, palette: Palette) -> str:
        """Return the run's colour in this palette."""
        return str(getattr(palette, self.color_name))

    @property
    def css_color(self) -> str:
        """The run's colour as a CSS variable, which follows the theme."""
        return f"var(--{self.color_name.replace('_', '-')})"

    @property
    def symbol(self) -> str:
        """Plotly's name of the run's marker."""
        return _SYMBOLS[self._shape_index]

    @property
    def glyph(self) -> str:
        """The run's marker as a character."""
        return _GLYPHS[self._shape_index]

    @property
    def dash(self) -> str:
        """Plotly's dash pattern of the run's line."""
        if self.role != "other" or self.is_solid:
            return "solid"
        return _DASHES[self.slot // COLORS % len(_DASHES)]

    @property
    def _shape_index(self) -> int:
        # Shifted by one in each round, so that all combinations of colour and shape occur.
        return (self.slot - self.slot // COLORS) % len(_SYMBOLS)

    @property
    def width(self) -> float:
        """Line width in px."""
        return 2.8 if self.role == "focus" else 1.9


@dataclass(frozen=True)
class Look:
    """The appearance of a view: the colours of the user's theme, and the style of every loaded
    run."""

    palette: Palette
    styles: Mapping[str, RunStyle]

    def select_styles(self, runs: Iterable[str]) -> dict[str, RunStyle]:
        """Return the styles of these runs, in the order of `runs`."""
        return {name: self.styles[name] for name in runs}


def run_styles(
    names: Sequence[str], slots: Mapping[str, int], *, focus: str, baseline: str
) -> dict[str, RunStyle]:
    """Return the style of each of these runs in a view. `RunStyle` describes how the styles are
    chosen."""
    focused = slots.get(focus, SLOTS) % COLORS if focus != baseline else None

    def make_style(name: str) -> RunStyle:
        slot = slots.get(name, SLOTS)
        if name == baseline:
            return RunStyle(name, slot, "baseline")
        if name == focus:
            return RunStyle(name, slot, "focus")
        return RunStyle(name, slot, is_dimmed=slot % COLORS == focused)

    return {name: make_style(name) for name in names}


def make_lines_solid(styles: Sequence[RunStyle]) -> list[RunStyle]:
    """Return the styles. If all of them have different colours, all lines are solid. If colours
    repeat, the dash pattern depends on the slot."""
    are_distinct = len({style.color_name for style in styles}) == len(styles)
    return [replace(style, is_solid=are_distinct) for style in styles]


def css_variables() -> str:
    """Return the colours of the palette as CSS variables that follow Streamlit's theme without a
    rerun of the page."""
    declared = [
        f"--{f.name.replace('_', '-')}:light-dark({getattr(LIGHT, f.name)},{getattr(DARK, f.name)})"
        for f in fields(Palette)
    ]
    return ":root{" + ";".join(declared) + "}"


@cache
def font_face() -> str:
    """Return the CSS rule that embeds the font Inter in all weights."""
    return _font_rule("inter.woff2", "100 900")


def font_faces_for(markup: str) -> str:
    """Return CSS rules that embed the font weights used in this markup, each as a separate font.

    Browsers print variable fonts as outlines (Type 3), which publishers do not accept. The separate
    fonts were made with `fontTools.varLib.instancer`."""
    weights = [weight for weight in ("400", "600") if weight == "400" or f":{weight}" in markup]
    return "".join(_font_rule(f"inter-{weight}.woff2", weight) for weight in weights)


def _font_rule(file: str, weight: str) -> str:
    code = base64.b64encode((_FONTS / file).read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{code}) format('woff2')"
    return f"@font-face{{font-family:Inter;font-weight:{weight};src:{source}}}"
