"""Preferences; the bytes were compared with a trec_eval binary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.metrics_core.compatible.trec_eval.calls import GROUPS, RUN, Call, caller, lines, values

OLD = ("--as", "9.0.8")


PREFERENCES = """\
q1 ann s1 d1 3
q1 ann s1 d2 1
q1 ann s2 d2 2
q1 ann s2 d5 1
q1 bob s1 d5 2
q1 bob s1 d1 0
q1 bob s1 d7 0
q2 ann s1 d2 1.5
q2 ann s1 d3 0
"""
"""Ann's preferences of q1 are partial, with d1 over d5 by way of d2."""


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


def test_preferences(call: Call) -> None:
    outcome = call(*OLD, "-q", "-R", "prefs", "-m", "all_prefs", qrels=PREFERENCES)
    of_q2 = [line for line in outcome.output.splitlines() if b"\tq2\t" in line]
    assert len(of_q2) == 14
    ones = [b"1.0000" if number > 2 else b"1" for number in range(14)]
    assert [line.split(b"\t")[-1] for line in of_q2] == ones
    rest = b"".join(line + b"\n" for line in outcome.output.splitlines() if line not in of_q2)
    assert rest == lines("""
        prefs_num_prefs_poss    q1 5
        prefs_num_prefs_ful     q1 3
        prefs_num_prefs_ful_ret q1 2
        prefs_simp              q1 0.6000
        prefs_pair              q1 0.6250
        prefs_avgjg             q1 0.5833
        prefs_avgjg_Rnonrel     q1 0.4583
        prefs_simp_ret          q1 0.5000
        prefs_pair_ret          q1 0.5000
        prefs_avgjg_ret         q1 0.3333
        prefs_avgjg_Rnonrel_ret q1 0.4583
        prefs_simp_imp          q1 0.6000
        prefs_pair_imp          q1 0.6250
        prefs_avgjg_imp         q1 0.5833
        runid                   all last
        num_q                   all 2
        prefs_num_prefs_poss    all 6
        prefs_num_prefs_ful     all 4
        prefs_num_prefs_ful_ret all 3
        prefs_simp              all 0.8000
        prefs_pair              all 0.8125
        prefs_avgjg             all 0.7917
        prefs_avgjg_Rnonrel     all 0.7292
        prefs_simp_ret          all 0.7500
        prefs_pair_ret          all 0.7500
        prefs_avgjg_ret         all 0.6667
        prefs_avgjg_Rnonrel_ret all 0.7292
        prefs_simp_imp          all 0.8000
        prefs_pair_imp          all 0.8125
        prefs_avgjg_imp         all 0.7917
    """)


def test_preferences_break_ties_the_other_way(call: Call) -> None:
    for run, fulfilled in ((RUN, "1"), (RUN.replace("d3 9 1.5", "d3 9 1.6"), "0")):
        shown = values(call(*OLD, "-qR", "prefs", "-m", "prefs", qrels=PREFERENCES, run=run))
        assert shown["prefs_num_prefs_ful", "q2"] == fulfilled


def test_qrels_as_preferences(call: Call) -> None:
    shown = values(call(*OLD, "-R", "qrels_prefs", "-m", "prefs", qrels=GROUPS))
    # Ann prefers d1 to d2, Bob d2 to d5 and both to d1; the run has d2 before d1 before d5.
    assert shown["prefs_num_prefs_poss", "all"] == "4"
    assert shown["prefs_num_prefs_ful", "all"] == "2"


def test_contradictions(call: Call) -> None:
    circle = PREFERENCES + "q2 ann s2 d3 2\nq2 ann s2 d2 1\n"
    # d3 is worth nothing in one subgroup and something in the other.
    outcome = call(*OLD, "-qR", "prefs", "-m", "prefs_simp", qrels=circle)
    assert (outcome.status, outcome.output) == (4, lines("prefs_simp q1 0.6000"))
    circle = circle.replace("d3 0", "d3 0.5")
    outcome = call(*OLD, "-qR", "prefs", "-m", "prefs_simp", qrels=circle)
    assert (outcome.status, outcome.output) == (134, b"")
    twice = PREFERENCES + "q2 ann s1 d2 1\n"
    assert call(*OLD, "-R", "prefs", "-m", "prefs_simp", qrels=twice).status == 4


def test_other_measures_do_not_go_with_preferences(call: Call) -> None:
    assert call(*OLD, "-R", "prefs", qrels=PREFERENCES).status == 4
    assert call(*OLD, "-R", "prefs", "-m", "prefs", qrels=GROUPS).status == 2
