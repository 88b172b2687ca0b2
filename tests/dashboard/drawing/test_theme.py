"""Colours that can be read, and how runs are told apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from dashboard.drawing.figures.colour import contrast_ratio
from dashboard.drawing.theme import (
    COLORS,
    DARK,
    LIGHT,
    PALETTES,
    SLOTS,
    Palette,
    RunStyle,
    make_lines_solid,
    run_styles,
)

NAMES = [f"run-{i}" for i in range(SLOTS)]
AT = {name: i for i, name in enumerate(NAMES)}
_AS_TEXT, _ON_SIDEBAR, _AS_MARK = 4.5, 4.4, 3.0


def test_the_run_in_focus_is_solid_and_dashes_part_only_what_colours_do_not() -> None:
    styles = run_styles(NAMES, AT, focus="run-11", baseline="run-1")
    assert styles["run-11"].dash == "solid" and styles["run-19"].dash != "solid"
    assert styles["run-11"].width > max(s.width for n, s in styles.items() if n != "run-11")
    some = make_lines_solid([styles[f"run-{i}"] for i in (1, 11, 12, 18)])
    assert {s.dash for s in some} == {"solid"}
    alike = make_lines_solid([styles[f"run-{i}"] for i in (1, 4, 12)])
    assert len({(s.color_name, s.dash) for s in alike}) == 3


def looks(style: RunStyle) -> tuple[str, str]:
    return style.color_name, style.symbol


def test_the_baseline_is_drawn_in_ink_whichever_run_it_is() -> None:
    styles = run_styles(["a", "b"], {"a": 0, "b": 1}, focus="b", baseline="a")
    assert styles["a"].color(LIGHT) == LIGHT.baseline
    assert styles["a"].dash == "solid"
    assert styles["b"].color(DARK) == DARK.run_2
    swapped = run_styles(["a", "b"], {"a": 0, "b": 1}, focus="a", baseline="b")
    assert swapped["a"].color(LIGHT) == LIGHT.run_1


@pytest.mark.parametrize("focus", ["run-0", "run-3", "run-11", "run-19", "run-47"])
@pytest.mark.parametrize("baseline", ["run-1", "run-18"])
def test_no_two_runs_look_alike_whichever_is_in_focus(focus: str, baseline: str) -> None:
    styles = run_styles(NAMES, AT, focus=focus, baseline=baseline)
    assert len({looks(s) for s in styles.values()}) == len(NAMES)
    assert len({(s.color_name, s.dash) for s in styles.values()}) == len(NAMES)


@pytest.mark.parametrize("focus", ["run-0", "run-11", "run-19", "run-47"])
def test_the_run_in_focus_has_its_colour_for_itself(focus: str) -> None:
    styles = run_styles(NAMES, AT, focus=focus, baseline="run-1")
    colors = [s.color(LIGHT) for n, s in styles.items() if n != focus]
    assert styles[focus].color(LIGHT) not in colors
    assert styles[focus].color_name == f"run_{AT[focus] % COLORS + 1}"


def test_a_run_keeps_its_colour_and_shape_for_good() -> None:
    """Whatever is in focus or the baseline: only a run of the focus's own colour turns grey."""
    own = {n: looks(RunStyle(n, AT[n])) for n in NAMES}
    for focus, baseline in combinations(NAMES[:20], 2):
        styles = run_styles(NAMES[:20], AT, focus=focus, baseline=baseline)
        for name, style in styles.items():
            if name == baseline:
                continue
            assert style.symbol == own[name][1]
            if (AT[name] - AT[focus]) % COLORS or name == focus:
                assert looks(style) == own[name]


def test_the_first_eight_runs_never_turn_grey() -> None:
    for focus, baseline in combinations(NAMES[:COLORS], 2):
        styles = run_styles(NAMES[:COLORS], AT, focus=focus, baseline=baseline)
        assert "run_more" not in {s.color_name for s in styles.values()}


def test_runs_beyond_all_looks_are_grey() -> None:
    styles = run_styles(["x"], {"x": SLOTS}, focus="y", baseline="z")
    assert styles["x"].color(LIGHT) == LIGHT.run_more


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_run_colours_can_be_read_as_text_and_seen_as_marks(palette: Palette) -> None:
    for style in run_styles(NAMES, AT, focus="run-2", baseline="run-1").values():
        color = style.color(palette)
        grey = color == palette.run_more
        assert contrast_ratio(color, palette.page) >= _AS_TEXT
        assert contrast_ratio(color, palette.sidebar) >= (_AS_MARK if grey else _ON_SIDEBAR)
        assert contrast_ratio(color, palette.wash) >= _AS_MARK
    assert len({getattr(palette, f"run_{i + 1}") for i in range(COLORS)}) == COLORS
