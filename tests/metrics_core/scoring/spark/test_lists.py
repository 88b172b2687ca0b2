"""What Spark's Python workers do, without Spark: whole lists from Arrow batches, and their scores.

tests/spark has the rest, on a real session.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from metrics_core.base.errors import RanklensError
from metrics_core.base.installing import install_command
from metrics_core.scoring.spark import lists
from metrics_core.scoring.spark.lists import group_batches_by_list, make_batch_scorer

NAMES = ["run", "query_id", "doc_id", "relevance", "rank", "retrieved", "judged", "problem"]
ROWS: list[tuple[Any, ...]] = [
    ("a", "q1", "d1", 1.0, 2, 5, 2, None),
    ("a", "q1", "d2", 2.0, None, 5, 2, None),
    ("a", "q2", "x", None, 1, 9, 0, None),
    ("b", "q1", "y", None, 1, 3, 2, None),
    ("b", "q1", "d2", 2.0, 2, 3, 2, None),
    ("b", "q1", "d1", 1.0, 3, 3, 2, None),
    ("b", "q3", "d9", 0.0, None, 0, 1, None),
]


def batches(rows: list[tuple[Any, ...]], size: int) -> Any:
    types = dict.fromkeys(NAMES, pa.string())
    types |= {"relevance": pa.float64()}
    types |= dict.fromkeys(["rank", "retrieved", "judged"], pa.int64())
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(c), types[n]) for n, c in zip(NAMES, columns, strict=True)]
    yield from pa.table(arrays, names=NAMES).to_batches(max_chunksize=size)
    yield pa.RecordBatch.from_arrays([a[:0] for a in arrays], names=NAMES)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_lists_are_never_cut(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "_BATCH_ROWS", 2)
    tables = list(group_batches_by_list(batches(ROWS, size)))
    assert pa.concat_tables(tables).column("doc_id").to_pylist() == [row[2] for row in ROWS]
    parts = [set(zip(*(t[n].to_pylist() for n in NAMES[:2]), strict=True)) for t in tables]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 4


def test_scores_by_hand() -> None:
    """a finds d1 of two relevant documents second; b both, second and third; q3 has none that is
    relevant, and q2 is not judged."""
    score = make_batch_scorer(["AP", "RR", "P@2"], without_relevant="leave out", top_grade=2.0)
    found = pa.Table.from_batches(score(batches(ROWS, 2))).to_pylist()
    assert found == [
        {"run": "a", "query_id": "q1", "AP": 0.25, "RR": 0.5, "P@2": 0.5},
        {"run": "b", "query_id": "q1", "AP": (1 / 2 + 2 / 3) / 2, "RR": 0.5, "P@2": 0.5},
        {"run": "b", "query_id": "q3", "AP": None, "RR": None, "P@2": None},
    ]


def test_problems_are_refused_a_hundred_at_most() -> None:
    rows = [(*ROWS[0][:-1], f"problem {i}") for i in range(250)]
    score = make_batch_scorer(["AP"], without_relevant="zero", top_grade=1.0)
    with pytest.raises(RanklensError, match=r"problem 0\n(.*\n)+problem 99\nand 150 more"):
        next(score(batches(rows, 250)))


def test_it_is_imported_without_pyspark_and_says_what_is_lacking() -> None:
    """In an interpreter that has none, whether it is installed here or not."""
    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from metrics_core.scoring import spark\n"
        "try: spark.session('local[1]')\n"
        "except spark.session.__globals__['RanklensError'] as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert install_command("spark") in done.stdout, done.stderr
