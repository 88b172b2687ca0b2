"""Help through AppTest: the keys that open pages are those of the pages' table."""

from __future__ import annotations

from dashboard.app_pages.menu import PAGES
from tests.dashboard.conftest import drawn, opened, text_of


def test_every_letter_opens_one_page_of_the_rail() -> None:
    letters = [page.key for page in PAGES if page.group != "none"]
    assert all(letters) and len(set(letters)) == len(letters)
    shown = opened("help")
    for page in PAGES:
        if page.key:
            assert f"<kbd>{page.key.upper()}</kbd></dt><dd>{page.title}</dd>" in drawn(shown)
    assert "No key acts while a field has the focus" in text_of(shown)


def test_the_words_of_the_pages_come_first() -> None:
    shown = text_of(opened("help"))
    assert shown.index("too few queries") < shown.index("the menu of collections")
    assert "a difference of means is coloured. That of a single query is a fact" in shown
    for word in ("place, bracket", "fixed, broken", "median win", "slice"):
        assert word in shown
