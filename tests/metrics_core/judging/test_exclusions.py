"""Leaving documents out is the same as a file without their lines, to the bit."""

from __future__ import annotations

import random
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import metrics_core
from metrics_core.__main__ import main
from metrics_core.base.errors import RanklensError
from metrics_core.formats import read_run
from metrics_core.formats.pairs import read_pairs
from metrics_core.judging import join_judgments
from metrics_core.judging.exclusions import Exclusions, exclude_documents, self_match_notes
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, RankedRun, Run

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "Judged@10", "NumRet", "Bpref"]


def lines(seed: int, *, own: float = 0.8) -> list[str]:
    """Items by their similarity to an item, most lists with the item itself; scores tie."""
    rng, found = random.Random(seed), []
    for q in range(40):
        docs = [f"i{d}" for d in rng.sample([d for d in range(90) if d != q], 15)]
        docs += [f"i{q}"] if rng.random() < own else []
        rng.shuffle(docs)
        found += [f"i{q} Q0 {doc} 0 {rng.randint(1, 9)} r{seed}" for doc in docs]
    # An item that nothing but itself is like is not listed any more.
    return [*found, f"i40 Q0 i40 0 1 r{seed}"]


def judgments() -> str:
    rng = random.Random(9)
    rows = [(q, d) for q in range(41) for d in rng.sample(range(90), 12)]
    return "".join(f"i{q} 0 i{d} {rng.randint(0, 3)}\n" for q, d in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = lines(1)
    seen = [(line.split()[0], line.split()[2]) for line in random.Random(3).sample(own, 120)]
    (tmp_path / "qrels").write_text(judgments(), encoding="utf-8")
    (tmp_path / "seen.csv").write_text(
        "query,doc\n" + "".join(f"{q},{d}\n" for q, d in seen) + "i3,nowhere\nnobody,i1\n",
        encoding="utf-8",
    )
    for name, rows in (("a", own), ("b", lines(2))):
        kept = [r for r in rows if r.split()[0] != r.split()[2]]
        less = [r for r in kept if (r.split()[0], r.split()[2]) not in seen]
        for end, text in (("run", rows), ("own", kept), ("both", less)):
            path = tmp_path / end / f"{name}.run"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return tmp_path


def test_it_is_the_file_without_these_lines(folder: Path) -> None:
    qrels = folder / "qrels"
    for name in "ab":
        own = metrics_core.evaluate(folder / f"own/{name}.run", qrels, MEASURES)
        both = metrics_core.evaluate(folder / f"both/{name}.run", qrels, MEASURES)
        run = folder / f"run/{name}.run"
        given = metrics_core.evaluate(run, qrels, MEASURES, exclude_self=True)
        assert given[MEASURES].equals(own[MEASURES])
        seen = folder / "seen.csv"
        given = metrics_core.evaluate(run, qrels, MEASURES, exclude_self=True, exclude=seen)
        assert given[MEASURES].equals(both[MEASURES])
        assert not own[MEASURES].equals(metrics_core.evaluate(run, qrels, MEASURES)[MEASURES])


def test_a_query_of_which_nothing_is_left_is_missing(folder: Path) -> None:
    run = exclude_documents(read_run(folder / "run/a.run"), Exclusions(own_documents=True))
    assert "i40" not in run.query_ids
    qrels = metrics_core.read_qrels(folder / "qrels")
    assert (
        join_judgments(run, qrels).missing_queries
        == join_judgments(read_run(folder / "own/a.run"), qrels).missing_queries
    )


def test_the_command_line_prints_the_same_and_says_how_many(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert main(["compare", "qrels", "own/a.run", "own/b.run", "-m", "AP"]) == 0
    wanted = capsys.readouterr().out
    assert main(["compare", "qrels", "run/a.run", "run/b.run", "-m", "AP", "--exclude-self"]) == 0
    said = capsys.readouterr()
    assert said.out == wanted
    assert "note: a.run: the query itself is excluded from its results: " in said.err
    assert main(["evaluate", "qrels", "run/b.run", "--exclude", "seen.csv"]) == 0
    assert "note: b.run: excluded documents are removed: " in capsys.readouterr().err


def test_most_lists_with_their_own_query_are_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_run(folder / "run/a.run")
    (note,) = self_match_notes(run)
    both = run.to_pandas()
    count = int((both["query_id"] == both["doc_id"]).sum())
    assert note.message.startswith(f"{count} of 41 lists contain the query itself")
    assert self_match_notes(exclude_documents(run, Exclusions(own_documents=True))) == ()
    few = "\n".join(lines(4, own=0.3)).encode()
    assert self_match_notes(read_run(few, name="few.run")) == ()
    command = ["evaluate", str(folder / "qrels"), str(folder / "run/a.run")]
    assert main(command) == 0
    assert f"{count} of 41 lists contain the query itself" in capsys.readouterr().err
    with mock.patch("metrics_core.judging.while_reading.large_files.MIN_BYTES", 0):
        assert main(command) == 0
    # The last list may go on behind the beginning that is looked at.
    told = f"{count - 1} of the first 40 lists contain the query itself"
    assert told in capsys.readouterr().err


def test_the_doors_take_it(folder: Path) -> None:
    qrels, runs = folder / "qrels", [folder / "run/a.run", folder / "run/b.run"]
    own = [folder / "own/a.run", folder / "own/b.run"]
    left = {"exclude_self": True}
    for door in (metrics_core.compare, metrics_core.curves):
        given, wanted = door(runs, qrels, "P@5", **left), door(own, qrels, "P@5")
        numbers = wanted.select_dtypes("number").columns
        assert given[numbers].equals(wanted[numbers])
    given = metrics_core.explain(runs, qrels, "AP", "i3", exclude={"i3": ["i5", "i6"]})
    assert not {"i5", "i6"} & set(given.frame.loc[given.frame["rank"] > 0, "doc_id"])


def test_pairs_however_python_holds_them(folder: Path) -> None:
    qrels, run = folder / "qrels", folder / "run/a.run"
    pairs = read_pairs(folder / "seen.csv")
    frame = pairs.to_pandas()[["query_id", "doc_id"]]
    lists = frame.groupby("query_id")["doc_id"].agg(list).to_dict()
    rows = list(frame.itertuples(index=False))
    found = [
        metrics_core.evaluate(run, qrels, "AP", exclude=given)["AP"].tolist()
        for given in (folder / "seen.csv", pairs, frame, lists, rows)
    ]
    assert all(one == found[0] for one in found)
    with pytest.raises(RanklensError, match="does not contain pairs"):
        metrics_core.evaluate(run, qrels, "AP", exclude=3)


def test_given_ranks_move_up() -> None:
    run = read_run(b"q\tq\t2\nq\tx\t4\nq\td\t5\n", name="x.run")
    left = exclude_documents(run, Exclusions(own_documents=True))
    assert left.given_ranks is not None and left.given_ranks.tolist() == [3, 4]
    qrels = Qrels.from_columns(["q"], ["d"], [1])
    assert parse_measure("RR").score(join_judgments(left, qrels)).tolist() == [1 / 4]


def test_judged_ranks_cannot_be_ranked_anew() -> None:
    one = np.ones(1, dtype=np.int64)
    run = RankedRun.from_ranks("s", ["q"], ["d"], one, one, one)
    with pytest.raises(RanklensError, match="no document can be excluded"):
        exclude_documents(run, Exclusions(own_documents=True))
    assert self_match_notes(run) == ()
    assert self_match_notes(Run.from_columns("empty", [], [], [])) == ()
