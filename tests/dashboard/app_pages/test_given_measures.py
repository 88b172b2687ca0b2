"""Given scores on the pages: alone, and beside lists and judgments."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dashboard.answers.quality_cost import quality_cost, quality_cost_in_words
from dashboard.answers.query_filter import filter_mask
from dashboard.answers.query_notes import NOTHING_NOTED
from dashboard.answers.score_columns import score_columns
from dashboard.answers.slices import slices
from dashboard.answers.unjudged import find_unjudged_documents
from dashboard.app_pages.menu import PAGES
from dashboard.files.files import SAMPLE_FOLDER
from dashboard.notebook import show
from dashboard.session.open_collection import workspace
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import DEFAULT_SETTINGS, Layer
from dashboard.workspace.layers import GradeRecord
from dashboard.workspace.long_runs.tables import as_arrow, read_table, table_bytes
from metrics_core import evaluate, read_qrels, read_run
from metrics_core.checks.id_readings import parse_id_map
from metrics_core.checks.mapped_ids import IdMaps, map_ids
from metrics_core.tables import GivenScores
from tests.dashboard.conftest import drawn, opened, text_of

RUNS = ("bm25", "dense", "hybrid")
RAIL = [page.name for page in PAGES if page.group != "none" or page.name == "query"]


def write_scores(folder: Path) -> None:
    """Scores made up for the sample's queries: hybrid is right more often, and slower."""
    draws = np.random.default_rng(4)
    lines = ["query_id,run,correct,faithful@5,latency_ms,answer"]
    for number in range(1, 105):
        for position, run in enumerate(RUNS):
            is_right = int(draws.random() < (0.4, 0.5, 0.9)[position])
            faithful = "" if (run, number) == ("dense", 3) else f"{draws.random():.3f}"
            latency = round((300, 320, 900)[position] * draws.lognormal(0, 0.3))
            lines.append(f"q{number:03},{run},{is_right},{faithful},{latency},Answer of {run}.")
    (folder / "s.csv").write_text("\n".join(lines))


def write_answers(folder: Path, *, with_lists: bool) -> Path:
    """A folder of data: scores, and with lists also judgments, queries and runs."""
    data = folder / "answers"
    data.mkdir()
    write_scores(data)
    for name in ("qrels.txt", "queries.csv", *(f"{run}.run" for run in RUNS)) * with_lists:
        shutil.copy(SAMPLE_FOLDER / name, data)
    return data


@pytest.fixture(params=["alone", "beside lists"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = write_answers(tmp_path, with_lists=request.param == "beside lists")
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    return data


def test_no_page_of_the_rail_raises(folder: Path) -> None:
    for measure in ("correct", "faithful@5", "latency_ms"):
        for page in RAIL:
            opened("" if page == "overview" else page, m=measure)


def test_the_verdict_is_on_the_given_measure(folder: Path) -> None:
    text = text_of(opened(m="correct", run="hybrid", base="bm25"))
    assert "hybrid beats bm25 clear difference" in text and "correct given" in text
    assert "1 left out" in text  # dense has no faithful@5 for a query


def test_reasons_of_a_computed_measure_are_those_of_its_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(write_answers(tmp_path, with_lists=True)))
    text = text_of(opened(m="nDCG@10", run="dense", base="bm25"))
    assert "queries without bm25 resultsmean gain" in text


def test_scores_alone_are_a_whole_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scores(tmp_path)
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    text = text_of(opened())
    assert "hybrid vs bm25 · correct · all 104" in text
    assert "By cutoff" not in text and "To judge" not in text and "judged" not in text


def test_the_direction_is_asked_and_then_counts(folder: Path) -> None:
    pair = {"run": "hybrid", "base": "bm25", "m": "latency_ms"}
    app = opened(**pair)
    assert "no direction declared" in text_of(app) and "higher or lower better?" in text_of(app)
    question = app.button_group(key="w_better_latency_ms")
    question.set_value("Lower").run()
    text = text_of(app)
    assert "clear loss" in text and "% slower" in text and "↓ lower is better" in text
    (collection,) = workspace().read_collections()
    assert collection.directions == {"latency_ms": False}


def test_a_column_has_one_number_of_decimals_and_its_colours_follow_the_direction(
    folder: Path,
) -> None:
    pair = {"run": "hybrid", "base": "bm25", "m": "latency_ms"}
    opened(**pair).button_group(key="w_better_latency_ms").set_value("Lower").run()
    table = drawn(opened("queries", **pair))
    changes = re.findall(r'<span class="change (\w+) clear">\s*(\S+)\s*</span>', table)
    assert all((tone == "worse") == text.startswith("+") for tone, text in changes)
    assert len(changes) > 50
    assert len({"." in text for _, text in changes}) == 1, "all with decimals, or none"


def test_pages_that_need_lists_say_so_in_a_heading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(write_answers(tmp_path, with_lists=True)))
    for page in ("curves", "judge"):
        heading = re.findall("<h1.*?</h1>", drawn(opened(page, m="correct")), re.DOTALL)
        assert "This page needs a computed measure" in "".join(heading), page


def test_files_shows_the_columns_of_scores(folder: Path) -> None:
    app = opened("data")
    text = text_of(app)
    assert "s.csv: is higher or lower better for latency_ms?" in text
    columns = ("query_id Query", "run Run", "answer Text")
    assert {app.selectbox(key=f"w_holds_{n}").value for n in ("correct", "faithful@5")} == {"Score"}
    for words in (*columns, "104 ids", "3 names", "0 and 1", "; 1 empty", "312 texts"):
        assert words in text, words
    app.button_group(key="w_better_latency_ms").set_value("Lower").run()
    text = text_of(app)
    assert "Scores in s.csv" in text and "A change applies at once" in text


def test_a_column_of_scores_is_not_used_until_it_is_again(folder: Path) -> None:
    app = opened("data")
    app.selectbox(key="w_holds_faithful@5").select("Not used").run()
    assert not app.exception
    (collection,) = workspace().read_collections()
    assert collection.directions == {"faithful@5": None}
    assert "faithful@5" not in text_of(opened(m="correct"))
    again = opened("data").selectbox(key="w_holds_faithful@5")
    assert again.value == "Not used"
    again.select("Score").run()
    assert "faithful@5" in text_of(opened(m="correct"))
    (collection,) = workspace().read_collections()
    assert collection.directions == {}


def test_columns_of_repeated_scores_in_the_order_of_the_file() -> None:
    rows = [("q2", "a", "1", 1.0), ("q2", "a", "2", 2.5), ("q1", "b", "1", np.nan)]
    ids = [list(column) for column in zip(*rows, strict=True)][:3]
    details = pa.table(
        dict(zip(("query_id", "run", "repeat"), ids, strict=True)) | {"note": ["x", None, "z"]}
    )
    table = GivenScores.from_columns(
        ids[0], ids[1], ["accuracy"] * 3, np.array([row[3] for row in rows]), ids[2],
        details=details,
    )  # fmt: skip
    columns = score_columns(Study([], None, given_tables=[table]), 0)
    assert [(c.name, c.role, [*c.cells], c.summary) for c in columns] == [
        ("query_id", "Query", ["q2", "q2", "q1"], "2 ids"),
        ("run", "Run", ["a", "a", "b"], "2 names"),
        ("repeat", "Repeat", ["1", "2", "1"], "2 repeats"),
        ("accuracy", "Score", ["1", "2.5", "–"], "1 and 2.5; 1 empty"),
        ("note", "Text", ["x", "–", "z"], "2 texts"),
    ]


PLAIN = {
    "queries": "is higher on",
    "breakdown": "No direction (higher or lower is better) has been declared",
    "firm": "No direction (higher or lower is better) has been declared",
    "pairs": "scores highest on latency_ms",
    "history": "has a mean latency_ms of",
}


@pytest.mark.parametrize("page", PLAIN)
def test_a_page_without_a_direction_has_values_and_one_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(write_answers(tmp_path, with_lists=True)))
    versions = {"versions": ["bm25", "dense"]} if page == "history" else {}
    app = opened(page, m="latency_ms", run="hybrid", base="bm25", **versions)
    text = text_of(app).partition("Until you choose")[2]
    assert PLAIN[page] in text and app.button_group(key="w_better_latency_ms").value is None
    for word in ("better on", "best", "worse", "beats", "significant"):
        assert word not in text, word


def test_a_query_shows_answers_and_scores(folder: Path) -> None:
    text = text_of(opened("query", q="q003", m="correct", run="hybrid", base="dense"))
    assert "Answer of hybrid." in text and "Answer of dense." in text
    assert "Scores from a file have no ranks" in text and "latency_ms" in text


@pytest.mark.parametrize("measure", ["correct", "latency_ms"])
def test_a_filter_line_knows_all_measures_by_name(tmp_path: Path, measure: str) -> None:
    write_scores(tmp_path)
    shown = show(scores=tmp_path / "s.csv", measure=measure, run="hybrid")
    line = "faithful@5 > 0.5 and latency_ms>900 and correct == 1"
    mask = filter_mask(shown._study, shown._view, line, NOTHING_NOTED)
    scores = pd.read_csv(tmp_path / "s.csv").query("run == 'hybrid'").set_index("query_id")
    expected = scores.loc[shown._study.query_ids].eval(line.replace("faithful@5", "`faithful@5`"))
    assert mask.tolist() == expected.tolist() and 0 < mask.sum() < 52


def test_slices_of_a_cost_compare_typical_ratios() -> None:
    draws, ids = np.random.default_rng(8), [f"q{i:03}" for i in range(120)]
    is_slow = np.arange(120) % 4 == 1
    base = draws.lognormal(6, 0.5, 120)
    values = {"base": base, "new": base * np.where(is_slow, 2, 0.9) * draws.lognormal(0, 0.1, 120)}
    scores = pd.concat(
        [pd.DataFrame({"query_id": ids, "run": r, "latency_ms": v}) for r, v in values.items()]
    )
    queries = {q: {"text": q, "kind": "abcd"[i % 4]} for i, q in enumerate(ids)}
    shown = show(queries=queries, scores=scores, lower="latency_ms")
    result = slices(shown._study, shown._view)
    (found,) = result.slices
    assert found.names == [("b", False)] and found.queries == 30 and not found.gains
    ratios = values["new"] / base
    typical = [np.exp(np.log(ratios[mask]).mean()) for mask in (is_slow, ~is_slow)]
    assert [found.difference, found.elsewhere] == [
        f"+{100 * (typical[0] - 1):.0f}%",
        f"−{100 * (1 - typical[1]):.0f}%",
    ]
    assert result.table.loc[0, ["ratio", "ratio_elsewhere"]].tolist() == pytest.approx(typical)
    # With a value of 0 there is no ratio, and without a direction no better or worse.
    zero = show(queries=queries, scores=scores.replace(base[0], 0.0), lower="latency_ms")
    for other in (zero, show(queries=queries, scores=scores)):
        assert slices(other._study, other._view).searched_count == 0


def test_runs_with_equal_lists_and_unlike_scores_share_one_judging() -> None:
    runs = {run: {"q1": ["d1", "d2", "d3"], "q2": ["d4", "d2"]} for run in ("old", "new")}
    scores = pd.DataFrame({"query_id": ["q1", "q2"] * 2, "run": ["old"] * 2 + ["new"] * 2})
    qrels = {"q1": {"d1": 1}, "q2": {"d9": 1}}
    shown = show(runs, qrels, scores=scores.assign(correct=[0, 1, 1, 1]), measure="P@3")
    study, view = shown._study, shown._view
    assert study.names == ["old", "new"] and view.focus == "new"
    assert study.all_scores(study.given_measures[0]).combined()[:, 0].tolist() == [0.5, 1.0]
    unjudged = [("q1", "d2"), ("q1", "d3"), ("q2", "d4"), ("q2", "d2")]
    assert find_unjudged_documents(study, view, 3) == unjudged
    grades = {("q1", "d3"): GradeRecord(1.0, "me", "2026")}
    layer = Layer("me", "me", "2026", True, "1", grade_records=grades)
    graded = with_layers(study, [layer])
    assert graded.all_scores(view.measure).values[:, 0, 0].tolist() == [2 / 3, 2 / 3]
    assert find_unjudged_documents(graded, view, 3) == [
        pair for pair in unjudged if pair[1] != "d3"
    ]


def test_a_declared_cost_draws_quality_against_cost(folder: Path) -> None:
    app = opened(run="hybrid", base="bm25", m="correct")
    assert "Quality against cost" not in text_of(app)
    app.button_group(key="w_better_latency_ms").set_value("Lower").run()
    text = text_of(app)
    assert "Quality against cost" in text and "On latency_ms, it is typically " in text
    assert "hybrid beats bm25, at " in text and " times the mean latency_ms: correct +" in text
    app.selectbox(key="w_cost").set_value("faithful@5").run()
    assert " times the mean" not in text_of(app) and not app.exception
    assert "On latency_ms" not in text_of(opened(run="dense", base="bm25", m="correct"))


def test_the_line_joins_the_best_mean_at_each_cost() -> None:
    rows = [("a", 0.5, 10), ("b", 0.4, 20), ("c", 0.9, 30), ("d", 0.9, 40)]
    scores = GivenScores.from_columns(
        [f"q{q}" for q in "12" for _ in rows for _ in "ab"],
        [run for _ in "12" for run, *_ in rows for _ in "ab"],
        ["good", "ms"] * 8,
        np.array([value for _ in "12" for _, *values in rows for value in values], dtype=float),
    )
    settings = replace(DEFAULT_SETTINGS, directions=(("ms", False),))
    study = Study([], None, settings=settings, given_tables=[scores])
    shown = study.comparison(
        study.given_measures[0], baseline="a", other_runs=("c", "d"), focus="b"
    )
    answer = quality_cost(study, shown)
    assert answer is not None and str(answer.cost) == "ms"
    assert dict(zip(answer.frame["run"], answer.frame["best"], strict=True)) == {
        "a": True,
        "b": False,
        "c": True,
        "d": False,
    }
    turned = quality_cost(study, shown, quality="ms", cost="good")
    assert turned is not None and turned.choices == ["good", "ms"]
    best = dict(zip(turned.frame["run"], turned.frame["best"], strict=True))
    assert best == {"c": True, "d": False, "a": True, "b": False}
    assert not quality_cost_in_words(study, shown, turned)
    unasked = Study([], None, given_tables=[scores])
    assert quality_cost(unasked, shown) is None


def test_stored_scores_keep_repeats_and_texts() -> None:
    texts = pa.table(
        {"query_id": ["q1", "q1"], "run": ["a", "a"], "repeat": ["1", "2"], "answer": ["x", "y"]}
    )
    scores = GivenScores.from_columns(
        ["q1", "q1"], ["a", "a"], ["m", "m"], np.array([1.0, np.nan]), ["1", "2"], details=texts
    )
    content = table_bytes(as_arrow(scores)).to_pybytes()
    read = read_table(content, "scores", name="", notes=())
    assert isinstance(read, GivenScores) and read.details is not None
    assert read.details.to_pydict() == texts.to_pydict()
    assert read.table["repeat"].to_pylist() == ["1", "2"]
    np.testing.assert_array_equal(read.values, [1.0, np.nan])


def test_scores_of_a_run_without_a_list_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_answers(tmp_path, with_lists=True)
    (data / "dense.run").unlink()
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    assert "Scores of runs without result lists are not used: dense" in text_of(opened("data"))


def test_a_column_of_computed_scores_is_checked_and_not_offered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_answers(tmp_path, with_lists=True)
    runs = [read_run(data / f"{run}.run") for run in RUNS]
    frame = evaluate(runs, read_qrels(data / "qrels.txt"), ["ndcg_cut_10", "P_5"])
    frame.assign(P_5=frame["P_5"] + 0.1).to_csv(data / "t.csv", index=False)
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    text = text_of(opened("data"))
    assert "dcg_cut_10 equals nDCG@10 as computed here" in text
    assert "or 312 of 312 scores, P_5 differs from P@5 as computed here" in text
    text = text_of(opened())
    assert "given:P_5" in text and "ndcg_cut_10" not in text


def test_many_missing_scores_are_counted_beside_the_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scores(tmp_path)
    scores = pd.read_csv(tmp_path / "s.csv")
    is_missing = (scores["run"] == "bm25") & (scores.index < 40)
    scores.assign(correct=scores["correct"].mask(is_missing)).to_csv(tmp_path / "s.csv")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    text = text_of(opened(m="correct", run="hybrid", base="bm25"))
    assert "n 90" in text and "n 103" not in text


def test_ids_of_scores_are_mapped_like_those_of_runs() -> None:
    texts = pa.table({"query_id": ["Q1", "Q2"], "run": ["a", "a"], "answer": ["x", "y"]})
    scores = GivenScores.from_columns(
        ["Q1", "Q2"], ["a", "a"], ["m", "m"], np.array([1.0, 2.0]), details=texts
    )
    maps = IdMaps(queries=parse_id_map("case"))
    mapped = map_ids(scores, maps)
    assert mapped.query_ids == ["q1", "q2"] and mapped.details is not None
    assert mapped.details["query_id"].to_pylist() == ["q1", "q2"]
