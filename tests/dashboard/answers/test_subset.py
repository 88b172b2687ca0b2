"""The queries in view as files: what is read from them scores as it did."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.subset import export_subset
from dashboard.files.query_zip import is_query_zip, read_query_zip
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import Comment, GradeRecord, Layer, QueryNotes
from metrics_core import read_qrels, read_queries, read_run
from metrics_core.tables import Qrels, Run
from tests.dashboard.answers.test_query_chips import STUDY


def opened(packed: bytes) -> tuple[Study, zipfile.ZipFile]:
    """What the files of a zip give."""
    members = zipfile.ZipFile(io.BytesIO(packed))
    names = members.namelist()
    runs = [read_run(members.read(n), name=n.partition(".run")[0]) for n in names if ".run" in n]
    (qrels,) = (read_qrels(members.read(n)) for n in names if n.startswith("qrels"))
    queries = [read_queries(members.read(n)) for n in names if n.startswith("queries")]
    return Study(runs, qrels, *queries), members


@pytest.mark.parametrize("measure", ["nDCG", "AP", "Judged"])
def test_a_subset_read_again_scores_as_it_did(measure: str) -> None:
    asked = Address.create(run="dense", base="bm25", m=measure)
    view = STUDY.view(asked).comparison
    kept = query_list(STUDY, view, QueryListRequest("better", line="words > 2"))
    ids = list(kept.rows["query_id"])
    assert 3 < len(ids) < 80
    study, members = opened(export_subset(STUDY, view, ids))
    assert set(study.query_ids) == set(ids) and set(study.names) == set(view.runs)
    again = study.scores(study.view(asked).comparison, view.measure)
    before = STUDY.scores(view, view.measure)
    for run in view.runs:
        was = dict(
            zip(before.query_ids, before.select_runs([run]).values_of(view.measure)[0], strict=True)
        )
        now = dict(
            zip(again.query_ids, again.select_runs([run]).values_of(view.measure)[0], strict=True)
        )
        np.testing.assert_array_equal([now[q] for q in ids], [was[q] for q in ids])
    assert study.groupings == STUDY.groupings
    assert f"{len(ids)} of 100 queries" in members.read("readme.txt").decode()


def test_ids_that_no_text_file_holds_go_as_parquet_and_grades_that_are_gone_are_said() -> None:
    ids = ["a query", "007"]
    qrels = Qrels.from_columns(["a query", "007", "007"], ["d 1", "d1", "d2"], [1, 1, 3])
    runs = [Run.from_columns(n, ids, ["d 1", "d1"], [1.0, 2.0]) for n in ("x/y", "b")]
    own = Study(runs, qrels)
    view = own.view(Address.create()).comparison
    packed, members = opened(export_subset(own, view, ["a query"]))
    assert set(members.namelist()) == {"qrels.txt.parquet", "x_y.run.parquet", "b.run.parquet",
                                       "readme.txt"}  # fmt: skip
    assert packed.query_ids == ["a query"]
    assert "Measures that use the highest grade, such as ERR" in members.read("readme.txt").decode()
    plain = zipfile.ZipFile(io.BytesIO(export_subset(own, view, ["007"])))
    assert plain.read("qrels.txt") == b"007 0 d1 1\n007 0 d2 3\n"
    assert b"ERR" not in plain.read("readme.txt")


def test_judgments_by_subtopic_stay_so() -> None:
    qrels = Qrels.from_columns(["1", "1", "2"], ["a", "a", "b"], [1, 2, 1], ["s", "t", "s"])
    own = Study([Run.from_columns("r", ["1", "2"], ["a", "b"], [1.0, 1.0])], qrels)
    packed = export_subset(own, own.view(Address.create()).comparison, ["1"])
    assert zipfile.ZipFile(io.BytesIO(packed)).read("qrels.txt") == b"1 s a 1\n1 t a 2\n"


def test_notes_and_layers_stand_beside_the_judgments_of_the_files() -> None:
    asked = Address.create(run="dense", base="bm25")
    ids = STUDY.query_ids[:3]
    doc = next(iter(STUDY.runs["dense"].table["doc_id"].to_pylist()))
    given = {(query_id, doc): GradeRecord(3, "anna", "2026") for query_id in ids[:2]}
    layer = Layer("l1", "anna", "2025", True, "1", grade_records=given)
    study = with_layers(STUDY, [layer])
    noted = {ids[0]: QueryNotes((Comment("0a", "why", "bo", "2026"),)), "q099": QueryNotes((), ())}
    packed = export_subset(study, study.view(asked).comparison, ids[1:], noted, [layer])
    assert is_query_zip(packed) and not is_query_zip(b"PK\x03\x04") and not is_query_zip(b"")
    cut = read_query_zip(packed, "queries.zip")
    assert cut.carried.notes == () and len(cut.carried.layers) == 1
    assert cut.carried.layers[0][1:] == (
        {"query_id": ids[1], "grades": [[doc, 3]], "by": "anna", "at": "2026"},
    )
    bare = export_subset(STUDY, STUDY.view(asked).comparison, ids[1:])
    assert cut.files == read_query_zip(bare, "queries.zip").files, "no grade of a layer among them"
    about = zipfile.ZipFile(io.BytesIO(packed)).read("readme.txt").decode()
    assert "layers.csv contains grades given in Ranklens" in about
    own = export_subset(STUDY, STUDY.view(asked).comparison, ids, noted)
    assert [line["text"] for line in read_query_zip(own, "queries.zip").carried.notes] == ["why"]


def test_ranks_that_a_file_left_out_stay_left_out() -> None:
    qrels = Qrels.from_columns(["q", "p"], ["d", "d"], [1, 1])
    gaps = read_run(b"q\tx\t2\nq\td\t4\np\td\t1\n", name="gaps.run")
    own = Study([gaps, Run.from_columns("b", ["q"], ["d"], [1.0])], qrels)
    view = own.view(Address.create(run="gaps", base="b", m="RR")).comparison
    study, _ = opened(export_subset(own, view, ["q"]))
    assert study.judged["gaps"].rank.tolist() == [4]
    assert study.judged["gaps"].documents(3).tolist() == [1]
