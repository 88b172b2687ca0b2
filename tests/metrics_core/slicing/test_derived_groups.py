"""Groups derived from what every collection has."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import score_runs
from metrics_core.slicing.breakdowns import NO_GROUP, are_numeric_groups, order_groups
from metrics_core.slicing.derived_groups import (
    DERIVED,
    MARK,
    GroupSource,
    find_derived_column,
    make_derived_columns,
)
from tests.collections_of import qrels_of, run_of

IDS = [f"q{i:02}" for i in range(24)]
TEXTS = {q: " ".join(["word"] * (i % 6 + 1)) for i, q in enumerate(IDS)}
QRELS = qrels_of({q: {f"d{j}": 1 for j in range(i % 4 + 1)} for i, q in enumerate(IDS)})


def material(
    *, others: int = 2, texts: dict[str, str] | None = None, measure: str = "RR"
) -> GroupSource:
    """The compared runs list a judged document and, in every second query, an unjudged one; the
    i-th query is found by the others at rank i + 1."""

    def listed(unjudged: bool) -> dict[str, dict[str, float]]:
        return {
            q: {"d0": 9.0, **({"x": 8.0} if unjudged and i % 2 else {})} for i, q in enumerate(IDS)
        }

    def later(name: str) -> dict[str, dict[str, float]]:
        return {
            q: {**{f"{name}{j}": 99.0 - j for j in range(i)}, "d0": 1.0} for i, q in enumerate(IDS)
        }

    runs = [run_of(listed(True), "a"), run_of(listed(False), "b")]
    runs += [run_of(later(f"o{n}-"), f"o{n}") for n in range(others)]
    judged = {run.name: join_judgments(run, QRELS) for run in runs}
    wanted = parse_measure(measure)
    scores = score_runs(list(judged.values()), [wanted])
    given = TEXTS if texts is None else texts
    return GroupSource(pd.Index(IDS), given, judged, scores, wanted, "a", "b", 10)


def groups(name: str, given: GroupSource | None = None) -> dict[str, str]:
    return make_derived_columns(given or material())[name + MARK].to_dict()


def test_words_are_counted_in_readable_ranges() -> None:
    found = groups("words in the query")
    for query_id, group in found.items():
        low, high = group.split()[0], group.split()[-2]
        assert int(low) <= len(TEXTS[query_id].split()) <= int(high), group
    assert are_numeric_groups(found.values())


def test_ranges_are_spelt_as_one_says_them() -> None:
    texts = {q: " ".join(["word"] * (1 if i < 8 else 2 + i % 2)) for i, q in enumerate(IDS)}
    found = set(groups("words in the query", material(texts=texts)).values())
    assert found == {"1 word", "2 or 3 words"}
    assert order_groups(["6 to 9 words", "1 word", "2 or 3 words"]) == [
        "1 word", "2 or 3 words", "6 to 9 words",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("How do I reset it", "questions"),
        ("reset possible?", "questions"),
        ("is it broken", "questions"),
        ("什么是召回率？", "questions"),
        ("is", "keywords"),
        ("issue with router", "keywords"),
        ("router reset", "keywords"),
        ("", NO_GROUP),
    ],
)
def test_questions_are_told_from_keywords(text: str, group: str) -> None:
    texts = {"q00": text, "q01": "what is it", "q02": "router"}
    assert groups("questions or keywords", material(texts=texts))["q00"] == group


def test_without_texts_nothing_is_said_of_words() -> None:
    found = make_derived_columns(material(texts={}))
    assert {name.removesuffix(MARK) for name in found} == {
        "relevant documents", "judged in the top k", "how hard for the other runs",
    }  # fmt: skip


def test_relevant_documents_are_counted() -> None:
    found = groups("relevant documents")
    for i, query_id in enumerate(IDS):
        low, high = found[query_id].split()[0], found[query_id].split()[-2]
        assert int(low) <= i % 4 + 1 <= int(high)


def test_the_judged_share_is_of_both_compared_runs() -> None:
    found = groups("judged in the top k")
    # Two of three listed documents are judged where one run lists an unjudged one.
    assert found["q00"] == "all judged" and found["q01"] == "half to 80% judged"
    one_deep = make_derived_columns(replace(material(), cutoff=1))
    assert "judged in the top k" + MARK not in one_deep


def test_the_difficulty_is_that_of_the_other_runs_alone() -> None:
    found = groups("how hard for the other runs")
    assert [found[q] for q in (IDS[0], IDS[12], IDS[23])] == [
        "easy for other runs", "medium for other runs", "hard for other runs",
    ]  # fmt: skip
    assert sorted(list(found.values()).count(g) for g in set(found.values())) == [8, 8, 8]
    none = make_derived_columns(material(others=0))
    assert "how hard for the other runs" + MARK not in none


def test_the_compared_runs_have_no_say_in_the_difficulty() -> None:
    # The other two score 1 on every query, so nothing tells the queries apart.
    left = make_derived_columns(replace(material(), run="o0", baseline="o1"))
    assert "how hard for the other runs" + MARK not in left


def test_where_less_is_better_a_low_score_is_easy() -> None:
    found = groups("how hard for the other runs", material(measure="Unjudged@20"))
    assert found[IDS[0]] == "easy for other runs" and found[IDS[23]] == "hard for other runs"


def test_every_derived_column_explains_itself_and_has_its_order() -> None:
    for column in DERIVED:
        assert column.explanation.endswith(".") and column.key.endswith(MARK)
        assert find_derived_column(column.key) is column
    assert find_derived_column("category") is None
    order = ["easy for other runs", "medium for other runs", "hard for other runs"]
    assert order_groups(reversed(order)) == order
    shares = ["under half judged", "half to 80% judged", "80% or more judged", "all judged"]
    assert order_groups([*reversed(shares), NO_GROUP]) == [*shares, NO_GROUP]
