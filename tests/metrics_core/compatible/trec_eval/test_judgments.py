"""Judgments of several judges; the bytes were compared with a trec_eval binary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.metrics_core.compatible.trec_eval.calls import GROUPS, Call, caller, lines, values

OLD = ("--as", "9.0.8")


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


def test_judgment_groups_are_averaged(call: Call) -> None:
    asked = ["map_avgjg", "P_avgjg.1,2", "Rprec_mult_avgjg.1,2", "num_q"]
    outcome = call(*OLD, "-qRqrels_jg", *(f"-m{name}" for name in asked), qrels=GROUPS)
    assert outcome.output == lines("""
        map_avgjg             q1 0.6667
        P_avgjg_1             q1 0.5000
        P_avgjg_2             q1 0.5000
        Rprec_mult_avgjg_1.00 q1 0.5000
        Rprec_mult_avgjg_2.00 q1 0.2500
        map_avgjg             q2 0.5000
        P_avgjg_1             q2 0.0000
        P_avgjg_2             q2 0.5000
        Rprec_mult_avgjg_1.00 q2 0.0000
        Rprec_mult_avgjg_2.00 q2 0.5000
        num_q                 all 2
        map_avgjg             all 0.5833
        P_avgjg_1             all 0.2500
        P_avgjg_2             all 0.5000
        Rprec_mult_avgjg_1.00 all 0.2500
        Rprec_mult_avgjg_2.00 all 0.3750
    """)


def test_a_group_judges_a_document_once(call: Call) -> None:
    assert call(*OLD, "-R", "qrels_jg", "-m", "num_q", qrels=GROUPS + "q2 ann d2 0\n").status == 2


def test_groups_of_a_query_that_the_run_lacks(call: Call) -> None:
    outcome = call("-cqR", "qrels_jg", "-m", "map_avgjg", qrels=GROUPS + "q9 ann d2 1\n")
    assert values(outcome)["map_avgjg", "q9"] == "0.0000"
    assert values(outcome)["map_avgjg", "all"] == "0.3889"
