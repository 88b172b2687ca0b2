"""Snapshots: what is written reads back, in few bytes, and what changed is named."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.checks.judgment_marks import hash_judgments
from metrics_core.checks.snapshot_changes import SnapshotChanges, find_changes, join_snapshot
from metrics_core.checks.snapshots import (
    FORMAT,
    BestMean,
    Origin,
    Snapshot,
    format_snapshot,
    is_snapshot,
    make_snapshot,
    read_snapshot,
)
from metrics_core.checks.strict_json import hash_values
from metrics_core.findings.snapshots import describe_snapshot_changes
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels

AP, NDCG = parse_measure("AP"), parse_measure("nDCG(dcg='exp-log2')@10")


def qrels_of(*rows: tuple[str, str, float], subtopic: list[str] | None = None) -> Qrels:
    query, doc, grade = (list(column) for column in zip(*rows, strict=True))
    return Qrels.from_columns(query, doc, grade, subtopic)


ORIGIN = Origin("dense.run", "e8978d0c1465", label='of "main"', reading={"--exclude-self": "yes"})
ROWS = (("q2", "d1", 1), ("q2", "d2", 0), ("q1", "d1", 2), ("ü 3", "d9", 1))


def made(values: np.ndarray | None = None, qrels: Qrels | None = None) -> Snapshot:
    qrels = qrels or qrels_of(*ROWS)
    values = np.random.default_rng(1).random((1, 3, 2)) if values is None else values
    ids = tuple(qrels.query_ids)
    scores = Scores(("dense",), ids, (AP, NDCG), values, np.zeros((1, len(ids)), dtype=np.bool_))
    return make_snapshot(scores, qrels, ORIGIN)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    path.write_text(format_snapshot(made()), "utf-8")
    return path


def test_what_is_written_reads_back_to_the_bit(path: Path) -> None:
    odd = np.array([[[0.1 + 0.2, 1.0], [np.nan, 1e-17], [2 / 3, 5e-324]]])
    snapshot = made(odd)
    path.write_text(format_snapshot(snapshot), "utf-8")
    found = read_snapshot(str(path))
    assert found.scores.query_ids == ("q1", "q2", "ü 3")
    assert found.measures == (AP, NDCG)
    assert np.array_equal(found.scores.values, snapshot.scores.values, equal_nan=True)
    assert (found.run, found.origin, found.marks) == (snapshot.run, ORIGIN, snapshot.marks)
    assert format_snapshot(found) == format_snapshot(snapshot)


def test_a_query_a_line_in_their_order(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    at = lines.index('"scores": {')
    assert [line.split('"')[1] for line in lines[at + 1 : -1]] == ["q1", "q2", "ü 3"]
    assert json.loads(path.read_text("utf-8"))["ranklens snapshot"] == FORMAT


def test_7000_queries_by_five_measures_are_small() -> None:
    n = 7_000
    rows = [(f"{i:07}", f"d{j}", j) for i in range(n) for j in range(3)]
    qrels, chance = qrels_of(*rows), np.random.default_rng(1)
    measures = tuple(parse_measure(m) for m in ("AP", "nDCG@10", "RR", "R@100", "RBP"))
    scores = Scores(
        ("dense",),
        tuple(qrels.query_ids),
        measures,
        chance.random((1, n, 5)),
        np.zeros((1, n), dtype=bool),
    )
    assert len(format_snapshot(make_snapshot(scores, qrels, Origin())).encode()) < 1_200_000


def test_marks_are_of_documents_and_grades_in_any_order() -> None:
    marks = hash_judgments(qrels_of(*ROWS))
    assert marks == hash_judgments(qrels_of(*ROWS[::-1]))
    assert {q: mark.split()[0] for q, mark in marks.items()} == {"q2": "2", "q1": "1", "ü 3": "1"}
    seen = {marks["q2"]}
    for other in (
        (("q2", "d1", 2), ("q2", "d2", 0)),
        (("q2", "d1", 0), ("q2", "d2", 1)),
        (("q2", "d1", 1), ("q2", "d3", 0)),
        (("q2", "d1", 1),),
        (("q2", "1d", 1), ("q2", "d2", 0)),
    ):
        seen.add(hash_judgments(qrels_of(*other))["q2"])
    assert len(seen) == 6
    by_subtopic = [
        hash_judgments(qrels_of(("q", "d1", 1), ("q", "d2", 1), subtopic=list(s)))["q"]
        for s in ("ab", "ba")
    ]
    assert len(set(by_subtopic)) == 2


def test_marks_stay_what_they_are() -> None:
    """They are compared with what a file holds: another way of hashing would change all."""
    assert hash_judgments(qrels_of(*ROWS)) == MARKS


MARKS = {"q2": "2 03197525", "q1": "1 117e5077", "ü 3": "1 cc4e366c"}


def test_changes_are_named() -> None:
    now = hash_judgments(qrels_of(("q2", "d1", 1), ("q1", "d1", 1), ("q4", "d1", 1)))
    changes = find_changes(made(), now, [AP, parse_measure("RR")])
    assert changes == SnapshotChanges(
        ("ü 3",), ("q4",), {"q1": (1, 1), "q2": (2, 1)}, (parse_measure("RR"),)
    )
    assert describe_snapshot_changes(changes, "b.json", 0) == [
        "The judgments of two queries changed since b.json:"
        " q1 (still 1 grade, but with different values), q2 (2 grades then, 1 now).",
        "One query is no longer judged: ü 3.",
        "One query is newly judged: q4.",
        "Scores of RR were not compared, because b.json does not contain them.",
    ]
    assert not find_changes(made(), hash_judgments(qrels_of(*ROWS)), [AP])


def test_a_measure_of_another_version_of_its_package_is_not_compared() -> None:
    snapshot = made()
    of_a_package = replace(snapshot, origin=replace(ORIGIN, added_by={"AP": "essays 1.0"}))
    changes = find_changes(of_a_package, snapshot.marks, (AP, NDCG))
    assert changes.remeasured == (AP,) and changes.incomparable_measures == (AP,)
    assert describe_snapshot_changes(changes, "b.json", 3) == [
        "Scores of AP were not compared, because the version of the package that computes them"
        " changed."
    ]
    assert join_snapshot(of_a_package, snapshot.scores, changes).measures == (NDCG,)


def test_a_run_beside_its_snapshot_has_the_shared_queries() -> None:
    snapshot, qrels = made(), qrels_of(*ROWS[:2], ("q1", "d1", 1), ("q0", "d1", 1))
    ids = tuple(qrels.query_ids)
    rr = parse_measure("RR")
    scores = Scores(("dense",), ids, (rr, AP), np.ones((1, 3, 2)), np.zeros((1, 3), dtype=np.bool_))
    both = join_snapshot(snapshot, scores, find_changes(snapshot, hash_judgments(qrels), (rr, AP)))
    assert (both.runs, both.query_ids, both.measures) == (
        ("dense (baseline)", "dense"),
        ("q2",),
        (AP,),
    )
    assert both.values[0, 0, 0] == snapshot.scores.values[0, 1, 0] and both.values[1, 0, 0] == 1


def test_what_is_damaged_is_refused(path: Path) -> None:
    whole = path.read_text("utf-8")
    damaged = {
        "cut short": whole[: len(whole) // 2],
        "edited": whole.replace('"1 ', '"2 ', 1),
        "merged": whole.replace('"scores"', '<<<<<<< HEAD\n"scores"'),
        "lacking": whole.replace('"measures"', '"metrics"'),
        "a list": "[1]",
        "unknown measure": whole.replace('"AP"', '"Foo"'),
    }
    for name, text in damaged.items():
        path.write_text(text, "utf-8")
        with pytest.raises(RanklensError) as caught:
            read_snapshot(str(path))
        assert "snapshot" in str(caught.value), name
    path.write_bytes(b'{"ranklens snapshot": 1, "\xff')
    with pytest.raises(FileFormatError, match=r"baseline\.json"):
        read_snapshot(str(path))


def test_every_value_counts_and_no_layout_does(path: Path) -> None:
    """Two measures that change places would turn a loss into a gain."""
    path.write_text(
        format_snapshot(made(np.array([[[1.0, 0.5], [0.0, 0.1], [1.0, 0.3]]]))), "utf-8"
    )
    whole = json.loads(path.read_text("utf-8"))
    text = format_snapshot(read_snapshot(str(path)))

    def backwards(values: dict[str, Any]) -> dict[str, Any]:
        return dict(sorted(values.items(), reverse=True))

    scores = {q: [mark, *map(float, row)] for q, (mark, *row) in whole["scores"].items()}
    layouts: dict[str, bytes] = {
        "prettier": json.dumps(whole, ensure_ascii=False, indent=2).encode(),
        "sorted": json.dumps(whole, sort_keys=True, separators=(",", ":")).encode(),
        "sorted the other way": json.dumps(
            backwards({**whole, "scores": backwards(scores)})
        ).encode(),
        "with a mark of its bytes": codecs.BOM_UTF8 + path.read_bytes(),
        "lines of Windows": path.read_bytes().replace(b"\n", b"\r\n"),
    }
    for layout, body in layouts.items():
        path.write_bytes(body)
        assert is_snapshot(str(path)) and format_snapshot(read_snapshot(str(path))) == text, layout
    for key, value in whole.items():
        others = {
            int: lambda v: v - 1,
            str: lambda v: f"{v}0",
            list: lambda v: v[::-1] or ["q1"],
            dict: lambda v: {**v, "new": "1"},
        }
        path.write_text(json.dumps({**whole, key: others[type(value)](value)}), "utf-8")
        with pytest.raises(FileFormatError, match="an unmodified snapshot"):
            read_snapshot(str(path))
    path.write_text(json.dumps({**whole, "measures": whole["measures"][::-1]}), "utf-8")
    with pytest.raises(FileFormatError, match="do not match the checksum"):
        read_snapshot(str(path))


HOSTILE: dict[str, Callable[[str], str]] = {
    "nested too deeply": lambda text: text.replace('"label": ""', f'"label": {"[" * 100_000}'),
    "a number of 400 digits": lambda text: text.replace("0.5", "7" * 400),
    "a number of 5,000 digits": lambda text: text.replace(
        'snapshot": 2', f'snapshot": {"9" * 5000}'
    ),
    "which is not a finite number": lambda text: text.replace("0.5", "1e999"),
    "NaN": lambda text: text.replace("0.5", "NaN"),
    "'q1' twice": lambda text: text.replace('"q2"', '"q1"'),
    "found (values that are nested|a missing or malformed part)": lambda text: text.replace(
        '"label": ""', f'"label": {"[" * 1500}{"]" * 1500}'
    ),
    "a missing or malformed part": lambda text: text.replace('"run": "dense"', '"run": "\\ud800"'),
}


@pytest.mark.parametrize("says", HOSTILE)
def test_a_hostile_one_is_refused_in_words(path: Path, says: str) -> None:
    values = np.full((1, 3, 2), 0.5)
    snapshot = made(values)
    text = format_snapshot(replace(snapshot, origin=replace(snapshot.origin, label="")))
    hostile = HOSTILE[says](text)
    assert hostile != text
    path.write_text(hostile, "utf-8")
    with pytest.raises(FileFormatError, match=says):
        read_snapshot(str(path))


@pytest.mark.parametrize("value", [True, "0.5", [0.5], {}, int("7" * 18) * 10**290])
def test_a_score_or_mark_that_is_none_is_refused_though_its_check_fits(
    path: Path, value: Any
) -> None:
    whole = json.loads(path.read_text("utf-8"))
    for place in (0, 1):
        row = list(whole["scores"]["q1"])
        row[place] = value
        given = {**whole, "scores": {**whole["scores"], "q1": row}}
        given["check"] = hash_values({k: v for k, v in given.items() if k != "check"})
        path.write_text(json.dumps(given), "utf-8")
        with pytest.raises(FileFormatError):
            read_snapshot(str(path))


def test_one_of_the_first_format_is_read(path: Path) -> None:
    given = json.loads(path.read_text("utf-8"))
    for name in ("best", "unanswered"):
        del given[name]
    rows = [
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(row)}"
        for key, row in given["scores"].items()
    ]
    given["ranklens snapshot"] = 1
    given["check"] = hashlib.sha256("\n".join(rows).encode()).hexdigest()[:12]
    path.write_text(json.dumps(given), "utf-8")
    found = read_snapshot(str(path))
    assert format_snapshot(found) == format_snapshot(made())


def test_it_carries_the_best_mean_of_all_before_it() -> None:
    first = made(np.array([[[0.9, 0.2], [0.9, 0.2], [0.9, 0.2]]]))
    second = made(np.array([[[0.5, 0.4], [0.5, 0.4], [0.5, 0.4]]]))
    qrels = qrels_of(*ROWS)
    held = make_snapshot(second.scores, qrels, ORIGIN, first).best
    judgments = first.best["AP"].judgments
    assert {name: round(best.mean, 12) for name, best in held.items()} == {
        "AP": 0.9,
        "nDCG(dcg='exp-log2')@10": 0.4,
    }
    other = made(second.scores.values, qrels_of(*ROWS[:3], ("ü 3", "d9", 2)))
    kept = make_snapshot(other.scores, qrels_of(*ROWS[:3], ("ü 3", "d9", 2)), ORIGIN, first).best
    assert kept["AP"] == BestMean(first.best["AP"].mean, judgments)
    assert kept[str(NDCG)].judgments == other.best["AP"].judgments != judgments


def test_one_of_a_later_version_is_named(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace('snapshot": 2', 'snapshot": 3'), "utf-8")
    with pytest.raises(RanklensError, match=r"in format 3, from a newer Ranklens"):
        read_snapshot(str(path))


def test_one_is_told_by_its_beginning(path: Path, tmp_path: Path) -> None:
    assert is_snapshot(str(path))
    (tmp_path / "other.json").write_text('{"q1": {"d1": 1}}')
    assert not is_snapshot(str(tmp_path / "other.json")) and not is_snapshot(str(tmp_path))
