"""The filter line while it is typed: what is offered, what takes it, what applies the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import expect

from metrics_core.slicing.filtering import FilterColumns, make_completion_data
from tests.browser.conftest import Opened, settle
from tests.browser.test_paths import parameters

ROOT = Path(__file__).resolve().parents[2]
EVIL = '<img src=x onerror="alert(1)">\''
COLUMNS: FilterColumns = {
    "category": np.array(["billing", "Returns", None, "billing"], dtype=object),
    "words in it": np.array(["a", EVIL, "a", None], dtype=object),
    "difference": np.array([-0.333, -0.1, np.nan, 0.2]),
    "titles-only": np.array([0.0, 1.0, 0.5, 0.25]),
    "words": np.array([2.0, 9.0, 5.0, np.nan]),
}
FOLLOWING = {
    "": ["category", "`words in it`", "difference", "titles-only", "words"],
    "wor": ["`words in it`", "words"],
    "WORDS": ["`words in it`", "words"],
    "only": ["titles-only"],
    "words ": ["==", "!=", "<", "<=", ">", ">=", "in"],
    "Category ": ["==", "!=", "contains", "in", "not in"],
    "category con": ["contains"],
    "category not ": ["in", "contains"],
    "category == ": ['"billing"', '"Returns"', "`words in it`"],
    'category == "b': ['"billing"'],
    "category == ret": ['"Returns"'],
    "category contains 'bil": ['"billing"'],
    "`words in it` == ": ['"a"', '"<img src=x onerror=""alert(1)"">\'"', "category"],
    "words > ": ["difference", "titles-only"],
    "words > -5.5e1 ": ["and", "or"],
    "words > 5 a": ["and"],
    "(words > 5 ": ["and", "or", ")"],
    "(words > 5) ": ["and", "or"],
    "not category in ": ["("],
    'category in ("billing" ': [",", ")"],
    'category in ("billing", ': ['"billing"', '"Returns"'],
    "words \u2265 5 and dif": ["difference"],
    "words ; ": [],
    "words > 5) ": [],
    "wordz > 5 ": [],
    "words contains ": [],
    'words == "5" ': [],
    "category == words ": [],
}
OFFER = """([source, lines, known]) => {
  const { completionsOf, completedLine } =
    new Function(`${source}; return { completionsOf, completedLine }`)();
  const found = lines.map((line) => completionsOf(line, line.length, known));
  const middle = "words > 5 and cat and category contains 'a'";
  return [found.map((f) => f.options.map((o) => o.written)),
    completedLine(middle, completionsOf(middle, 17, known), 'category').line];
}"""


def test_a_line_is_completed_while_it_is_typed(sample_app: str, open_page: Opened) -> None:
    page = open_page(f"{sample_app}/queries")
    source = (ROOT / "dashboard" / "components" / "filter_words.js").read_text("utf-8")
    offered: Any = page.evaluate(OFFER, [source, list(FOLLOWING), make_completion_data(COLUMNS)])
    assert dict(zip(FOLLOWING, offered[0], strict=True)) == FOLLOWING
    assert offered[1] == "words > 5 and category and category contains 'a'"

    field = page.get_by_role("combobox", name="Search or filter")
    entries = page.get_by_role("option")
    field.press_sequentially("cat")
    expect(entries).to_have_text(["category texts"])
    # The first word may be one to search for: nothing is taken unless it is asked for.
    expect(field).not_to_have_attribute("aria-activedescendant", "entry-0")
    page.keyboard.press("Tab")
    expect(field).to_have_value("category ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("category == ")
    entries.filter(has_text="Devices").click()
    expect(field).to_have_value('category == "Devices" ')
    page.keyboard.press("Escape")
    expect(entries).to_have_count(0)
    # A page that is read for the first time may write its runs into the address meanwhile.
    assert "filter" not in parameters(page), "nothing is asked before the line is whole"
    page.keyboard.press("Enter")
    page.wait_for_url(lambda now: "filter=" in now)
    settle(page)
    assert parameters(page)["filter"] == ['category == "Devices"']
    expect(page.get_by_role("heading", name="25 of 104 queries", exact=True)).to_be_visible()
    field.press_sequentially(" and wods > 5")
    expect(entries).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".wrong-line mark")).to_have_text("wods")
    expect(field).to_have_attribute("aria-invalid", "true")
    page.go_back()
    settle(page)
    expect(field).to_have_value('category == "Devices"')
