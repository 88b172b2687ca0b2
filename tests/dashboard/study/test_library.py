"""Which of the files make up the study, and what is said of the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.address.address import Address
from dashboard.files.files import SAMPLE_FOLDER, File, list_folder, read_file
from dashboard.study.library import assemble_library, convert_to_judgments, convert_to_run
from dashboard.workspace import Settings


def files_in(folder: Path, contents: dict[str, str]) -> list[File]:
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    paths = list_folder(folder).read
    return [
        f
        for p in paths
        for f in read_file(p, display_name=str(p.relative_to(folder)), origin="folder")
    ]


RUN, OTHER = "q1 Q0 d1 1 2.0 x\n", "q1 Q0 d2 1 2.0 x\n"


def test_the_sample_is_complete() -> None:
    paths = list_folder(SAMPLE_FOLDER).read
    library = assemble_library(
        [f for p in paths for f in read_file(p, display_name=p.name, origin="sample")]
    )
    assert library.study is not None
    assert library.study.names == ["bm25", "dense", "hybrid", "titles-only"]
    assert library.study.groupings == ["category", "difficulty"]
    assert all(f.error is None for f in library.files)


def test_without_judgments_there_is_no_study(tmp_path: Path) -> None:
    assert assemble_library(files_in(tmp_path, {"a.run": RUN})).study is None


def test_a_broken_file_stays_with_its_error(tmp_path: Path) -> None:
    library = assemble_library(
        files_in(tmp_path, {"a.run": RUN, "b.run": "q1 Q0\n", "j.qrels": "q1 0 d1 1\n"})
    )
    assert library.study is not None and library.study.names == ["a"]
    broken = next(f for f in library.files if f.file == "b.run")
    assert broken.error is not None and broken.table is None


def test_the_qrels_that_share_most_queries_are_used(tmp_path: Path) -> None:
    library = assemble_library(
        files_in(tmp_path, {"a.run": RUN, "j1.qrels": "q1 0 d1 1\n", "j2.qrels": "q7 0 d1 1\n"})
    )
    used = {f.file: f.used for f in library.files}
    assert used["j1.qrels"] and not used["j2.qrels"]
    chosen = assemble_library(library.files, qrels_key="folder:j2.qrels")
    assert chosen.study is not None
    assert list(chosen.study.refused) == ["a"]


def test_an_answers_judgments_of_hits_give_way_to_those_it_was_asked_with(tmp_path: Path) -> None:
    hit = {"_index": "i", "_id": "d1"}
    answer = {"details": {"q1": {"hits": [{"hit": {**hit, "_score": 2.0}, "rating": 1}]}}}
    asked = {"requests": [{"id": "q1", "ratings": [{**hit, "_id": d, "rating": 1} for d in "ab"]}]}
    contents = {"answer.json": json.dumps(answer), "request.json": json.dumps(asked)}
    library = assemble_library(files_in(tmp_path, contents))
    used = {f.file: f.used for f in library.files if f.kind == "qrels"}
    assert used == {"answer.json": False, "request.json": True}


def test_what_a_run_brings_along_takes_no_texts_away(tmp_path: Path) -> None:
    snapshot = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n"
    contents = {
        "a.csv": "query_id,text,category\nq1,oil,x\n",
        "corpus.csv": "doc_id,title\nd1,one\nd2,two\n",
        "j.qrels": "q1 0 d1 1\nq1 0 d2 1\n",
        "snapshot.csv": snapshot + "now,t,1,q1,d1,1,ONE\n",
    }
    library = assemble_library(files_in(tmp_path, contents))
    used = {(f.file, f.kind) for f in library.files if f.used}
    assert {("a.csv", "queries"), ("corpus.csv", "documents")} <= used
    assert not {("snapshot.csv", "queries"), ("snapshot.csv", "documents")} & used
    again = {"corpus2.csv": "doc_id,title\nd2,two\nd1,uno\n"}
    used = {(f.file, f.kind) for f in assemble_library(files_in(tmp_path, again)).files if f.used}
    assert ("corpus2.csv", "documents") in used


def test_two_files_with_the_same_rows_are_two_runs(tmp_path: Path) -> None:
    contents = {"a.run": RUN, "b.run": RUN, "old/a.run": RUN, "j.qrels": "q1 0 d1 1\n"}
    library = assemble_library(files_in(tmp_path, contents))
    assert library.study is not None and library.study.names == ["a", "b", "a (2)"]
    assert all(file.used for file in library.files)


def test_runs_of_one_name_in_two_folders(tmp_path: Path) -> None:
    files = files_in(tmp_path, {"x/a.run": RUN, "y/a.run": OTHER, "j.qrels": "q1 0 d1 1\n"})
    library = assemble_library(files)
    assert library.study is not None and library.study.names == ["a", "a (2)"]


def test_readmes_and_programs_are_no_data(tmp_path: Path) -> None:
    files = files_in(
        tmp_path, {"README.txt": "hello", "make.py": "x", ".hidden": "x", "a.run": RUN}
    )
    assert [f.file for f in files] == ["a.run"]


@pytest.mark.parametrize(
    ("address", "focus", "baseline"),
    [
        (Address.create(), "dense", "bm25"),
        (Address.create(base="dense"), "hybrid", "dense"),
        (Address.create(run="titles-only"), "titles-only", "bm25"),
        (Address.create(run="nobody", base="nobody"), "dense", "bm25"),
        (Address.create(run="bm25"), "bm25", "bm25"),
    ],
)
def test_the_view_of_an_address(address: Address, focus: str, baseline: str) -> None:
    paths = list_folder(SAMPLE_FOLDER).read
    study = assemble_library(
        [f for p in paths for f in read_file(p, display_name=p.name, origin="sample")]
    ).study
    assert study is not None
    view = study.view(address)
    shown = view.comparison
    assert (shown.focus, shown.baseline) == (focus, baseline)
    assert focus in shown.runs and baseline in shown.runs
    asked = (address["run"] or focus, address["base"] or baseline)
    assert view.pinned_address == address.with_values(run=asked[0], base=asked[1])
    assert bool(view.lacking) == ("nobody" in asked)


def test_a_file_of_detailed_results_is_a_study(tmp_path: Path) -> None:
    good = [{"query": "refund", "retrieved": ["d1", "d2"], "expected": ["d2"], "category": "a"}]
    better = [{"query": "refund", "retrieved": ["d2"], "expected": ["d2"], "category": "a"}]
    (tmp_path / "bad.json").write_text(json.dumps([*good, {}]))
    (tmp_path / "new.json").write_text(json.dumps({"detailed_results": better}))
    (tmp_path / "old.json").write_text(json.dumps(good))
    files = [
        file
        for path in list_folder(tmp_path).read
        for file in read_file(path, display_name=path.name, origin="folder")
    ]
    assert len({file.key for file in files}) == len(files) == 7
    assert [file.file for file in files if file.error is not None] == ["bad.json"]
    study = assemble_library(files).study
    assert study is not None
    assert (study.names, study.query_ids) == (["new", "old"], ["refund"])


def test_runs_have_the_names_and_colours_that_they_were_given() -> None:
    paths = list_folder(SAMPLE_FOLDER).read
    files = [f for p in paths for f in read_file(p, display_name=p.name, origin="sample")]
    said = Settings(names=(("dense", "E5"),), slots=(("bm25", 1), ("dense", 0)))
    library = assemble_library(files, settings=said)
    study = library.study
    assert study is not None
    assert study.names == ["bm25", "E5", "hybrid", "titles-only"]
    assert library.own_names == {"E5": "dense"}
    assert library.slots == {"bm25": 1, "E5": 0, "hybrid": 2, "titles-only": 3}
    assert library.run_files["E5"].file == "dense.run"


def test_a_link_of_before_leads_to_the_run_under_its_new_name() -> None:
    paths = list_folder(SAMPLE_FOLDER).read
    files = [f for p in paths for f in read_file(p, display_name=p.name, origin="sample")]
    study = assemble_library(files, settings=Settings(names=(("dense", "E5"),))).study
    assert study is not None
    view = study.view(Address.create(run="dense", base="hybrid", also=("bm25",)))
    assert view.comparison.runs == ("E5", "hybrid", "bm25")
    assert not view.lacking


def test_a_name_that_a_later_file_has_as_well_is_told_apart(tmp_path: Path) -> None:
    files = files_in(tmp_path, {"a.run": RUN, "b.run": OTHER, "j.qrels": "q1 0 d1 1\n"})
    study = assemble_library(files, settings=Settings(names=(("a", "b"),))).study
    assert study is not None and study.names == ["b (2)", "b"]


def test_a_run_can_be_taken_for_judgments_and_back(tmp_path: Path) -> None:
    (file,) = files_in(tmp_path, {"llm.run": "001 Q0 d1 1 3 x\n001 Q0 d2 2 0 x\n"})
    judgments = convert_to_judgments(file)
    assert judgments.kind == "qrels" and judgments.table.relevance.tolist() == [3, 0]
    assert judgments.table.relevance.dtype.kind == "i" and judgments.table.query_ids == ["001"]
    again = convert_to_run(replace(file, table=judgments.table))
    assert again.table.scores.tolist() == [3.0, 0.0] and again.table.name == "llm"
