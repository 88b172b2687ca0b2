"""The public questions take what evaluate takes, and say what the packages and commands say."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import metrics_core
from metrics_core import (
    aggregate,
    all_pairs,
    breakdown,
    compare,
    compare_scores,
    curves,
    evaluate,
    explain,
    gate,
    write,
)
from metrics_core.__main__ import main
from metrics_core.base.errors import (
    LackingDataError,
    NoSharedQueriesError,
    ParameterError,
    RanklensError,
    UnknownColumnError,
    UnknownRunError,
)
from metrics_core.comparing.pairs import compare as engine
from metrics_core.formats.in_memory import convert_to_qrels, convert_to_runs
from metrics_core.scoring.scores import Scores

QUERIES = [f"q{i}" for i in range(12)]
QS = range(12)
QRELS = {q: {"a": 2, "b": 1, "c": 0} for q in QUERIES}
OLD = {q: ["c", "b", "a"] if i % 3 else ["a", "b"] for i, q in enumerate(QUERIES)}
NEW = {q: ["a", "b", "c"] for q in QUERIES}
THIRD = {q: ["b", "a"] for q in QUERIES}
RUNS = {"old": OLD, "new": NEW, "third": THIRD}
KINDS = {q: {"kind": "long" if i % 2 else "short"} for i, q in enumerate(QUERIES)}
ROWS = [(q, d, 3.0 - i, n) for n, run in RUNS.items() for q in run for i, d in enumerate(run[q])]
LONG = pa.table(
    dict(zip(("qid", "docno", "score", "system"), map(list, zip(*ROWS, strict=True)), strict=True))
)
LATENCY = pd.DataFrame(
    [(n, q, at + i % 4) for n, at in (("v1", 90.0), ("v2", 80.0)) for i, q in enumerate(QUERIES)],
    columns=["run", "query_id", "latency"],
)


def test_everything_public_is_there() -> None:
    for name in metrics_core.__all__:
        assert getattr(metrics_core, name).__doc__, name
    assert dir(metrics_core) == sorted([*metrics_core.__all__, "__version__"])


@pytest.mark.parametrize("runs", [RUNS, LONG], ids=["by name", "one table"])
def test_all_doors_take_what_evaluate_takes(runs: Any) -> None:
    assert evaluate(runs, QRELS, "AP")["run"].unique().tolist() == ["old", "new", "third"]
    assert compare(runs, QRELS, "AP")["run"].tolist() == ["new", "third"]
    assert breakdown(runs, QRELS, "AP", KINDS, by="kind")["run"].tolist()[:2] == ["old", "new"]
    assert curves(runs, QRELS, "nDCG", cutoffs=[1, 2])["run"].unique().tolist() == list(RUNS)
    assert set(all_pairs(runs, QRELS, "AP").runs) == set(RUNS)
    assert explain(runs, QRELS, "AP", "q1").run == "new"


def test_comparisons_are_those_of_the_engine() -> None:
    found = compare(RUNS, QRELS, ["nDCG@10", "AP"], baseline="new", test="t-test", margin=0.02)
    assert found["measure"].tolist() == ["nDCG@10"] * 2 + ["AP"] * 2
    assert found["run"].tolist() == ["old", "third"] * 2
    assert set(found["baseline"]) == {"new"} and found["verdict"].notna().all()
    from metrics_core.comparing.method import Method

    scores = evaluate(RUNS, QRELS, ["nDCG@10", "AP"])
    own = engine(scores, "AP", "new", method=Method("t-test", margin=0.02)).iloc[1:]
    same = found[found["measure"] == "AP"].drop(columns=["baseline", "measure"])
    pd.testing.assert_frame_equal(
        same.reset_index(drop=True)[list(own)], own.reset_index(drop=True), check_dtype=False
    )
    again = compare_scores(scores, baseline="new", test="t-test", margin=0.02)
    pd.testing.assert_frame_equal(again, found, check_dtype=False)


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(RanklensError, match="no run to compare with run"):
        compare(OLD, QRELS, "AP")
    with pytest.raises(UnknownRunError, match="no run 'prod'"):
        compare(RUNS, QRELS, "AP", baseline="prod")
    with pytest.raises(UnknownRunError, match=r"no run '5'"):
        compare(RUNS, QRELS, "AP", baseline=5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="without_relevant must be"):
        compare(RUNS, QRELS, "AP", without_relevant="no")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no test 'z-test'"):
        compare(RUNS, QRELS, "AP", test="z-test")
    with pytest.raises(RanklensError, match="Two runs are named"):
        explain([LONG, LONG], QRELS, "AP", "q1")
    scores = evaluate(RUNS, QRELS, "AP")
    for given in (scores, Scores.from_any(scores)):
        with pytest.raises(RanklensError, match="compare_scores"):
            compare(given, "AP", "old")


def test_directions_are_names_of_compared_columns() -> None:
    with pytest.raises(ParameterError, match="3 is not the name of a measure"):
        compare_scores(LATENCY, baseline="v1", lower=[3])  # type: ignore[list-item]
    with pytest.raises(RanklensError, match="no scores of latncy") as caught:
        compare_scores(LATENCY, baseline="v1", lower="latncy")
    assert "latency" in str(caught.value)
    with pytest.raises(RanklensError, match="in both lower and higher"):
        compare_scores(LATENCY, baseline="v1", lower="latency", higher=["latency"])
    two = LATENCY.assign(clicks=LATENCY["latency"] / 2, price=1.5)
    both = compare_scores(two, ["clicks", "latency"], lower=["latency"], higher="clicks")
    assert both["measure"].tolist() == ["clicks", "latency"]
    assert both["verdict"].tolist() == ["worse", "better"]
    with pytest.raises(RanklensError, match="no scores of price"):
        compare_scores(two, ["clicks", "latency"], lower="price")


def test_columns_in_one_text_are_refused_with_the_dictionary_to_write() -> None:
    with pytest.raises(ParameterError, match=r"must be a dictionary(?s:.)*\{\"query\": \"user\""):
        metrics_core.read_run(b"user,item\n", columns="query=user,doc=item")  # type: ignore[arg-type]


def test_any_numbers_by_run_and_query_are_compared() -> None:
    found = compare_scores(LATENCY, baseline="v1", lower="latency")
    (row,) = found.to_dict("records")
    assert (row["measure"], row["run"], row["difference"]) == ("latency", "v2", -10)
    assert row["won"] == 12 and row["verdict"] == "better"
    worse = compare_scores(LATENCY, "latency", baseline="v1", higher=["latency"])
    assert worse["verdict"].tolist() == ["worse"] and worse["lost"].tolist() == [12]
    renamed = pa.table(LATENCY.rename(columns={"run": "system", "query_id": "qid"}))
    higher = compare_scores(renamed, baseline="v1", higher="latency")
    pd.testing.assert_frame_equal(higher, worse)
    noted = LATENCY.assign(clicks=1, note="slow", right=True)
    assert compare_scores(noted, baseline="v1")["measure"].tolist() == ["latency", "clicks"]


def test_a_column_called_as_a_measure_is_it_only_in_its_range() -> None:
    cost = LATENCY.rename(columns={"latency": "AP"})
    (wide,) = compare_scores(cost, baseline="v1").to_dict("records")
    assert wide["difference"] == -10 and wide["low"] <= -10
    scores = evaluate(RUNS, QRELS, "AP")
    by_name = compare_scores(scores, "map", baseline="old")
    named = compare_scores(scores, "AP", baseline="old").assign(measure="map")
    pd.testing.assert_frame_equal(pd.DataFrame(by_name), named)
    given = Scores.from_any(scores)
    pd.testing.assert_frame_equal(compare_scores(given, "map", baseline="old"), by_name)
    turned = compare_scores(given, baseline="old", lower="map")
    assert turned["won"].tolist() == by_name["lost"].tolist()


@pytest.mark.parametrize(
    ("frame", "measure", "said"),
    [
        (LATENCY, "AP", "There are no scores of AP."),
        (LATENCY.drop(columns="run"), None, "has no column 'run'"),
        (LATENCY.drop(columns="latency"), None, "No column of the frame contains numbers."),
        (LATENCY.assign(latency="slow"), "latency", "'v1' for query 'q0' is 'slow'"),
        (LATENCY.assign(latency=np.inf), None, "'v1' for query 'q0' is inf"),
        (LATENCY.assign(query_id=None), None, "Row 1 of the scores has no query_id."),
        (pd.concat([LATENCY, LATENCY]), None, "contain query 'q0' twice"),
        (5, None, "5 is not a table"),
    ],
)
def test_frames_that_hold_no_scores_are_said(frame: Any, measure: str | None, said: str) -> None:
    with pytest.raises(RanklensError, match=said):
        compare_scores(frame, measure, baseline="v1")


def test_ids_that_are_numbers_are_their_digits() -> None:
    rows = [{"run": r, "query_id": q(i), "ms": i} for r, q in (("a", int), ("b", str)) for i in QS]
    assert compare_scores(rows)["queries"].tolist() == [len(QS)]
    assert compare({1: NEW, 2: OLD}, QRELS, "AP", baseline=2)["run"].tolist() == ["1"]  # type: ignore[arg-type]


def test_numbers_written_as_texts_are_numbers_where_they_are_named() -> None:
    texts = LATENCY.assign(latency=LATENCY["latency"].astype(str))
    assert compare_scores(texts, "latency", baseline="v1")["difference"].tolist() == [-10]


def test_breakdowns_take_queries_of_any_kind(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": QUERIES, "kind": [k["kind"] for k in KINDS.values()]})
    frame.to_csv(tmp_path / "queries.csv", index=False)
    first = breakdown(RUNS, QRELS, "AP", KINDS, by="kind", baseline="old")
    assert first["group"].unique().tolist() == ["long", "short"]
    assert first["queries"].tolist() == [6] * 6
    for queries in (frame, tmp_path / "queries.csv", pa.table(frame)):
        again = breakdown(RUNS, QRELS, "AP", queries, by="kind", baseline="old")
        pd.testing.assert_frame_equal(again, first)
    with pytest.raises(UnknownColumnError, match="no column 'colour'"):
        breakdown(RUNS, QRELS, "AP", KINDS, by="colour")
    with pytest.raises(NoSharedQueriesError, match="none of the judged queries"):
        breakdown(RUNS, QRELS, "AP", {"x": {"kind": "long"}}, by="kind")


def test_curves_by_k() -> None:
    found = curves(RUNS, QRELS, "nDCG", cutoffs=(1, 2, 5), baseline="new")
    assert found["k"].tolist() == [1, 2, 5] * 3
    alone = curves(OLD, QRELS, "P")
    assert alone["k"].tolist() == [1, 2, 3] and alone["difference"].isna().all()
    own = found[found["run"] == "old"].set_index("k")["mean"]
    assert own[5] == pytest.approx(evaluate(OLD, QRELS, "nDCG@5")["nDCG@5"].mean())
    odd: list[Any] = [[0], [1.5], ["3"], [True], [], 5]
    for cutoffs in odd:
        with pytest.raises(ParameterError, match=r"not a cutoff|No cutoff"):
            curves(RUNS, QRELS, "nDCG", cutoffs=cutoffs)
    with pytest.raises(ParameterError, match="has no cutoff, so it has no curve"):
        curves(RUNS, QRELS, "Rprec", cutoffs=[1])


def test_all_pairs_are_frames_and_are_told() -> None:
    found = all_pairs(RUNS, QRELS, "AP")
    assert found.frame["run"].tolist() == ["new", "new", "third"]
    assert found.frame["other"].tolist() == ["third", "old", "old"]
    assert found.places["run"].tolist() == list(found.runs)
    assert "may be the best" in repr(found) and "third" in repr(found)


def test_measures_have_the_names_they_were_given() -> None:
    scores = evaluate(RUNS, QRELS, ["MRR", "map", "AP"])
    assert scores.columns.tolist() == ["run", "query_id", "MRR", "map", "AP"]
    assert scores["map"].tolist() == scores["AP"].tolist()
    assert aggregate(scores)["measure"].tolist() == ["MRR", "map", "AP"] * 3
    assert compare_scores(scores)["measure"].unique().tolist() == ["MRR", "map", "AP"]
    assert compare(RUNS, QRELS, ["map", "MRR"])["measure"].tolist() == ["map"] * 2 + ["MRR"] * 2


def test_all_pairs_on_several_measures() -> None:
    several = all_pairs(RUNS, QRELS, ["MRR", "AP"])
    for name in ("MRR", "AP"):
        alone = all_pairs(RUNS, QRELS, name)
        for attribute in ("frame", "places"):
            frame = getattr(several, attribute)
            of_one = frame[frame["measure"] == name].drop(columns="measure")
            one = getattr(alone, attribute)
            pd.testing.assert_frame_equal(of_one.reset_index(drop=True), one)
    assert several["RR"] is several["MRR"] and "MRR: 3 runs" in repr(several)
    with pytest.raises(KeyError, match="there are: MRR, AP"):
        several["P@5"]


def test_the_tables_of_a_paper_are_those_of_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, run in RUNS.items():
        write(convert_to_runs({name: run})[0], tmp_path / f"{name}.run", "trec")
    write(convert_to_qrels(QRELS), tmp_path / "qrels.txt", "trec")
    files = [str(tmp_path / name) for name in ("qrels.txt", *(f"{name}.run" for name in RUNS))]
    results = {"compare": compare(RUNS, QRELS, ["map", "P@2"]),
               "all-pairs": all_pairs(RUNS, QRELS, ["map", "P@2"])}  # fmt: skip
    for command, result in results.items():
        main([command, *files, "-m", "AP,P@2", "--format", "latex"])
        printed = capsys.readouterr().out
        for copied in (result, pickle.loads(pickle.dumps(result))):
            assert copied.to_latex() == printed
        assert "\\textsuperscript{a}" in printed and "bootstrap" in printed
        named = result.to_latex(caption="Ours & theirs.", label="tab:us")
        assert "\\caption{Ours \\& theirs. Means" in named and "\\label{tab:us}" in named
    assert "latency" in compare_scores(LATENCY, baseline="v1").to_latex()
    some = all_pairs(RUNS, QRELS, "AP").select_runs(["old", "new"]).to_latex()
    assert "third" not in some and "three comparisons per measure" in some


def test_a_selection_of_a_comparison_is_a_frame_of_pandas() -> None:
    whole = compare(RUNS, QRELS, "AP")
    for frame in (whole.head(1), whole[["run", "p"]], whole.copy()):
        assert type(frame) is pd.DataFrame
    plain = whole.to_latex(index=False)
    assert plain == pd.DataFrame(whole).to_latex(index=False) and "p_corrected &" in plain


def test_results_are_shown_in_a_notebook() -> None:
    odd = {"<b>old</b>": OLD, "new": NEW}
    for result, text in (
        (all_pairs(odd, QRELS, "AP"), "2 runs; may be the best: new"),
        (all_pairs(odd, QRELS, ["AP", "RR"]), "RR: 2 runs"),
        (explain(odd, QRELS, "AP", "q1"), "AP of query q1: new 1.000"),
        (explain({1: [7, 8]}, {1: [9]}, "AP", 1), "No document contributes."),
        (gate(NEW, {"<b>old</b>": OLD}, QRELS, "AP > -0.1"), "Not worse"),
    ):
        html = result._repr_html_()
        assert text in html and "<b>" not in html and "<script" not in html


def test_a_query_is_explained_by_its_documents() -> None:
    found = explain(RUNS, QRELS, "nDCG@10", "q1")
    assert (found.run, found.baseline) == ("new", "old")
    assert found.frame["doc_id"].tolist() == ["a", "b"] and found.frame["rank"].tolist() == [1, 2]
    assert found.frame["baseline_rank"].tolist() == [3, 2]
    gap = found.score - (found.baseline_score or 0)
    assert found.frame["part"].sum() + found.rest == pytest.approx(gap)
    assert found.sentence in repr(found) and "nDCG@10 of query q1: new 1.000, old" in repr(found)


def test_one_run_is_explained_by_itself() -> None:
    found = explain({1: [7, 8]}, {1: [8]}, "AP", 1)
    assert found.baseline is None and found.score == 0.5
    assert found.frame.to_dict("list") == {
        "doc_id": ["8"],
        "grade": [1],
        "rank": [2],
        "part": [0.5],
    }
    assert explain(RUNS, QRELS, "AP", "q1", run="third", baseline="new").run == "third"


def test_what_cannot_be_explained_is_said() -> None:
    with pytest.raises(RanklensError, match="no judged query 'q99'"):
        explain(RUNS, QRELS, "AP", "q99")
    with pytest.raises(RanklensError, match=r"no judged query 1\.5"):
        explain(RUNS, QRELS, "AP", 1.5)
    with pytest.raises(UnknownRunError):
        explain(RUNS, QRELS, "AP", "q1", run="prod")
    with pytest.raises(LackingDataError):
        explain(RUNS, QRELS, "alpha_nDCG@10", "q1")


def test_documents_are_a_path_or_a_table_too(tmp_path: Path) -> None:
    items = pd.DataFrame({"item": ["a", "b", "c"], "popularity": [1, 2, 4]})
    items.to_csv(tmp_path / "items.csv", index=False)
    records = {
        i: {"popularity": n} for i, n in zip(items["item"], items["popularity"], strict=True)
    }
    table = metrics_core.read_documents(tmp_path / "items.csv")
    want = evaluate(NEW, QRELS, "Novelty(users=4)@2", documents=table)
    assert want["Novelty(users=4)@2"].tolist() == pytest.approx([1.5] * 12)  # log2 4 and log2 2
    for documents in (tmp_path / "items.csv", str(tmp_path / "items.csv"), items, records):
        found = evaluate(NEW, QRELS, "Novelty(users=4)@2", documents=documents)
        pd.testing.assert_frame_equal(found, want)
    with pytest.raises(RanklensError, match="The documents have no column doc_id"):
        evaluate(NEW, QRELS, "P@1", documents=pd.DataFrame({"price": [1]}))


def test_scores_in_a_file_are_compared_however_they_are_read(tmp_path: Path) -> None:
    LATENCY.to_csv(tmp_path / "s.csv", index=False)
    want = compare_scores(LATENCY, lower="latency")
    for scores in (tmp_path / "s.csv", metrics_core.read_scores(tmp_path / "s.csv")):
        pd.testing.assert_frame_equal(compare_scores(scores, lower="latency"), want)


def test_a_run_of_other_documents_warns() -> None:
    with pytest.warns(UserWarning, match="run: none of the run's documents is judged"):
        evaluate({"q0": ["x#1"]}, QRELS, "P@1")
