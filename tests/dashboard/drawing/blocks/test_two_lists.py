"""The two lists: real grades, what a long list folds, and the missed documents that open."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from dashboard.drawing.blocks import query
from dashboard.drawing.blocks.two_lists import draw_list_links, draw_two_lists
from tests.dashboard.drawing.blocks.test_blocks import (
    DOCUMENTS,
    DRAWING,
    GRADES,
    LISTS,
    STYLES,
    Page,
    layers,
    small_diagnosis,
    texts_of,
)

LONG = {
    "bm25": [f"d{i}" for i in range(1000)],
    "hybrid": ["x", *(f"d{i}" for i in range(999))],
}


def rows_of(part: str) -> list[str]:
    """Class of each row of both lists."""
    return re.findall(r'<li class="(relevant|other)\b', part)


def test_grades_with_decimals_mark_rows() -> None:
    found = small_diagnosis(LISTS, {"a": 0.9, "b": 0.5, "c": 0.0, "f": 0.5, "g": 0.9})
    part = draw_two_lists(found, DRAWING, DOCUMENTS, [])
    assert rows_of(part) == ["relevant", "relevant", "other", "other", "other", "relevant"]
    # a fell and is joined by a thick line; b left the top.
    assert layers(part)["worse"].count('stroke-width="4.2"') == 1
    tones = re.findall(r'<small class="(\w*)"', part)
    assert tones == ["worse", "worse", "", "", "", "worse"]


def test_tints_are_those_of_the_collection_above_and_in_the_lists() -> None:
    found = small_diagnosis(LISTS, {"a": 1, "b": 1})
    collection = dict.fromkeys((0.0, 1.0, 2.0, 3.0), "")
    parts = {
        "tile": query.draw_ranks_by_run(found, STYLES, collection),
        "line": draw_two_lists(found, DRAWING, DOCUMENTS, [], collection),
        "grade": query.draw_missed_documents(found, DOCUMENTS, STYLES, 5, collection),
    }
    for place, part in parts.items():
        own = re.sub(r'<div class="legend">.*', "", part)
        assert set(re.findall(r"\bg[123]\b", own)) == {"g1"}, place


def test_a_list_shows_its_first_ranks_below_its_score_and_grades() -> None:
    found = small_diagnosis(LONG, {"d0": 2, "d500": 1}, cutoff=1000)
    part = draw_two_lists(found, DRAWING, pd.DataFrame(), [], n_rows=100)
    assert len(rows_of(part)) == 200
    drawn = layers(part)
    # One line for each document that both show, and none that ends below what is shown.
    assert drawn["worse"].count("<path") == 1 and drawn["line"].count("<path") == 98
    assert f'height="{100 * 34}"' in drawn["line"]
    assert len(Page(part).having("tile")) == 2 * 30, "no more squares than there is room for"
    assert len(Page(query.draw_ranks_by_run(found, STYLES)).having("tile")) == 40, "squares as ever"


def test_beyond_k_a_list_is_marked_where_k_ends() -> None:
    part = draw_two_lists(
        small_diagnosis(LONG, {"d0": 2}, cutoff=3), DRAWING, DOCUMENTS, [], n_rows=5
    )
    assert part.count(' last">') == 2 and len(rows_of(part)) == 10
    assert len(Page(part).having("rule")) == 2


def test_for_a_distance_a_row_is_one_line() -> None:
    found = small_diagnosis(LONG, {"d0": 2}, cutoff=3)
    texts = pd.DataFrame(
        {"title": ["A title " + "far " * 20 + "too long", ""], "text": ["", "first words"]},
        index=["d0", "d1"],
    )
    part = draw_two_lists(found, DRAWING, texts, [], n_rows=10, one_line=True)
    shown = Page(part).text
    assert "A title far" in shown and "first words" in shown
    assert "d2" in shown, "without title and text its id"
    assert "<details" not in part and not Page(part).having("tile") and len(rows_of(part)) == 20
    assert f'height="{10 * 24}"' in layers(part)["line"] and layers(part)["worse"]


def test_for_a_distance_the_best_document_that_moved_is_the_last_row() -> None:
    lists = {"bm25": LONG["bm25"][:50], "hybrid": ["d40", "d0", "d20", "d30"]}
    found = small_diagnosis(lists, {"d40": 2, "d20": 1, "d30": 0})
    part = draw_two_lists(found, DRAWING, pd.DataFrame(), [], n_rows=3, one_line=True)
    shown = Page(part).text
    assert len(rows_of(part)) == 4 + 3 and "41" in shown and "▲rose to 1" in shown
    # The line ends at the fourth row, not at rank 41.
    assert layers(part)["better"].count("<path") == 1
    assert f'height="{4 * 24}"' in layers(part)["better"]


def test_several_lists_say_how_each_document_moved_from_the_baseline() -> None:
    lists = {"bm25": ["a", "b", "c"], "hybrid": ["b", "a"], "dense": ["c", "a"]}
    found = small_diagnosis(lists, {"a": 1})
    part = draw_two_lists(found, DRAWING, DOCUMENTS, [], further_ids=["dense"], n_rows=3)
    assert not Page(part).having("joins")
    moves = texts_of(r"<small[^>]*>(.*?)</small>", part)
    assert moves == ["", "", "", "▲rose from 2", "▼fell from 1", "▲rose from 3", "▼fell from 1"]


@pytest.mark.parametrize(
    ("shown", "listed", "k", "told"),
    [
        (5, 100, 10, {"Ranks 6 to 10": 10, "All 100": 100}),
        (10, 100, 10, {"Ranks 11 to 100": 100, "First five": 5}),
        (5, 1000, 1000, {"Ranks 6 to 100": 100, "All 1,000": 1000}),
        (100, 1000, 10, {"Ranks 101 to 200": 200, "All 1,000": 1000, "First five": 5}),
        (5, 7, 3, {"Ranks 6 to 7": 7}),
        (5, 5, 10, {}),
        (5, 0, 10, {}),
    ],
)
def test_the_ways_to_more_ranks(shown: int, listed: int, k: int, told: dict[str, int]) -> None:
    part = draw_list_links(
        shown, listed, k, 5, rows_link=lambda n: f"?n={n}", beside_link=("three", "?b")
    )
    links = [own["href"] for tag, own in Page(part).found if tag == "a"]
    assert texts_of(r"<a[^>]*>(.*?)</a>", part) == [*told, "three"]
    assert links == [*(f"?n={n}" for n in told.values()), "?b"]


def test_only_documents_in_both_shown_lists_are_joined() -> None:
    lists = {
        "bm25": [f"d{i}" for i in range(300)],
        "hybrid": [f"d{i}" for i in range(1, 300)] + ["d0"],
    }
    found = small_diagnosis(lists, {"d0": 3}, cutoff=300)
    short = draw_two_lists(found, DRAWING, pd.DataFrame(), [], n_rows=100)
    whole = draw_two_lists(found, DRAWING, pd.DataFrame(), [], n_rows=300)
    assert "worse" not in layers(short)
    line = re.findall(r'd="([^"]*)"', layers(whole)["worse"])
    assert len(line) == 1
    assert line[0].endswith(f" {299 * 34 + 17}")


def test_missed_documents_open_their_text() -> None:
    part = query.draw_missed_documents(small_diagnosis(LISTS, GRADES), DOCUMENTS, STYLES, 100)
    page = Page(part)
    opening = texts_of(r"<details[^>]*>(.*?)</details>", part)
    assert opening == ["Refund <i> bText"], "b has a text; f and g have none"
    assert part.count("<summary>") == 1 and len(page.having("whole")) == 1


def test_a_document_without_a_title_is_told_by_its_first_words() -> None:
    documents = pd.DataFrame(
        {"title": ["", "T", " ", ""], "text": ["a <b> " * 40, "text", "short", "x" * 900]},
        index=["a", "b", "c", "d"],
    )
    first = query.first_words(documents, "a")
    assert first.startswith("a <b> a") and first.endswith(" …") and len(first) <= 80
    assert query.first_words(documents, "c") == "short"
    assert query.first_words(documents, "b") == query.first_words(documents, "nobody") == ""
    assert len(query.first_words(documents, "d")) <= 80


def test_what_is_known_of_a_query_is_named_and_the_long_folded() -> None:
    known = {"category": "Devices", "narrative": "x" * 40, "b": "1", "c": "2", "d": "3", "e": "4"}
    part = query.draw_query_heading("vinegar", "q1", known, "ranked too low")
    assert texts_of(r"<li[^>]*>(.*?)</li>", part)[:4] == [
        "category: Devices",
        "b: 1",
        "c: 2",
        "d: 3",
    ]
    assert "<summary>narrative, e</summary>" in part and "likely cause: ranked too low" in part
    assert "query q1" in Page(part).text
    assert "query q1" not in Page(query.draw_query_heading("q1", "q1", {})).text, (
        "the title says it"
    )


def test_what_only_the_top_of_the_baseline_lacks_is_folded() -> None:
    lists = {"bm25": ["a", "x", "y", "b"], "hybrid": ["b", "a"]}
    part = query.draw_missed_documents(
        small_diagnosis(lists, {"a": 1, "b": 1}), DOCUMENTS, STYLES, 5
    )
    text = Page(part).text
    assert "Every relevant document is in the top 3 of hybrid." in text
    assert "and 1 more missing only in the top 3 of bm25" in text
