"""Help through AppTest: the keys that open pages are those of the pages' table."""

from __future__ import annotations

import re

from dashboard.app_pages.menu import PAGES
from metrics_core.formats.registry import formats
from tests.dashboard.conftest import drawn, opened, text_of


def test_every_letter_opens_one_page_of_the_rail() -> None:
    letters = [page.key for page in PAGES if page.group != "none"]
    assert all(letters) and len(set(letters)) == len(letters)
    shown = opened("help")
    for page in PAGES:
        if page.key:
            assert f"<kbd>{page.key.upper()}</kbd></dt><dd>{page.title}</dd>" in drawn(shown)
    assert "Shortcuts do not work while you type in a field" in text_of(shown)


def test_the_words_of_the_pages_come_first() -> None:
    shown = text_of(opened("help"))
    assert shown.index("too few queries") < shown.index("open the collections menu")
    assert shown.index("Teal is better") < shown.index("too few queries")
    assert "a difference is not significant or, on one query, at most 0.01." in shown
    assert "A query is good if its score is at least two thirds" in shown
    for word in (
        "thick line",
        "fixed or broken query",
        "median difference",
        "simultaneous",
        "worst case",
        "baseline",
        "tied",
        "nDCG",
        "judged share",
        "false discovery rate",
    ):
        assert word in shown


def test_the_glossary_can_be_searched() -> None:
    shown = text_of(opened("help", find="HEADROOM"))
    assert "What a run could still gain" in shown and "Teal is better" not in shown
    assert "No entry matches." in text_of(opened("help", find="zebra"))


def test_the_first_run_leads_to_every_format_with_an_example() -> None:
    link = re.search(r'href="./(help[^"]*)"[^>]*>All formats', drawn(opened("data", set="own")))
    assert link is not None and "about=formats" in link[1]
    shown = opened("help", about="formats")
    told = text_of(shown)
    for own in formats():
        assert own.title in told and " ".join(own.example.split()) in told
    assert "too few queries" not in told and ">Glossary and keyboard shortcuts<" in drawn(shown)
    assert ">All formats<" in drawn(opened("help"))
