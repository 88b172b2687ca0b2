"""What an experiment of PyTerrier (1.1.2) saves: a folder of NAME.res.gz with tables of scores."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core import compare_scores, evaluate
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats import is_set, read_all_tables, read_scores, read_set
from tests.metrics_core.formats.tools.looking import on_the_command_line, refused, written

RUNS = {
    "BM25": "q1 Q0 d1 0 2.5 pyterrier\nq1 Q0 d2 1 1.5 pyterrier\nq2 Q0 d3 0 1.0 pyterrier\n",
    "DPH_monoT5": "q1 Q0 d2 0 9.5 pyterrier\nq2 Q0 d3 0 1.0 pyterrier\n",
}
PERQUERY = (
    "name,qid,measure,value\nBM25,q1,map,1.0\nBM25,q2,map,0.5\n"
    "DPH_monoT5,q1,map,0.0\nDPH_monoT5,q2,map,0.5\n"
)
AGGREGATED = "name,map,mrt\nBM25,0.75,3.25\nDPH_monoT5,0.25,1e-3\n"


def saved(**more: str) -> dict[str, bytes]:
    """The files of the folder."""
    runs = {f"{name}.res.gz": gzip.compress(run.encode()) for name, run in RUNS.items()}
    scores = {"perquery.csv": PERQUERY, "aggregated.csv": AGGREGATED} | more
    return runs | {name: content.encode() for name, content in scores.items()}


def zipped(files: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"exp/{name}", content)
    return sink.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "exp").mkdir()
    written(tmp_path / "exp", saved())
    qrels = b"q1 0 d1 1\nq2 0 d4 1\nq2 0 d3 1\n"
    written(tmp_path, {"exp.zip": zipped(saved()), "qrels": qrels})
    return tmp_path


@pytest.mark.parametrize("of", ["exp", "exp.zip"])
def test_a_folder_and_a_zip_of_one_hold_its_runs(folder: Path, of: str) -> None:
    assert is_set(folder / of)
    loaded = read_set(folder / of)
    assert [(one.kind, cast(Any, one.table).name) for one in loaded] == [
        ("run", name) for name in RUNS
    ]
    assert [(n.message, n.count) for n in loaded[0].notes] == [
        ("2 files that were not read, because they are not runs", 2)
    ]
    assert loaded[1].notes == ()


@pytest.mark.parametrize("given", [["exp"], ["exp.zip"], ["exp/*.res.gz"]])
def test_on_the_command_line(
    folder: Path,
    given: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    found, said = on_the_command_line(capsys, "qrels", *given, "-m", "AP")
    assert found == [["BM25", "all", "AP", "0.75"], ["DPH_monoT5", "all", "AP", "0.25"]]
    assert ("2 files that were not read" in said) == (given != ["exp/*.res.gz"])


def test_one_run_of_it_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert main(["explain", "qrels", "exp/BM25", "exp/DPH_monoT5"]) == 0
    assert main(["explain", "qrels", "exp", "exp/BM25"]) == 2
    assert "Name one of them, such as exp/BM25" in capsys.readouterr().err


def test_in_python_scores_are_those_of_the_files(folder: Path) -> None:
    files = [folder / "exp" / f"{name}.res.gz" for name in RUNS]
    ours, theirs = (evaluate(given, folder / "qrels", "AP") for given in (folder / "exp", files))
    assert ours.equals(theirs)


def test_in_the_browser() -> None:
    loaded = read_tables(UploadedFile("exp.zip", zipped(saved())))
    assert [(one.kind, one.file) for one in loaded] == [
        ("run", f"exp.zip/exp/{name}.res.gz") for name in RUNS
    ]


def test_a_zip_that_holds_more_is_none(folder: Path) -> None:
    with pytest.raises(FileFormatError, match="contain only runs"):
        read_all_tables(zipped(saved(**{"qrels.txt": "q1 0 d1 1\n"})), name="exp.zip")


def test_a_broken_run_in_it_is_refused_by_its_name() -> None:
    files = saved() | {"BM25.res.gz": gzip.compress(b"q1 Q0 d1 0 x pyterrier\n")}
    with pytest.raises(FileFormatError, match=r"exp.zip/exp/BM25.res.gz, line 1.*found `x`"):
        read_set(zipped(files), name="exp.zip")


@pytest.mark.parametrize("content", [PERQUERY, "\ufeff" + PERQUERY])
def test_scores_by_query_are_read(content: str) -> None:
    (loaded,) = read_all_tables(content.encode(), name="perquery.csv")
    assert loaded.kind == "scores"
    table = read_scores(content.encode(), name="perquery.csv")
    assert table.run_names == ["BM25", "DPH_monoT5"]
    assert table.values.tolist() == [1, 0.5, 0, 0.5]
    for kind in ("run", "qrels"):
        refused(content.encode(), "perquery.csv", "scores by query", kind=kind)


@pytest.mark.parametrize("kind", [None, "run", "qrels", "scores"])
def test_one_number_per_run_is_refused(kind: Any) -> None:
    refused(AGGREGATED.encode(), "aggregated.csv", "no values per query", "NAME.res.gz", kind=kind)


def test_they_are_compared_as_they_are() -> None:
    frame = pd.read_csv(io.StringIO(PERQUERY + "BM25,q1,P@1,1\nBM25,q2,P@1,1\n"))
    frame = frame[(frame["measure"] == "map") | (frame["name"] == "BM25")]
    found = compare_scores(frame, "map", baseline="BM25")
    assert found["difference"].tolist() == [-0.5]
    twice = pd.concat([frame, frame.head(1)])
    with pytest.raises(RanklensError, match="map of run 'BM25' for query 'q1' is given twice"):
        compare_scores(twice, "map")


def test_what_it_really_saves(tmp_path: Path) -> None:
    pt = pytest.importorskip("pyterrier")
    found = pd.DataFrame(
        {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2.5, 1.5], "rank": [0, 1]}
    )
    topics = pd.DataFrame({"qid": ["q1"], "query": ["a"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["d2"], "label": [1]})
    systems = [pt.Transformer.from_df(found.assign(query="a"))]
    pt.Experiment(systems, topics, qrels, ["map"], names=["BM25"], save_dir=str(tmp_path))
    (run,) = read_set(tmp_path)
    assert [n.count for n in run.notes] == [2] and len(run.table) == 2
    pt.io.write_results(found.assign(features=[[1.0], [2.0]]), str(tmp_path / "x"), format="letor")
    (judged,) = read_all_tables(tmp_path / "x")
    assert cast(Any, judged.table).table["doc_id"].to_pylist() == ["d1", "d2"]
