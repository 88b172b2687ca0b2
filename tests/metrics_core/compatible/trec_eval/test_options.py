"""trec_eval's options as GNU getopt_long reads them, and the exit statuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.compatible.trec_eval import evaluate
from metrics_core.compatible.trec_eval.options import parse_arguments
from metrics_core.compatible.trec_eval.table import ROWS
from tests.metrics_core.compatible.trec_eval.calls import Call, caller, values

OLD = ("--as", "9.0.8")


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ["-q", "-c", "-m", "map", "-l", "2", "a", "b"],
        ["-qcl2", "-mmap", "a", "b"],
        ["a", "b", "-qcmmap", "-l2"],
        ["a", "-qc", "-m", "map", "b", "-l", "2"],
        ["--query_eval_wanted", "--complete_rel_info_wanted", "--measure=map", "a", "b", "-l2"],
        ["--q", "--c", "--m", "map", "--l=2", "--", "a", "b"],
    ],
)
def test_one_command_line_in_many_ways(words: list[str]) -> None:
    options = parse_arguments(words)
    assert options.per_query
    assert options.complete
    assert options.level == 2
    assert options.measures == {"map"}
    assert options.files == ["a", "b"]


def test_behind_two_dashes_all_are_files() -> None:
    assert parse_arguments(["--", "-q", "-m"]).files == ["-q", "-m"]
    assert parse_arguments(["a", "-"]).files == ["a", "-"]


def test_numbers_count_as_far_as_they_are_numbers() -> None:
    options = parse_arguments(["-l", " 2x", "-M1e3", "-N", "x"])
    assert (options.level, options.most_retrieved, options.documents) == (2, 1, 0)


def test_the_first_list_of_parameters_counts(call: Call) -> None:
    shown = values(call(*OLD, "-m", "P.7,5", "-m", "P.3", "-m", "P"))
    assert [name for name, _ in shown] == ["P_5", "P_7"]


def test_names_bear_their_parameters(call: Call) -> None:
    asked = [
        "set_F.0.5",
        "utility.1,2,3,4",
        "11pt_avg..25,.5",
        "ndcg.1=3,2=9",
        "iprec_at_recall..1",
    ]
    shown = values(call(*OLD, *(f"-m{name}" for name in asked), "-mndcg_cut.2,23.4"))
    assert {name for name, _ in shown} == {
        "set_F_0.5",
        "utility_1,2,3,4",
        "11pt_avg_.25,.5",
        "ndcg_1=3,2=9",
        "iprec_at_recall_0.10",
        "ndcg_cut_2",
        "ndcg_cut_23",
    }


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([], 1),
        (["-q", "a"], 1),
        (["a", "b", "c"], 1),
        (["-x", "a", "b"], 1),
        (["-m"], 1),
        (["-m", "nothing", "a", "b"], 1),
        (["-m", "P.", "a", "b"], 1),
        (["-m", ".5", "a", "b"], 1),
        (["--R", "qrels", "a", "b"], 1),
        (["--nosummary=1", "a", "b"], 1),
        (["--as", "8", "a", "b"], 1),
        (["--as", "9.0.8", "-m", "rbp", "a", "b"], 1),
        (["/nowhere/qrels", "/nowhere/run"], 2),
        (["-h", "-m", "nothing"], 1),
        (["-v", "-m", "nothing"], 0),
        (["-h"], 0),
    ],
)
def test_exit_status_before_any_file(words: list[str], status: int) -> None:
    outcome = evaluate(words)
    assert outcome.status == status
    assert bool(outcome.messages) == (words != ["-h"])
    assert bool(outcome.output) == (words == ["-h"])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["-R", "nothing"], 2),
        (["-T", "nothing"], 2),
        (["-m", "P.0"], 2),
        (["-m", "P.5,5"], 2),
        (["-m", "recall.x"], 2),
        (["-m", "ndcg.1"], 2),
        (["-m", "ndcg.1=2=3"], 2),
        (["-m", "Rprec_mult.1,1"], 2),
        (["-m", "utility.1,2"], 4),
        (["-m", "prefs_simp"], 4),
        (["-m", "map_avgjg"], 4),
        (["-R", "qrels_prefs"], 4),
        (["-R", "qrels_prefs", "-m", "num_q"], 0),
        (["-Z", "/nowhere/means"], 255),
    ],
)
def test_exit_status_of_what_cannot_be_done(call: Call, words: list[str], status: int) -> None:
    outcome = call(*OLD, *words)
    assert outcome.status == status
    assert bool(outcome.output) == (status == 0)


def test_the_help_explains_the_measures_asked_for() -> None:
    text = evaluate(["-h", "-m", "recip_rank", "-m", "P"]).output.decode()
    assert "--Max_retrieved_per_topic" in text
    assert "\nrecip_rank\n    " in text
    assert "\nRprec\n" not in text


def test_the_help_has_a_sentence_for_each_measure() -> None:
    asked = [f"-m{row.name}" for row in ROWS]
    lines = evaluate(["-h", *asked]).output.decode().splitlines()
    for row in ROWS:
        explanation = lines[lines.index(row.name) + 1]
        assert explanation.startswith("    "), row.name
        assert explanation.endswith("."), row.name
