"""The bridge and the slices as they are drawn."""

from __future__ import annotations

import re

import pandas as pd

from dashboard.answers.slices import Slice
from dashboard.drawing.blocks.bridge import bridge_rows, slice_rows
from dashboard.drawing.theme import run_styles
from tests.dashboard.drawing.blocks.test_blocks import EVIL, Page
from tests.dashboard.drawings import drawing_of

STYLES = run_styles(["a", "b"], {}, focus="a", baseline="b")


def drawn(parts: list[float], *, measure: str = "nDCG@10", coloured: bool = True) -> str:
    steps = pd.DataFrame(
        {
            "group": ["Network", EVIL, "2 other groups"],
            "queries": [9, 25, 6],
            "difference": [part * 40 / n for part, n in zip(parts, [9, 25, 6], strict=True)],
            "part": parts,
            "clear": [True, False, False],
            "groups": [1, 1, 2],
        }
    )
    drawing = drawing_of(STYLES, measure=measure)
    lead = lambda group: f"./queries?where={len(group)}"  # noqa: E731
    return str(bridge_rows(steps, drawing, lead=lead, coloured=coloured))


def bars(html: str) -> list[tuple[str, float, float]]:
    found = re.findall(r'class="bar ([a-z ]+)" style="left:([\d.]+)%;width:([\d.]+)%"', html)
    return [(kind, float(left), float(width)) for kind, left, width in found]


def test_a_bar_starts_where_the_last_one_ended() -> None:
    found = bars(drawn([0.02, 0.03, -0.01]))
    assert [kind for kind, *_ in found] == ["better", "better pale", "worse pale"]
    assert found[0][1:] == (0.0, 40.0)
    assert found[1][1:] == (40.0, 60.0)
    assert found[2][1:] == (80.0, 20.0)


def test_losses_go_left_of_zero() -> None:
    found = bars(drawn([-0.02, -0.02, 0.01]))
    assert [kind for kind, *_ in found] == ["worse", "worse pale", "better pale"]
    assert found[0][1:] == (50.0, 50.0) and found[1][1:] == (0.0, 50.0)


def test_where_less_is_better_a_fall_has_the_colour_of_better() -> None:
    assert bars(drawn([-0.02, -0.02, -0.01], measure="NumNonrelRet"))[0][0] == "better"


def test_under_ten_queries_nothing_is_coloured() -> None:
    assert {kind.split()[0] for kind, *_ in bars(drawn([0.02, 0.03, -0.01], coloured=False))} == {
        "level"
    }


def test_the_arithmetic_is_written_out_and_groups_lead_to_their_queries() -> None:
    html = drawn([0.02, 0.03, -0.01])
    page = Page(html)
    assert "9/40 × +0.089" in page.text and "the headline" in page.text
    assert "+0.040" in page.text and "2 other groups" in page.text
    assert html.count('href="./queries?') == 4
    assert "<script>" not in html


def test_the_steps_add_up_to_the_headline_as_printed() -> None:
    html = drawn([0.0296, 0.0296, 0.0296])  # 0.0888
    amounts = re.findall(r'class="amount[^>]*>([^<]+)</i>', html)
    assert amounts[-1] == "+0.089"
    assert sorted(amounts[:-1]) == ["+0.029", "+0.030", "+0.030"]
    assert re.findall(r'class="amount[^>]*>([^<]+)</i>', drawn([0.0536, -0.0004, 0.0]))[:3] == [
        "+0.054",
        "\u22120.001",
        "0.000",
    ]


def test_nothing_at_all_is_drawn_without_a_fault() -> None:
    assert "0.000" in drawn([0.0, 0.0, 0.0])


def test_a_slice_says_what_its_queries_share() -> None:
    found = Slice([("c1", False), (EVIL, True)], (), 12, -0.3, 0.1, False, 3, "a")
    html = str(slice_rows([found], lead=lambda _: "./queries?where=x"))
    page = Page(html)
    assert "c1 and" in page.text and "derived" in page.text
    assert "12 queries" in page.text
    assert "−0.300 against +0.100 elsewhere" in page.text and "a scores 0 on 3" in page.text
    assert 'class="worse"' in html and "<script>" not in html
