"""`compare none` and `--show`: what changed between runs, with and without judgments."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import metrics_core
from metrics_core.__main__ import main
from tests.metrics_core.findings.test_claims_of_lists import JUDGING_WORDS

SAMPLE = Path(__file__).parents[3] / "sample_runs"
RUNS = [str(SAMPLE / f"{name}.run") for name in ("bm25", "dense", "hybrid")]
FORMATS = ("table", "markdown", "latex", "csv", "tsv", "json")


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_that_is_printed_judges_the_runs(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "none", *RUNS, "--format", name]) == 0
    printed = capsys.readouterr()
    assert not JUDGING_WORDS.search(printed.out + printed.err)
    if name in ("table", "markdown"):
        assert "dense changes the top 10 of all 104 queries. 5.9 of 10 documents" in printed.out
        assert "this shows what changed, not which list is right." in printed.out


def test_the_command_and_python_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "none", *RUNS, "--top", "5", "--format", "json"]) == 0
    printed = pd.DataFrame(json.loads(capsys.readouterr().out))
    frame = metrics_core.compare(RUNS, None, top=5)
    pd.testing.assert_frame_equal(printed, frame, check_dtype=False)
    by_query = metrics_core.list_changes(RUNS, top=5)
    assert len(by_query) == 208
    means = by_query.groupby("run", sort=False)["kept"].mean()
    assert means.tolist() == pytest.approx(frame["kept"].tolist(), abs=1e-12)
    assert metrics_core.list_changes(RUNS, top=5, by_query=False).equals(frame)


def test_overlap_and_rbo_beside_scores(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", str(SAMPLE / "qrels.txt"), *RUNS, "-m", "nDCG@10"]
    assert main([*arguments, "--show", "overlap,rbo", "--format", "csv"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    frame = metrics_core.list_changes(RUNS).groupby("run", sort=False)[["overlap", "rbo"]].mean()
    assert printed[["overlap", "rbo"]].to_numpy() == pytest.approx(frame.to_numpy(), abs=1e-12)
    assert main([*arguments, "--show", "rbo"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("same    rbo")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none", *RUNS, "-m", "AP"], "--measure needs judgments."),
        (["none", *RUNS, "--show", "rbo"], "--show needs judgments."),
        (["none", *RUNS, "--by", "category"], "--by needs judgments."),
        (["none", *RUNS, "--top", "0"], "0 is not a valid number of results."),
        (["none", RUNS[0], RUNS[0]], "Add a second run or judgments."),
        (
            [str(SAMPLE / "qrels.txt"), *RUNS, "--show", "overlap,foo"],
            "--show has no column 'foo'.\nAvailable: overlap, rbo.",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_python_refuses_measures_and_single_runs_without_judgments() -> None:
    with pytest.raises(metrics_core.RanklensError, match="Measures need judgments"):
        metrics_core.compare(RUNS, None, "AP")
    with pytest.raises(metrics_core.RanklensError, match="no run to compare with bm25"):
        metrics_core.compare(RUNS[:1], None)
    with pytest.raises(metrics_core.RanklensError, match="There is no run 'x'"):
        metrics_core.list_changes(RUNS, baseline="x")
