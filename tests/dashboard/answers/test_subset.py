"""The queries in view as files: what is read from them scores as it did."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from dashboard import answers
from dashboard.address.address import Address
from dashboard.opened.study import Study
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
    asked = Address.of(run="dense", base="bm25", m=measure)
    view = STUDY.view(asked).comparison
    kept = answers.query_list(STUDY, view, answers.Asked("better", line="words > 2"))
    ids = list(kept.kept["query_id"])
    assert 3 < len(ids) < 80
    study, members = opened(answers.subset(STUDY, view, ids))
    assert set(study.query_ids) == set(ids) and set(study.names) == set(view.runs)
    again = study.scores(study.view(asked).comparison, view.measure)
    before = STUDY.scores(view, view.measure)
    for run in view.runs:
        was = dict(zip(before.query_ids, before.only([run]).of(view.measure)[0], strict=True))
        now = dict(zip(again.query_ids, again.only([run]).of(view.measure)[0], strict=True))
        np.testing.assert_array_equal([now[q] for q in ids], [was[q] for q in ids])
    assert study.groupings == STUDY.groupings
    assert f"{len(ids)} of 100 queries" in members.read("about.txt").decode()


def test_ids_that_no_text_file_holds_go_as_parquet_and_grades_that_are_gone_are_said() -> None:
    ids = ["a query", "007"]
    qrels = Qrels.from_columns(["a query", "007", "007"], ["d 1", "d1", "d2"], [1, 1, 3])
    runs = [Run.from_columns(n, ids, ["d 1", "d1"], [1.0, 2.0]) for n in ("x/y", "b")]
    own = Study(runs, qrels)
    view = own.view(Address.of()).comparison
    packed, members = opened(answers.subset(own, view, ["a query"]))
    assert set(members.namelist()) == {"qrels.txt.parquet", "x_y.run.parquet", "b.run.parquet",
                                       "about.txt"}  # fmt: skip
    assert packed.query_ids == ["a query"]
    assert "measures that rest on it, such as ERR" in members.read("about.txt").decode()
    plain = zipfile.ZipFile(io.BytesIO(answers.subset(own, view, ["007"])))
    assert plain.read("qrels.txt") == b"007 0 d1 1\n007 0 d2 3\n"
    assert b"ERR" not in plain.read("about.txt")


def test_judgments_by_subtopic_stay_so() -> None:
    qrels = Qrels.from_columns(["1", "1", "2"], ["a", "a", "b"], [1, 2, 1], ["s", "t", "s"])
    own = Study([Run.from_columns("r", ["1", "2"], ["a", "b"], [1.0, 1.0])], qrels)
    packed = answers.subset(own, own.view(Address.of()).comparison, ["1"])
    assert zipfile.ZipFile(io.BytesIO(packed)).read("qrels.txt") == b"1 s a 1\n1 t a 2\n"
