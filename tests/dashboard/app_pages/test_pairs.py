"""Ranking through AppTest: from few to many runs, and what a click leads to."""

from __future__ import annotations

import random
import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import drawn, opened, text_of


def folder_of(folder: Path, runs: int, queries: int = 12) -> Path:
    """So many runs named r00, r01 …, the later ones better; six judged documents a query."""
    chance = random.Random(7)
    ids = [f"q{n}" for n in range(queries)]
    (folder / "j.qrels").write_text("".join(f"{q} 0 d{d} {d % 3}\n" for q in ids for d in range(6)))
    for number in range(runs):
        rows = []
        for q in ids:
            score = {d: (d % 3) * number / runs * 3 + chance.gauss(0, 1) for d in range(6)}
            rows += [f"{q} Q0 d{d} 1 {value:.6f} x" for d, value in score.items()]
        (folder / f"r{number:02}.run").write_text("\n".join(rows) + "\n")
    return folder


def links_of(app: AppTest, part: str) -> list[str]:
    """The links of the drawn table of this class, unescaped."""
    own = [e.proto.body for e in app.get("html") if f'class="lens {part}' in e.proto.body]
    return [unescape(link) for body in own for link in re.findall(r'<a href="([^"]*)"', body)]


@pytest.mark.parametrize("runs", [3, 4, 12, 20])
def test_every_pair_of_all_runs_is_a_link(
    runs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, runs)))
    app = opened("pairs", also="-")
    own = {link for link in links_of(app, "") if "base=" in link and "?" in link}
    assert {
        (f"run=r{a:02}&base=r{b:02}" in " ".join(own))
        or (f"run=r{b:02}&base=r{a:02}" in " ".join(own))
        for a in range(runs)
        for b in range(a)
    } == {True}
    assert not app.get("text_input") or all(t.key != "w_named" for t in app.text_input)
    pairs = {3: "three", 4: "six", 12: "66", 20: "190"}[runs]
    assert f"interval for all {pairs} pairs" in text_of(app)
    # What an interval holds for is said where it is drawn, and once.
    assert text_of(app).count("simultaneous") == 1
    assert "Overview compares fewer pairs, so its intervals can be narrower" in text_of(app)
    assert ("each run’s 95" in text_of(app)) == (runs > 6)


@pytest.mark.parametrize(("runs", "said"), [(1, "1 run is loaded"), (2, "2 runs are loaded")])
def test_two_runs_are_left_to_the_overview(
    runs: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, runs)))
    assert "Ranking" not in text_of(opened())
    app = opened("pairs")
    assert said in text_of(app)
    next(b for b in app.button if b.label == "Open the Overview").click().run()
    assert "on nDCG@10" in text_of(app) and not app.exception


def test_many_runs_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 42)))
    app = opened("pairs")
    assert "40 of 42 runs" in text_of(app) and "for all 861 pairs" in text_of(app)
    assert drawn(app).count('<td class="pair-cell') == 780
    assert drawn(app).count('<td role="cell" class="place"') == 42
    app.text_input(key="w_named").set_value("R02, 17").run()
    assert app.query_params["named"] == "R02, 17"
    assert drawn(app).count('<td class="pair-cell') == 1
    assert drawn(app).count('<td role="cell" class="place"') == 2
    assert "for all 861 pairs" in text_of(app)
    app.text_input(key="w_named").set_value("bm25").run()
    assert "None of the 42 runs has “bm25” in its name." in text_of(app)
    next(b for b in app.button if b.label == "Show all runs").click().run()
    assert "40 of 42 runs" in text_of(app)


def test_many_runs_are_ranked_by_one_measure_or_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 8)))
    app = opened("pairs")
    assert "ranking-beside" in drawn(app)
    app.button_group(key="w_part").set_value("R@k").run()
    assert app.query_params["m"] == "R@k" and "for all 28 pairs" in text_of(app)
    app.button_group(key="w_part").set_value("all").run()
    assert app.query_params["part"] == "all" and app.query_params["m"] == "R@k"
    assert drawn(app).count('<td role="cell" class="chosen"') == 8 and "on R@10" in text_of(app)


def test_few_queries_are_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 3, queries=6)))
    app = opened("pairs")
    assert "Only 6 queries" in text_of(app) and "no pair is tested or coloured" in text_of(app)
    assert "scores highest on" in text_of(app) and "rank 1" not in text_of(app)
    assert "--part" not in drawn(app) and "nan" not in drawn(app)


def test_all_runs_count_whichever_are_shown_and_filters_apply() -> None:
    plain = text_of(opened("pairs"))
    told = "104 queries, 89"
    assert told in plain and "interval for all six pairs" in plain
    assert "dense and hybrid share first place on nDCG@10" in plain
    assert told in text_of(opened("pairs", also="-", run="titles-only", base="hybrid"))
    assert told not in text_of(opened("pairs", where="difficulty=hard"))


def test_a_cell_compares_its_two_runs() -> None:
    links = links_of(opened("pairs"), "all-pairs")
    assert len(links) == 6
    assert links[0] == "./?set=sample&run=dense&base=hybrid&qrels=qrels.txt"
    app = opened(run="dense", base="hybrid")
    assert "dense and hybrid" in text_of(app)


@pytest.mark.parametrize("queries", [6, 12])
def test_the_overview_of_many_is_their_leaderboard(
    queries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 6, queries=queries)))
    app = opened()
    shown = text_of(app)
    assert "6 runs" in shown and shown.count("r05") and all(f"r0{n}" in shown for n in range(6))
    # Of too few queries no place is told.
    assert ("runs may be the best on" in shown) == (queries == 12)
    assert "being computed" not in shown
    app.text_input(key="w_named").set_value("R03").run()
    board = next(e.proto.body for e in app.get("html") if "leaderboard" in e.proto.body)
    assert "r03" in board and "r04" not in board


def test_the_table_is_copied_as_latex_or_markdown() -> None:
    for page, key in (("", "copy_runs"), ("pairs", "copy_ranking")):
        app = opened(page, run="dense", base="bm25").run()  # once more, with all places computed
        assert not app.code, "made only when the menu is opened"
        app.session_state[key] = True
        app.run()
        latex, markdown = (block.value for block in app.code)
        assert latex.startswith("% needs") and "titles-only" in latex
        assert markdown.startswith("| run") and "0.636" in markdown


@pytest.mark.parametrize("browser", [None, "chromium"])
def test_the_triangle_is_downloaded_as_a_figure(
    browser: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.printing.find_browser", lambda: browser)
    labels = [button.label for button in opened("pairs").download_button]
    assert labels.count("SVG :gray[of every pair]") == 1
    assert labels.count("PDF :gray[of every pair]") == bool(browser)
