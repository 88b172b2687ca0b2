"""The Breakdown page: slices, the bridge, derived groups, and what is said where there is none."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote_plus

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import drawn, opened, text_of

HARD = "how hard for the other runs · derived"


def folder_of(
    folder: Path,
    n: int = 120,
    *,
    runs: int = 3,
    columns: str = "category,kind",
    groups: int = 4,
) -> Path:
    """Run a beats b everywhere but where the category is c1 and the kind k0."""
    ids = [f"q{i}" for i in range(n)]
    (folder / "j.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in ids))
    for number, name in enumerate("abcdefghijkl"[:runs]):
        lines = []
        for i, q in enumerate(ids):
            bad = i % groups == 1 and i % 3 == 0
            place = ((4 if bad else 1 + i % 7 // 6), (1 if bad else 2 + i % 2))[number : number + 1]
            rank = place[0] if place else 1 + (i + number) % 5
            found = [*(f"x{k}" for k in range(rank - 1)), "d1"]
            lines += [f"{q} Q0 {d} {k + 1} {9 - k} {name}\n" for k, d in enumerate(found)]
        (folder / f"{name}.run").write_text("".join(lines))
    if columns:
        rows = "".join(f"{q},some text,c{i % groups},k{i % 3}\n" for i, q in enumerate(ids))
        (folder / "queries.csv").write_text(f"query_id,text,{columns}\n{rows}")
    return folder


def links_to(app: AppTest, page: str) -> list[str]:
    links = (unquote_plus(unescape(h)) for h in re.findall(r'href="([^"]+)"', drawn(app)))
    return [link for link in links if link.startswith(f"./{page}?")]


def test_the_bridge_of_the_sample_is_written_out() -> None:
    app = opened("breakdown", run="dense", base="bm25")
    shown = text_of(app)
    assert "dense gains everywhere. " in shown
    assert "9/104 × +0.243" in shown and "the headline" in shown
    assert "clear on its own, for all 8 groups together and from 10 queries on" in shown
    assert any("where=category=Network" in link for link in links_to(app, "queries"))
    pills = app.button_group(key="w_by").options
    assert pills[:3] == [
        "category", "difficulty", "words in the query · derived",
    ]  # fmt: skip
    assert "Looked at" in shown and "false discoveries held to 5 %" in shown


def test_a_derived_column_explains_itself_and_its_groups_are_filters() -> None:
    app = opened("breakdown", run="dense", base="bm25", by=HARD)
    assert any("all runs but the two compared" in c.value for c in app.caption)
    assert any(f"where={HARD}=hard for other runs" in at for at in links_to(app, "queries"))
    app = opened("queries", run="dense", base="bm25", where=f"{HARD}=hard for other runs")
    assert "of 35 queries against" in text_of(app) and "35 of 104 queries" in text_of(app)
    assert any("hard for other runs" in str(m.value) for m in app.get("button_group"))
    # The Overview, too, is of these queries alone.
    app = opened("", run="dense", base="bm25", where=f"{HARD}=hard for other runs")
    assert "35 queries" in text_of(app)


def test_a_planted_slice_comes_first_and_leads_to_its_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path)))
    app = opened("breakdown", run="a", base="b")
    shown = text_of(app)
    assert re.search(r"Found among \d+ slices", shown)
    assert shown.index("Found among") < shown.index("From groups to the headline")
    assert "c1 and k0 10 queries" in shown
    first = next(at for at in links_to(app, "queries") if "where=category=c1&where=kind=k0" in at)
    assert "show=" not in first
    app = opened("queries", run="a", base="b", where=["category=c1", "kind=k0"])
    assert "loses 10" in text_of(app)


def test_without_metadata_and_texts_there_is_a_breakdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, columns="")))
    assert "From groups to the headline" in text_of(opened("breakdown", run="a", base="b"))
    app = opened("breakdown", run="a", base="b", by=HARD)
    assert any("all runs but the two compared" in c.value for c in app.caption)


def test_with_nothing_to_tell_queries_apart_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 1, runs=2, columns="")))
    assert "Nothing tells these queries apart." in text_of(opened("breakdown"))


def test_one_run_has_no_bridge_and_it_is_said_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, runs=1)))
    shown = text_of(opened("breakdown"))
    assert "With one run there is no difference to take apart" in shown
    assert "Found among" not in shown and "Looked at" not in shown


def test_four_queries_are_examples_and_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 4)))
    app = opened("breakdown", run="a", base="b")
    assert "Only 4 queries: read this as examples, not as a result." in text_of(app)
    bars = set(re.findall(r'class="bar ([a-z]+)', drawn(app)))
    assert bars == {"level"}


def test_of_forty_groups_and_twelve_runs_the_bridge_stays_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, groups=40, runs=12)))
    shown = text_of(opened("breakdown", run="a", base="b"))
    assert "27 other groups" in shown and "all 40 groups together" in shown


def test_other_queries_are_told_from_other_scores_where_a_run_lacks_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, runs=2)))
    assert "Each over the queries it lists" not in text_of(opened("breakdown", run="a", base="b"))
    run = tmp_path / "b.run"
    kept = [line for line in run.read_text().splitlines(True) if not line.startswith("q1 ")]
    run.write_text("".join(kept))
    said = "Each over the queries it lists, a (120) and b (119) differ by"
    assert said in text_of(opened("breakdown", run="a", base="b"))
    assert said not in text_of(opened("breakdown", run="a", base="b", missing="shared"))


def test_one_run_has_no_difference_by_group_and_no_table_of_zeros() -> None:
    app = opened("breakdown", run="dense", base="dense")
    assert "With one run there is no difference to take apart" in text_of(app)
    assert "minus dense" not in text_of(app) and "Score on nDCG@10" in text_of(app)
    assert not any("cells" in (chart.proto.id or "") for chart in app.get("plotly_chart"))
