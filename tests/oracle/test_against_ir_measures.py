"""Every measure of ir_measures, several parameters each, query by query; and our provider in it.

What is odd there (the differences that the declarations name) is left out or undone, so that the
rest is shown to be equal.
"""

from __future__ import annotations

import logging
import math
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.random_cases import examples

pytest.importorskip("ir_measures")
import ir_measures
from ir_measures import (
    AP,
    AP_IA,
    BPM,
    ERR,
    ERR_IA,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NRBP,
    P_IA,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    StRecall,
    Success,
    alpha_DCG,
    alpha_nDCG,
    infAP,
    nDCG,
    nERR_IA,
    nNRBP,
)

from metrics_core.compatible.ir_measures_provider import (
    install,
    provider,
    translate_measure,
    uninstall,
)
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import parse_measure
from tests.collections_of import collections, graded, qrels_of, run_of

logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")

PLAIN = [
    *(P @ 1, P(rel=2) @ 5, R @ 5, R(rel=2) @ 10, Success @ 1, Success(rel=2) @ 3),
    *(AP, AP(rel=2), AP @ 5, AP(rel=2) @ 3, RR, RR(rel=2), RR @ 3, RR(rel=2) @ 5),
    *(Rprec, Rprec(rel=2), Bpref, Bpref(rel=2), infAP, infAP(rel=2)),
    *(nDCG, nDCG @ 3, nDCG(gains={1: 3, 2: 9}), nDCG(gains={0: 1, 3: 0}) @ 5),
    *(SetP, SetP(rel=2), SetP(relative=True), SetRelP, SetR, SetR(rel=2), SetAP, SetAP(rel=2)),
    *(SetF, SetF(beta=2.5), SetF(beta=0.5, rel=2), NumRet, NumRet(rel=2), NumRelRet, NumRel, NumQ),
    *(Compat, Compat(p=0.8), Compat(normalize=False), Compat(p=0.5, normalize=False)),
    *(RBP(rel=1), RBP(rel=2), RBP(rel=1, p=0.5), RBP(rel=2, p=0.95)),
    *(SDCG(max_rel=4) @ 1, SDCG(max_rel=3) @ 5, SDCG(min_rel=1, max_rel=3) @ 20),
    *(BPM(max_rel=4) @ 1, BPM(max_rel=3) @ 5, BPM(T=2.5, max_rel=3) @ 20),
    *(BPM(min_rel=1, max_rel=2) @ 10, BPM(T=0.4, max_rel=4) @ 10),
    *(INSQ(max_rel=4), INSQ(T=2.5, max_rel=3), INSQ(T=0.3, min_rel=1, max_rel=3)),
    *(INST(max_rel=4), INST(T=2.5, max_rel=3), INST(T=0.3, min_rel=1, max_rel=3)),
    *(NERR8(max_rel=4) @ 1, NERR8(max_rel=3) @ 5, NERR8(min_rel=1, max_rel=3) @ 20),
    *(NERR9(max_rel=4) @ 1, NERR9(max_rel=3) @ 5, NERR9(min_rel=1, max_rel=3) @ 20),
    *(NERR10(max_rel=4), NERR10(p=0.5, max_rel=3), NERR10(min_rel=1, max_rel=2)),
    *(NERR11(max_rel=4), NERR11(T=2.5, max_rel=3), NERR11(T=0.3, min_rel=1, max_rel=2)),
]
JUDGED_ONLY = [
    *(P(judged_only=True) @ 5, R(judged_only=True) @ 5, Success(judged_only=True) @ 3),
    *(AP(judged_only=True), AP(judged_only=True, rel=2) @ 5, RR(judged_only=True)),
    *(Rprec(judged_only=True), nDCG(judged_only=True), nDCG(judged_only=True) @ 3),
    *(SetP(judged_only=True), SetP(judged_only=True, relative=True), SetAP(judged_only=True)),
    SetF(judged_only=True, beta=2.0),
]
_ASKED_AGAIN = 5
OF_ITS_OWN = {"SetRelP": "SetRelP", "NumRelRet": "NumRelRet"}
"""Names that stand in ir_measures for another measure with a parameter: SetP(relative=True) and
NumRet(rel=1) are measures of their own here, as in trec_eval."""
LEVELS = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0]
DIVERSE = [
    *(ERR_IA @ 2, ERR_IA @ 5, ERR_IA(rel=2) @ 20, nERR_IA @ 1, nERR_IA @ 5, nERR_IA(rel=2) @ 20),
    *(alpha_DCG @ 2, alpha_DCG(alpha=0.3) @ 5, alpha_DCG(rel=2, alpha=1.0) @ 10),
    *(alpha_nDCG @ 1, alpha_nDCG @ 10, alpha_nDCG(alpha=0.3) @ 5, alpha_nDCG(alpha=0.0) @ 5),
    *(alpha_nDCG(rel=2) @ 20, alpha_nDCG(alpha=1.0) @ 3, NRBP, NRBP(alpha=0.2, beta=0.9)),
    *(NRBP(rel=2), nNRBP, nNRBP(alpha=0.2, beta=0.9), nNRBP(rel=2), AP_IA, AP_IA(rel=2)),
    *(P_IA @ 1, P_IA @ 5, P_IA(rel=2) @ 10, StRecall @ 1, StRecall @ 5, StRecall(rel=2) @ 10),
]


def ours_for(measure: Any, ranks: JudgedRanks) -> dict[str, float]:
    own = translate_measure(measure)
    assert own is not None, measure
    return dict(zip(ranks.query_ids, own.score(ranks).tolist(), strict=True))


def known(measures: list[Any]) -> list[Any]:
    """The measures that are declared; test_every_measure_is_here says which are not."""
    return [m for m in measures if translate_measure(m) is not None]


def theirs_for(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[Any, str], float]:
    found = ir_measures.DefaultPipeline.iter_calc(measures, qrels, run)
    return {(m.measure, m.query_id): m.value for m in found}


@st.composite
def untied(draw: st.DrawFn, **kinds: bool) -> Any:
    """A collection without equal or negative scores, its queries called by numbers, for gdeval."""
    run, qrels = draw(collections(**kinds))
    name = {q: f"{i}" for i, q in enumerate(sorted({*run, *qrels}), 1)}
    plain = {}
    for q, docs in run.items():
        order = draw(st.permutations(range(1, len(docs) + 1)))
        plain[name[q]] = {d: float(s) for d, s in zip(docs, order, strict=True)}
    return plain, {name[q]: docs for q, docs in qrels.items()}


@pytest.mark.parametrize("measure", [*PLAIN, *JUDGED_ONLY, *DIVERSE], ids=str)
def test_every_measure_is_here(measure: Any) -> None:
    own = translate_measure(measure)
    assert own is not None
    named = parse_measure(str(measure))
    assert named == own
    # The object itself is taken wherever a name is.
    assert parse_measure(measure) == named
    assert provider.supports(measure)


def test_every_name_is_here() -> None:
    needed = {"cutoff": 5, "recall": 0.5, "max_rel": 3}
    for name, measure in ir_measures.measures.registry.items():
        wanted = {
            p: needed[p]
            for p, info in measure.SUPPORTED_PARAMS.items()
            if info.required or (p == "cutoff" and name.endswith(("_IA", "_DCG")))
        }
        inside = ",".join(f"{p}={v!r}" for p, v in wanted.items())
        if not (name == "AP_IA" or name == "MAP_IA" or not inside):
            name = f"{name}({inside})"
        own = parse_measure(name)
        assert own.declaration.name == OF_ITS_OWN.get(name, measure.NAME)


@examples(60)
@given(collection=untied())
def test_per_query(collection: Any) -> None:
    assert_equal(PLAIN, collection)


@examples(40)
@given(collection=untied())
def test_judged_only(collection: Any) -> None:
    assert_equal(JUDGED_ONLY, collection)


@examples(40)
@given(collection=untied(negative=False))
def test_judged(collection: Any) -> None:
    # Without negative grades: they are judged there, and pooled here.
    assert_equal([Judged @ 3, Judged @ 10], collection)


def assert_equal(measures: list[Any], collection: Any) -> None:
    """Every score of a query that the run lists is ir_measures'. Its nDCG is now and then what
    stood in memory before (of one document and one grade 0.613 for 0): it is asked again then."""
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    asked = known(measures)
    theirs = theirs_for(asked, qrels, run)
    for measure in asked:
        for query_id, value in ours_for(measure, ranks).items():
            if query_id not in run:
                continue
            expected, tries = theirs[measure, query_id], _ASKED_AGAIN
            while tries and measure.NAME == "nDCG" and value != pytest.approx(expected, abs=1e-9):
                expected, tries = theirs_for([measure], qrels, run)[measure, query_id], tries - 1
            assert value == pytest.approx(expected, abs=1e-9), (measure, query_id)


@examples(20)
@given(collection=untied())
def test_gdeval_to_its_five_decimals(collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    exp = nDCG(dcg="exp-log2")
    asked = [ERR @ 1, ERR @ 5, ERR @ 20, exp @ 5]
    theirs = theirs_for(asked, qrels, run)
    for measure in asked:
        for query_id, value in ours_for(measure, ranks).items():
            if query_id in run:
                expected = theirs[measure, query_id]
                assert value == pytest.approx(expected, abs=0.5001e-5), (measure, query_id)


@examples(40)
@given(collection=untied(), rel=st.integers(1, 2))
def test_interpolated_precision(collection: Any, rel: int) -> None:
    assert_equal([IPrec(rel=rel) @ level for level in LEVELS], collection)


@examples(60)
@given(
    collection=untied(),
    cutoff=st.sampled_from([None, 1, 3, 10]),
    rel=st.integers(1, 2),
)
def test_accuracy(collection: Any, cutoff: int | None, rel: int) -> None:
    run, qrels = collection
    measure = Accuracy(rel=rel) if cutoff is None else Accuracy(rel=rel) @ cutoff
    ours = ours_for(measure, join_judgments(run_of(run), qrels_of(qrels)))
    # It ends with a division by zero where all that is listed is relevant.
    fit = {}
    for q, docs in run.items():
        top = sorted(docs, key=lambda d: -docs[d])[:cutoff]
        if not all(qrels.get(q, {}).get(d, 0) >= rel for d in top):
            fit[q] = docs
    theirs = {q: v for (_, q), v in theirs_for([measure], qrels, fit).items()} if fit else {}
    for query_id, value in ours.items():
        assert value == pytest.approx(theirs.get(query_id, math.nan), abs=1e-9, nan_ok=True)


def _by_subtopic(qrels: Any) -> list[Any]:
    return [
        ir_measures.Qrel(q, d, g, name)
        for q, docs in qrels.items()
        for d, grade in docs.items()
        for name, g in grade.subtopics.items()
    ]


def _compare_diverse(run: Any, qrels: Any, asked: list[Any]) -> None:
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    for measure in asked:
        # One at a time: of several settings of alpha, beta or rel all but one come out as 0.
        theirs = theirs_for([measure], _by_subtopic(qrels), run)
        for query_id, value in ours_for(measure, ranks).items():
            expected = theirs[measure, query_id]
            if math.isnan(expected):
                expected = 0.0  # nNRBP divides 0 by 0 where nothing is relevant
            assert value == pytest.approx(expected, abs=1e-9), (measure, query_id)


@examples(40)
@given(collection=untied(subtopics=True))
def test_subtopics(collection: Any) -> None:
    _compare_diverse(*collection, DIVERSE)


@examples(20)
@given(collection=untied(subtopics=True))
def test_ndeval_forgets_to_divide_at_the_first_rank(collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    asked = [ERR_IA @ 1, alpha_DCG @ 1]
    theirs = theirs_for(asked, _by_subtopic(qrels), run)
    assert ranks.subtopics is not None
    subtopics = dict(zip(ranks.query_ids, ranks.subtopics.n_subtopics().tolist(), strict=True))
    for measure in asked:
        for query_id, value in ours_for(measure, ranks).items():
            assert value * subtopics[query_id] == pytest.approx(theirs[measure, query_id], abs=1e-9)


@examples(30)
@given(collection=untied(subtopics=True, negative=False))
def test_subtopics_of_condensed_lists(collection: Any) -> None:
    # Its own judged_only ends with an error, so it is given the condensed list.
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    shorter = {q: {d: s for d, s in r.items() if d in qrels.get(q, {})} for q, r in run.items()}
    asked = [ERR_IA @ 5, nERR_IA @ 5, alpha_DCG @ 5, alpha_nDCG @ 5, AP_IA, P_IA @ 5]
    theirs = theirs_for(asked, _by_subtopic(qrels), shorter)
    for measure in asked:
        for query_id, value in ours_for(measure(judged_only=True), ranks).items():
            assert value == pytest.approx(theirs[measure, query_id], abs=1e-9), measure


# Lists deeper than cwl's 1,000, and a patience for which its 1,000 ranks matter


def _deep(listed: int) -> tuple[Any, Any]:
    draw = random.Random(listed)
    docs = [f"d{i}" for i in range(listed)]
    run = {f"{q}": {d: float(listed - i) for i, d in enumerate(docs)} for q in range(1, 4)}
    chosen = {q: draw.sample(docs, 60) for q in run}
    return run, {q: {d: draw.choice([0, 0, 1, 2, 3]) for d in chosen[q]} for q in run}


@pytest.mark.parametrize("listed", [400, 1500])
def test_as_deep_as_cwl_looks(listed: int) -> None:
    run, qrels = _deep(listed)
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    of_cwl = ("SDCG", "BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11")
    deeper = [SDCG(max_rel=3) @ 1200, BPM(T=100.0, max_rel=3) @ 1200, NERR9(max_rel=9) @ 1200]
    asked = [m for m in PLAIN if m.NAME in of_cwl] + deeper
    theirs = theirs_for(asked, qrels, run)
    for measure in asked:
        for query_id, value in ours_for(measure, ranks).items():
            assert value == pytest.approx(theirs[measure, query_id], abs=1e-9), measure


def test_rbp_weighs_endless_ranks_and_cwl_a_thousand() -> None:
    run, qrels = _deep(1000)
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    measure = RBP(rel=1, p=0.995)
    theirs = theirs_for([measure], qrels, run)
    for query_id, value in ours_for(measure, ranks).items():
        expected = theirs[measure, query_id] * (1 - 0.995**1000)
        assert value == pytest.approx(expected, abs=1e-9)


def test_without_a_highest_grade_it_is_that_of_all_judgments() -> None:
    run, qrels = _deep(80)
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    some = ranks.select_queries(np.array([True, False, False]))
    for name in ("INST", "INSQ", "NERR10", "NERR11", "SDCG@10", "BPM@10", "NERR8@5", "NERR9@5"):
        own, _, at = name.partition("@")
        given = parse_measure(f"{own}(max_rel=3)" + (f"@{at}" if at else ""))
        assert parse_measure(name).score(ranks).tolist() == given.score(ranks).tolist()
        assert parse_measure(name).score(some).tolist() == given.score(some).tolist()


# Our provider inside ir_measures


SAME = [nDCG @ 5, AP(rel=2), RR, INST(max_rel=4), Compat, RBP(rel=1), NumRelRet, NumQ, Judged @ 5]


@examples(30)
@given(collection=untied(negative=False))
def test_the_provider_gives_what_the_default_gives(collection: Any) -> None:
    run, qrels = collection
    asked = known(SAME)
    aggregated = ir_measures.calc_aggregate(asked, qrels, run)
    own = provider.calc_aggregate(asked, qrels, run)
    for measure in asked:
        assert own[measure] == pytest.approx(aggregated[measure], abs=1e-9), measure
    found = {(m.measure, m.query_id): m.value for m in provider.iter_calc(asked, qrels, run)}
    assert found == pytest.approx(theirs_for(asked, qrels, run), abs=1e-9)


def test_every_form_of_input_is_taken() -> None:
    run, qrels = (
        {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}},
        {"1": {"a": 1, "b": 0}, "3": {"c": 1}},
    )
    rows = [ir_measures.ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    graded_rows = [ir_measures.Qrel(q, d, g) for q, docs in qrels.items() for d, g in docs.items()]
    text = "".join(f"{r.query_id} Q0 {r.doc_id} 1 {r.score} run\n" for r in rows)
    judged = "".join(f"{r.query_id} 0 {r.doc_id} {r.relevance}\n" for r in graded_rows)
    forms = [
        (qrels, run),
        (graded_rows, rows),
        (iter(graded_rows), iter(rows)),
        (pd.DataFrame(graded_rows), pd.DataFrame(rows)),
        (pd.DataFrame(graded_rows).drop(columns="iteration"), pd.DataFrame(rows)),
        (ir_measures.read_trec_qrels(judged), ir_measures.read_trec_run(text)),
    ]
    for form in forms:
        found = provider.calc_aggregate([P @ 1, NumQ], *form)
        assert found == {P @ 1: 0.5, NumQ: 1}, form
    with pytest.raises(ValueError, match="unknown format"):
        provider.calc_aggregate([P @ 1], 5, run)


def test_nothing_in_common_gives_the_defaults() -> None:
    qrels = {"1": {"a": 1}}
    for run in ({}, {"2": {"a": 1.0}}):
        assert provider.calc_aggregate([AP, P @ 5], qrels, run) == {AP: 0.0, P @ 5: 0.0}
        assert list(provider.iter_calc([Accuracy], qrels, run)) == []
    assert math.isnan(provider.calc_aggregate([AP], {}, {"1": {"a": 1.0}})[AP])


def test_subtopics_come_from_the_iteration() -> None:
    qrels = {"1": {"a": graded({"1": 1, "2": 1}), "b": graded({"1": 1})}}
    run = {"1": {"a": 2.0, "b": 1.0}}
    found = provider.calc_aggregate([StRecall @ 1, P @ 1, AP_IA], _by_subtopic(qrels), run)
    assert found == {StRecall @ 1: 1.0, P @ 1: 1.0, AP_IA: 1.0}
    # Without subtopics all judgments are of one, as pyndeval has it.
    assert provider.calc_aggregate([StRecall @ 1], {"1": {"a": 1}}, run) == {StRecall @ 1: 1.0}


def test_install_puts_it_in_front_and_uninstall_takes_it_away() -> None:
    before = list(ir_measures.DefaultPipeline.providers)
    measure = RBP(p=0.9)  # graded; nobody else there has it
    qrels, run = {"1": {"a": 2}}, {"1": {"a": 1.0}}
    try:
        install()
        install()
        assert ir_measures.DefaultPipeline.providers == [provider, *before]
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(0.2)
        own = ir_measures.define(lambda qrels, run: iter([("1", 7.0)]), name="Seven")
        assert not provider.supports(own)
    finally:
        uninstall()
    assert ir_measures.DefaultPipeline.providers == before
    assert ir_measures.providers.registry["ranklens"] is provider
    with pytest.raises(ValueError, match="Unsupported"):
        ir_measures.calc_aggregate([measure], qrels, run)


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_ir_measures_stays_optional() -> None:
    done = _python("import sys, metrics_core; assert 'ir_measures' not in sys.modules")
    assert done.returncode == 0, done.stderr
    done = _python(
        "import sys; sys.modules['ir_measures'] = None;"
        "import metrics_core.compatible.ir_measures_provider"
    )
    assert "pip install ir-measures" in done.stderr
