"""What trec_eval prints. The bytes for 9.0.8 were compared with a trec_eval binary, once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from metrics_core.compatible.trec_eval import main
from tests.metrics_core.compatible.trec_eval.calls import QRELS, RUN, Call, caller, lines, values

OLD = ("--as", "9.0.8")


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


def test_names_and_values_stand_as_trec_eval_puts_them(call: Call) -> None:
    assert call(*OLD, "-m", "map", "-m", "num_ret", "-m", "runid").output == (
        b"runid                 \tall\tlast\n"
        b"num_ret               \tall\t6\n"
        b"map                   \tall\t0.6667\n"
    )


def test_queries_come_before_the_summary_and_measures_in_the_order_of_the_table(call: Call) -> None:
    asked = ["map", "P.1,2", "num_rel", "relstring", "gm_map", "infAP", "utility", "ndcg"]
    outcome = call(*OLD, "-q", *(f"-m{name}" for name in asked))
    assert outcome.output == lines("""
        num_rel   q1 1
        map       q1 0.3333
        P_1       q1 0.0000
        P_2       q1 0.0000
        relstring q1 '0.1-'
        infAP     q1 0.3333
        utility   q1 -2.0000
        ndcg      q1 0.5000
        num_rel   q2 2
        map       q2 1.0000
        P_1       q2 1.0000
        P_2       q2 1.0000
        relstring q2 '12'
        infAP     q2 1.0000
        utility   q2 2.0000
        ndcg      q2 0.8597
        num_rel   all 3
        map       all 0.6667
        gm_map    all 0.5774
        P_1       all 0.5000
        P_2       all 0.5000
        infAP     all 0.6667
        utility   all 0.0000
        ndcg      all 0.6799
    """)
    assert outcome.status == 0
    assert not outcome.messages


def test_official_is_the_default(call: Call) -> None:
    shown = values(call(*OLD))
    assert len(shown) == 10 + 11 + 9
    assert shown["bpref", "all"] == "0.5000"
    assert shown["iprec_at_recall_1.00", "all"] == "0.6667"
    assert shown["P_1000", "all"] == "0.0015"
    assert shown == values(call(*OLD, "-m", "official"))


@pytest.mark.parametrize(
    ("version", "printed"),
    [
        (
            "9.0.8",
            """
            num_rel q1 1
            map     q1 0.3333
            num_rel q2 2
            map     q2 1.0000
            """,
        ),
        (
            "10.0",
            """
            num_rel q1 1
            map     q1 0.3333
            num_rel q2 2
            map     q2 1.0000
            num_rel q3 1
            map     q3 0.0000
            """,
        ),
    ],
)
def test_with_c_all_judged_queries_count(call: Call, version: str, printed: str) -> None:
    asked = ("-m", "map", "-m", "num_rel", "-m", "gm_map", "-m", "num_q")
    outcome = call("--as", version, "-c", "-q", *asked)
    summary = "num_q all 3\nnum_rel all 4\nmap all 0.4444\ngm_map all 0.0149"
    assert outcome.output == lines(printed.strip() + "\n" + summary)


def test_10_takes_back_the_document_it_makes_up(call: Call) -> None:
    asked = ["num_ret", "utility", "relstring", "unj", "rbp_resid", "yaap"]
    shown = values(call("-c", "-q", *(f"-m{name}" for name in asked)))
    assert shown["num_ret", "q3"] == "0"
    assert shown["relstring", "q3"] == "''"
    assert shown["utility", "q3"] == shown["unj_5", "q3"] == shown["rbp_resid", "q3"] == "0.0000"
    assert shown["yaap", "q3"] == "-0.6931"
    named = values(call("-c", "-q", "-m", "utility.0,1,0,0"))
    assert named["utility_0,1,0,0", "q3"] == "1.0000"
    for length, text in (("10", "'-'"), ("0", "''"), ("nan", "''"), ("1e20", "''")):
        named = values(call("-c", "-q", "-m", f"relstring.{length}"))
        assert named[f"relstring_{length}", "q3"] == text


def test_10_stops_at_a_query_that_the_run_lacks(call: Call) -> None:
    outcome = call("-q", "-m", "map")
    assert outcome.status == 4
    assert outcome.output == lines("map q1 0.3333\nmap q2 1.0000")
    assert outcome.messages
    for asked in ("num_q", "runid"):
        outcome = call("-m", asked)
        assert (outcome.status, outcome.output) == (4, b"")
        assert "query 'q3'" in outcome.messages[-1]
    assert call("-c", "-m", "num_q").output == lines("num_q all 3")
    assert call(*OLD, "-m", "num_q").output == lines("num_q all 2")


def test_with_c_num_rel_counts_what_is_above_0_whatever_the_level(call: Call) -> None:
    assert values(call(*OLD, "-l2", "-m", "num_rel"))["num_rel", "all"] == "1"
    assert values(call(*OLD, "-l2", "-c", "-m", "num_rel"))["num_rel", "all"] == "4"


def test_only_the_best_or_only_the_judged(call: Call) -> None:
    best = values(call(*OLD, "-q", "-M", "1", "-m", "map", "-m", "num_ret", "-m", "relstring"))
    assert (best["map", "q1"], best["map", "q2"]) == ("0.0000", "0.5000")
    assert best["num_ret", "all"] == "2"
    judged = values(call(*OLD, "-q", "-J", "-m", "map", "-m", "relstring"))
    assert (judged["relstring", "q1"], judged["map", "q1"]) == ("'01'", "0.5000")


def test_where_nothing_is_left_precision_is_0_over_0(call: Call) -> None:
    outcome = call(*OLD, "-J", "-m", "iprec_at_recall.0,1", run="q1 Q0 dx 1 1 t\n")
    assert outcome.output == (
        b"iprec_at_recall_0.00  \tall\t  -nan\niprec_at_recall_1.00  \tall\t0.0000\n"
    )


def test_single_precision_ties_up_to_9(call: Call) -> None:
    run = "q1 Q0 d1 1 3.00000001 t\nq1 Q0 d2 2 3.00000002 t\n"
    qrels = "q1 0 d1 0\nq1 0 d2 1\n"
    other = "q1 0 d1 1\nq1 0 d2 0\n"
    for version, first in (("9.0.8", "1.0000"), ("10.0", "1.0000")):
        shown = values(call("--as", version, "-m", "recip_rank", qrels=qrels, run=run))
        assert shown["recip_rank", "all"] == first
    turned = run.replace("d1 1 3.00000001", "d1 1 3.00000003")
    for version, first in (("9.0.8", "0.5000"), ("10.0", "1.0000")):
        shown = values(call("--as", version, "-m", "recip_rank", qrels=other, run=turned))
        assert shown["recip_rank", "all"] == first


def test_recall_is_rounded_up_from_a_tenth_up_to_9(call: Call) -> None:
    qrels = "".join(f"q 0 d{i} 1\n" for i in range(1, 5))
    run = "q Q0 d1 1 9 t\nq Q0 x 2 8 t\nq Q0 d2 3 7 t\n"
    for version, second in (("9.0.8", "0.6667"), ("10.0", "1.0000")):
        shown = values(
            call("--as", version, "-m", "iprec_at_recall.0.25,0.3", qrels=qrels, run=run)
        )
        assert shown["iprec_at_recall_0.25", "all"] == "1.0000"
        assert shown["iprec_at_recall_0.30", "all"] == second


def test_only_one_query(call: Call) -> None:
    assert call("-q", "-D", "0.q2", "-m", "map").output == lines("map q2 1.0000\nmap all 1.0000")
    assert call("-D", "0.q9").status == 7


def test_the_command_line_hands_everything_over(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    command = [sys.executable, "-m", "metrics_core", "trec_eval", "--as", "9.0.8", "-qm", "map"]
    done = subprocess.run(
        [*command, str(tmp_path / "qrels"), "-"],
        input=RUN.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    command[5] = "10.0"
    done = subprocess.run(
        [*command, "-c", str(tmp_path / "qrels"), "-"],
        input=RUN.encode(),
        capture_output=True,
        check=False,
    )
    expected = "map q1 0.3333\nmap q2 1.0000\nmap q3 0.0000\nmap all 0.4444"
    assert (done.returncode, done.stdout) == (0, lines(expected))


def test_the_version_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert main(["-v", *OLD]) == 0
    assert capsys.readouterr() == ("", "trec_eval version 10.0\ntrec_eval version 9.0.8\n")
