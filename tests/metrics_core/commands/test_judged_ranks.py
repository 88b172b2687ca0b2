"""Judged ranks on the command line: a folder is as many runs as it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics_core import read_qrels, read_run, write
from metrics_core.__main__ import main
from metrics_core.formats import table_bytes
from metrics_core.tables import RankedRun
from tests.judged_ranks_of import judged_ranks_of

SAMPLE = Path(__file__).parents[3] / "sample_runs"
QRELS = str(SAMPLE / "qrels.txt")
BM25, DENSE = str(SAMPLE / "bm25.run"), str(SAMPLE / "dense.run")


@pytest.fixture
def ranks(tmp_path: Path) -> str:
    """A folder with the judged ranks of both runs."""
    folder, qrels = tmp_path / "ranks", read_qrels(QRELS)
    folder.mkdir()
    for i, name in enumerate(("bm25", "dense")):
        run = read_run(SAMPLE / f"{name}.run", name=name)
        content = table_bytes(judged_ranks_of(run, qrels), "parquet")
        (folder / f"part-{i:05}-a.parquet").write_bytes(content)
    (folder / "_SUCCESS").write_bytes(b"")
    return str(folder)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_scores_are_those_of_the_runs(capsys: pytest.CaptureFixture[str], ranks: str) -> None:
    asked = ["--per-query", "--format", "tsv", "-m", "AP,nDCG@10,Judged@10"]
    of_runs = printed(capsys, "evaluate", QRELS, BM25, DENSE, *asked)
    assert printed(capsys, "evaluate", QRELS, ranks, *asked) == of_runs


def test_parts_given_one_by_one_are_one_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    whole = judged_ranks_of(read_run(BM25, name="bm25"), read_qrels(QRELS))
    queries = whole.table["query_id"].to_pylist()
    parts = []
    for i, odd in enumerate((True, False)):
        own = [row for row, query_id in enumerate(queries) if (int(query_id[1:]) % 2 == 1) == odd]
        parts.append(str(tmp_path / f"part-{i:05}-a.parquet"))
        write(RankedRun(table=whole.table.take(own), name="bm25"), parts[-1], "parquet")
    assert printed(capsys, "evaluate", QRELS, *parts) == printed(capsys, "evaluate", QRELS, BM25)
    assert main(["evaluate", QRELS, parts[0]]) == 0
    assert "only one part of a folder, so queries in the other parts" in capsys.readouterr().err


def test_each_run_is_named_with_what_is_known_of_it(
    capsys: pytest.CaptureFixture[str], ranks: str
) -> None:
    assert main(["evaluate", QRELS, ranks]) == 0
    told = capsys.readouterr().err
    assert (
        "note: dense: only the ranks of judged documents were loaded: of 10,400 listed documents,"
        " only the"
    ) in told
    assert "have tied scores" not in told


def test_one_run_of_a_folder_can_be_named(capsys: pytest.CaptureFixture[str], ranks: str) -> None:
    asked = ["-m", "AP", "--format", "json"]
    rows = json.loads(printed(capsys, "compare", QRELS, f"{ranks}/bm25", f"{ranks}/dense", *asked))
    whole = json.loads(printed(capsys, "compare", QRELS, BM25, DENSE, *asked))
    assert rows == whole
    explained = ["explain", QRELS, f"{ranks}/bm25", f"{ranks}/dense"]
    assert printed(capsys, *explained) == printed(capsys, "explain", QRELS, BM25, DENSE)
    assert "There is no run 'sparse'" in refused(capsys, "evaluate", QRELS, f"{ranks}/sparse")


def test_where_one_run_is_asked_for_several_are_refused(
    capsys: pytest.CaptureFixture[str], ranks: str
) -> None:
    for arguments in (["compare", QRELS, ranks, BM25], ["explain", QRELS, BM25, ranks]):
        told = refused(capsys, *arguments)
        assert (
            "ranks of judged documents from 2 runs, but only one is allowed: bm25 and dense" in told
        )
        assert f"Name one of them, such as {ranks}/bm25." in told


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (["--clean-ids"], "its ids can no longer be changed"),
        (["--memory", "1GB"], "ranks of judged documents"),
        (["-m", "Coverage@5", "--documents", str(SAMPLE / "articles.jsonl")], "needs the listed"),
    ],
)
def test_what_cannot_be_done_with_them(
    capsys: pytest.CaptureFixture[str], ranks: str, option: list[str], why: str
) -> None:
    assert why in refused(capsys, "evaluate", QRELS, ranks, *option)
