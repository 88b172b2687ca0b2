"""`show` in a notebook: a cell without a script, its text, and the frames behind it."""

from __future__ import annotations

import re
from copy import copy
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from dashboard.notebook import NotebookComparison, show
from dashboard.workspace import Workspace
from dashboard.workspace.exports.packing import import_packed_collection
from dashboard.workspace.exports.report_data import extract_packed_collection
from metrics_core import compare, evaluate
from metrics_core.base.errors import (
    ParameterError,
    RanklensError,
    UnknownColumnError,
    UnknownRunError,
)

SAMPLE = Path(__file__).parents[2] / "sample_runs"
NAMES = ["bm25", "dense", "hybrid", "titles-only"]
RUNS = [str(SAMPLE / f"{name}.run") for name in NAMES]
QRELS = str(SAMPLE / "qrels.txt")


@pytest.fixture(scope="module")
def sample() -> NotebookComparison:
    return show(RUNS, QRELS, str(SAMPLE / "queries.csv"))


def test_the_cell_stands_by_itself(sample: NotebookComparison) -> None:
    html = sample._repr_html_()
    assert len(html.encode()) < 100_000
    assert "<script" not in html and 'href="' not in html and "url(http" not in html
    text = unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", html, flags=re.DOTALL))
    for said in ("dense beats bm25", "+0.087", "[0.030, 0.144]", "0.636", "104 queries"):
        assert said in text
    # Two cells share no id, so that neither changes the other.
    assert ' id="' not in html


def test_twenty_cells_are_small(sample: NotebookComparison) -> None:
    assert 20 * len(sample._repr_html_().encode()) < 2_000_000
    # Jupyter's own sheet gives all columns one width, whatever stands in them.
    assert ".lens table { display: table; table-layout: auto;" in sample._repr_html_()


def test_the_text_without_a_browser(sample: NotebookComparison) -> None:
    text = repr(sample)
    assert text.startswith("dense beats bm25. nDCG@10 rises from 0.548 to 0.636.")
    assert text.splitlines()[3].split() == ["dense", "0.636", "0.203", "0.680", "0.767", "0.560"]


def test_the_frames_are_those_of_the_core(sample: NotebookComparison) -> None:
    core = compare(RUNS, QRELS, "nDCG@10", baseline="bm25").set_index("run")
    own = sample.frame[sample.frame["measure"] == "nDCG@10"].set_index("run").loc[core.index]
    for column in ("mean", "difference", "low", "high", "p_corrected"):
        assert own[column].tolist() == core[column].tolist()
    scores = evaluate(RUNS, QRELS, "nDCG@10")
    dense = scores[scores["run"] == "dense"].set_index("query_id")["nDCG@10"]
    queries = sample.queries().set_index("query_id")
    assert queries["dense"].to_dict() == dense.to_dict()
    assert set(sample.breakdown("category")["group"]) >= {"Billing", "Devices"}
    assert {"run", "k", "mean"} <= set(sample.curves().columns)
    assert sample.explain("q098").score == pytest.approx(0.320, abs=5e-4)


def test_ways_on(sample: NotebookComparison, tmp_path: Path) -> None:
    assert sample.report(tmp_path / "x.html", title="Ours").read_text().count("Ours") > 1
    carried = extract_packed_collection(sample.report(tmp_path / "x.html", with_data=True))
    made = import_packed_collection(Workspace(tmp_path / "workspace"), carried, file="x.html")
    assert made.name == "Comparison"
    named = sample.report(tmp_path / "x.html", include="run names").read_text()
    assert "bm25" in named and "texts left out" in named
    bare = sample.report(tmp_path / "x.html", include="scores only").read_text()
    assert all(name not in bare for name in ("bm25", "dense", "Billing"))
    assert all(name not in page for name in ("q098", "vinegar", "FN-00") for page in (named, bare))
    with pytest.raises(ParameterError, match="Use only one of the two"):
        sample.report(tmp_path / "x.html", include="scores only", with_data=True)
    with pytest.raises(ParameterError, match="scores only, run names or full texts"):
        sample.report(tmp_path / "x.html", include="public")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no figure pie"):
        sample.figure("pie")
    with pytest.raises(ParameterError, match="MAP has no cutoff"):
        sample.figure("curves", measure="MAP")
    with pytest.raises(ParameterError, match="not a valid width"):
        sample.figure("forest", width=84)  # type: ignore[arg-type]
    with pytest.raises(UnknownColumnError):
        sample.breakdown("categori")


@pytest.mark.parametrize("name", ["forest", "pairs", "breakdown", "curves"])
def test_a_figure_is_interactive_and_a_picture(sample: NotebookComparison, name: str) -> None:
    figure = sample.figure(name, width="3.17in")
    formatters = pytest.importorskip("IPython.core.formatters")
    shown = formatters.DisplayFormatter().format(figure)[0]
    assert set(shown) >= {"application/vnd.plotly.v1+json", "image/svg+xml"}
    # nbconvert prefers HTML to a picture.
    assert "text/html" not in shown
    picture = ElementTree.fromstring(shown["image/svg+xml"])
    assert picture.get("width") == "80.518mm" and picture.get("aria-label") == figure.caption
    assert len(figure.data) == len(shown["application/vnd.plotly.v1+json"]["data"]) > 0
    assert figure.svg == shown["image/svg+xml"] and "dense" in figure.svg
    assert copy(figure).update_layout(title="Ours").layout.title.text == "Ours"


def test_curves_of_a_measure_of_choice(sample: NotebookComparison) -> None:
    assert sample.figure("curves", measure="P").caption.startswith("P@k by k")
    assert sample.figure().caption.startswith("nDCG@k by k")
    assert " by difficulty;" in sample.figure("breakdown", by="difficulty").caption


def test_documents_are_read_from_a_path(tmp_path: Path) -> None:
    found = show(RUNS[:2], QRELS, documents=str(SAMPLE / "articles.jsonl"))
    assert "Sweep error ER-21" in found.report(tmp_path / "x.html").read_text()


def test_what_python_holds() -> None:
    runs = {"old": {"q1": ["d1", "d2"]}, "new": {"q1": ["d2", "d1"]}}
    one = show(runs, {"q1": {"d2": 1}}, measure="RR", baseline="old", run="new")
    assert "new" in repr(one) and "RR" in one._repr_html_()
    alone = show({"only": {"q1": {"d1": 1.0}}}, {"q1": {"d1": 1}})
    assert "only" in alone._repr_html_()
    with pytest.raises(UnknownRunError):
        show(runs, {"q1": {"d2": 1}}, baseline="older")


def test_given_scores_alone_and_beside_runs(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [(f"q{q}", run, int(q % 3 > i), 100 + q + 50 * i)
         for i, run in enumerate("ab") for q in range(30)],
        columns=["query_id", "run", "correct", "ms"],
    )  # fmt: skip
    own = show(scores=frame, lower="ms")
    assert "a scores" in repr(own) or "correct falls from" in repr(own)
    cost = show(scores=frame, measure="ms", lower="ms")
    assert "slower" in cost._repr_html_() and cost.report(tmp_path / "r.html").exists()
    undeclared = show(scores=frame, measure="ms")
    assert "has been declared, so nothing is tested" in undeclared._repr_html_()
    for name in ("forest", "curves"):
        with pytest.raises(RanklensError):
            cost.figure(name)
    assert "significant" in cost.figure("pairs").caption
