"""The sheet of what leaves holds the rules that something in it meets."""

from __future__ import annotations

import pytest

from dashboard.drawing.report import sheet

CSS = """
/* a comment { .lens .gone } */
.lens .kept, .other .gone { color: red; }
.lens .gone { color: blue; }
.lens :is(.kept, .gone) b { margin: 0; }
.lens :is(.gone, .lost) { margin: 1px; }
.lens .kept:not(.gone) { margin: 2px; }
@media (max-width: 640px) { .lens .gone { top: 0; } .lens .kept { top: 1px; } }
@media print { .lens .gone { top: 2px; } }
@keyframes turning { to { rotate: 1turn; } }
"""


def test_rules_that_nothing_meets_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(sheet._split_rules(sheet._COMMENT.sub("", CSS)))
    monkeypatch.setattr(sheet, "_read_common_rules", lambda: rules)
    found = sheet.make_sheet_for_markup(
        '<p class="lens answer"><b class="kept">x</b></p>', ".own{}"
    )
    kept = found.removeprefix(sheet.css_variables())
    assert kept == (
        ".lens .kept, .other .gone{color: red;}"
        ".lens :is(.kept, .gone) b{margin: 0;}"
        ".lens .kept:not(.gone){margin: 2px;}"
        "@media (max-width: 640px){.lens .kept{top: 1px;}}"
        "@keyframes turning{to { rotate: 1turn; }}"
        ".own{}"
    )


def test_the_real_sheet_is_read_whole() -> None:
    rules = sheet._read_common_rules()
    assert len(rules) > 500
    assert all(head and head.count("(") == head.count(")") for head, _ in rules)
    assert {head.split(" ")[0] for head, _ in rules if head.startswith("@")} <= {
        *("@media", "@container", "@keyframes", "@supports"),
    }
