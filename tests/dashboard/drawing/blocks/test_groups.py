"""The table of groups, the choice above it, and the slices, as they are drawn."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_table import GroupTableRequest, select_groups
from dashboard.answers.slices import UnlikeSlice
from dashboard.drawing.blocks.groups import (
    Choice,
    draw_column_choice,
    draw_group_table,
    draw_waterfall,
)
from dashboard.drawing.blocks.slices import draw_slice_rows
from dashboard.drawing.theme import run_styles
from metrics_core.base import wording as w
from tests.dashboard.drawing.blocks.test_blocks import EVIL, Page
from tests.dashboard.drawings import drawing_of

STYLES = run_styles(["a", "b"], {}, focus="a", baseline="b")


def table(parts: list[float], sizes: list[int] | None = None) -> Breakdown:
    """Groups that bring these parts; the first is clear, the second has no interval."""
    sizes = sizes or [9, 25, 6, *[10] * (len(parts) - 3)]
    total, names = sum(sizes), ["Network", EVIL, *(f"g{i}" for i in range(2, len(parts)))]
    gaps = [part * total / n for part, n in zip(parts, sizes, strict=True)]
    rows = pd.DataFrame(
        {
            "group": [*names, ""],
            "queries": [*sizes, total],
            "baseline_mean": 0.4,
            "mean": 0.5,
            "difference": [*gaps, sum(parts)],
            "diff_low": [float("nan") if i == 1 else -0.2 for i in range(len(parts) + 1)],
            "diff_high": [float("nan") if i == 1 else 0.3 for i in range(len(parts) + 1)],
            "clear": [i == 0 for i in range(len(parts) + 1)],
            "adds": [*parts, sum(parts)],
            "score": 0.5,
            "order": 0.2,
            "below": 0.1,
            "missing": 0.05,
        }
    )
    return Breakdown(columns=["category"], by="category", group_count=len(parts), table=rows)


def drawn(shown: Breakdown, *, measure: str = "nDCG@10", **asked: object) -> str:
    drawing = drawing_of(STYLES, measure=measure)
    found = select_groups(shown, GroupTableRequest(**asked), is_single_run=False)  # type: ignore[arg-type]
    return str(
        draw_group_table(
            found,
            shown,
            drawing,
            make_group_link=lambda group: f"./queries?where={len(group)}",
            sort_link=lambda order: f"./breakdown?ranked={order}",
            more="./breakdown?every=1",
        )
    )


def bars(html: str) -> list[tuple[str, float, float]]:
    found = re.findall(r'class="bar ([a-z ]+)" style="left:([\d.]+)%;width:([\d.]+)%"', html)
    return [(kind, float(left), float(width)) for kind, left, width in found]


def test_a_bar_starts_where_the_last_one_ended_and_the_last_is_the_whole() -> None:
    shown = table([0.02, 0.03, -0.01])
    shown.table.loc[3, "clear"] = True
    found = bars(drawn(shown))
    assert [kind for kind, *_ in found] == ["level untested", "better", "level", "better"]
    assert [place for _, *place in found] == [[0, 60], [60, 40], [80, 20], [0, 80]]


def test_losses_go_left_of_zero() -> None:
    found = bars(drawn(table([-0.02, -0.02, 0.01])))
    assert found[0][1:] == (50.0, 50.0) and found[1][1:] == (0.0, 50.0)
    assert found[0][0] == "worse"
    assert bars(drawn(table([-0.02, -0.02, -0.01]), measure="NumNonrelRet"))[0][0] == "better"


def test_what_is_not_significant_is_grey() -> None:
    def has_colour(html: str) -> list[bool]:
        cells = re.findall(r'<td [^>]*class="difference">.*?class="amount"', html, re.DOTALL)
        return ["--run" in cell for cell in cells]

    shown = table([0.02, 0.03, -0.01])
    assert sorted(has_colour(drawn(shown))) == [False, False, False, True]
    shown.table["clear"] = False
    html = drawn(shown)
    assert {kind for kind, *_ in bars(html)} == {"level", "level untested"}
    assert has_colour(html) == [False] * 4


def test_what_groups_add_is_the_whole_as_printed_also_with_some_hidden() -> None:
    html = drawn(table([0.0296, 0.0296, 0.0296]))  # 0.0888
    amounts = re.findall(r"adds </span><b[^>]*>([^<]+)</b>", html)
    assert amounts[-1] == "+0.089" and sorted(amounts[:-1]) == ["+0.029", "+0.030", "+0.030"]
    html = drawn(table([0.0021] * 20))
    amounts = re.findall(r"adds </span><b[^>]*>([^<]+)</b>", html)
    assert "8 more groups" in html and len(amounts) == 14 and amounts[-1] == "+0.042"
    numbers = [float(text.replace(w.MINUS, "-")) for text in amounts]
    assert round(sum(numbers[:-1]), 3) == numbers[-1]
    last = bars(html)[-2]
    assert abs(last[1] + last[2] - 100) < 0.02


def steps(shown: Breakdown, most: int, measure: str = "nDCG@10") -> str:
    drawing = drawing_of(STYLES, measure=measure)
    asked = GroupTableRequest()
    found = select_groups(shown, asked, is_single_run=False, max_rows=most)
    return str(draw_waterfall(found, shown, drawing))


def test_a_waterfall_ends_at_the_whole_with_the_other_groups_in_one_row() -> None:
    shown = table([0.02, 0.03, -0.01])
    assert [kind for kind, *_ in bars(steps(shown, 8))][2:] == ["level", "level"]
    shown.table.loc[3, "clear"] = True
    html = steps(shown, 8)
    assert [kind for kind, *_ in bars(html)] == ["level untested", "better", "level", "better"]
    left = [round(place * 1.25, 1) for _, place, _ in bars(html)]  # a fifth is kept for numbers
    assert left == [0, 60, 80, 0] and EVIL not in html
    html = steps(table([0.0021] * 20), 7)
    names = re.findall(r'scope="row".*?<bdi>([^<]+)</bdi>', html)
    assert len(names) == 9 and names[-2:] == ["13 others", "All"]
    amounts = re.findall(r'class="amount"[^>]*><span[^>]*>([^<]+)<', html)
    numbers = [float(text.replace(w.MINUS, "-")) for text in amounts]
    assert len(numbers) == 9 and round(sum(numbers[:-1]), 3) == numbers[-1] == 0.042
    assert bars(html)[-2][1] + bars(html)[-2][2] == pytest.approx(80, abs=0.1)
    assert bars(steps(table([-0.02, -0.02, -0.01]), 8, "NumNonrelRet"))[0][0] == "better"


def test_a_row_says_how_its_part_comes_about_and_leads_to_its_queries() -> None:
    html = drawn(table([0.02, 0.03, -0.01]))
    assert "9/40 × +0.089 = +0.020" in Page(html).text or "9/40 × +0.089 = +0.020" in html
    assert html.count('href="./queries?') == 3 and "<script>" not in html
    assert "95% interval" in html and html.count('class="interval"') == 3
    assert html.count("<small>not tested</small>") == 1, "that without an interval"
    assert html.count('class="change better clear"') == 1


def ticks_of(html: str) -> list[str]:
    row = html.partition('class="ticks"')[2].partition("</span>")[0]
    return re.findall(r">([^<]+)</i>", row)


def test_an_interval_far_wider_than_the_others_runs_off_their_scale() -> None:
    shown = table([0.02, 0.03, -0.01, 0.01])
    ticks = ["−0.2", "0", "+0.2"]
    assert "▸ beyond" not in drawn(shown) and ticks_of(drawn(shown)) == ticks
    shown.table.loc[3, ["diff_low", "diff_high"]] = [-0.1, 1.9]
    html = drawn(shown)
    assert "▸ beyond" in html and ticks_of(html) == ticks
    assert html.count("off-right") == 1 and "off-left" not in html
    assert "[−0.100, 1.900]" in html, "the pointer and who hears it are told the whole"
    left, width = re.findall(r'interval off-right" style="left:([\d.]+)%;width:([\d.]+)%', html)[0]
    assert float(left) + float(width) == pytest.approx(100)


def test_heads_rank_the_rows_and_turn_the_order_round() -> None:
    html = drawn(table([0.02, 0.03, -0.01]))
    assert 'aria-sort="descending"><a href="./breakdown?ranked=adds"' in html
    assert 'href="./breakdown?ranked=-difference"' in html and "ranked=group" in html
    html = drawn(table([0.02, 0.03, -0.01]), ranked="difference")
    assert 'aria-sort="ascending"><a href="./breakdown?ranked=-difference"' in html


def test_nothing_at_all_is_drawn_without_a_fault() -> None:
    assert "0.000" in drawn(table([0.0, 0.0, 0.0]))


def test_columns_that_do_not_fit_are_folded_but_for_the_chosen_one() -> None:
    choices = [Choice(f"own {i}", "./x", "own") for i in range(4)]
    choices += [Choice(EVIL, "./x", "computed", is_chosen=True), Choice("pair", "./x", "crossed")]
    html = str(draw_column_choice(choices, max_visible={"own": 2, "crossed": 1, "computed": 0}))
    assert "2 </span>more" in html and html.index("own 1") < html.index("pair") < html.index(
        "computed:"
    )
    assert html.count('aria-current="true"') == 1 and "<script>" not in html


def test_a_slice_says_what_its_queries_share() -> None:
    found = UnlikeSlice([("c1", False), (EVIL, True)], (), 12, "−0.300", "+0.100", False, 3, "a")
    html = str(draw_slice_rows([found], make_slice_link=lambda _: "./queries?where=x"))
    page = Page(html)
    assert "c1 and" in page.text and "computed" in page.text
    assert "12 queries" in page.text
    assert "−0.300 against +0.100 elsewhere" in page.text and "a scores 0 on 3" in page.text
    assert 'class="worse"' in html and "<script>" not in html
