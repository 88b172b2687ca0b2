"""`compare` as a gate: every status with its sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_core.__main__ import main
from metrics_core.base import wording as w

SAMPLE = Path(__file__).parents[3] / "sample_runs"
Gate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def gate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Runs `compare` with gates on two of the sample's runs; status, stdout and stderr."""
    monkeypatch.chdir(SAMPLE)

    def run(
        *arguments: str, files: tuple[str, ...] = ("dense.run", "hybrid.run")
    ) -> tuple[int, str, str]:
        status = main(["compare", "qrels.txt", *files, *arguments])
        out, err = capsys.readouterr()
        return status, out.replace(w.NO_BREAK, " "), err

    return run


def test_worse_ends_with_1_and_names_what_broke(gate: Gate) -> None:
    status, out, _ = gate("--gate", "AP > -0.02")
    assert status == 1
    assert "hybrid against dense, 104 queries: 1 gate failed." in out
    assert "Worse: AP falls by 0.023 [0.007, 0.038]. The loss is significant" in out
    assert "Five worst of 44 lost queries (AP):" in out
    lines = out.split("Five worst")[1].splitlines()
    assert lines[2].split()[:4] == ["q003", "0.722", "0.362", f"{w.MINUS}0.360"]
    assert lines[2].endswith("ranked too low")
    command = "metrics-core explain qrels.txt dense.run hybrid.run -m AP --query q003"
    assert command in out
    assert out.endswith("Failed.\n")


def test_the_command_that_is_named_shows_the_query(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = gate("--gate", "AP > -0.02")
    line = next(line for line in out.splitlines() if "explain" in line)
    assert main(line.split()[1:]) == 0
    assert capsys.readouterr().out.startswith("q003: ")


def test_not_worse_ends_with_0(gate: Gate) -> None:
    status, out, _ = gate("--gate", "nDCG@10 > -0.03")
    assert status == 0
    assert f"Not worse: nDCG@10 {w.MINUS}0.011 [{w.MINUS}0.029, 0.008]. A loss of 0.03" in out
    assert f"the lower bound of its 90% interval is {w.MINUS}0.029" in out
    assert "1 of 1 gate passed" in out and "explain" not in out
    assert out.endswith("Passed.\n")


def test_unchanged_ends_with_0_and_says_so(gate: Gate) -> None:
    for option in ("pass", "fail"):
        status, out, _ = gate(
            "--gate", "AP > -0.02", "--if-unclear", option, files=("dense.run", "dense.run")
        )
        assert status == 0
        assert (
            "Not worse: AP unchanged. Nothing changed: all 104 queries score the same as with"
            in out
        )


def test_a_gate_that_holds_waits_for_no_frames(tmp_path: Path) -> None:
    """Loading pandas takes as long as reading a large run."""
    # Half of the judged documents are found, so that other readings of ids are tried.
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("".join(f"q{n} 0 doc{n % 2 * 1000 + n} 1\n" for n in range(60)))
    run.write_text("".join(f"q{n} Q0 doc{n} 1 {n}.5 a\n" for n in range(60)))
    code = (
        "import sys; from metrics_core.__main__ import main;"
        " status = main(['compare', *sys.argv[1:], '--gate', 'AP > -0.1']);"
        " sys.exit(status or ('pandas' in sys.modules) * 99)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, qrels, run, run], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_cannot_tell_ends_as_it_is_set(gate: Gate) -> None:
    asked = ("--gate", "nDCG@10 > -0.01")
    status, out, _ = gate(*asked)
    assert status == 0
    assert "Cannot tell: nDCG@10" in out
    assert "A loss of 0.01 is neither confirmed nor ruled out." in out
    assert "These 104 queries detect a loss of about 0.027 with 80% power" in out
    assert "inconclusive checks applies: pass (--if-unclear pass)" in out
    status, out, _ = gate(*asked, "--if-unclear", "fail")
    assert status == 3
    assert "inconclusive checks applies: fail (--if-unclear fail)" in out
    assert out.endswith(
        "Failed, because the result is inconclusive and inconclusive results are set to fail.\n"
    )


def test_few_queries_answer_no_gate(gate: Gate) -> None:
    status, out, _ = gate(
        "--gate",
        "nDCG@10[category=Network] > -0.05",
        "--queries",
        "queries.csv",
        "--if-unclear=fail",
    )
    assert status == 3
    assert "only 9 queries. 9 queries are too few to test: a gate needs at least 10." in out


def test_several_gates_and_runs_are_corrected_together(gate: Gate) -> None:
    status, out, _ = gate(
        "--gate",
        "AP > -0.02",
        "--gate",
        "nDCG@10 > -0.04",
        files=("dense.run", "hybrid.run", "bm25.run"),
    )
    assert status == 1
    assert "Findings of “worse” are corrected for all 4 comparisons (Holm)" in out
    assert "hybrid and bm25 against dense" in out and "bm25: Worse: AP falls by" in out
    table = out.split("\nresult")[1].splitlines()
    assert [line.split()[0] for line in table[1:5]] == ["worse", "worse", "worse", "not"]


@pytest.mark.parametrize(
    ("asked", "status", "sentence"),
    [
        (("--floor", "AP >= 0.4"), 0, "Floor held: AP is 0.537 (required: 0.4)."),
        (("--floor", "AP >= 0.6"), 1, "Below the floor: AP is 0.537 (required: 0.6)."),
        (
            ("--floor-shown", "AP >= 0.5"),
            1,
            "Below the floor: AP is 0.537, and the lower bound of its 90% interval is 0.485",
        ),
    ],
)
def test_floors(gate: Gate, asked: tuple[str, ...], status: int, sentence: str) -> None:
    found, out, _ = gate(*asked)
    assert found == status and sentence in out


def test_a_floor_of_too_few_queries_cannot_be_shown(gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "queries.csv").write_text("query_id,kind\nq001,odd\nq002,odd\n")
    asked = ("--floor-shown", "AP[kind=odd] >= 0.1", "--queries", str(tmp_path / "queries.csv"))
    status, out, _ = gate(*asked, "--if-unclear", "fail")
    assert status == 3 and "means over fewer than 8 queries have no interval" in out


@pytest.mark.parametrize("snapshot", [False, True])
def test_results_of_each_query_can_be_required(gate: Gate, tmp_path: Path, snapshot: bool) -> None:
    """Also of queries that are judged only since the snapshot, which has no scores of them."""
    rows = (SAMPLE / "dense.run").read_text().splitlines()
    short, baseline = tmp_path / "short.run", str(tmp_path / "b.json")
    short.write_text("".join(f"{row}\n" for row in rows if not row.startswith("q002")))
    assert main(["snapshot", "qrels.txt", "dense.run", "-o", baseline, "-m", "AP"]) == 0
    files = (baseline if snapshot else "dense.run", str(short))
    asked = ("--gate", "AP > -0.1", "--floor", "answered >= 1")
    status, out, _ = gate(*asked, files=files)
    assert status == 1 and "Below the floor: Answered is 0.990 (required: 1)" in out
    assert gate(*asked, files=(files[0], "dense.run"))[0] == 0
    assert gate(*asked[2:], files=files)[0] == 1
    (tmp_path / "kinds.csv").write_text("query_id,kind\nq001,one\nq002,two\n")
    sliced = ("--floor", "answered[kind=two] >= 0.5", "--queries", str(tmp_path / "kinds.csv"))
    status, out, _ = gate(*sliced, files=files)
    assert status == 1 and "Answered on two is 0.000 (required: 0.5)" in out
    if snapshot:
        qrels = (SAMPLE / "qrels.txt").read_text()
        (tmp_path / "more.txt").write_text(f"{qrels}new 0 d1 1\n")
        more = ["compare", str(tmp_path / "more.txt"), baseline, "dense.run", *asked]
        assert main([*more, "--allow-changed"]) == 1


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--gate", "nDCG@10 > 0.01"), "'nDCG@10 > 0.01' is not a gate."),
        (("--gate", "nDGC@10 > -0.01"), "no measure 'nDGC'"),
        (("--gate", "AP[category=Billing] > -0.1"), "needs the queries"),
        (
            ("--gate", "AP[category=Bilin] > -0.1", "--queries", "queries.csv"),
            "Did you mean 'Billing'?",
        ),
        (("--gate", "AP[kind=x] > -0.1", "--queries", "queries.csv"), "no column 'kind'"),
        (
            ("--gate", "AP > -0.1", "--format", "csv"),
            "The result of a gate cannot be written as csv.",
        ),
        (("--gate", "AP > -0.1", "--margin", "0.1"), "--margin cannot be used with a gate"),
        (("--gate", "AP > -0.1", "--test", "t-test"), "--test cannot be used with a gate"),
        (("--gate", "AP > -0.1", "--by", "category"), "--by cannot be used with a gate"),
        (("--gate", "AP > -0.1", "--report", "pdf=x"), "'pdf=x' is not a valid report option."),
        (("--format", "junit"), "--format junit needs a gate."),
        (("--update",), "--update needs a gate."),
        (("--if-unclear", "fail"), "--if-unclear needs a gate."),
    ],
)
def test_errors_of_input_end_with_2(gate: Gate, asked: tuple[str, ...], says: str) -> None:
    status, out, err = gate(*asked)
    assert (status, out) == (2, "") and says in err


def test_a_run_that_is_not_there_ends_with_2(gate: Gate) -> None:
    status, out, err = gate("--gate", "AP > -0.1", files=("dense.run", "gone.run"))
    assert (status, out) == (2, "") and "gone.run" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "an empty file"),
        ("x1 0 d1 1\n", "have no query in common"),
        (None, "qrels-of-none.txt"),
    ],
)
def test_without_judgments_it_ends_with_2(
    gate: Gate, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, says: str
) -> None:
    path = tmp_path / "qrels-of-none.txt"
    if text is not None:
        path.write_text(text)
    assert main(["compare", str(path), "dense.run", "hybrid.run", "--gate", "AP > -0.1"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says in err


def test_a_run_with_fewer_queries_counts_0_for_them(gate: Gate, tmp_path: Path) -> None:
    lines = (SAMPLE / "dense.run").read_text().splitlines()
    (tmp_path / "short.run").write_text("\n".join(line for line in lines if line < "q05") + "\n")
    status, out, err = gate(
        "--gate", "AP > -0.02", files=("dense.run", str(tmp_path / "short.run"))
    )
    assert status == 1 and "no results" in out
    assert "judged queries" in err


def test_an_overlap_takes_no_judgments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLE)
    asked = ["compare", "none", "dense.run", "hybrid.run", "--overlap"]
    assert main([*asked, "top10 >= 0.8"]) == 0
    out = capsys.readouterr().out.replace(w.NO_BREAK, " ")
    assert "Overlap sufficient: 88% of the top 10 remained (required: 80%" in out
    assert "Largest changes among 86 changed queries (top 10 of hybrid):" in out
    assert out.split("RBO\n")[1].startswith("q003    60%")
    assert main([*asked, "top10 >= 0.9"]) == 1
    assert "Overlap too small: 88" in capsys.readouterr().out
    assert main(["compare", "none", "dense.run", "dense.run", "--overlap", "top5 >= 1"]) == 0
    assert "the top 5 of every query is the same" in capsys.readouterr().out


def test_an_overlap_beside_a_gate(gate: Gate, tmp_path: Path) -> None:
    status, out, _ = gate("--gate", "AP > -0.1", "--overlap", "top10 >= 0.9")
    assert status == 1 and "1 check failed, 1 passed" in out
    path = tmp_path / "b.json"
    assert main(["snapshot", "qrels.txt", "dense.run", "-o", str(path)]) == 0
    status, _, err = gate("--overlap", "top10 >= 0.9", files=(str(path), "hybrid.run"))
    assert status == 2 and "--overlap needs result lists, but" in err
