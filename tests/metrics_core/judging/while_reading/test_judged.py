"""Judged while it is read, a run gives what reading it whole and judging it gives, to the bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats import read_run
from metrics_core.formats.source.opening import open_source
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.judged import TiedRanks
from metrics_core.judging.while_reading import judged as judged_module
from metrics_core.judging.while_reading import rows as rows_module
from metrics_core.judging.while_reading.judged import JudgedFile, judge_run_file
from metrics_core.judging.while_reading.judgments import make_judgment_tables
from metrics_core.tables import Qrels
from tests.collections_of import qrels_of

QRELS = qrels_of(
    {
        "q1": {"d1": 2, "d3": 0, "d4": 1, "absent": 3, "d9": -1},
        "q2": {"d1": 1, "document-of-a-long-name-7": 2},
        "q3": {"d1": 1},
        "a-query-of-a-long-name": {"d2": 1, "d5": 1},
    }
)

PLAIN = """\
q1 Q0 d1 1 9.5 r
q1 Q0 d2 2 9.25 r
q1 Q0 d3 3 8 r
q1 Q0 d9 4 7.5 r
unjudged Q0 d1 1 1.5 r
q2 Q0 document-of-a-long-name-7 1 3 r
q2 Q0 document-of-a-long-name-8 2 2 r
q2 Q0 d1 3 -1 r
a-query-of-a-long-name Q0 d2 1 1e-3 r
a-query-of-a-long-name Q0 d5 2 0.5e-4 r
"""

ODD = {
    "plain": PLAIN,
    "tabs": PLAIN.replace(" ", "\t"),
    "several blanks": PLAIN.replace(" ", " \t ").replace("q1", "  q1"),
    "blanks behind": PLAIN.replace("r\n", "r \t\n"),
    "no last newline": PLAIN.rstrip("\n"),
    "windows line ends": PLAIN.replace("\n", "\r\n"),
    "old mac line ends": PLAIN.replace("\n", "\r"),
    "unsorted": "".join(reversed(PLAIN.splitlines(keepends=True))),
    "ties": PLAIN.replace("9.25", "9.5").replace("8 r", "9.5 r").replace("7.5", "9.5"),
    "all equal": "".join(f"q1 Q0 d{i} {i} 1 r\n" for i in (3, 10, 1, 2, 4, 9, 40)),
    "near ties": "q1 Q0 d1 1 1.00000001 r\nq1 Q0 d2 2 1.00000000 r\nq1 Q0 d4 3 1.0 r\n",
    "many digits": "q1 Q0 d1 1 14.203948020935059 r\nq1 Q0 d4 2 0.1234567890123456789 r\n"
    "q1 Q0 d3 3 1234567890123456789012e-40 r\nq1 Q0 d9 4 9007199254740993e-30 r\n",
    "zeros": "q1 Q0 d1 1 0 r\nq1 Q0 d3 2 -0.0 r\nq1 Q0 d4 3 000.000 r\nq1 Q0 d5 4 -00012 r\n",
    "a plus": PLAIN.replace("9.5", "+9.5"),
    "a bare point": PLAIN.replace("9.5 ", "9. ").replace("9.25", ".25"),
    "comments": "# made by hand\n" + PLAIN.replace("q2 Q0 d1", "# more\nq2 Q0 d1"),
    "blank lines": PLAIN.replace("unjudged", "\n   \nunjudged"),
    "a header": "query_id iter doc_id rank score run\n" + PLAIN,
    "long lines": PLAIN.replace(" r\n", " r of several words\n"),
    "ranks against scores": PLAIN.replace("d1 1 9.5", "d1 4 9.5").replace("d9 4", "d9 1"),
    "equal ranks": "q1 Q0 d1 1 5 r\nq1 Q0 d3 1 1 r\nq1 Q0 d4 2 3 r\n",
    "equal ranks, rising": "q1 Q0 d1 1 1 r\nq1 Q0 d3 1 5 r\nq1 Q0 d4 2 3 r\n",
    "ranks from 0": "q1 Q0 d1 0 5 r\nq1 Q0 d3 0 1 r\n",
    "ranks with a point": PLAIN.replace("d3 3", "d3 3.5"),
    "ranks of many digits": PLAIN.replace("d3 3", "d3 123456789"),
    "only judged queries": "q3 Q0 d1 1 1 r\n",
    "no judged document": "q3 Q0 d2 1 1 r\n",
    "byte order mark": "\ufeff" + PLAIN,
}
REFUSED = {
    "a score that is none": PLAIN.replace("9.25", "nan"),
    "too few columns": PLAIN.replace("Q0 d3 ", ""),
    "cut off": PLAIN[:-9],
    "a NUL": PLAIN.replace("d3", "d\0"),
    "an infinite score": PLAIN.replace("9.25", "1e999"),
}
READ_WHOLE = {
    "queries apart": PLAIN + "q1 Q0 d4 5 3.25 r\nq2 Q0 d2 9 -4 r\n",
    "run names": PLAIN.replace("3 8 r", "3 8 other").replace("1.5 r", "1.5 third"),
    "a longer line": PLAIN.replace("9.25 r", "9.25 r of several words"),
    "a document twice": PLAIN + "a-query-of-a-long-name Q0 d2 3 0 r\n",
    "ids beyond ASCII": PLAIN.replace("d3", "dé"),
    "no judged query": PLAIN.replace("q", "x"),
    "queries apart, a comment": PLAIN + "# more\nq1 Q0 d4 5 3.25 r\n",
    "another format": "query_id,doc_id,score\nq1,d1,3\n",
}


def at_once(path: Path, qrels: Qrels = QRELS) -> JudgedFile | None:
    return judge_run_file(open_source(path), make_judgment_tables(qrels))


def same(found: JudgedRanks, wanted: JudgedRanks, *but: str) -> None:
    for field in fields(JudgedRanks):
        if not field.name.startswith("_") and field.name not in ("listed", "subtopics", *but):
            mine, its = getattr(found, field.name), getattr(wanted, field.name)
            mine, its = (
                np.stack(astuple(v)) if isinstance(v, TiedRanks) else v for v in (mine, its)
            )
            if isinstance(its, np.ndarray):
                assert mine.dtype == its.dtype and mine.tobytes() == its.tobytes(), field.name
            else:
                assert mine == its, field.name


def compare(path: Path, qrels: Qrels = QRELS) -> JudgedFile | None:
    """Judge a file both ways; the same, or the same error, or nothing where it is not done."""
    try:
        run = read_run(path)
        wanted = join_judgments(run, qrels)
    except RanklensError as error:
        try:
            assert at_once(path, qrels) is None
        except FileFormatError as own:
            assert str(own) == str(error)
        return None
    found = at_once(path, qrels)
    if found is None:
        return None
    same(found.ranks, wanted)
    assert found.notes == run.notes and found.n_rows == len(run)
    return found


@pytest.fixture(params=[7, 64, 4 << 20], ids=lambda size: f"pieces of {size}")
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Pieces of these sizes, so that queries and lines are cut everywhere."""
    monkeypatch.setattr(rows_module, "BLOCK", request.param)
    return int(request.param)


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_what_is_odd_is_judged_as_the_careful_path_judges_it(
    text: str, tmp_path: Path, piece: int
) -> None:
    path = tmp_path / "one.run"
    path.write_bytes(text.encode())
    # A comment between two pieces parts a query, and then another look decides.
    assert compare(path) is not None or piece < len(text)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_is_refused_in_the_same_words(text: str, tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_bytes(text.encode())
    with pytest.raises(FileFormatError) as wanted:
        read_run(path)
    with pytest.raises(FileFormatError) as found:
        at_once(path)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("text", READ_WHOLE.values(), ids=READ_WHOLE.keys())
def test_what_needs_another_look_is_left_to_it(text: str, tmp_path: Path, piece: int) -> None:
    path = tmp_path / "one.run"
    path.write_bytes(text.encode())
    assert at_once(path) is None


def test_odd_ids_of_the_judgments_are_left_to_another_look(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text(PLAIN)
    assert at_once(path, qrels_of({"q1": {"dé": 1}})) is None


SCORES = {
    "evenly": lambda random: random.uniform(-3, 3),
    "of few values": lambda random: random.randint(0, 9) / 4,
    "of both zeros": lambda random: random.choice([-0.0, 0.0, 1.0]),
    "crowded": lambda random: 10.0 ** -random.randint(0, 300),
    "as far apart as can be": lambda random: (
        random.choice([-1, 1]) * random.uniform(1e308, 1.7e308)
    ),
    "next to each other": lambda random: np.nextafter(5.0, 6.0) if random.random() < 0.5 else 5.0,
    "of the least numbers": lambda random: random.randint(0, 20) * 5e-324,
}


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES.keys())
def test_scores_in_any_order(score: Callable[[random.Random], float], tmp_path: Path) -> None:
    generator = random.Random(7)
    documents = [f"doc{d}" for d in range(400)]
    qrels = qrels_of({f"q{q}": dict.fromkeys(documents[q::7], 1) for q in range(3)})
    path = tmp_path / "unsorted.run"
    path.write_text(
        "".join(
            f"q{q} Q0 {doc_id} 1 {float(score(generator))!r} r\n"
            for q, n in enumerate((2, 33, 400))
            for doc_id in generator.sample(documents, n)
        )
    )
    assert compare(path, qrels) is not None


def test_lines_rank_by_rank_are_left_to_another_look_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No piece holds two lines of a query, so that it shows over several pieces only; what is known
    of so many segments would take more memory than the file."""
    lines = [
        f"query{q} Q0 doc{(q + r) % 50} {r} {40 - r} r\n" for r in range(40) for q in range(90)
    ]
    path = tmp_path / "by_rank.run"
    path.write_text("".join(lines))
    monkeypatch.setattr(rows_module, "BLOCK", 1_000)
    monkeypatch.setattr(judged_module, "_MANY_SEGMENTS", 50)
    qrels = qrels_of({f"query{q}": {"doc3": 1, "doc45": 2} for q in range(0, 95, 2)})
    read: list[int] = []
    assert (
        judge_run_file(open_source(path), make_judgment_tables(qrels), progress=read.append) is None
    )
    assert read[-1] < path.stat().st_size / 8


def test_runs_of_the_same_rows_are_known(tmp_path: Path) -> None:
    texts = [PLAIN, PLAIN.replace(" r\n", " s\n"), PLAIN.replace("9.25", "9.26"), ODD["unsorted"]]
    made = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.run"
        path.write_text(text)
        file = at_once(path)
        assert file is not None
        made.append(file)
    alike = [[one.has_same_rows(other) for other in made] for one in made]
    assert alike[0] == [True, True, False, False]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_mutated_files_mean_what_they_meant(data: Any, tmp_path_factory: Any) -> None:
    text = bytearray(data.draw(st.sampled_from(list(ODD.values()))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        new = data.draw(st.sampled_from(b" \t\n\r#.eE+-019dqr\0\xc3\xa9\x7f"))
        what = data.draw(st.sampled_from(["change", "insert", "drop"]))
        if what == "change":
            text[at] = new
        elif what == "insert":
            text.insert(at, new)
        else:
            del text[at]
    path = tmp_path_factory.mktemp("mutated") / "one.run"
    path.write_bytes(bytes(text))
    compare(path)
