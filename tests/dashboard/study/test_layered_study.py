"""A study with layers on is the study of the layered judgments; only named queries are scored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers import grading
from dashboard.files.files import SAMPLE_FOLDER, list_folder, read_file
from dashboard.study.layered_study import with_layers
from dashboard.study.library import assemble_library
from dashboard.study.study import Study
from dashboard.workspace import GradeRecord, Layer
from metrics_core.judging.layers import apply_layers
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import score_runs

MEASURES = ["nDCG@10", "AP", "ERR@10", "Coverage@10", "RBP", "Judged@10"]


@pytest.fixture(scope="module")
def study() -> Study:
    paths = list_folder(SAMPLE_FOLDER).read
    found = assemble_library(
        [f for p in paths for f in read_file(p, display_name=p.name, origin="sample")]
    ).study
    assert found is not None
    return found


def layer(name: str, grades: dict[tuple[str, str], float], begun: str = "1") -> Layer:
    given = {pair: GradeRecord(grade, "ann", "now") for pair, grade in grades.items()}
    return Layer(name, name, begun, judged=True, version=str(grades), grade_records=given)


def comparison(study: Study, **asked: Any) -> Any:
    return study.view(Address.create(run="dense", base="bm25", **asked)).comparison


@pytest.mark.parametrize("grades", [
    {("q065", "FN-0073"): 3.0, ("q001", "FN-0001"): 0.0},
    {("q065", "FN-0073"): 7.0},
    {("new", "FN-0073"): 1.0, ("q065", "FN-0163"): 2.0},
])  # fmt: skip
def test_scores_are_those_of_the_layered_judgments(
    study: Study, grades: dict[tuple[str, str], float]
) -> None:
    on = with_layers(study, [layer("a", grades)])
    alone = Study(
        list(study.runs.values()),
        apply_layers(study.qrels, [grades]),
        study.queries,
        study.documents,
    )
    for measure in map(parse_measure, MEASURES):
        found = on.compute_scores(measure)
        wanted = score_runs(list(alone.judged.values()), (measure,))
        assert (found.runs, found.query_ids) == (wanted.runs, wanted.query_ids)
        np.testing.assert_allclose(found.values, wanted.values, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found.missing, wanted.missing)
    assert on.texts == alone.texts and on.query_ids == alone.query_ids


def test_only_named_queries_are_scored_again(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    on = with_layers(study, [layer("a", {("q065", "FN-0073"): 3.0})])
    shown = comparison(on)
    measure = parse_measure("P@5")
    study.scores(comparison(study), measure)
    asked: list[int] = []
    kept = score_runs

    def noted(ranks: Any, measures: Any) -> Any:
        asked.append(ranks[0].n_queries)
        return kept(ranks, measures)

    monkeypatch.setattr("dashboard.study.layered_study.score_runs", noted)
    monkeypatch.setattr("dashboard.study.study.score_runs", noted)
    on.scores(shown, measure)
    assert asked == [1]


def test_layers_are_kept_by_what_they_hold_and_the_later_counts(study: Study) -> None:
    one = layer("a", {("q065", "FN-0073"): 3.0})
    two = layer("b", {("q065", "FN-0073"): 0.0}, begun="2")
    assert with_layers(study, []) is study
    assert with_layers(study, [layer("empty", {})]) is study
    on = with_layers(study, [one])
    assert (
        with_layers(study, [one]) is on and with_layers(on, [one]) is on and on.unlayered is study
    )
    assert with_layers(study, [replace(one, version="later")]) is not on
    for order in ([one, two], [two, one]):
        both = with_layers(study, order)
        row = both.qrels.to_pandas().query("query_id == 'q065' and doc_id == 'FN-0073'")
        assert row["relevance"].tolist() == [0]


def test_what_is_to_judge_stays_while_it_is_judged(study: Study) -> None:
    rows = grading.unjudged_documents(study, comparison(study), "q065")
    assert rows["doc_id"].tolist() == ["FN-0073", "FN-0163"]
    assert rows["ranks"].tolist() == [{"dense": 9, "bm25": 10, "hybrid": 10}, {"dense": 10}]
    on = with_layers(study, [layer("a", {("q065", "FN-0073"): 3.0})])
    assert grading.unjudged_documents(on, comparison(on), "q065").equals(rows)
    assert grading.judging_queue(on, comparison(on)) is grading.judging_queue(
        study, comparison(study)
    )
    assert grading.unjudged_documents(study, comparison(study, k="8"), "q065").empty


def test_a_queue_is_what_moves_most_then_the_rest(study: Study) -> None:
    every = grading.judging_queue(study, comparison(study))
    assert not every.duplicated(["query_id", "doc_id"]).any()
    assert max(rank for ranks in every["ranks"] for rank in ranks.values()) <= 10
    done = {(every["query_id"][0], every["doc_id"][0])}
    first = grading.next_documents_in_queue(study, every, done, 3)
    assert first["doc_id"].tolist() == every["doc_id"][1:4].tolist()
    assert first["query"][0] == study.texts[first["query_id"][0]] and first["title"].all()
    assert len(grading.judging_queue(study, comparison(study, m="Coverage@10")))
    alone = study.view(Address.create(run="bm25", base="bm25")).comparison
    assert {tuple(ranks) for ranks in grading.judging_queue(study, alone)["ranks"]} == {("bm25",)}


def test_the_effect_is_that_of_the_layers(study: Study) -> None:
    on = with_layers(study, [layer("a", {("q065", "FN-0073"): 3.0})])
    shown = comparison(on)
    found = grading.effect_of_layers(on, shown, "q065")
    for name, (before, after) in found.scores.items():
        place = study.query_ids.index("q065")
        assert before == shown.measure.score(study.judged[name])[place]
        assert after == pytest.approx(shown.measure.score(on.judged[name])[place], abs=1e-12)
    before, after = (
        shown.measure.score(s.judged["dense"]).mean() - shown.measure.score(s.judged["bm25"]).mean()
        for s in (study, on)
    )
    assert found.difference == pytest.approx((before, after), abs=1e-12) and before != after
    assert found.queries == 104
