"""The address and what it means."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dashboard.address.address import Address, Field
from dashboard.address.measure_key import (
    DEFAULT_MEASURE,
    MeasureChoice,
    explain_typed_name,
    explain_unsupported,
    key_for_whole_list,
    key_with_typed_value,
    key_with_value,
    measure_choices,
    pick_measure,
    picker_parameters,
    read_measure,
)
from dashboard.address.view import (
    Comparison,
    choose_runs,
    explain_missing_items,
    read_cutoff,
)
from dashboard.app_pages.parts.markdown import escape_markdown
from metrics_core.base.errors import RanklensError
from metrics_core.measures import declarations

NDCG = read_measure("", 10)


def test_every_measure_that_pages_can_draw_can_be_picked() -> None:
    choices = measure_choices()
    names = [choice.name for choice in choices]
    assert sorted(names) == sorted(d.name for d in declarations() if not explain_unsupported(d))
    assert [choice.key for choice in choices[:5]] == ["nDCG@k", "P@k", "R@k", "RR", "AP"]
    assert len({choice.label for choice in choices}) == len(choices)


@pytest.mark.parametrize("choice", measure_choices(), ids=lambda c: c.name)
def test_what_is_picked_can_be_drawn_and_found(choice: MeasureChoice) -> None:
    assert pick_measure(choice.name, 7) == pick_measure(choice.label, 7) == {"m": choice.key}
    chosen = read_measure(choice.key, 7)
    assert chosen.refused is None and chosen.key == choice.key
    assert chosen.measure.declaration is choice.declaration
    assert chosen.measure.cutoff == (7 if chosen.takes_k else None)
    found = re.sub(r"[\s_-]", "", choice.label).lower()
    for name in (choice.name, *choice.declaration.aliases):
        assert re.sub(r"[\s_-]", "", name).lower() in found
    for name in choice.declaration.trec_eval:
        assert re.sub(r"_\{.*|[\s_-]", "", name).lower() in found


@pytest.mark.parametrize(
    ("key", "name", "shown"),
    [
        ("nDCG@k", "nDCG@7", "nDCG@k"),
        ("nDCG", "nDCG", "nDCG"),
        ("AP", "AP", "AP"),
        ("AP@k", "AP@7", "AP@k"),
        ("P(rel=2)@k", "P(rel=2)@7", "P(rel=2)@k"),
        ("P(rel=1)@k", "P@7", "P@k"),
        ("bogus", "nDCG@7", "nDCG@k"),
        ("NumRet", "nDCG@7", "nDCG@k"),
        ("", "nDCG@7", "nDCG@k"),
    ],
)
def test_the_measure_of_an_address(key: str, name: str, shown: str) -> None:
    chosen = read_measure(key, 7)
    assert (str(chosen.measure), chosen.key) == (name, shown)
    assert (chosen.refused is not None) == (key in ("bogus", "NumRet"))


@pytest.mark.parametrize(
    ("typed", "changes"),
    [
        ("ndcg_cut_5", {"m": "nDCG@k", "k": "5"}),
        ("precision@3", {"m": "P@k", "k": "3"}),
        ("P(rel=2)@k", {"m": "P(rel=2)@k", "k": "7"}),
        ("P(rel=2)", {"m": "P(rel=2)@k", "k": "7"}),
        ("hit rate", {"m": "Success@k", "k": "7"}),
        ("mrr", {"m": "RR"}),
        (" map ", {"m": "AP"}),
        ("P", {"m": "P@k"}),
    ],
)
def test_a_typed_name(typed: str, changes: dict[str, str]) -> None:
    assert pick_measure(typed, 7) == changes


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("precison@5", "Did you mean P"),
        ("P(reel=2)@5", "Did you mean 'rel'?"),
        ("NumRet", "is a sum over queries"),
        ("P@0", "a whole number from 1"),
    ],
)
def test_a_mistyped_name_is_answered(typed: str, said: str) -> None:
    with pytest.raises(RanklensError, match=re.escape(said)):
        pick_measure(typed, 7)


def test_options_rewrite_the_address_and_defaults_leave_no_trace() -> None:
    chosen = read_measure("P@k", 7)
    assert [p.name for p in picker_parameters(chosen)] == ["rel", "denominator", "judged_only"]
    stricter = key_with_value(chosen, "rel", 2)
    assert stricter == "P(rel=2)@k"
    assert key_with_value(read_measure(stricter, 7), "rel", 1) == "P@k"
    assert key_with_typed_value(chosen, "rel", " 2 ") == "P(rel=2)@k"
    assert key_for_whole_list(read_measure(DEFAULT_MEASURE, 7), 7, is_whole=True) == "nDCG"
    assert key_for_whole_list(read_measure("nDCG", 7), 7, is_whole=False) == "nDCG@k"
    with pytest.raises(RanklensError, match="a whole number from 1"):
        key_with_value(chosen, "rel", 0)


@pytest.mark.parametrize(
    ("text", "cutoff"),
    [
        *(("5", 5), ("", 10), ("-3", 10), ("x", 10), ("0", 10), ("9999", 1000), ("٣", 10)),
        *(("9" * 5_000, 1000), ("0" * 5_000 + "7", 7), ("5\0", 10)),
    ],
)
def test_the_cutoff_of_an_address(text: str, cutoff: int) -> None:
    assert read_cutoff(text, deepest_cutoff=1000) == cutoff


def test_what_an_address_asks_for_and_is_not_there() -> None:
    groups = {"category": ["A", "B=C"]}
    pairs = (("category", "A"), ("category", "Z"), ("other", "A"))
    asked = Address.create((Field("q"),), run="dense", base="gone", also=("a", "b"), q="416")
    names = ["dense", "bm25", "a"]
    found = explain_missing_items(
        asked.with_values(where=pairs), names, groups, {"1": "one"}, NDCG, {}
    )
    assert found == {
        "run": "These files do not contain the run gone or b.",
        "where": "These files do not contain the column other.",
        "q": "These files do not contain the query 416.",
    }
    found = explain_missing_items(
        asked.with_values(where=pairs[:2], base="", also=("-",), q="1"),
        names,
        groups,
        {"1": ""},
        NDCG,
        {},
    )
    assert found == {"where": "These files do not contain the value Z in category."}
    assert not explain_missing_items(Address.create(also=("*",)), names, groups, {}, NDCG, {})


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("foo", "There is no measure 'foo'."),
        ("ndgc@k", "There is no measure 'ndgc'. Did you mean nDCG"),
        ("P@0", "cutoff"),
        ("NumRet", "The pages compare means over queries, but NumRet is a sum over queries."),
    ],
)
def test_a_measure_that_is_none_is_told_and_not_another_shown(key: str, said: str) -> None:
    assert (
        said
        in explain_missing_items(Address.create(m=key), ["a"], {}, {}, read_measure(key, 10), {})[
            "m"
        ]
    )


def test_a_cutoff_that_is_none_is_told() -> None:
    for text in ("ten", "-1", "0", "1.5"):
        found = explain_missing_items(Address.create(k=text), ["a"], {}, {}, NDCG, {})
        assert found == {
            "k": f"k = {text} is not a cutoff. A cutoff is a whole number from 1 upwards."
        }


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rbp", "`rbp` is trec_eval’s name and was read as RBP(p=0.9). RBP itself is RBP(p=0.8)."),
        ("map_cut_10", "`map_cut_10` was read as AP@10."),
        ("ndcg@5", ""),
        ("RBP", ""),
        ("nDCG", ""),
    ],
)
def test_what_a_typed_name_was_read_as_is_said(typed: str, said: str) -> None:
    changes = pick_measure(typed, 10)
    measure = read_measure(changes["m"], int(changes.get("k", "10"))).measure
    assert explain_typed_name(typed, measure) == said


def test_a_run_that_does_not_fit_is_told_with_its_reason() -> None:
    refused = {"ranks": RanklensError("ranks: made with other judgments.", "Give those.")}
    found = explain_missing_items(
        Address.create(run="ranks", base="gone"), ["a"], {}, {}, NDCG, refused
    )
    told = "These files do not contain the run gone. ranks: made with other judgments.\nGive those."
    assert found == {"run": told}


def test_a_single_run_is_compared_with_itself() -> None:
    assert choose_runs(Address.create(), ["one"], ["one"], "one") == ("one", "one", ())


def test_nobody_else_may_be_shown() -> None:
    names = ["a", "b", "c"]
    assert choose_runs(Address.create(also=("-",)), names, names, "a")[2] == ()
    assert choose_runs(Address.create(also=("*",)), names, names, "a")[2] == ("c",)
    assert choose_runs(Address.create(also=("c",)), names, names, "a")[2] == ("c",)


@pytest.mark.parametrize(
    "text",
    ["**bold**", "`code`", "$x^2$", ":red[x]", ":smile:", "[a](b)", "# head", "<b>", "a -> b"],
)
def test_markdown_is_escaped(text: str) -> None:
    shown = escape_markdown(text)
    for character in "*`$[]#<":
        assert shown.count(character) == shown.count(f"\\{character}")


def test_a_control_is_part_of_every_key_and_says_what_is_none_of_its_words() -> None:
    plain = Comparison("a", "b", (), NDCG, 10)
    shared = replace(plain, is_limited_to_shared_queries=True)
    assert plain != shared and not plain.is_limited_to_shared_queries
    # It narrows the queries, by who is compared.
    assert (
        shared.comparison_that_selects_queries.is_limited_to_shared_queries
        and shared.comparison_that_selects_queries.focus == "a"
    )
    assert plain.comparison_that_selects_queries.focus == ""
    told = explain_missing_items(Address.create(missing="none"), ["a", "b"], {}, {}, NDCG, {})
    assert told == {"missing": "missing=none is not a valid choice. Use shared."}
    assert not explain_missing_items(Address.create(missing="shared"), ["a", "b"], {}, {}, NDCG, {})
