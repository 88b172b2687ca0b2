"""What is said of every measure, and what a mistyped name or parameter is answered."""

from __future__ import annotations

import re

import numpy as np
import pytest

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError, RanklensError, UnknownMeasureError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Declaration, declarations, name_notes, parse_measure
from metrics_core.measures.declaring import registry
from metrics_core.measures.declaring.description import describe_measure
from metrics_core.measures.declaring.families import FAMILIES, group_by_family
from metrics_core.measures.declaring.names import find_declaration
from metrics_core.measures.declaring.other_packages import EVERYWHERE
from metrics_core.measures.declaring.registry import measure
from metrics_core.measures.declaring.worked_example import make_example

ALL = declarations()


def by_name(declaration: Declaration) -> str:
    return declaration.name


@pytest.mark.parametrize("declaration", ALL, ids=by_name)
def test_every_measure_is_described(declaration: Declaration) -> None:
    found = describe_measure(declaration)
    assert found.answer.endswith((".", "!", "?"))
    assert f"{found.answer} {found.more}".strip() == declaration.explanation
    assert found.family in FAMILIES, "give the family a title in measures/families.py"
    assert [p.name for p in found.parameters] == [p.name for p in declaration.parameters]
    assert found.worked


def test_families_hold_every_measure_once() -> None:
    families = group_by_family(ALL)
    assert sorted(d.name for ds in families.values() for d in ds) == sorted(d.name for d in ALL)
    assert len({f.title for f in families}) == len(families)


def test_differences_are_told_in_sentences() -> None:
    for difference in (*EVERYWHERE, *(own for d in ALL for own in d.differences)):
        assert difference.what.endswith(".") and difference.why.endswith(".")


def test_names_in_ir_measures_are_theirs() -> None:
    registry = pytest.importorskip("ir_measures.measures").registry
    here = {d.name for d in ALL if d.ir_measures is not None}
    assert set(registry) >= here >= {str(m.NAME) for m in registry.values()}


@pytest.mark.parametrize("name", ["accuracy@10", "Accuracy_at_10", "ACCURACY(rel=1)@10"])
def test_a_name_of_two_meanings_says_which_it_took(name: str) -> None:
    (note,) = name_notes([name, name, "accuracy@5", "AUC@10", "ndcg@10"])
    assert note.message.startswith(
        f"{name} is read as Accuracy@10: share of correctly ordered pairs; "
    )
    (plain,) = name_notes(["Accuracy@10"])
    assert plain.message.startswith("Accuracy@10 is share of correctly ordered pairs; ")
    assert "sentence-transformers use “accuracy” for Success@10, the share" in note.message


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("R_cap@10", "RelP@10"),
        ("recall_cap@10", "RelP@10"),
        ("HitRatio@5", "Success@5"),
        ("hits@5", "Success@5"),
        ("Hits_at_5", "Success@5"),
        ("hits", "NumRelRet"),
        ("cosine_accuracy@1", "Success@1"),
        ("cos_sim-Accuracy@10", "Success@10"),
        ("cosine_accuracy_at_3", "Success@3"),
        ("dot_ndcg@10", "nDCG@10"),
        ("dot_score_mrr@10", "RR@10"),
        ("euclidean_precision@1", "P@1"),
        ("manhattan_recall@5", "R@5"),
        ("cosine_map@100", "AP(denominator='min')@100"),
    ],
)
def test_names_in_other_packages(name: str, measure: str) -> None:
    assert str(parse_measure(name)) == measure
    assert find_declaration(name).name == parse_measure(measure).declaration.name
    assert bool(name_notes([name])) == name.startswith(("hits@", "Hits_"))


def test_hits_are_counted_by_ranx() -> None:
    (note,) = name_notes(["hits@5", "hit rate@5"])
    assert note.message == (
        "hits@5 is read as Success@5: any relevant in top 5; ranx's hits@5 counts the relevant"
        " documents, so it is 5 times P@5"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Hole@10", "Unjudged@k counts"),
        ("acc@1", "is Success@k"),
        ("cosine_rrecall@5", "Did you mean R (Recall)"),
        ("cosine_accuracy", "There is no measure"),
        ("cosine_f1", "There is no measure"),
        ("set_f@5", "SetF takes no cutoff"),
    ],
)
def test_what_is_no_measure_names_what_is_closest(name: str, words: str) -> None:
    with pytest.raises(RanklensError, match=re.escape(words)):
        parse_measure(name)


def test_a_family_is_found_by_a_name_at_k() -> None:
    assert find_declaration("recall_at_k").name == "R"
    assert find_declaration("recall_at_10").name == "R"


NAMES = [(d, name) for d in ALL for name in (d.name, *d.aliases) if len(name) >= 7]


@pytest.mark.parametrize(("declaration", "name"), NAMES, ids=[name for _, name in NAMES])
def test_a_slip_in_a_long_name_suggests_the_measure(declaration: Declaration, name: str) -> None:
    middle = len(name) // 2
    slips = (
        name[:middle] + name[middle + 1 :],
        name[:middle] + name[middle + 1] + name[middle] + name[middle + 2 :],
        f"{name[:middle]}x{name[middle:]}",
    )
    for slip in slips:
        try:
            parse_measure(f"{slip}@10")
        except UnknownMeasureError as error:
            assert declaration.name in error.nearest
        except RanklensError:
            pass  # The slip is another measure's name.


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("P(reel=2)@5", "Did you mean 'rel'?"),
        ("P(judgedonly=True)@5", "Did you mean 'judged_only'?"),
        ("P(k=5)", "after the @: P@10"),
        ("nDCG(dcg='explog2')@5", "Did you mean 'exp-log2'?"),
        ("SetF(betta=2)", "Did you mean 'beta'?"),
        ("P@0", "a whole number from 1"),
        ("SetF(beta=-1)", "a finite number from 0"),
    ],
)
def test_a_wrong_parameter_is_answered(text: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_measure(text)
    assert said in str(caught.value)


def test_a_measure_declared_again_is_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a cell of a notebook that is run again."""
    monkeypatch.setattr(registry._REGISTRY, "_entries", dict(registry._REGISTRY._entries))
    for value in (0.25, 0.75):

        def kernel(ranks: JudgedRanks, value: float = value) -> Floats:
            return np.full(ranks.n_queries, value)

        words = {"title": "Mine", "gloss": "", "formula": "", "reference": "", "worked": {}}
        measure("Mine", **words)(kernel)
        assert parse_measure("mine").score(make_example()) == [value]
