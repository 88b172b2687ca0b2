"""Several runs side by side: distinct names, and one run where a file is given twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core import evaluate
from metrics_core.__main__ import main
from metrics_core.judging.while_reading import large_files
from metrics_core.tables import Run
from metrics_core.tables.run_names import add_folder_names, make_names_unique
from tests.collections_of import run_of

ONE = {"q": {"d1": 2.0, "d2": 1.0}}
OTHER = {"q": {"d1": 2.0, "d2": 1.5}}


def test_different_runs_of_different_names_stay() -> None:
    runs = [run_of(ONE, "a"), run_of(OTHER, "b")]
    assert make_names_unique(runs, Run.has_same_rows) == (runs, [])


def test_a_run_given_twice_is_kept_once() -> None:
    runs, notes = make_names_unique([run_of(ONE, "a"), run_of(ONE, "a")], Run.has_same_rows)
    assert [r.name for r in runs] == ["a"]
    assert [(n.kind, n.message) for n in notes] == [
        ("same_run", "a was loaded twice, so it is shown only once")
    ]


def test_two_runs_with_the_same_rows_stay_two() -> None:
    runs, notes = make_names_unique([run_of(ONE, "a"), run_of(ONE, "b"), run_of(ONE, "a")])
    assert [r.name for r in runs] == ["a", "b", "a (2)"]
    assert [n.kind for n in notes] == ["same_name"]


def test_two_runs_of_one_name_are_told_apart() -> None:
    third = {"q": {"d1": 1.0}}
    runs, notes = make_names_unique(
        [run_of(ONE, "a"), run_of(OTHER, "a"), run_of(third, "a")], Run.has_same_rows
    )
    assert [r.name for r in runs] == ["a", "a (2)", "a (3)"]
    assert [n.message for n in notes] == [
        "two runs are named a, so one is shown as a (2)",
        "two runs are named a, so one is shown as a (3)",
    ]


def test_a_name_made_to_tell_apart_is_itself_free() -> None:
    third = {"q": {"d1": 1.0}}
    runs, _ = make_names_unique(
        [run_of(ONE, "a"), run_of(OTHER, "a (2)"), run_of(third, "a")], Run.has_same_rows
    )
    assert [r.name for r in runs] == ["a", "a (2)", "a (3)"]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ("a/run b/run", "a/run b/run"),
        ("run b/run", "run b/run"),
        ("/run /b/run", "run b/run"),
        ("a/run a/dense b/run", "a/run dense b/run"),
        ("a/x/run b/x/run c/y/run", "a/x/run b/x/run c/y/run"),
        ("x/run a/x/run", "x/run a/x/run"),
        ("a/run ./a/run", "run run"),
        ("a/run a/b/../run c/run", "a/run a/run c/run"),
        ("../a/run ../b/run", "a/run b/run"),
        ("a/run a/dense", "run dense"),
    ],
)
def test_folders_tell_files_of_one_name_apart(files: str, names: str) -> None:
    paths = files.split()
    runs = add_folder_names([run_of(ONE, Path(path).name) for path in paths], paths)
    assert [run.name for run in runs] == names.split()


@pytest.mark.parametrize("judged_from", [0, 10**9])
def test_runs_of_one_name_in_two_folders(
    judged_from: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(large_files, "MIN_BYTES", judged_from)
    Path("qrels.txt").write_text("1 0 d1 1\n")
    for place, folder in enumerate("ab", 1):
        Path(folder).mkdir()
        text = "".join(f"1 Q0 d{doc} {doc} {doc * (2 - place) + 5 - doc} x\n" for doc in (1, 2))
        Path(f"{folder}/run.txt").write_text(text)
    files = ["a/run.txt", "b/run.txt"]
    assert main(["evaluate", "qrels.txt", *files, "a/run.txt", "-m", "RR", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1:] == ["a/run,all,RR,0.5", "b/run,all,RR,1.0"]
    assert "a/run was loaded twice, so it is shown only once" in err and "two runs" not in err
    for given in (files, [Path(file) for file in files]):
        found = evaluate(given, "qrels.txt", "RR")
        assert found["run"].tolist() == ["a/run", "b/run"]
    mixed = evaluate([*files, {"1": ["d1"]}], "qrels.txt", "RR")
    assert mixed["run"].tolist() == ["a/run", "b/run", "run (2)"]


def test_systems_of_one_name_in_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    systems = "1 Q0 d1 1 2 bm25\n1 Q0 d2 1 2 dense\n1 Q0 d3 2 1 bm25\n1 Q0 d3 2 1 dense\n"
    for file in ("a.trec", "b.trec"):
        Path(file).write_text(systems)
    found = evaluate(["a.trec", "b.trec"], {"1": ["d1"]}, "RR")
    names = ["a.trec/bm25", "a.trec/dense", "b.trec/bm25", "b.trec/dense"]
    assert found["run"].tolist() == names
    rows = [{"run": run, "query_id": "1", "doc_id": "d1", "score": 1.0} for run in "xy"]
    found = evaluate(["a.trec", rows], {"1": ["d1"]}, "RR")
    assert found["run"].tolist() == ["bm25", "dense", "x", "y"]
