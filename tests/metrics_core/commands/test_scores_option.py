"""`--scores`: scores computed elsewhere, alone and beside judgments and runs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metrics_core import compare_scores, evaluate, read_qrels, read_run
from metrics_core.__main__ import main
from tests.random_cases import in_this_run

SAMPLE = Path(__file__).parents[3] / "sample_runs"
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "dense.run")]
QRELS = str(SAMPLE / "qrels.txt")
LATENCY = "query_id,run,correct,latency_ms,accuracy\n" + "".join(
    f"q{q},{run},{int(q % 3 > (run == 'b'))},{800 + 7 * q % 90 + extra},0.5\n"
    for run, extra in (("a", 0), ("b", 20))
    for q in range(40)
)

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Runs a command in a folder with s.csv; gives status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(LATENCY)

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main([*arguments])
        return status, *capsys.readouterr()

    return run


def rows(out: str) -> list[dict[str, object]]:
    return list(json.loads(out))


def random_table(seed: int) -> tuple[str, pd.DataFrame]:
    """A long or wide CSV of 2 to 4 runs with missing scores, and what pandas reads from it."""
    rng = np.random.default_rng(seed)
    n, runs = int(rng.integers(3, 60)), [f"r{i}" for i in range(rng.integers(2, 5))]
    binary = rng.random() < 0.5
    frame = pd.DataFrame(
        [
            {"query_id": f"q{q}", "run": run, "correct": value}
            for run in runs
            for q, value in enumerate(rng.integers(0, 2, n) if binary else rng.normal(size=n))
        ]
    )
    frame = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
    frame.loc[rng.random(len(frame)) < 0.05, "correct"] = np.nan
    if seed % 2:
        frame = frame.rename(columns={"correct": "value"}).assign(measure="correct")
    text = frame.to_csv(index=False)
    return text, pd.read_csv(io.StringIO(text))


@pytest.mark.parametrize("seed", range(in_this_run(20, 200)))
def test_the_numbers_are_those_of_compare_scores(command: Command, seed: int) -> None:
    text, frame = random_table(seed)
    Path("s.csv").write_text(text)
    status, out, _ = command("compare", "--scores", "s.csv", "-m", "correct", "--format", "json")
    want = compare_scores(frame, "correct")
    assert status == 0
    got = pd.DataFrame(rows(out))
    assert got["run"].tolist() == want["run"].tolist()
    assert got["verdict"].tolist() == want["verdict"].tolist()
    for name in ("mean", "difference", "low", "high", "p", "p_corrected", "won", "lost"):
        values = got[name].to_numpy(dtype=float)
        assert values == pytest.approx(want[name].to_numpy(dtype=float), abs=1e-12, nan_ok=True)


def test_an_open_direction_ends_with_2_and_names_the_option(command: Command) -> None:
    status, out, err = command("compare", "--scores", "s.csv", "-m", "latency_ms")
    assert (status, out) == (2, "") and "--lower latency_ms" in err
    status, out, _ = command(
        *("compare", "--scores", "s.csv", "-m", "latency_ms", "--lower", "latency_ms"),
        *("--format", "json"),
    )
    (row,) = rows(out)
    assert status == 0 and row["difference"] == pytest.approx(20)
    assert row["verdict"] == "worse" and row["lost"] == 40


def test_directions_of_unknown_and_contradicted_measures_are_refused(command: Command) -> None:
    for options in (["--lower", "nix"], ["--lower", "correct", "--higher", "correct"]):
        status, out, err = command("compare", "--scores", "s.csv", *options)
        assert (status, out) == (2, "") and options[1] in err
    status, _, err = command("compare", QRELS, *RUNS, "--lower", "AP")
    assert status == 2 and "--scores" in err


def test_a_name_of_both_kinds_ends_with_2_and_both_spellings(command: Command) -> None:
    status, _, err = command("compare", "--scores", "s.csv", "-m", "accuracy")
    assert status == 2 and "given:accuracy" in err and "Accuracy" in err
    status, out, _ = command("compare", "--scores", "s.csv", "-m", "given:accuracy")
    assert status == 0 and "given:accuracy" in out


@pytest.mark.parametrize("name", ["exact match", "a, b", "f [x] (y)", "hit@1 rate"])
def test_names_may_contain_blanks_commas_and_brackets(command: Command, name: str) -> None:
    frame = pd.read_csv("s.csv").rename(columns={"correct": name})
    frame.to_csv("s.csv", index=False)
    for text in (name, f"'{name}',given:accuracy"):
        status, out, err = command("compare", "--scores", "s.csv", "-m", text, "--format", "json")
        assert status == 0, err
        assert rows(out)[0]["measure"] == name


def test_the_baseline_is_the_first_run_or_the_named_one(command: Command) -> None:
    _, out, _ = command("compare", "--scores", "s.csv", "-m", "correct", "--format", "json")
    _, other, _ = command(
        *("compare", "--scores", "s.csv", "-m", "correct", "--baseline", "b", "--format", "json")
    )
    (first,), (second,) = rows(out), rows(other)
    assert (first["baseline"], second["baseline"]) == ("a", "b")
    assert first["difference"] == pytest.approx(-float(str(second["difference"])))


def test_repeats_are_averaged(command: Command) -> None:
    Path("s.csv").write_text(
        "query_id,run,epoch,correct\nq1,a,1,1\nq1,a,2,0\nq1,b,1,1\nq1,b,2,\nq2,a,1,0\nq2,b,1,1\n"
    )
    _, out, err = command("evaluate", "--scores", "s.csv", "--per-query", "--format", "json")
    values = {(row["run"], row["query_id"]): row["value"] for row in rows(out)}
    assert values[("a", "q1")] == 0.5 and values[("b", "q1")] == 1.0
    assert "2 repeats" in err and "1 score missing" in err


def shared_scores() -> pd.DataFrame:
    """nDCG@10 of the sample as a given score, and another one, without the last five queries."""
    runs = [read_run(path) for path in RUNS]
    frame = evaluate(runs, read_qrels(QRELS), ["nDCG@10"])
    frame = frame.rename(columns={"nDCG@10": "ndcg_cut_10"})
    frame["correct"] = (frame["ndcg_cut_10"] > 0.5).astype(int)
    return frame[~frame["query_id"].isin(sorted({*frame["query_id"]})[-5:])]


def test_beside_lists_the_queries_of_both_are_joined(command: Command) -> None:
    frame = shared_scores()
    frame.sample(frac=1, random_state=1).to_csv("s.csv", index=False)
    status, out, err = command(
        *("compare", QRELS, *RUNS, "--scores", "s.csv", "-m", "nDCG@10,correct"),
        *("--format", "json"),
    )
    assert status == 0 and "99 queries in common, of 104 with judgments" in err
    computed, given = rows(out)
    assert [computed["measure"], given["measure"]] == ["nDCG@10", "correct"]
    assert computed["n"] == given["n"] == 99
    wide = frame.pivot(index="query_id", columns="run", values="correct")
    assert given["difference"] == pytest.approx((wide["dense"] - wide["bm25"]).mean())


def test_a_given_copy_of_a_computed_measure_is_checked_and_shown_once(command: Command) -> None:
    frame = shared_scores()
    frame.to_csv("s.csv", index=False)
    arguments = ("compare", QRELS, *RUNS, "--scores", "s.csv", "--format", "json")
    _, out, err = command(*arguments)
    names = [row["measure"] for row in rows(out)]
    assert "nDCG@10" in names and "given:ndcg_cut_10" not in names and "correct" in names
    assert "ndcg_cut_10 equals nDCG@10" in err
    frame.loc[frame["query_id"] == frame["query_id"].iloc[0], "ndcg_cut_10"] += 0.3
    frame.to_csv("s.csv", index=False)
    _, out, err = command(*arguments)
    assert "given:ndcg_cut_10" in [row["measure"] for row in rows(out)]
    assert "for 2 of 198 scores, " in err and "differs from nDCG@10 as computed here" in err


def test_scores_that_fit_nothing_are_refused(command: Command) -> None:
    status, _, err = command("compare", QRELS, *RUNS, "--scores", "s.csv")
    assert status == 2 and "no query in common" in err
    shared_scores().replace({"run": {"bm25": "x", "dense": "y"}}).to_csv("s.csv", index=False)
    status, _, err = command("compare", QRELS, *RUNS, "--scores", "s.csv")
    assert status == 2 and "bm25, dense" in err
    status, _, err = command("compare", QRELS, "--scores", "s.csv")
    assert status == 2 and "QRELS needs runs" in err
    status, _, err = command("compare", "--scores", QRELS)
    assert status == 2 and "scores by query" in err


def test_several_files_may_not_have_the_same_scores(command: Command) -> None:
    Path("a.csv").write_text("query_id,correct\nq1,1\nq2,0\n")
    Path("b.csv").write_text("query_id,correct\nq1,1\nq2,1\n")
    status, out, _ = command("evaluate", "--scores", "a.csv", "--scores", "b.csv")
    assert status == 0 and "0.500" in out and "1.000" in out
    status, _, err = command("evaluate", "--scores", "a.csv", "--scores", "a.csv")
    assert status == 2 and "correct of run a for query q1" in err


def test_without_scores_judgments_and_runs_are_required(command: Command) -> None:
    with pytest.raises(SystemExit) as stop:
        command("compare")
    assert stop.value.code == 2


def test_unused_scores_are_named(command: Command) -> None:
    Path("s.csv").write_text("query_id,run,correct\nq001,bm25,1\nq001,other,0\n")
    _, _, notes = command("evaluate", QRELS, RUNS[0], "--scores", "s.csv")
    assert "scores of runs without result lists are not used: other" in notes
    Path("s.csv").write_text("query_id,run,correct\nQ001,bm25,1\n")
    mapping = ("--map-queries", "case")
    _, out, _ = command("evaluate", QRELS, RUNS[0], "--scores", "s.csv", *mapping)
    assert "1.000" in out
    assert "1 query in common, of 104 with judgments and 1 with given scores" in notes


@pytest.mark.parametrize(("option", "best"), [("--lower", "7"), ("--higher", "9")])
def test_latex_marks_the_best_value_by_direction(command: Command, option: str, best: str) -> None:
    Path("s.csv").write_text("query_id,run,latency_ms\nq1,a,7\nq1,b,9\n")
    _, out, _ = command("evaluate", "--scores", "s.csv", option, "latency_ms", "--format", "latex")
    assert out.count("textbf") == 1 and f"textbf{{{best}.000}}" in out
    assert "textbf" not in command("evaluate", "--scores", "s.csv", "--format", "latex")[1]


@pytest.mark.parametrize("long", [True, False])
def test_repeats_in_a_frame_are_those_of_a_file(command: Command, long: bool) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        [(f"q{q}", run, e) for q in range(12) for run in "ab" for e in range(3)],
        columns=["query_id", "run", "epoch"],
    ).assign(good=rng.random(72), ok=rng.integers(0, 2, 72))
    if long:
        keys = ["query_id", "run", "epoch"]
        frame = frame.melt(keys, ["good", "ok"], "measure", "value")
    frame.to_csv("s.csv", index=False)
    expected = rows(command("compare", "--scores", "s.csv", "-m", "good", "--format", "json")[1])
    (own,) = compare_scores(frame, "good").to_dict("records")
    for name in ("mean", "difference", "low", "p"):
        assert own[name] == pytest.approx(expected[0][name], abs=1e-12)
    with pytest.raises(Exception, match="given twice"):
        compare_scores(pd.concat([frame, frame.iloc[:1]]), "ok")


def test_a_cost_below_1_is_a_cost_by_its_name(command: Command) -> None:
    text = "query_id,run,cost,error_rate\n" + "".join(
        f"q{q},{run},{c * (1 + q % 5):.3f},0.{q}\n"
        for run, c in (("a", 0.01), ("b", 0.02))
        for q in range(12)
    )
    Path("s.csv").write_text(text)
    lower = ("--lower", "cost", "--lower", "error_rate", "--format", "json")
    tested = {
        row["measure"]: row["tested"]
        for row in rows(command("compare", "--scores", "s.csv", *lower)[1])
    }
    assert tested == {"cost": "typical ratio", "error_rate": "mean difference"}
