"""Ranks that a file of ranks leaves out: the others stand where they are, as MS MARCO has it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from metrics_core import evaluate
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.explaining.improvements import find_best_change
from metrics_core.explaining.list_comparison import compare_runs
from metrics_core.explaining.what_if import edit_ranks
from metrics_core.formats import read_run
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.judging.layers import apply_layers, queries_in_layers, rejoin_changed_queries
from metrics_core.judging.ranking import ranked_documents
from metrics_core.judging.unjudged import UnjudgedPlaces
from metrics_core.measures import parse_measure
from metrics_core.scoring.residuals import residual
from metrics_core.tables import Qrels, Run
from metrics_core.unjudged.unjudged_ranks import find_unjudged

GAPS = b"q1\tx\t3\nq1\td1\t5\nq1\ty\t6\nq2\td2\t1\nq2\tz\t2\n"
QRELS = Qrels.from_columns(["q1", "q2", "q2"], ["d1", "d2", "d9"], [1, 1, 1])


def score(ranks: JudgedRanks, name: str) -> list[float]:
    return parse_measure(name).score(ranks).tolist()


def msmarco_mrr(lines: list[str], relevant: dict[str, set[str]]) -> float:
    """compute_metrics of MS MARCO's msmarco_eval.py, with its table of 1,000 ranks."""
    candidates: dict[str, list[str]] = {}
    for line in lines:
        query_id, doc_id, rank = line.split("\t")
        candidates.setdefault(query_id, ["0"] * 1000)[int(rank) - 1] = doc_id
    total = 0.0
    for query_id, listed in candidates.items():
        if query_id in relevant:
            for i in range(10):
                if listed[i] in relevant[query_id]:
                    total += 1 / (i + 1)
                    break
    return total / len(relevant)


def test_scores_are_those_of_ms_marcos_own_script(tmp_path: Path) -> None:
    rng = random.Random(30)
    lines, relevant = [], {}
    for q in range(300):
        docs = [f"d{i}" for i in range(40)]
        rng.shuffle(docs)
        ranks = sorted(rng.sample(range(1, 60), rng.randint(1, 25)))
        lines += [f"q{q}\t{doc}\t{rank}" for doc, rank in zip(docs, ranks, strict=False)]
        relevant[f"q{q}"] = set(rng.sample([f"d{i}" for i in range(40)], 3))
    rng.shuffle(lines)
    path = tmp_path / "x.run"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    grades = {q: dict.fromkeys(docs, 1) for q, docs in relevant.items()}
    found = evaluate(path, grades, "RR@10")["RR@10"].mean()
    assert found == pytest.approx(msmarco_mrr(lines, relevant), abs=1e-12)


def test_an_empty_rank_is_no_document() -> None:
    run = read_run(GAPS, name="x.run")
    assert [(n.kind, n.count) for n in run.notes if n.loud] == [("empty_ranks", 3)]
    ranks = join_judgments(run, QRELS)
    assert ranks.retrieved.tolist() == [6, 2]
    assert [ranks.documents(k).tolist() for k in (2, 4, 5)] == [[0, 2], [1, 2], [2, 2]]
    assert ranks.documents(np.array([3, 6])).tolist() == [[1, 3], [2, 2]]
    wanted = {
        "RR": [1 / 5, 1.0],
        "P@5": [1 / 5, 1 / 5],
        "Judged@5": [1 / 2, 1 / 2],
        "Judged@2": [0.0, 1 / 2],
        "Judged": [1 / 3, 1 / 2],
        "Unjudged@5": [1 / 5, 1 / 5],
        "NumRet": [3.0, 2.0],
        "SetP": [1 / 3, 1 / 2],
        "P(denominator='retrieved')@5": [1 / 2, 1 / 2],
    }
    assert {name: score(ranks, name) for name in wanted} == wanted
    free = UnjudgedPlaces.from_ranks(ranks, 1.0, 5)
    assert (free.query.tolist(), free.rank.tolist()) == ([0, 1], [3, 2])
    assert (free.count_within_depth().tolist(), free.n_below.tolist()) == ([1, 1], [1, 0])
    assert residual(ranks, parse_measure("P@5")).high.tolist() == [2 / 5, 2 / 5]
    assert residual(ranks, parse_measure("RR")).high.tolist() == [1 / 3, 1.0]


def test_lists_and_what_is_made_of_them_leave_empty_ranks_out() -> None:
    run = read_run(GAPS, name="x.run")
    usual = Run.from_columns("b", ["q1", "q1", "q2"], ["x", "w", "z"], [2.0, 1.0, 1.0])
    listed = ranked_documents(run, "q1")
    assert listed["rank"].tolist() == [3, 5, 6]
    assert ranked_documents(run, "q1", depth=5)["doc_id"].tolist() == ["x", "d1"]
    own, other = join_judgments(run, QRELS), join_judgments(usual, QRELS)
    found = find_unjudged(own, other, 5)
    rows = zip(found.query, found.run_rank, found.baseline_rank, found.doc_ids, strict=True)
    assert [(int(q), int(a), int(b), d.as_py()) for q, a, b, d in rows] == [
        (0, 3, 1, "x"),
        (0, 0, 2, "w"),
        (1, 2, 1, "z"),
    ]
    measure = parse_measure("RR@10")
    shown = diagnose(
        [run, usual], [own, other], QRELS, "q1", measure, baseline="b", focus="x", cutoff=10
    )
    squares = shown.grades_by_rank("x", 7)
    assert [doc for doc, _ in squares] == ["", "", "x", "", "d1", "y", ""]
    assert [grade is None for _, grade in squares] == [True, True, False, True, False, False, True]
    assert score(edit_ranks(run, QRELS, "q1", (), edited_run="x"), "RR@10") == [1 / 5]
    change = find_best_change(run, QRELS, "q1", measure, 10)
    assert change is not None and change.score == 1.0
    assert compare_runs(run, usual, ["q1", "q2"], depth=10).listed.tolist() == [6, 2]


@pytest.mark.parametrize(
    ("text", "told", "rr"),
    [
        (
            b"q1\tx\t0\nq1\td1\t1\n",
            "in 1 of 1 queries the ranks start at 0, so rank 0 is read as the first rank",
            1 / 2,
        ),
        (
            b"q1\tx\t0\nq1\td1\t3\n",
            "in 1 of 1 queries the ranks start at 0, so rank 0 is read as the first rank",
            1 / 4,
        ),
        (b"q1\tx\t2\nq1\td1\t2\n", "1 rank tied with another rank, in 1 of 1 queries", 1 / 2),
        (b"q1\tx\t1\nq1\td1\t20001\n", "rank 20,001 exceeds 10,000, so ranks are used only", 1 / 2),
        (
            b"q1\tx\t1\nq1\td1\t2\n",
            "no scores in the file, so documents are ordered by rank",
            1 / 2,
        ),
    ],
)
def test_ranks_say_what_they_are(text: bytes, told: str, rr: float) -> None:
    run = read_run(text, name="x.run")
    assert any(note.message.startswith(told) for note in run.notes), run.notes
    assert score(join_judgments(run, QRELS), "RR")[0] == rr


def test_further_judgments_leave_the_ranks_where_they_are() -> None:
    run = read_run(GAPS, name="x.run")
    for graded in ({("q1", "y"): 1.0}, {("q2", "z"): 2.0}, {("q1", "x"): 1.0}):
        more = apply_layers(QRELS, [graded])
        again, wanted = (
            rejoin_changed_queries(
                join_judgments(run, QRELS), run, more, queries_in_layers(more, [graded])
            ),
            join_judgments(run, more),
        )
        assert again.rank.tolist() == wanted.rank.tolist()
        assert again.documents(5).tolist() == wanted.documents(5).tolist()
