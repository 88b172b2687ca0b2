"""The registry, the names, a worked example of every measure, and what must hold for all."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import LackingDataError, ParameterError, UnknownMeasureError
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Declaration, declarations, parse_measure
from metrics_core.measures.declaring.worked_example import (
    COLUMNS,
    GRADES,
    LISTED,
    SUBTOPICS,
    evaluate_arithmetic,
    make_example,
)
from metrics_core.tables import Qrels, Run
from tests.collections_of import (
    DOCUMENTS,
    PRODUCTS,
    collections,
    documents_of,
    graded,
    qrels_from,
    qrels_of,
    rows_of,
    run_of,
)
from tests.metrics_core.measures.exceptions import BEATEN, NEVER_FALLING, without
from tests.random_cases import examples
from tests.settings_of import at, samples_of, settings_of

ALL = declarations()
UNBEATEN = without(*BEATEN)
WITH_CUTOFF = [d for d in ALL if d.cutoff is not None]


def by_name(declaration: Declaration) -> str:
    return declaration.name


def judged(run: Any, qrels: Any) -> JudgedRanks:
    """A run and qrels as dictionaries, judged, with a row for each document."""
    return join_judgments(run_of(run), qrels_of(qrels), documents=DOCUMENTS)


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, undefined where the other is."""
    return bool(np.array_equal(one, other, equal_nan=True))


WORKED = [(d, name, arithmetic) for d in ALL for name, arithmetic in d.worked.items()]


@pytest.mark.parametrize(
    ("declaration", "name", "arithmetic"), WORKED, ids=[name for _, name, _ in WORKED]
)
def test_worked_by_hand(declaration: Declaration, name: str, arithmetic: str) -> None:
    measure = parse_measure(name)
    assert measure.declaration is declaration
    assert measure.score(make_example()).tolist() == pytest.approx(
        [evaluate_arithmetic(arithmetic)], rel=1e-14
    )
    assert str(measure) == name


def test_every_measure_is_worked_by_hand() -> None:
    assert all(d.worked for d in ALL)


# Names


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG_cut_10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ('ndcg(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("nDCG(dcg=log2)@10", "nDCG@10"),
        ("P_5", "P@5"),
        ("precision@5", "P@5"),
        ("precision_at_3", "P@3"),
        ("NDCG_AT_10", "nDCG@10"),
        ("hit_rate_at_5", "Success@5"),
        ("recall at 20", "R@20"),
        ("P(rel=2)_at_5", "P(rel=2)@5"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        (" P ( rel = 2 ) @ 5 ", "P(rel=2)@5"),
        ("P(cutoff=5)", "P@5"),
        ("P@5.0", "P@5"),
        ("recall_1000", "R@1000"),
        ("recall@10", "R@10"),
        ("map", "AP"),
        ("MAP@100", "AP@100"),
        ("map_cut_100", "AP@100"),
        ("average precision", "AP"),
        ("mrr", "RR"),
        ("MRR@10", "RR@10"),
        ("recip_rank", "RR"),
        ("hit_rate@5", "Success@5"),
        ("hit-rate@5", "Success@5"),
        ("success_1", "Success@1"),
        ("Rprec", "Rprec"),
        ("r-precision", "Rprec"),
        ("set_F", "SetF"),
        ("f1", "SetF"),
        ("f1@5", "F@5"),
        ("set_recall", "SetR"),
        ("judged@10", "Judged@10"),
        ("num_rel_ret", "NumRelRet"),
        ("bpref", "Bpref"),
        ("INFAP", "infAP"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall.1", "IPrec@1.0"),
        ("11pt_avg", "IPrecAvg"),
        ("IPrecAvg(points=[0.8, .2,0.5])", "IPrecAvg(points=[0.2,0.5,0.8])"),
        ("Rprec_mult_1.20", "RprecMult@1.2"),
        ("relative_P_5", "RelP@5"),
        ("unj_20", "Unjudged@20"),
        ("gm_map", "GMAP"),
        ("set_F_0.5", "SetF(beta=0.5)"),
        ("g", "G"),
        ("RBP", "RBP"),
        ("rbp", "RBP(p=0.9)"),
        ("rbp.95", "RBP(p=0.95)"),
        ("precision_at_3", "P@3"),
        ("NDCG_at_10", "nDCG@10"),
        ("precision at 5", "P@5"),
        ("P(rel=2)_at_5", "P(rel=2)@5"),
        ("map_at_100", "AP@100"),
        ("ndcg_burges@5", "nDCG(dcg='exp-log2')@5"),
        ("dcg_burges", "DCG(dcg='exp-log2')"),
        ("map-l2", "AP(rel=2)"),
        ("precision@5-l2", "P(rel=2)@5"),
        ("hit_rate_at_3-l2", "Success(rel=2)@3"),
        ("RBP(p=0.5, rel=2)@10", "RBP(p=0.5,rel=2)@10"),
        ("err@20", "ERR@20"),
        ("BPM(T=2,max_rel=4)@10", "BPM(T=2.0,max_rel=4)@10"),
        ("SDCG(dcg='log2',min_rel=0,max_rel=4)@10", "SDCG(max_rel=4)@10"),
        ("α_nDCG@10", "alpha_nDCG@10"),
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("α_DCG(alpha=0.3)@5", "alpha_DCG(alpha=0.3)@5"),
        ("MAP_IA", "AP_IA"),
        ("STREC@5", "StRecall@5"),
        ("nNRBP(beta=0.8)", "nNRBP(beta=0.8)"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8,normalize=False)"),
    ],
)
def test_names_are_understood(text: str, canonical: str) -> None:
    assert str(parse_measure(text)) == canonical
    assert str(parse_measure(canonical)) == canonical


@pytest.mark.parametrize("declaration", ALL, ids=by_name)
def test_every_name_of_a_measure_leads_to_it(declaration: Declaration) -> None:
    samples = {p.name: samples_of(p)[0] for p in declaration.parameters}
    suffix = f"@{samples[declaration.at]}" if declaration.at in samples else ""
    for name in (declaration.name, *declaration.aliases):
        for text in (name, name.upper(), name.lower()):
            assert parse_measure(text + suffix).declaration is declaration, text
    for name in declaration.trec_eval:
        text = name.format(**samples)
        assert parse_measure(text).declaration is declaration, text


@pytest.mark.parametrize(
    ("typo", "nearest", "shown"),
    [
        ("precison@5", "P", "P (Precision)"),
        ("recal@10", "R", "R (Recall)"),
        ("ndgc@10", "nDCG", "nDCG"),
        ("mpa", "AP", "AP (MAP)"),
        ("succes@1", "Success", "Success"),
        ("ncdg_cut_10", "nDCG", "nDCG (ndcg_cut)"),
    ],
)
def test_a_typo_is_told_the_nearest_measure(typo: str, nearest: str, shown: str) -> None:
    with pytest.raises(UnknownMeasureError) as caught:
        parse_measure(typo)
    assert caught.value.nearest[0] == nearest
    assert caught.value.hint.startswith(f"Did you mean {shown}")


@pytest.mark.parametrize("text", ["foo", "", "@5", "(rel=2)", "P)(", "xyzzy@3"])
def test_an_unknown_measure_is_refused(text: str) -> None:
    with pytest.raises(UnknownMeasureError, match="There is no measure"):
        parse_measure(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("P", "needs a cutoff"),
        ("P@0", "a whole number from 1 upwards, not 0"),
        ("P@-3", "a whole number from 1 upwards, not -3"),
        ("P@2.5", "a whole number from 1 upwards, not 2.5"),
        ("P@ten", "a number, not 'ten'"),
        ("P@nan", "a whole number from 1 upwards, not nan"),
        ("P@inf", "a whole number from 1 upwards, not inf"),
        ("P@1e400", "a whole number from 1 upwards, not inf"),
        ("P@99999999999", "a whole number from 1"),
        ("ndcg_cut_0", "a whole number from 1 upwards, not 0"),
        ("Rprec@5", "takes no cutoff"),
        ("setf@5", "It uses the whole list. Write SetF."),
        ("recall_at_k", "cutoff must be a number, not 'k'"),
        ("ndcg@5-l2", "uses the gain of each grade"),
        ("rbp.95-l2", "uses the gain of each grade"),
        ("P(rel=1)@5-l2", "rel is given twice"),
        ("P(rel=0)@5", "rel must be a whole number from 1"),
        ("P(rel=)@5", "rel must be a number"),
        ("P(2)@5", "'2' has no name"),
        ("P(depth=2)@5", "no parameter 'depth'"),
        ("P(rel=1,rel=2)@5", "rel is given twice"),
        ("P(cutoff=3)@5", "the cutoff is given twice"),
        ("nDCG(dcg=cubic)@5", "one of 'log2', 'exp-log2'"),
        ("SetF(beta=-1)", "a finite number from 0"),
        ("SetF(beta=inf)", "a finite number from 0"),
        ("IPrec@1.5", "a number from 0 to 1, not 1.5"),
        ("IPrec", "needs a recall"),
        ("IPrec(rounding='down')@0.5", "one of 'nearest', 'up'"),
        ("IPrecAvg(points=[])", "a list such as [0.2,0.5,0.8], each a number from 0 to 1"),
        ("IPrecAvg(points=[0.2,2])", "each a number from 0 to 1"),
        ("IPrecAvg(points=[a])", "a list such as"),
        ("IPrecAvg(points=0.5)", "a list such as"),
        ("RprecMult@0", "a number above 0 to 2.14748e+09"),
        ("RBPResidual(p=1)", "a number"),
        ("RBP(p=1)", "p must be a number above 0 to below 1"),
        ("INST(T=0)", "a number from 1e-06 to 1e+06"),
        ("INST(min_rel=-1)", "a whole number from 0"),
        ("alpha_nDCG(alpha=1.5)@5", "a number from 0 to 1"),
        ("NRBP(beta=-0.1)", "a number from 0 to 1"),
        ("BPM", "needs a cutoff"),
        ("INST@5", "takes no cutoff"),
    ],
)
def test_a_parameter_out_of_range_is_refused(text: str, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_measure(text)
    assert what in str(caught.value)


def test_a_cutoff_in_python_is_checked_as_well() -> None:
    for bad in (True, "5", None, 2.5, 0):
        with pytest.raises(ParameterError):
            parse_measure("P@5").declaration(cutoff=bad)


def test_a_highest_grade_is_above_the_lowest() -> None:
    with pytest.raises(ParameterError, match="max_rel must be above min_rel"):
        parse_measure("INST(min_rel=2,max_rel=2)").score(make_example())


def test_judgments_without_subtopics_are_told_what_they_lack() -> None:
    ranks = join_judgments(run_of({"q": {"d": 1.0}}), qrels_of({"q": {"d": 1}}))
    with pytest.raises(LackingDataError, match="second column is the subtopic"):
        parse_measure("alpha_nDCG@10").score(ranks)


@pytest.mark.parametrize("declaration", ALL, ids=by_name)
def test_a_declaration_says_all_that_pages_need(declaration: Declaration) -> None:
    assert declaration.title and declaration.gloss and declaration.formula
    assert declaration.reference
    assert declaration.explanation.endswith(".")
    assert "{" not in declaration.gloss.format(k=10)
    for text, most in ((declaration.title, 40), (declaration.gloss, 32)):
        assert len(text) <= most, text


def test_a_measure_moves_to_another_cutoff() -> None:
    assert str(parse_measure("P(rel=2)@5").at(20)) == "P(rel=2)@20"
    assert str(parse_measure("AP@5").at(None)) == "AP"
    assert str(parse_measure("Rprec").at(20)) == "Rprec"


# What holds for every measure


@examples(100)
@given(collection=collections(subtopics=True), cutoff=st.integers(1, 30))
def test_scores_are_in_range(collection: Any, cutoff: int) -> None:
    run, qrels = collection
    ranks = judged(run, qrels)
    for declaration in ALL:
        scores = at(declaration, cutoff).score(ranks)
        low, high = declaration.range
        assert scores.dtype == np.float64, declaration.name
        defined = scores[~np.isnan(scores)]
        assert ((low <= defined) & (defined <= high + 1e-12)).all(), declaration.name


@examples(100)
@given(collection=collections(missing=False, subtopics=True), cutoff=st.integers(1, 30))
def test_no_ranking_beats_the_perfect_one(collection: Any, cutoff: int) -> None:
    run, qrels = collection
    answerable = {q: g for q, g in qrels.items() if max(g.values()) >= 1}
    if not answerable:
        return
    perfect = {
        q: {doc: float(grade) for doc, grade in grades.items() if grade >= 1}
        for q, grades in answerable.items()
    }
    best_ranks = judged(perfect, answerable)
    ranks = judged({q: run[q] for q in answerable}, answerable)
    for declaration in UNBEATEN:
        measure = at(declaration, cutoff)
        best, score = measure.score(best_ranks), measure.score(ranks)
        better = score - best if declaration.higher_is_better else best - score
        assert not (better > 1e-12).any(), declaration.name  # never true where one is undefined
        if declaration.ideal is not None:
            assert best == pytest.approx(declaration.ideal), declaration.name


@examples(60)
@given(collection=collections(subtopics=True), seed=st.integers(0, 2**16))
def test_the_order_of_rows_does_not_matter(collection: Any, seed: int) -> None:
    run, qrels = collection
    judgments = qrels_of(qrels)
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    random.Random(seed).shuffle(rows)
    graded = rows_of(qrels)
    random.Random(seed).shuffle(graded)
    plain = judged(run, qrels)
    shuffled_run = Run.from_columns("r", *map(list, zip(*rows, strict=True)))
    shuffled = join_judgments(shuffled_run, judgments, documents=DOCUMENTS)
    other = join_judgments(run_of(run), qrels_from(graded), documents=DOCUMENTS)
    place = [other.query_ids.index(q) for q in plain.query_ids]
    for declaration in ALL:
        measure = at(declaration)
        expected = measure.score(plain)
        assert same(measure.score(shuffled), expected), declaration.name
        assert same(measure.score(other)[place], expected), declaration.name


@examples(60)
@given(collection=collections(subtopics=True))
def test_other_ids_in_the_same_order_score_the_same(collection: Any) -> None:
    run, qrels = collection
    docs = sorted({d for part in (run, qrels) for found in part.values() for d in found})
    doc = {d: f"é{i:03}" for i, d in enumerate(docs)}
    query = {q: f"{100 - i}" for i, q in enumerate(sorted({*run, *qrels}))}

    def renamed(part: Any) -> Any:
        return {query[q]: {doc[d]: v for d, v in found.items()} for q, found in part.items()}

    plain = judged(run, qrels)
    products = documents_of({doc.get(d, d): row for d, row in PRODUCTS.items()})
    other = join_judgments(run_of(renamed(run)), qrels_of(renamed(qrels)), documents=products)
    for declaration in ALL:
        measure = at(declaration)
        assert same(measure.score(other), measure.score(plain)), declaration.name


@examples(60)
@given(collection=collections(subtopics=True))
def test_looking_deeper_never_costs(collection: Any) -> None:
    run, qrels = collection
    ranks = judged(run, qrels)
    for declaration in (d for d in WITH_CUTOFF if d in NEVER_FALLING):
        curve = at(declaration, 1).curve(ranks, np.arange(1, 31))
        assert not (np.diff(curve, axis=1) < -1e-12).any(), declaration.name


@examples(60)
@given(collection=collections(subtopics=True))
def test_without_a_cutoff_the_whole_list_counts(collection: Any) -> None:
    run, qrels = collection
    ranks = judged(run, qrels)
    for declaration in WITH_CUTOFF:
        if declaration.cutoff is not None and declaration.cutoff.optional:
            deep = declaration(cutoff=1000).score(ranks)
            assert same(declaration().score(ranks), deep), declaration.name


def test_a_measure_without_cutoff_has_no_curve() -> None:
    with pytest.raises(ParameterError, match="has no cutoff"):
        parse_measure("Rprec").curve(make_example(), np.array([1, 2]))


def test_the_example_is_what_a_run_gives() -> None:
    run = run_of({"q": {doc: 10.0 - i for i, doc in enumerate(LISTED)}})
    by_document = {
        doc: graded({name: own[doc] for name, own in SUBTOPICS.items() if doc in own})
        for doc in GRADES
    }
    assert by_document == GRADES
    products = {doc: {name: COLUMNS[name][doc] for name in COLUMNS} for doc in "xabcdefg"}
    ranks = join_judgments(run, qrels_of({"q": by_document}), documents=documents_of(products))
    for declaration in ALL:
        for name in declaration.worked:
            measure = parse_measure(name)
            assert measure.score(ranks).tolist() == measure.score(make_example()).tolist(), name


@examples(60)
@given(collection=collections(subtopics=True))
def test_judged_only_is_the_score_of_the_condensed_list(collection: Any) -> None:
    run, qrels = collection
    ranks = judged(run, qrels)
    condensed = {
        q: {d: s for d, s in docs.items() if qrels.get(q, {}).get(d, -1) >= 0}
        for q, docs in run.items()
    }
    kept = {q: docs for q, docs in condensed.items() if docs}
    if not set(kept) & set(qrels):
        return
    shorter = judged(kept, qrels)
    for declaration in ALL:
        if declaration.parameter("judged_only") is not None:
            measure = at(declaration, judged_only=True)
            expected = at(declaration).score(shorter)
            assert same(measure.score(ranks), expected), declaration.name
            assert "judged_only=True" in str(measure)
            assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("declaration", ALL, ids=by_name)
def test_every_parameter_is_explained_and_written_as_it_is_read(declaration: Declaration) -> None:
    assert all(p.meaning for p in declaration.parameters)
    for values in settings_of(declaration):
        measure = declaration(**values)
        assert parse_measure(str(measure)) == measure


def test_a_limit_between_grades() -> None:
    qrels = Qrels.from_columns(["q1", "q1", "q2"], ["d1", "d2", "d1"], [0.5, 0.25, 1.0])
    run = Run.from_columns("run", ["q1", "q1", "q2"], ["d2", "d1", "d1"], [9.0, 8.0, 7.0])
    ranks = join_judgments(run, qrels)
    names = ["AP", "AP(rel=0.5)", "RR(rel=0.25)", "P(rel=0.5)@1", "RBP(rel=0.5)@1"]
    means = [parse_measure(name).score(ranks).mean() for name in names]
    assert means == pytest.approx([0.5, 0.75, 1.0, 0.5, 0.1])
    assert str(parse_measure("AP(rel=0.5)")) == "AP(rel=0.5)"
    assert str(parse_measure("AP(rel=2.0)")) == "AP(rel=2)"
    with pytest.raises(
        ParameterError, match="a whole number from 1 upwards or a fraction above 0, not 0"
    ):
        parse_measure("AP(rel=0)")
