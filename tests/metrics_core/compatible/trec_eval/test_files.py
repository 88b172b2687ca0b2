"""Files as trec_eval reads them; expected values as a trec_eval binary gave them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.compatible.trec_eval import files
from tests.metrics_core.compatible.trec_eval.calls import QRELS, RUN, Call, caller, lines, values

OLD = ("--as", "9.0.8")


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return caller(tmp_path)


@pytest.mark.parametrize("separator", [" ", "\t", "  ", " \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
def test_any_white_space_separates(call: Call, separator: str, end: str) -> None:
    expected = call(*OLD, "-q", "-m", "all_trec")
    apart = [t.replace(" ", separator).replace("\n", end) for t in (QRELS, RUN)]
    assert call(*OLD, "-q", "-m", "all_trec", qrels=apart[0], run=apart[1]) == expected
    leading = [separator + t.replace("\nq", "\n" + separator + "q") for t in (QRELS, RUN)]
    assert call(*OLD, "-q", "-m", "all_trec", qrels=leading[0], run=leading[1]) == expected
    unfinished = [t.rstrip("\n") for t in apart]
    assert call(*OLD, "-q", "-m", "all_trec", qrels=unfinished[0], run=unfinished[1]) == expected


@pytest.mark.parametrize("layout", [files.results_layout(allows_comments=c) for c in (True, False)])
@given(
    block=st.lists(
        st.sampled_from([*"q 1", " ", " ", "\t", "\n", "\r\n", "#", "\xe9", "q Q0 d 1 2 t"]),
        min_size=1,
    )
)
def test_what_is_read_fast_is_read_as_line_by_line(
    layout: files.LineFields, block: list[str]
) -> None:
    data = "".join(block).encode("latin-1")
    quick, careful = (
        files._read_regular_block(data, layout),
        files._read_block_by_line(data, layout),
    )
    if quick is not None:
        assert careful is not None
        assert quick.to_pylist() == careful.to_pylist()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("qrels", ""),
        ("qrels", "q1 0 d1\n"),
        ("qrels", "q1 0 d1 1 x\n"),
        ("qrels", "q1 0 d1 1\n\nq2 0 d1 1\n"),
        ("qrels", "q1 0 d1 1\n  \n"),
        ("qrels", "q1 0 d1 1\n  "),
        ("run", ""),
        ("run", "q1 Q0 d1 1 1\n"),
        ("run", "q1 Q0 d1 1 1 \n"),
        ("run", "q1 Q0 d1 1 1 "),
    ],
)
def test_malformed_files(call: Call, name: str, content: str) -> None:
    for version in ("9.0.8", "10.0"):
        outcome = call("--as", version, **{name: content})
        assert outcome.status == 2
        assert not outcome.output
        assert outcome.messages


def test_a_run_may_have_blank_lines_and_further_columns(call: Call) -> None:
    run = "\n\nq1 Q0 d1 1 2 t more columns\n \t\nq1 Q0 d2 1 1 t\n\n"
    assert values(call(*OLD, run=run, qrels="q1 0 d1 1\n"))["num_ret", "all"] == "2"
    longer = RUN.replace(" tag\n", " tag and more\n")
    assert call(*OLD, run=longer) == call(*OLD)


def test_comments_since_10(call: Call) -> None:
    qrels, run = "# judged by hand\n# twice\n" + QRELS, "# a b c d e f\n" + RUN + " # end\n"
    assert call("-c", qrels=qrels, run=run) == call("-c")
    assert call(*OLD, qrels=qrels).status == 2
    assert values(call(*OLD, run="# a b c 1 f\n" + RUN)) == values(call(*OLD))


JUDGED_IN = {
    "qrels": QRELS,
    "qrels_prefs": "q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 0\nq2 0 d2 2\nq3 0 d9 1\n",
    "prefs": "q1 j s d1 2\nq1 j s d2 1\nq2 j s d3 0\nq2 j s d2 2\nq3 j s d9 1\n",
    "qrels_jg": "q1 j d1 1\nq1 k d2 1\nq2 j d3 1\nq3 j d9 1\n",
}


@pytest.mark.parametrize("form", JUDGED_IN)
@pytest.mark.parametrize("comment", ["# judged by hand\n", "#\n", "#q1 j s d1 2\n"])
def test_comments_in_each_kind_of_judgments_since_10(call: Call, form: str, comment: str) -> None:
    family = {"qrels": "all_trec", "qrels_jg": "qrels_jg"}.get(form, "all_prefs")
    options = ("-R", form, "-c", "-q", "-m", family)
    plain = JUDGED_IN[form]
    expected = call(*options, qrels=plain)
    assert expected.status == 0
    inside = plain.replace("q2", comment + "q2", 1)
    for qrels in (comment + plain, inside, plain + comment, plain + comment.rstrip("\n")):
        assert call(*options, qrels=qrels) == expected
    assert call(*OLD, *options, qrels="# twice\n" + plain).status == 2


@pytest.mark.parametrize("run", ["\n", " \n\n", "# nothing found\n"])
def test_a_run_without_results_scores_0_with_c(call: Call, run: str) -> None:
    outcome = call("-c", "-m", "map", "-m", "num_q", "-m", "num_ret", run=run)
    assert outcome.status == 0
    assert outcome.output == lines("num_q all 3\nnum_ret all 0\nmap all 0.0000")
    everything = call("-c", "-q", "-m", "all_trec", run=run)
    assert everything.status == 0
    assert {value for (name, _), value in values(everything).items() if name == "relstring"} == {
        "''"
    }
    assert call("-m", "map", run=run).status == 7


def test_the_run_name_is_that_of_the_last_line(call: Call) -> None:
    for run in (RUN, RUN + "\n \n", RUN + "# no line\n"):
        assert values(call("-c", run=run))["runid", "all"] == "last"


def test_documents_twice(call: Call) -> None:
    again = RUN + "q2 Q0 d2 1 0.5 x\n"
    outcome = call(*OLD, "-q", "-m", "map", run=again)
    assert (outcome.status, outcome.output) == (4, lines("map q1 0.3333"))
    assert call(*OLD, "-m", "map", run=again).output == b""
    # Beyond the cut it is no error, nor for a query that is not judged.
    assert values(call(*OLD, "-M2", "-m", "map", run=again))["map", "all"] == "0.5000"
    assert call(*OLD, run=RUN + "q4 Q0 d1 1 1 x\n").status == 0
    assert call(*OLD, qrels=QRELS + "q2 0 d1 0\n").status == 4
    assert call(*OLD, qrels=QRELS + "q3 0 d9 1\n").status == 0
    assert call("-c", qrels=QRELS + "q3 0 d9 1\n").status == 4


def test_negative_grades(call: Call) -> None:
    first = "q1 0 d1 -1\nq2 0 d2 1\n"
    assert call(*OLD, "-q", qrels=first).status == 4
    later = "q1 0 d1 1\nq2 0 d2 -1\n"
    assert call(*OLD, "-m", "map", qrels=later).output == lines("map all 0.1667")


def test_no_query_in_common(call: Call) -> None:
    assert call(*OLD, qrels="q8 0 d1 1\n").status == 7
    assert values(call("-c", "-m", "map", qrels="q8 0 d1 1\n")) == {("map", "all"): "0.0000"}


def test_ids_are_bytes(call: Call) -> None:
    qrels = b"\xffq 0 \xe9 1\n\xffq 0 \xc3\xa9 0\n\xffq 0 z 0\n"
    run = b"\xffq Q0 \xe9 1 1 t\xe9g\n\xffq Q0 \xc3\xa9 1 1 t\xe9g\n\xffq Q0 z 1 1 t\xe9g\n"
    outcome = call(*OLD, "-q", "-m", "relstring", "-m", "runid", qrels=qrels, run=run)
    assert outcome.output == (
        b"relstring             \t\xffq\t'100'\nrunid                 \tall\tt\xe9g\n"
    )


def test_queries_are_in_the_order_of_their_bytes(call: Call) -> None:
    names = ["q10", "q9", "Q1", "\xe9", "a"]
    qrels = "".join(f"{q} 0 d 1\n" for q in names)
    run = "".join(f"{q} Q0 d 1 1 t\n" for q in names)
    shown = call(*OLD, "-qn", "-m", "map", qrels=qrels, run=run).output.decode().splitlines()
    assert [line.split("\t")[1] for line in shown] == ["Q1", "a", "q10", "q9", "\xe9"]


def test_blocks_and_lines_give_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = files.results_layout(allows_comments=True)
    data = "".join(f"q{i % 7} Q0 d{i} 1 {i / 8} t\n" for i in range(500)).encode()
    whole = files.read_table(data, layout, "run")
    monkeypatch.setattr(files, "_BLOCK", 64)
    assert files.read_table(data, layout, "run").equals(whole)
    monkeypatch.setattr(files, "_read_regular_block", lambda block, layout: None)
    careful = files.read_table(data, layout, "run")
    assert careful["doc_id"].equals(whole["doc_id"])
    assert careful["query_id"].to_pylist() == whole["query_id"].to_pylist()
    assert np.array_equal(careful["score"].to_numpy(), whole["score"].to_numpy())
