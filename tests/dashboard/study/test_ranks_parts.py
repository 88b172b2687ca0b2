"""Judged ranks in folders and in parts: one run each, as whole as its parts are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dashboard.files.files import File, join_loaded_run_files, list_folder, read_file
from dashboard.study.layered_study import with_layers
from dashboard.study.library import assemble_library
from dashboard.study.study import Study
from dashboard.workspace import GradeRecord, Layer
from metrics_core.formats import read_set, table_bytes
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, RankedRun, Run
from tests.judged_ranks_of import judged_ranks_of

QRELS = Qrels.from_columns(list("aabb"), ["d1", "d2", "d1", "d3"], [1, 0, 2, 1])
RUN = Run.from_columns(
    "bm25", list("aaabbb"), ["x", "d1", "y", "d3", "z", "d1"], [3.0, 2, 1, 3, 2, 1]
)
PART = "part-{:05}-4f-c000.snappy.parquet"


def part_of(query_id: str) -> bytes:
    """The ranks of one query, as one part of a folder."""
    whole = judged_ranks_of(RUN, QRELS)
    own = [i for i, q in enumerate(whole.table["query_id"].to_pylist()) if q == query_id]
    return table_bytes(RankedRun(table=whole.table.take(own), name=RUN.name), "parquet")


def files_of(folder: Path) -> list[File]:
    read = list_folder(folder).read
    return [
        file
        for path in read
        for file in read_file(path, display_name=str(path.relative_to(folder)), origin="folder")
    ]


def collection(folder: Path, *, inside: str) -> Path:
    """Judgments, and a folder with both parts."""
    folder.mkdir()
    (folder / "qrels.txt").write_bytes(table_bytes(QRELS, "trec"))
    (folder / inside).mkdir(exist_ok=True)
    for i, query_id in enumerate("ab"):
        (folder / inside / PART.format(i)).write_bytes(part_of(query_id))
    (folder / inside / "_SUCCESS").write_bytes(b"")
    return folder


def assert_same_scores(study: Study | None) -> None:
    assert study is not None and study.names == ["bm25"] and not study.refused
    measure = parse_measure("nDCG@10")
    whole = Study([RUN], QRELS).all_scores(measure)
    assert np.array_equal(study.all_scores(measure).values, whole.values)


def test_a_folder_inside_is_one_file(tmp_path: Path) -> None:
    files = files_of(collection(tmp_path / "data", inside="ranks"))
    assert [(f.file, f.kind) for f in files] == [("qrels.txt", "qrels"), ("ranks/bm25", "run")]
    assert_same_scores(assemble_library(files).study)


def test_parts_that_lie_apart_are_one_run(tmp_path: Path) -> None:
    files = files_of(collection(tmp_path / "data", inside="."))
    assert len(files) == 3
    made = assemble_library(files)
    assert_same_scores(made.study)
    first, second = made.files_of_kind("run")
    assert first.used and [note.kind for note in first.notes] == ["judged_ranks"]
    assert not second.used and second.why_not.startswith("part of bm25, together with part-00000")
    assert made.run_files["bm25"] is first


def test_a_part_alone_is_a_run_that_lacks_queries(tmp_path: Path) -> None:
    folder = collection(tmp_path / "data", inside=".")
    (folder / PART.format(1)).unlink()
    made = assemble_library(files_of(folder))
    assert made.study is not None
    assert made.study.judged["bm25"].missing_queries == ("b",)
    (only,) = made.files_of_kind("run")
    assert any(note.kind == "part" and note.loud for note in only.notes)


def test_parts_of_two_folders_stay_two_runs(tmp_path: Path) -> None:
    folder = collection(tmp_path / "data", inside="one")
    (folder / "two").mkdir()
    (folder / "two" / PART.format(0)).write_bytes(part_of("a"))
    made = assemble_library(files_of(folder))
    assert made.study is not None and made.study.names == ["bm25", "bm25 (2)"]


def test_parts_stay_together_where_files_are_left_out(tmp_path: Path) -> None:
    folder = collection(tmp_path / "data", inside=".")
    (folder / "z.run").write_bytes(table_bytes(RUN, "trec"))
    found = list_folder(folder, max_files=2)
    assert [path.name for path in found.read] == [PART.format(0), PART.format(1), "qrels.txt"]
    assert [path.name for path in found.left_out] == ["z.run"]


def test_parts_that_are_given_at_once_are_one_file_to_which_others_may_come(tmp_path: Path) -> None:
    parts = [read_set(part_of(query_id), name=PART.format(i)) for i, query_id in enumerate("ab")]
    first, second = (loaded for (loaded,) in parts)
    (both,) = join_loaded_run_files([first, second])
    assert both.file == "part-*-4f-c000.snappy.parquet/bm25"
    assert isinstance(both.table, Run) and both.table.has_same_rows(judged_ranks_of(RUN, QRELS))
    assert [note.kind for note in both.notes] == ["judged_ranks"]
    (only,) = join_loaded_run_files([replace(first, file=both.file)])
    qrels = File("q", "qrels.txt", "upload", table=QRELS)
    later = [File(x.file, x.file, "upload", table=x.table) for x in (only, second)]
    assert_same_scores(assemble_library([qrels, *later]).study)


def test_a_broken_part_is_the_error_of_its_folder(tmp_path: Path) -> None:
    folder = collection(tmp_path / "data", inside="ranks")
    (folder / "ranks" / PART.format(0)).write_bytes(part_of("a")[:-5])
    broken = next(f for f in files_of(folder) if f.error)
    assert broken.file == "ranks" and PART.format(0) in str(broken.error)


def test_other_judgments_are_the_error_of_this_run_alone() -> None:
    ranks = judged_ranks_of(RUN, QRELS).renamed("ranks")
    more = Qrels.from_columns(["a", *"aabb"], ["x", "d1", "d2", "d1", "d3"], [1, 1, 0, 2, 1])
    study = Study([RUN, ranks], more)
    assert study.names == ["bm25"]
    assert (
        "ranks: The ranks of judged documents in ranks were created with different judgments"
        in study.refused["ranks"].message
    )


def layer(*grades: tuple[str, str, float]) -> Layer:
    given = {(q, d): GradeRecord(grade, "me", "2026") for q, d, grade in grades}
    return Layer("1", "me", "2026", judged=True, version=str(grades), grade_records=given)


def test_a_layer_changes_grades_or_leaves_the_run_out() -> None:
    ranks = judged_ranks_of(RUN, QRELS).renamed("ranks")
    study, measure = Study([RUN, ranks], QRELS), parse_measure("nDCG@10")
    regraded = with_layers(study, [layer(("a", "d2", 3), ("b", "d1", 0))])
    one, other = regraded.all_scores(measure).values
    assert regraded.names == ["bm25", "ranks"] and np.array_equal(one, other)
    further = with_layers(study, [layer(("a", "x", 3))])
    assert further.names == ["bm25"] and list(further.refused_now) == ["ranks"]
    assert further.all_scores(measure).runs == ("bm25",)
    alone = with_layers(Study([RUN], QRELS), [layer(("a", "x", 3))])
    assert np.array_equal(further.all_scores(measure).values, alone.all_scores(measure).values)
