"""Predictions as a retrieval task of MTEB 2.26.24 saves them: json.dump of the model's entry and,
for each subset and split, scores by query and document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metrics_core.formats import is_set, read, read_all_tables
from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    hold_to_trec,
    notes,
    refused,
    rows,
    trec_of,
    written,
)

SCORES = {"q1": {"d2": 0.8300000429153442, "d1": 31.5}, "q2": {"007": 12345678901.25, "d": 1e-7}}
META = {"mteb_model_meta": {"model_name": "org/model", "revision": "a1"}}
NAME = "NFCorpus_predictions.json"


def test_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = as_json(META | {"default": {"test": SCORES}})
    (run,) = by_kind(content, NAME)["run"]
    assert (run.kind, run.format, run.evidence) == ("run", "mteb", "columns")
    assert run.table.name == "org/model@a1"  # type: ignore[union-attr]
    assert rows(run) == SCORES and notes(run) == [] and not is_set(content)
    paths = written(tmp_path, {"truth": b"q1 0 d2 1\nq2 0 007 2\n", NAME: content})
    hold_to_trec(run, trec_of(SCORES), *paths, capsys)


@pytest.mark.parametrize(
    ("whole", "names"),
    [
        ({"default": {"test": SCORES}}, ["NFCorpus_predictions"]),
        ({"default": {"test": {"q0": {}, **SCORES}}}, ["NFCorpus_predictions"]),
        (
            {"en": {"dev": SCORES, "test": SCORES}, "de": {"test": SCORES}},
            [f"NFCorpus_predictions {part}" for part in ("en dev", "en test", "de test")],
        ),
        (META | {"en": {"test": SCORES}}, ["org/model@a1"]),
        (
            {"mteb_model_meta": {"model_name": "m", "revision": None}, "en": {"test": SCORES}},
            ["m"],
        ),
        ({"en": {"test": SCORES}, **META}, ["org/model@a1"]),
    ],
)
def test_the_names_of_runs(whole: Any, names: list[str]) -> None:
    each = read_all_tables(as_json(whole), name=NAME)
    assert [one.table.name for one in each] == names  # type: ignore[union-attr]
    assert all(rows(one) == SCORES for one in each)


@pytest.mark.parametrize("digits", ["123456789012345678", "1.5E+300", "-0.0", "1e-320", "17"])
def test_scores_of_any_size_without_the_models_entry(digits: str) -> None:
    content = b'{"default": {"test": {"q1": {"d1": %s, "d2": 0.25}}}}' % digits.encode()
    (run,) = read_all_tables(content, name=NAME)
    assert rows(run)["q1"]["d1"] == float(digits)


def test_what_is_empty_is_said() -> None:
    content = as_json(META | {"en": {"test": SCORES | {"q3": {}}}})
    assert notes(read_all_tables(content, name=NAME)[0]) == ["1 query with an empty list: q3"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (as_json(META | {"en": {"test": SCORES}})[:-4], ("line 1", "JSON", "truncated")),
        (
            as_json(META | {"en": {"test": [0, 1]}}),
            ("a list at parts.en.test", "expected an object"),
        ),
        (
            as_json(META | {"en": {"test": {"q": {"d": "x"}}}}),
            ("`x` at parts.en.test.q.d", "score"),
        ),
        (as_json(META), ("expected a run",)),
        (as_json(META | {"en": 5}), ("`5` at parts.en", "an object")),
    ],
)
def test_what_is_refused(content: bytes, words: tuple[str, ...]) -> None:
    refused(content, NAME, *words)


def test_shallower_objects_are_other_files() -> None:
    assert read(as_json(SCORES), name="x.json").format == "json"
