"""The ledger, the headroom, what if and a document's card as they are drawn."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd

from dashboard.answers.document import DocumentCard
from dashboard.drawing.blocks.document_card import draw_document_card
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.ledger import (
    draw_headroom_bar,
    draw_ledger_rows,
    ledger_contributions,
)
from dashboard.drawing.blocks.word_marks import make_excerpt
from metrics_core.base import wording as w
from metrics_core.explaining.headroom import Headroom
from tests.dashboard.drawing.blocks.test_blocks import DOCUMENTS, DRAWING, Page

NAN = math.nan
GRADES = Grades.from_grades([0, 1, 2, 3])


def steps(*rows: tuple[str, float, float, float, float, int]) -> pd.DataFrame:
    columns = ["doc_id", "grade", "rank", "baseline_rank", "part", "documents"]
    return pd.DataFrame(list(rows), columns=columns)


def test_a_ledger_writes_out_its_sum_and_says_where_a_document_went() -> None:
    rows = steps(
        ("a", 3, 2, 1, -0.195, 1),
        ("b", 2, 11, 9, -0.106, 1),
        ("c", 1, NAN, 4, -0.05, 1),
        ("d", 1, 1, NAN, 0.065, 1),
    )
    part = draw_ledger_rows(
        rows, (0.744, 0.458), DRAWING, DOCUMENTS, GRADES, document_link=lambda d: f"?doc={d}"
    )
    text = Page(part).text
    assert "= 0.744 − 0.195 − 0.106 − 0.050 + 0.065" in text
    k = w.format_count(DRAWING.cutoff)
    assert "fell 1 to 2" in text or "1 to 2" in text
    assert "rank 4, no longer listed" in text and "new at rank 1" in text
    assert f"out of the top {k}" in text or DRAWING.cutoff < 9
    assert re.findall(r'href="([^"]+)"', part).count("?doc=a") == 2


def test_what_a_ledger_writes_out_adds_up_as_printed() -> None:
    rows = steps(("a", 3, 2, 1, -0.1954, 1), ("b", 1, 1, NAN, 0.0654, 1))
    part = draw_ledger_rows(
        rows, (0.7444, 0.6144), DRAWING, DOCUMENTS, GRADES, document_link=lambda d: d
    )
    assert "= 0.744 − 0.195 + 0.065" in Page(part).text
    rows = steps(("a", 3, 2, 1, -0.1004, 1), ("b", 1, 1, NAN, -0.1004, 1))
    part = draw_ledger_rows(
        rows, (0.7009, 0.5001), DRAWING, DOCUMENTS, GRADES, document_link=lambda d: d
    )
    text = Page(part).text
    assert "= 0.701 − 0.100 − 0.101" in text and "0.500" in text


def test_each_bar_begins_where_the_last_one_ended() -> None:
    rows = steps(("a", 1, 2, 1, -0.3, 1), ("b", 1, 1, 2, 0.1, 1))
    part = draw_ledger_rows(rows, (0.8, 0.6), DRAWING, DOCUMENTS, GRADES, document_link=lambda d: d)
    bars = re.findall(r'class="bar \w+" style="left:([\d.]+)%;width:([\d.]+)%"', part)
    (left, width), (second, _) = [(float(a), float(b)) for a, b in bars]
    assert second == left and width > 0


def test_the_largest_parts_of_a_ledger_come_first_and_adds_up_as_printed() -> None:
    rows = steps(
        ("a", 3, 2, 1, -0.1954, 1),
        ("b", 2, 11, 9, -0.1064, 1),
        ("c", 1, NAN, 4, -0.0504, 1),
        ("d", 1, 1, NAN, 0.0304, 1),
        ("3 other documents", NAN, NAN, NAN, 0.0104, 3),
    )
    told, most, rest = ledger_contributions(
        rows, (0.7444, 0.433), DRAWING, DOCUMENTS, document_link=lambda d: f"?doc={d}"
    )
    assert most == 3 and round(rest, 3) in (0.040, 0.041)
    assert [entry.kind for entry in told] == ["worse"] * 3 + ["better"] * 2
    assert round(sum(entry.part for entry in told), 3) == -0.311
    assert [entry.moved for entry in told] == ["1 → 2", "9 → 11", "4, not listed", "new at 1", ""]
    assert [entry.link for entry in told] == [*(f"?doc={d}" for d in "abcd"), ""]
    _, most, _ = ledger_contributions(
        rows.head(4), (0.7, 0.379), DRAWING, DOCUMENTS, document_link=lambda d: d
    )
    assert most == 4, "one more is no fold"


def test_report_and_ledger_print_a_part_alike() -> None:
    for seed in range(20):
        parts = np.random.default_rng(seed).normal(-0.05, 0.08, 6)
        rows = steps(
            *((name, 1, 2, 1, part, 1) for name, part in zip("abcdef", parts, strict=True))
        )
        ends = 0.9, 0.9 + parts.sum()
        told, _, rest = ledger_contributions(
            rows, ends, DRAWING, DOCUMENTS, document_link=lambda d: d
        )
        whole = draw_ledger_rows(rows, ends, DRAWING, DOCUMENTS, GRADES, document_link=lambda d: d)
        in_rows = re.findall(r'<i class="amount clear \w+" style="[^"]*">(.*?)</i>', whole)
        largest = [in_rows[i] for i in np.argsort(-np.abs(parts), kind="stable")]
        folded = sum(float(part.replace("−", "-")) for part in largest[3:])
        assert [w.format_difference(entry.part) for entry in told] == largest
        assert w.format_difference(folded) == w.format_difference(rest)


def test_a_headroom_bar_names_what_is_not_nothing() -> None:
    one = [np.array([v]) for v in (0.5, 0.25, 0.0, 0.25)]
    text = Page(draw_headroom_bar(Headroom(*one), DRAWING)).text
    assert "achieved (ideal: 1.000) 0.500" in text and "wrong order in the top" in text
    assert "never retrieved 0.250" in text and "below" not in text
    # A part that is the whole loss is printed as the loss is; the parts still add up.
    one = [np.array([v]) for v in (0.3199, 0.50652, 0.17358, 0.0)]
    text = Page(draw_headroom_bar(Headroom(*one), DRAWING)).text
    assert "0.506" in text and "0.174" in text
    text = Page(draw_headroom_bar(Headroom(*one), DRAWING, -0.50652)).text
    assert "0.507" in text and "0.173" in text
    nothing = Headroom(*(np.zeros(1) for _ in range(4)))
    assert draw_headroom_bar(nothing, DRAWING) == ""


def card(**told: object) -> str:
    standings = pd.DataFrame(
        [("bm25", 3.0, 1.5, 10, True), ("hybrid", NAN, NAN, 0, True)],
        columns=["run", "rank", "score", "listed", "known"],
    )
    given = {"doc_id": "d1", "title": "", "text": "", "grade": NAN, "standings": standings, **told}
    return draw_document_card(DocumentCard(**given), DRAWING, GRADES, ["cat"])  # type: ignore[arg-type]


def test_a_card_is_harmless_whatever_the_document_holds() -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)> \u202ecat"
    part = card(title=bad, text=bad, fields={"<b>": bad, "url": "javascript:alert(1)"})
    assert "<script" not in part and "<img" not in part and "<b>:" not in part
    assert 'href="javascript' not in part


def test_a_field_that_is_an_address_is_a_link_and_a_long_text_is_folded() -> None:
    part = card(text="cats and dogs\n" * 80_000, fields={"url": "https://example.org/a?b=1"})
    assert 'href="https://example.org/a?b=1"' in part
    assert "<details" in part and "more characters are not shown" in part
    assert len(part) < 400_000 and "<mark>cats</mark>" in part
    assert "rank 3 of 10" in Page(part).text and "not among the 0 listed" in Page(part).text


def test_an_excerpt_begins_near_the_first_word_that_was_asked_for() -> None:
    late = "nothing here " * 30 + "the cat sat down"
    assert make_excerpt(late, ["cat"], 100).startswith("… ") and "cat" in make_excerpt(
        late, ["cat"], 100
    )
    assert make_excerpt("the cat sat", ["cat"], 100) == "the cat sat"
    assert make_excerpt("x" * 500, ["cat"], 100) == "x" * 100
    # Within the 38 characters of one line of the narrowest list.
    second_line = "The map is made and stored on the robot and copied to our servers"
    assert make_excerpt(second_line, ["robot"], 100).index("robot") < 30
    assert make_excerpt(second_line, ["robot"], 100, max_before=0).startswith("… robot and")
