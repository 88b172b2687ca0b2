"""Lists of gains: levels named twice, grades that are too high for them, gains that are no numbers,
and rbp.

The values are those of trec_eval's own steps, done one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.compatible.trec_eval.gains import rank_biased_precision, rank_biased_residual
from metrics_core.judging import join_judgments
from metrics_core.tables import Qrels, Run
from tests.metrics_core.compatible.trec_eval.calls import Call, caller, lines, values

OLD = ("--as", "9.0.8")

GRADED = "q 0 a 1\nq 0 b 2\nq 0 c 3\nq 0 d 0\n"
LISTED = "q Q0 a 1 4 r\nq Q0 x 1 3.5 r\nq Q0 b 1 3 r\nq Q0 c 1 2 r\n"


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("ndcg.1=1,1=1", "0.6913"),
        ("ndcg.1=3,1=1", "0.5587"),
        ("ndcg.2=0.5,2=0.2", "0.7001"),
        ("ndcg.3=9,2=1,3=4", "0.3181"),
        ("dcg.1=3,1=1", "3.2920"),
        ("ideal_dcg.1=3,1=1", "5.8928"),
        ("ideal_dcg.1=1,1=3", "4.7619"),
        ("ndcg_rel.1=3,1=1", "0.4105"),
        ("Rndcg.1=3,1=1", "0.2719"),
        ("G.1=3,1=1", "0.3131"),
        # 3 is the most that is gained; the document a gains 1, b 2, c 3.
        ("rbp.1=3,1=1", "0.1602"),
    ],
)
def test_a_level_named_twice_counts_where_it_is_first_and_gains_the_least(
    call: Call, asked: str, value: str
) -> None:
    name, _, gains = asked.partition(".")
    outcome = call("-m", asked, qrels=GRADED, run=LISTED)
    assert values(outcome) == {(f"{name}_{gains}", "all"): value}


@pytest.mark.parametrize("asked", ["ndcg", "dcg", "ideal_dcg", "ndcg_rel", "Rndcg", "G", "rbp"])
@pytest.mark.parametrize("grade", ["1001", "5000000", "2147483648", "1" + "0" * 20, "9" * 5000])
def test_a_grade_too_high_for_a_list_of_gains_ends_it(call: Call, asked: str, grade: str) -> None:
    qrels = GRADED + GRADED.replace("q ", "r ").replace("c 3", f"c {grade}")
    outcome = call("-q", "-m", f"{asked}.1=2", qrels=qrels, run=LISTED + LISTED.replace("q ", "r "))
    assert outcome.status == 4
    assert [query for _, query in values(outcome)] == ["q"]
    assert outcome.messages[0] == f"trec_eval: Can't calculate measure '{asked}'"
    assert "query 'r'" in outcome.messages[1] and "above 1,000" in outcome.messages[1]


def test_the_highest_grade_for_a_list_of_gains_is_taken(call: Call) -> None:
    qrels = GRADED.replace("c 3", "c 1000")
    outcome = call("-m", "dcg.1000=0,1=2", qrels=qrels, run=LISTED)
    assert values(outcome) == {("dcg_1000=0,1=2", "all"): "3.0000"}


@pytest.mark.parametrize("form", ["qrels", "qrels_jg"])
def test_a_grade_that_cannot_be_counted_ends_it_for_any_measure(call: Call, form: str) -> None:
    measure = {"qrels": "map", "qrels_jg": "map_avgjg"}[form]
    for grade, status in (("2147483648", 0), (f"{2**53}", 0), (f"{2**53 + 1}", 4), ("9" * 30, 4)):
        qrels = GRADED.replace("c 3", f"c {grade}")
        outcome = call("-R", form, "-m", measure, qrels=qrels, run=LISTED)
        assert outcome.status == status
        assert not status or "the highest grade that can be counted" in outcome.messages[1]


def test_gains_that_are_no_numbers_or_beyond_an_int_keep_their_order(call: Call) -> None:
    # 1e10 and 2 are further apart than an int: the first of them stays below all others.
    assert values(call("-m", "ideal_dcg.1=1e10,2=2", qrels=GRADED, run=LISTED)) == {
        ("ideal_dcg_1=1e10,2=2", "all"): "4.2619"
    }
    for gains in ("1=inf", "1=nan", "1=inf,2=nan", "1=-inf,2=inf"):
        for name in ("ndcg", "ndcg_rel", "Rndcg", "G", "rbp"):
            assert call("-m", f"{name}.{gains}", qrels=GRADED, run=LISTED).status == 0


def test_what_gains_although_the_ideal_list_is_empty(call: Call) -> None:
    qrels = "q 0 a 2\nq 0 b 1\n"
    run = "q Q0 a 1 3 r\nq Q0 b 1 2 r\nq Q0 x 1 1 r\n"
    outcome = call("-m", "ndcg_rel.1=-1,5=0.9,2=0.5", qrels=qrels, run=run)
    assert values(outcome) == {("ndcg_rel_1=-1,5=0.9,2=0.5", "all"): "   inf"}


def test_the_ideal_of_a_query_judged_only_below_0_is_0(call: Call) -> None:
    qrels = GRADED + "r 0 a -1\n"
    outcome = call("-q", "-m", "ideal_dcg", qrels=qrels, run=LISTED + "r Q0 a 1 1 r\n")
    expected = "ideal_dcg q 4.7619\nideal_dcg r 0.0000\nideal_dcg all 2.3809"
    assert outcome.output == lines(expected)


@pytest.mark.parametrize(
    ("gains", "value"),
    [
        ("1=0.5,2=0.9", "0.8559"),
        ("3=0.5,2=0.9", "1.8178"),
        ("1=0.5", "0.7654"),
        ("2=1.5,1=2.2", "0.9043"),
        ("0=.5,1=.9,2=1.3,3=1.7", "0.8068"),
    ],
)
def test_levels_whose_gains_are_close_keep_their_order(call: Call, gains: str, value: str) -> None:
    qrels = "q 0 a 1\nq 0 b 2\nq 0 c 3\nq 0 d 0\n"
    run = "q Q0 a 1 4 r\nq Q0 b 1 3 r\nq Q0 c 1 2 r\n"
    outcome = call(*OLD, "-m", f"ndcg.{gains}", qrels=qrels, run=run)
    assert values(outcome) == {(f"ndcg_{gains}", "all"): value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("G_1=0.5,2=0.9", "0.7386"),
        ("G_3=0.5", "0.7231"),
        ("ndcg_rel_1=0.5,2=0.9", "0.0000"),
        ("ndcg_rel_1=2,3=1", "0.9031"),
        ("Rndcg_1=0.5,2=0.9", "0.4570"),
        ("Rndcg_1=2,3=2", "0.7039"),
        ("ndcg_-1=0.5,1=2", "0.8756"),
    ],
)
def test_gains_of_other_measures(call: Call, name: str, value: str) -> None:
    qrels = "q 0 a 1\nq 0 b 2\nq 0 c 3\nq 0 d 0\n"
    run = "q Q0 a 1 4 r\nq Q0 x 1 3.5 r\nq Q0 b 1 3 r\nq Q0 c 1 2 r\n"
    asked = ".".join(name.rsplit("_", 1))
    outcome = call(*OLD, "-m", asked, qrels=qrels, run=run)
    assert values(outcome) == {(name, "all"): value}


def test_10_has_one_table_of_gains_for_dcg_and_ndcg(call: Call) -> None:
    shown = values(call("-c", "-mdcg.1=4", "-mndcg", "-mideal_dcg"))
    assert {name for name, _ in shown} == {"dcg_1=4", "ideal_dcg_1=4", "ndcg_1=4"}
    shown = values(call("-c", "-mdcg", "-mndcg.1=4"))
    assert {name for name, _ in shown} == {"dcg", "ndcg_1=4"}


POOLED = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 e -1\nq2 0 a 1\nq2 0 b 0\nq3 0 z 3\n"
POOLED_RUN = "".join(
    f"{q} Q0 {d} 0 {9 - i} t\n" for q in ("q1", "q2") for i, d in enumerate("cxeab")
)


@pytest.mark.parametrize(
    ("asked", "first", "second"),
    [
        # Grades to 2 become halves; a query of grades 0 and 1 keeps them.
        ("rbp", 0.1 * (0.5 + 0.9**3), 0.1 * 0.9**3),
        ("rbp.p=0.5", 0.5 * (0.5 + 0.5**3), 0.5 * 0.5**3),
        # The highest gain may be a named one, also of a level that no document has.
        ("rbp.1=4", 0.1 * (1 + 2 / 4 * 0.9**3), 0.1 * 0.9**3),
        ("rbp.7=8", 0.1 * (1 / 8 + 2 / 8 * 0.9**3), 0.1 * 1 / 8 * 0.9**3),
        ("rbp.1=0.5,2=1", 0.1 * (0.5 + 0.9**3), 0.1 * 0.5 * 0.9**3),
        # Below 0 what is judged and worth nothing gains, and what is unjudged does not.
        (
            "rbp.1=-1",
            0.1 * (0 + 3 / 3 * 0.9**3 + 1 / 3 * 0.9**4),
            0.1 * (0 * 0.9**3 + 1 * 0.9**4),
        ),
        # A name of its own gives documents outside of the pool a gain.
        ("rbp.-1=0.5", 0.1 * (0.5 + 0.25 * 0.9 + 0.9**3), 0.1 * (0.5 * (1 + 0.9 + 0.81) + 0.9**3)),
    ],
)
def test_rbp_scales_gains_to_1(call: Call, asked: str, first: float, second: float) -> None:
    outcome = call("-c", "-q", "-m", asked, qrels=POOLED, run=POOLED_RUN)
    name = asked.replace(".", "_", 1)
    shown = values(outcome)
    assert float(shown[name, "q1"]) == pytest.approx(first, abs=5.01e-5)
    assert float(shown[name, "q2"]) == pytest.approx(second, abs=5.01e-5)
    # The document that 10.0 makes up for q3 is outside of the pool.
    assert shown[name, "q3"] == ("0.0167" if "-1=" in asked else "0.0000")


def test_rbp_and_what_it_leaves_open_are_summed_down_the_list() -> None:
    retrieved = [f"d{i}" for i in range(400)]
    grades = {d: (i * 7) % 4 for i, d in enumerate(retrieved) if i % 3}
    run = Run.from_columns("r", ["q"] * 400, retrieved, range(400, 0, -1))
    qrels = Qrels.from_columns(["q"] * len(grades), list(grades), list(grades.values()))
    gained = left = 0.0
    power = 1.0
    for d in retrieved:
        gained += grades.get(d, 0) / 3 * power
        left += power if d not in grades else 0.0
        power *= 0.9
    ranks = join_judgments(run, qrels)
    assert rank_biased_precision(ranks, [], 0.9)[0] == (1 - 0.9) * gained
    assert rank_biased_residual(ranks, 0.9)[0] == power + (1 - 0.9) * left
