"""`evaluate --spark` prints what `evaluate` prints, from lines and from Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core import formats
from metrics_core.__main__ import main

SAMPLE = Path(__file__).parents[2] / "sample_runs"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[str, str]:
    assert main(["evaluate", *map(str, arguments)]) == 0, capsys.readouterr().err
    told = capsys.readouterr()
    return told.out, told.err


@pytest.mark.thorough
def test_lines_and_parquet_in_parts(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """dense as a folder of Parquet, bm25 as lines with tabs, blanks, a comment and queries in two
    parts, dense again and hybrid by a glob: the same table, and notes on what runs lack."""
    dense = formats.read_run(SAMPLE / "dense.run").to_pandas()
    folder = tmp_path / "dense"
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(len(dense)), 3)):
        table = pa.Table.from_pandas(dense.iloc[part], preserve_index=False)
        pq.write_table(table, folder / f"part-{number}.parquet")
    lines = (SAMPLE / "bm25.run").read_text().splitlines()
    parts = tmp_path / "bm25"
    parts.mkdir()
    odd = "\n".join(["\ufeff# a comment", "", *lines[1::2]]) + " two words\n"
    (parts / "part-1").write_text(odd)
    tabbed = [f" {line} ".replace(" ", "\t ") for line in lines[::2]]
    (parts / "part-2").write_text("\r\n".join(tabbed))
    (parts / "_SUCCESS").write_text("")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text((SAMPLE / "qrels.txt").read_text() + "nowhere 0 d1 0\n")
    asked = ("-m", "nDCG@10,AP,NumRel,P@5", "--per-query", "--format", "tsv")
    runs = [folder, parts, str(SAMPLE / "*[de].run")]
    ranks = tmp_path / "ranks"
    spark_options = ("--spark", "local[2]", "--judged-ranks", ranks)
    found, notes = printed(capsys, qrels, *runs, *asked, *spark_options)
    names = ["dense", "bm25", "hybrid"]
    wanted, _ = printed(capsys, qrels, *(SAMPLE / f"{name}.run" for name in names), *asked)
    second = [line.replace("dense\t", "dense (2)\t", 1) for line in wanted.splitlines()]
    second = [line for line in second if line.startswith("dense (2)\t")]
    assert sorted(found.splitlines()) == sorted([*wanted.splitlines(), *second])
    runs_in_order = list(dict.fromkeys(line.split("\t")[0] for line in found.splitlines()))
    assert runs_in_order == ["run", "dense", "bm25", "dense (2)", "hybrid"]
    assert "note: dense: 1 judged query without results; scored 0 (first: nowhere)" in notes
    read = formats.read_judged_ranks(ranks)
    assert [one.name for one in read] == sorted([*names, "dense (2)"])


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["evaluate", str(SAMPLE / "qrels.txt"), *map(str, arguments)]) == 2
    told = capsys.readouterr()
    assert not told.out
    return told.err


@pytest.mark.thorough
def test_what_cannot_be_done_is_said(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local = ("--spark", "local[2]")
    assert "no such file" in refused(capsys, tmp_path / "none.run", *local)
    (tmp_path / "empty").mkdir()
    assert "empty" in refused(capsys, tmp_path / "empty", *local)
    bad = tmp_path / "bad.run"
    bad.write_text((SAMPLE / "bm25.run").read_text() + "q001 Q0 d1 1\n")
    said = refused(capsys, bad, *local)
    assert "expected 6 columns" in said and "found: q001 Q0 d1 1" in said
    assert "A TREC run line is" in said and "\tat " not in said
    twice = tmp_path / "twice.run"
    lines = (SAMPLE / "bm25.run").read_text()
    twice.write_text(lines + lines.splitlines()[0] + "\n")
    assert "in run twice is listed 2 times" in refused(capsys, twice, *local)
    floats = tmp_path / "floats.parquet"
    pq.write_table(pa.table({"query_id": ["q001"], "doc_id": [1.0], "score": [1.0]}), floats)
    assert "'doc_id' of the run" in refused(capsys, floats, *local)
    bm25 = SAMPLE / "bm25.run"
    assert "first" in refused(capsys, bm25, *local, "--duplicates", "first")
    assert "--clean-ids" in refused(capsys, bm25, *local, "--clean-ids")
    assert "--memory" in refused(capsys, bm25, *local, "--memory", "1GB")
    assert "subtopic" in refused(capsys, bm25, *local, "-m", "alpha_nDCG@5")
    assert "needs --spark" in refused(capsys, bm25, "--judged-ranks", tmp_path / "x")
