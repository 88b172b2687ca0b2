"""The address and what it means."""

from __future__ import annotations

import pytest

from dashboard.literal import literal
from dashboard.theme import DARK, LIGHT, run_styles
from dashboard.view import (
    Address,
    choose_runs,
    default_baseline,
    measure_choices,
    read_cutoff,
    read_measure,
    read_where,
)
from metrics_core.measures import declarations


def test_every_measure_of_quality_can_be_picked() -> None:
    picked = {choice.declaration.name for choice in measure_choices()}
    # One that needs more than a cutoff is chosen by typing its name.
    more = {d.name for d in declarations() if d.parameter(d.at) and d.at != "cutoff"}
    assert picked == {d.name for d in declarations() if d.aggregation == "mean"} - more
    keys = [choice.key for choice in measure_choices()]
    assert len(keys) == len(set(keys))
    assert keys[:5] == ["nDCG@k", "P@k", "R@k", "RR", "AP"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("nDCG@k", "nDCG@7"),
        ("nDCG", "nDCG"),
        ("AP", "AP"),
        ("AP@k", "AP@7"),
        ("P(rel=2)@k", "P(rel=2)@7"),
        ("bogus", "nDCG@7"),
        ("", "nDCG@7"),
    ],
)
def test_the_measure_of_an_address(key: str, name: str) -> None:
    assert str(read_measure(key, 7)[0]) == name


@pytest.mark.parametrize(
    ("text", "cutoff"),
    [("5", 5), ("", 10), ("-3", 10), ("x", 10), ("0", 10), ("9999", 1000), ("٣", 10)],
)
def test_the_cutoff_of_an_address(text: str, cutoff: int) -> None:
    assert read_cutoff(text, deepest=1000) == cutoff


def test_filters_name_what_there_is() -> None:
    groups = {"category": ["A", "B=C"]}
    pairs = ["category=A", "category=B=C", "category=Z", "other=A", "nonsense"]
    assert read_where(pairs, groups) == (("category", "A"), ("category", "B=C"))


def test_the_baseline_is_the_run_that_is_named_like_one() -> None:
    assert default_baseline(["dense", "BM25-tuned"]) == "BM25-tuned"
    assert default_baseline(["dense", "hybrid"]) == "dense"


def test_a_single_run_is_compared_with_itself() -> None:
    assert choose_runs(Address(), ["one"], ["one"]) == ("one", "one", ())


def test_nobody_else_may_be_shown() -> None:
    names = ["a", "b", "c"]
    assert choose_runs(Address(also=("-",)), names, names)[2] == ()
    assert choose_runs(Address(also=("c",)), names, names)[2] == ("c",)


def test_the_baseline_is_drawn_in_ink_whichever_run_it_is() -> None:
    styles = run_styles(["a", "b"], {"a": 0, "b": 1}, focus="b", baseline="a")
    assert styles["a"].color(LIGHT) == LIGHT.baseline
    assert styles["a"].dash != "solid"
    assert styles["b"].color(DARK) == DARK.run_2
    swapped = run_styles(["a", "b"], {"a": 0, "b": 1}, focus="a", baseline="b")
    assert swapped["a"].color(LIGHT) == LIGHT.run_1


def test_beyond_four_runs_grey() -> None:
    styles = run_styles(["x"], {"x": 6}, focus="y", baseline="z")
    assert styles["x"].color(LIGHT) == LIGHT.run_more


@pytest.mark.parametrize(
    "text",
    ["**bold**", "`code`", "$x^2$", ":red[x]", ":smile:", "[a](b)", "# head", "<b>", "a -> b"],
)
def test_markdown_is_escaped(text: str) -> None:
    shown = literal(text)
    for character in "*`$[]#<":
        assert shown.count(character) == shown.count(f"\\{character}")
