"""A run kept as a snapshot, and runs compared with it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from metrics_core.__main__ import main
from metrics_core.checks.snapshots import read_snapshot
from metrics_core.formats import read_run
from tests.full_disk import full_disk

SAMPLE = Path(__file__).parents[3] / "sample_runs"
MEASURES = "nDCG@10,AP,P@10"
GATES = (
    "--gate",
    "AP > -0.02",
    "--gate",
    "nDCG@10[category=Billing] > -0.04",
    "--gate",
    "P@10 > -0.03",
)

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command on the sample; status, stdout and stderr."""
    monkeypatch.chdir(SAMPLE)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def baseline(command: Command, tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    status, out, _ = command("snapshot", "qrels.txt", "dense.run", "-o", path, "-m", MEASURES)
    assert status == 0
    assert out.startswith(f"{path}: dense, 104 queries, nDCG@10, AP and P@10.\n")
    return path


@pytest.mark.parametrize("run", ["hybrid.run", "dense.run", "bm25.run"])
def test_a_snapshot_is_as_good_as_the_run(command: Command, baseline: Path, run: str) -> None:
    for format in ("table", "markdown", "github", "junit", "json"):
        asked = (run, *GATES, "--queries", "queries.csv", "--format", format)
        with_run = command("compare", "qrels.txt", "dense.run", *asked)
        with_file = command("compare", "qrels.txt", baseline, *asked)
        assert with_file[:2] == with_run[:2]


def test_it_says_what_these_queries_can_detect(command: Command, tmp_path: Path) -> None:
    words = ("snapshot", "qrels.txt", "dense.run", "-o", tmp_path / "a.json", "-m")
    _, out, _ = command(*words, "nDCG@10,GMAP,P@10")
    assert out.splitlines()[1:] == [
        "Losses that a gate can detect, for choosing margins: nDCG@10 0.077 and P@10 0.029 (with"
        " at least 80% power, if a change affects 30% of the"
        " queries)."
    ]
    assert command(*words, "GMAP")[1].count("\n") == 1
    few = qrels_with(tmp_path, lambda rows: [row for row in rows if row < "q020"])
    _, out, _ = command("snapshot", few, *words[2:], "AP")
    assert out.splitlines()[1:] == ["At least 20 queries are needed to choose margins."]


def qrels_with(tmp_path: Path, change: Callable[[list[str]], list[str]]) -> Path:
    path = tmp_path / "changed.txt"
    path.write_text("\n".join(change((SAMPLE / "qrels.txt").read_text().splitlines())) + "\n")
    return path


def test_judgments_that_changed_end_with_4_unless_allowed(
    command: Command, baseline: Path, tmp_path: Path
) -> None:
    changed = qrels_with(tmp_path, lambda rows: [*rows, "q002 0 new-document 1"])
    asked = ("compare", changed, baseline, "hybrid.run", "--gate", "nDCG@10 > -0.03")
    status, out, _ = command(*asked)
    assert status == 4
    assert "changed since baseline.json: q002 (13 grades then, 14 now)." in out
    assert "against dense, 103 queries" in out
    assert "Compared on the 103 queries whose judgments did not change." in out
    assert out.endswith("--allow-changed accepts the change.\n")
    status, out, _ = command(*asked, "--allow-changed")
    assert status == 0 and "q002" in out


def test_worse_counts_before_changed_judgments(
    command: Command, baseline: Path, tmp_path: Path
) -> None:
    changed = qrels_with(tmp_path, lambda rows: [*rows, "q002 0 new-document 1"])
    assert command("compare", changed, baseline, "bm25.run", "--gate", "AP > -0.02")[0] == 1


def test_other_queries_are_named(command: Command, baseline: Path, tmp_path: Path) -> None:
    fewer = qrels_with(tmp_path, lambda rows: [r for r in rows if not r.startswith(("q003", "q9"))])
    status, out, _ = command("compare", fewer, baseline, "hybrid.run", "--gate", "AP > -0.05")
    assert status == 4 and "One query is no longer judged: q003." in out
    other = qrels_with(tmp_path, lambda rows: [r.replace("q", "x", 1) for r in rows])
    run = tmp_path / "other.run"
    run.write_text((SAMPLE / "dense.run").read_text().replace("q", "x"))
    status, out, err = command("compare", other, baseline, run, "--gate", "AP > -0.05")
    assert (status, out) == (2, "") and "Nothing in" in err and "no longer judged" in err


def test_a_measure_that_it_lacks_is_named(command: Command, baseline: Path) -> None:
    asked = ("compare", "qrels.txt", baseline, "hybrid.run", "--gate", "RR > -0.05")
    status, _, err = command(*asked)
    assert status == 2 and "because baseline.json does not contain them" in err
    status, out, _ = command(*asked, "--gate", "AP > -0.05")
    assert status == 4 and "Scores of RR were not compared, because" in out
    assert "1 gate passed, 1 not compared" in out
    status, out, _ = command(*asked, "--gate", "AP > -0.05", "--allow-changed")
    assert status == 4 and out.endswith("since the snapshot; create a new snapshot.\n")


def test_a_better_run_may_take_its_place(command: Command, baseline: Path, tmp_path: Path) -> None:
    low = tmp_path / "low.json"
    command("snapshot", "qrels.txt", "bm25.run", "-o", low, "-m", MEASURES, "--label", "laptop 3")
    asked = ("compare", "qrels.txt", low, "dense.run", "--gate", "nDCG@10 > -0.01")
    status, out, _ = command(*asked)
    assert status == 0 and "dense against bm25 (laptop 3)" in out
    assert "The baseline is 0.087 below this run on nDCG@10. If the baseline is a snapshot" in out
    before = low.read_bytes()
    status, out, _ = command(*asked[:-2], "--floor", "nDCG@10 >= 0.1", "--update")
    assert status == 0 and "was not changed, because --update requires at least one gate" in out
    assert low.read_bytes() == before
    status, out, _ = command(*asked, "--update")
    assert (
        status == 0
        and "now contains the scores of this run. The label 'laptop 3' of the snapshot was removed"
        in out
    )
    made, wanted = read_snapshot(str(low)), read_snapshot(str(baseline))
    assert made.run == "dense" and made.origin == wanted.origin
    command("compare", "qrels.txt", low, "dense.run", *asked[-2:], "--update", "--label", "new")
    assert read_snapshot(str(low)).origin.label == "new"
    assert made.measures == wanted.measures and (made.scores.values == wanted.scores.values).all()


@pytest.mark.parametrize(("run", "status"), [("bm25.run", 1), ("hybrid.run", 0)])
def test_update_keeps_the_old_one_unless_not_worse_is_shown(
    command: Command, baseline: Path, run: str, status: int
) -> None:
    before = baseline.read_bytes()
    found, out, _ = command(
        "compare", "qrels.txt", baseline, run, "--gate", "nDCG@10 > -0.01", "--update"
    )
    assert found == status and "was not changed" in out
    assert baseline.read_bytes() == before


def test_a_significant_loss_is_taken_over_only_where_that_is_said_and_the_best_mean_stays(
    command: Command, baseline: Path, tmp_path: Path
) -> None:
    """Six losses below the margin, each taken over, made of 1.000 a baseline of 0.880."""
    before = baseline.read_bytes()
    of_ap = ("compare", "qrels.txt", baseline, "hybrid.run", "--gate", "AP > -0.05")
    of_another = (*of_ap[:-1], "nDCG@10 > -0.03")
    for asked in (of_ap, of_another):
        status, out, _ = command(*asked, "--update")
        assert status == 0 and "recorded" not in out
        assert (
            "was not changed, because the run is significantly worse (AP by 0.023). Add"
            " --accept-loss" in out
        )
        assert baseline.read_bytes() == before
    status, out, _ = command(*of_ap, "--update", "--accept-loss")
    assert status == 0 and "now contains the scores of this run." in out
    first, second = before, read_snapshot(str(baseline))
    said = "AP of hybrid is 0.537, 0.023 below the highest mean recorded in baseline.json"
    said += " (0.560"
    for format in ("table", "markdown", "json"):
        status, out, _ = command(*of_ap, "--format", format)
        assert status == 0 and f"{said})." in out
    changed = qrels_with(tmp_path, lambda rows: [*rows, "q002 0 new-document 1"])
    _, out, _ = command("compare", changed, *of_ap[2:])
    assert "recorded in baseline.json (0.560, on different judgments)." in out
    assert "recorded" not in command(*of_ap[:3], "dense.run", *of_ap[4:])[1]
    # Whoever makes it anew, here or from elsewhere, carries the best means on.
    made = ("snapshot", "qrels.txt", "hybrid.run", "-m", "AP", "-o")
    assert command(*made, baseline)[0] == 0
    assert read_snapshot(str(baseline)).best == {"AP": second.best["AP"]}
    assert command(*made, tmp_path / "next.json", "--after", baseline)[0] == 0
    assert read_snapshot(str(tmp_path / "next.json")).best == {"AP": second.best["AP"]}
    baseline.write_bytes(first[:300])
    status, _, err = command(*made, baseline)
    assert status == 0 and "no best means are carried over" in err
    assert read_snapshot(str(baseline)).best["AP"].mean < second.best["AP"].mean


def test_update_without_a_snapshot_is_an_error(command: Command) -> None:
    status, _, err = command(
        "compare", "qrels.txt", "bm25.run", "dense.run", "--gate", "AP > -0.1", "--update"
    )
    assert status == 2
    assert "--update needs a snapshot as baseline, but bm25.run is not a snapshot" in err


def test_runs_read_otherwise_are_refused(command: Command, baseline: Path) -> None:
    asked = ("compare", "qrels.txt", baseline, "hybrid.run", "--gate", "AP > -0.1")
    status, _, err = command(*asked, "--without-relevant", "leave out")
    assert status == 2 and "(none) differ from the current ones" in err


def test_a_damaged_and_a_later_one_end_with_2(command: Command, baseline: Path) -> None:
    asked = ("compare", "qrels.txt", baseline, "hybrid.run", "--gate", "AP > -0.1")
    whole = baseline.read_text("utf-8")
    baseline.write_text(whole[:500], "utf-8")
    status, out, err = command(*asked)
    assert (status, out) == (2, "") and "truncated, merged or edited by hand" in err
    baseline.write_text(whole.replace('snapshot": 2', 'snapshot": 9'), "utf-8")
    status, out, err = command(*asked)
    assert (status, out) == (2, "") and "a newer Ranklens" in err


def test_swapped_measures_hostile_values_and_faults_of_ours_end_with_2_and_never_1(
    command: Command, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("compare", "qrels.txt", baseline, "bm25.run", "--gate", "AP > -0.02")
    whole = baseline.read_text("utf-8")
    assert command(*asked)[0] == 1
    for old, new in (
        ('"nDCG@10", "AP"', '"AP", "nDCG@10"'),
        ('"label": ""', f'"label": {"[" * 100_000}'),
        ('"run": "dense"', '"run": "\\ud800"'),
        ('snapshot": 2', f'snapshot": {"9" * 5000}'),
        ("0.", f"{'9' * 400}"),
    ):
        assert old in whole
        baseline.write_text(whole.replace(old, new), "utf-8")
        status, out, err = command(*asked)
        assert (status, out) == (2, ""), old[:20]
        assert "baseline.json: expected an unmodified snapshot" in err, old[:20]
    for fault in (RuntimeError("odd"), MemoryError(), RecursionError(), SystemExit(1)):

        def fail(*_: object, fault: BaseException = fault) -> None:
            raise fault

        monkeypatch.setattr("metrics_core.commands.gate.gate_command.read_gate_comparison", fail)
        status, out, err = command(*asked)
        assert (status, out) == (2, "") and type(fault).__name__ in err


def test_a_file_that_was_laid_out_anew_is_the_same_baseline(
    command: Command, baseline: Path
) -> None:
    asked = ("compare", "qrels.txt", baseline, "hybrid.run", *GATES, "--queries", "queries.csv")
    before = command(*asked)[:2]
    whole = json.loads(baseline.read_text("utf-8"))
    text = json.dumps(whole, sort_keys=True, indent=2)
    for layout in (text, f"\ufeff{text}"):
        baseline.write_text(layout, "utf-8")
        assert command(*asked)[:2] == before
        status, _, err = command("evaluate", "qrels.txt", baseline)
        assert status == 2 and "a Ranklens snapshot" in err


def test_one_that_is_not_there_is_made_by_a_command(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "gone.json"
    status, _, err = command("compare", "qrels.txt", path, "dense.run", "--gate", "AP > -0.1")
    line = f"metrics-core snapshot qrels.txt RUN -o {path} -m AP"
    assert status == 2 and line in err
    made = line.replace("RUN", "dense.run").split()[1:]
    assert command(*made)[0] == 0
    status, out, _ = command("compare", "qrels.txt", path, "dense.run", "--gate", "AP > -0.1")
    assert status == 0 and "Nothing changed" in out


def test_in_the_place_of_a_run_it_is_called_what_it_is(command: Command, baseline: Path) -> None:
    for arguments in (
        ("evaluate", "qrels.txt", baseline),
        ("evaluate", baseline, "dense.run"),
        ("compare", "qrels.txt", baseline, "dense.run"),
        ("compare", "qrels.txt", "dense.run", baseline, "--gate", "AP > -0.1"),
    ):
        status, _, err = command(*arguments)
        assert status == 2 and "a Ranklens snapshot" in err, arguments
    with pytest.raises(Exception, match="a Ranklens snapshot"):
        read_run(baseline)


@pytest.mark.parametrize("name", [b"new.run", b"n\xff.run"])
def test_a_baseline_stays_whole_where_it_cannot_be_written(
    name: bytes, command: Command, tmp_path: Path
) -> None:
    run = tmp_path / os.fsdecode(name)
    shutil.copy("dense.run", run)
    kept = tmp_path / "kept"
    kept.mkdir()
    baseline, report = kept / "baseline.json", kept / "report.md"
    given = ("qrels.txt", "-m", MEASURES)
    command("snapshot", *given, "dense.run", "-o", baseline)
    report.write_text("before")
    held = baseline.read_bytes()
    with full_disk() if name == b"new.run" else nullcontext():
        status, _, err = command("snapshot", *given, run, "-o", baseline)
        assert status == 2 and str(baseline) in err
        reported = ("--gate", "AP > -0.02", "--report", f"json={report}")
        status, _, err = command("compare", "qrels.txt", baseline, run, *reported)
        assert status == 2 and str(report) in err
    assert baseline.read_bytes() == held and report.read_text() == "before"
    assert len(list(kept.iterdir())) == 2
