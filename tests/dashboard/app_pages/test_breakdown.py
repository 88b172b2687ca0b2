"""The Breakdown page: its table, derived groups, crossings, slices, and what is said where there is
none."""

from __future__ import annotations

import json
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


def test_the_table_of_the_sample_is_written_out() -> None:
    app = opened("breakdown", run="dense", base="bm25", charts="0")
    shown = text_of(app)
    assert "dense scores higher than bm25 in all eight categories" in shown
    assert "Network (not tested) adds a quarter of" in shown
    assert "Also tested: 86 groups" in shown
    assert "9/104 × +0.243 = +0.021" in unescape(drawn(app))
    assert "With fewer than ten queries, Network and Privacy cannot be tested." in shown
    assert any("where=category=Network" in link for link in links_to(app, "queries"))
    pages = links_to(app, "breakdown")
    for wanted in ("by=category&across=difficulty", "by=words in the query", "ranked=-room"):
        assert any(wanted in link for link in pages), wanted
    keys = [button.key for button in app.get("download_button")]
    assert keys == ["csv_groups", "csv_scores"]


def test_rows_stand_in_the_order_that_is_asked_for() -> None:
    def names(**asked: str) -> list[str]:
        html = drawn(opened("breakdown", run="dense", base="bm25", charts="0", **asked))
        return re.findall(r'title="(\w+): [^"]*"><a [^>]*><bdi>', html)

    assert names()[:2] == ["Network", "Devices"]
    assert names(ranked="-mean")[:2] == ["Errors", "Devices"]
    assert names(ranked="group")[:2] == ["Account", "Billing"]


def test_a_derived_column_explains_itself_and_its_groups_are_filters() -> None:
    app = opened("breakdown", run="dense", base="bm25", by=HARD, charts="0")
    assert any("all runs except the two compared" in c.value for c in app.caption)
    assert any(f"where={HARD}=hard for other runs" in at for at in links_to(app, "queries"))
    app = opened("queries", run="dense", base="bm25", where=f"{HARD}=hard for other runs")
    assert "of 35 queries, worse on" in text_of(app) and "35 of 104" in text_of(app)
    assert any("hard for other runs" in str(m.value) for m in app.get("button_group"))
    # The Overview, too, is of these queries alone.
    app = opened("", run="dense", base="bm25", where=f"{HARD}=hard for other runs")
    assert "35 queries" in text_of(app)


def test_crossed_columns_are_a_view_of_their_own() -> None:
    shown = text_of(
        opened("breakdown", run="dense", base="bm25", by="category", across="difficulty")
    )
    assert "By difficulty, the gain is largest for hard" in shown
    assert "Colour shows the size of a difference, not its significance." in shown
    assert (
        "fewer than 5 queries" in shown
        and "pale" not in shown
        and "Click a cell to open its queries." in shown
    )
    # What crosses nothing is not crossed.
    shown = text_of(opened("breakdown", run="dense", base="bm25", across="nothing"))
    assert "dense scores higher than bm25 in all eight categories" in shown


def charts_of(app: AppTest) -> list[str]:
    found = [re.sub(r".*-", "", chart.proto.id) for chart in app.get("plotly_chart")]
    return [re.sub(r"_\d+$", "", key) for key in found]


def marks_of(app: AppTest) -> set[str]:
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    return {d[1] for t in chart["data"] for d in t.get("customdata") or [] if len(d) > 1}


ALL_CHARTS = ["score_by_group", "difference_by_group", "cells"]


def test_it_opens_with_the_table_and_the_address_keeps_a_choice() -> None:
    app = opened("breakdown", run="dense", base="bm25")
    form = app.get("button_group")[-1]
    assert form.key == "w_charts" and form.value == "0" and not charts_of(app)
    assert (
        "95% intervals are corrected for all eight categories, though not all are"
        " tested; colour marks significance. With fewer than ten queries, Network" in text_of(app)
    )
    app.button_group(key="w_charts").select("1").run()
    assert charts_of(app) == ALL_CHARTS and "Contribution" not in text_of(app)
    assert "category × difficulty dense minus bm25" in " ".join(text_of(app).split())
    assert "Largest contribution first. Click a dot or a row to open its" in text_of(app)
    # The compared pair first: marks of four runs at once hide the answer.
    assert marks_of(app) == {"dense", "bm25"} and "titles-only is significantly" not in text_of(app)
    app.button_group(key="w_charts").select("2").run()
    assert charts_of(app) == ALL_CHARTS and "titles-only is significantly worse" in text_of(app)
    assert marks_of(app) == {"dense", "bm25", "hybrid", "titles-only"}
    app.button_group(key="w_charts").select("0").run()
    assert app.query_params["charts"] == "0"
    assert not charts_of(app) and "Contribution" in text_of(app)
    # It stays with other columns, another order, and pages.
    kept = links_to(app, "breakdown")
    assert any("by=difficulty" in link for link in kept)
    assert any("ranked=" in link for link in kept)
    assert all("charts=0" in link for link in kept)
    assert any("charts=0" in link for link in links_to(app, "curves"))
    app = opened("breakdown", run="dense", base="bm25", also="-", charts="1")
    assert charts_of(app) == ALL_CHARTS
    app = opened("breakdown", run="dense", base="bm25", across="difficulty")
    assert charts_of(app) == ["cells", "score_by_group"]


@pytest.mark.parametrize(
    ("chart", "clicked", "where", "run"),
    [
        ("score_by_group", ["Network"], "category=Network", "hybrid"),
        ("score_by_group", ["Network", "dense", ""], "category=Network", "dense"),
        ("difference_by_group", ["Network", "hybrid", ""], "category=Network", "hybrid"),
        ("cells", ["Network", "hard", ""], ["category=Network", "difficulty=hard"], "hybrid"),
    ],
)
def test_a_click_in_a_chart_opens_its_queries(
    chart: str, clicked: list[str], where: str | list[str], run: str
) -> None:
    app = opened("breakdown", run="hybrid", base="bm25", also=["dense"], charts="1")
    app.session_state[f"{chart}_0"] = {
        "selection": {"points": [{"customdata": clicked}], "point_indices": [0]}
    }
    app.run()
    assert app.query_params["where"] == where and "All queries" in drawn(app)
    assert app.query_params["run"] == run and app.query_params["base"] == "bm25"
    assert app.query_params["also"] == ({"hybrid": "dense", "dense": "hybrid"}[run])


def test_a_planted_slice_comes_first_and_leads_to_its_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path)))
    app = opened("breakdown", run="a", base="b")
    shown = text_of(app)
    assert "Groups that deviate" in shown
    assert re.search(r"Also tested: \d+ groups", shown)
    assert "c1 and k0 10 queries" in shown
    first = next(at for at in links_to(app, "queries") if "where=category=c1&where=kind=k0" in at)
    assert "show=" not in first
    app = opened("queries", run="a", base="b", where=["category=c1", "kind=k0"])
    assert "worse on 10" in text_of(app)


def test_without_metadata_and_texts_there_is_a_breakdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, columns="")))
    assert "a scores higher than b in" in text_of(opened("breakdown", run="a", base="b"))
    app = opened("breakdown", run="a", base="b", by=HARD)
    assert any("all runs except the two compared" in c.value for c in app.caption)


def test_with_nothing_to_tell_queries_apart_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 1, runs=2, columns="")))
    app = opened("breakdown")
    assert "There is nothing to group these queries by." in text_of(app)
    assert any(button.label == "Add queries" for button in app.button)


def test_one_run_has_its_means_and_its_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, runs=1)))
    app = opened("breakdown", charts="1")
    assert charts_of(app) == ["score_by_group"]
    app = opened("breakdown")
    shown = text_of(app)
    assert "a scores lowest in c1" in shown and "Headroom" in shown
    assert "Contribution" not in shown and "Searched" not in shown
    assert not any("across=" in link for link in links_to(app, "breakdown"))


def test_four_queries_are_examples_and_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, 4)))
    app = opened("breakdown", run="a", base="b", charts="0")
    assert "Only 4 queries: too few for a result" in text_of(app)
    bars = set(re.findall(r'class="bar ([a-z ]+)', drawn(app)))
    assert bars == {"level untested"}


def test_of_forty_groups_and_twelve_runs_twelve_are_shown_and_the_rest_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(folder_of(tmp_path, groups=40, runs=12)))
    app = opened("breakdown", run="a", base="b", charts="1")
    assert "28 more groups" in text_of(app) and charts_of(app) == ALL_CHARTS
    rows = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["customdata"]
    assert len(rows) == 12
    app.text_input(key="w_within").set_value("C39").run()
    assert charts_of(app) == ALL_CHARTS[:2], "the cells are of the groups that add most"
    app = opened("breakdown", run="a", base="b", charts="0")
    shown = text_of(app)
    assert "28 more groups" in shown and "Intervals are corrected" not in shown
    assert len(re.findall(r"where=category=c\d+", " ".join(links_to(app, "queries")))) == 12
    app.text_input(key="w_within").set_value("C39").run()
    assert app.query_params["within"] == "C39" and "39 other groups" in text_of(app)
    app.text_input(key="w_within").set_value("nothing").run()
    assert "No group matches." in text_of(app)
    next(b for b in app.button if b.label == "Show all groups").click().run()
    assert "28 more groups" in text_of(app)
    app.selectbox(key="w_ranked").select("group").run()
    assert app.query_params["ranked"] == "group"
    app = opened("breakdown", run="a", base="b", every="1", charts="0")
    assert "c39" in text_of(app) and "Show fewer groups" in text_of(app)
    app = opened("breakdown", run="a", base="b", across="kind")
    assert "28 more groups" in text_of(app)


def test_a_measure_without_headroom_has_no_room() -> None:
    shown = text_of(opened("breakdown", run="dense", base="bm25", m="Judged", charts="0"))
    assert "Contribution" in shown and "Headroom" not in shown


def test_of_one_group_there_is_no_table() -> None:
    narrowed = {"run": "dense", "base": "bm25", "where": "category=Returns", "charts": "0"}
    app = opened("breakdown", by="category", **narrowed)
    assert "All queries are Returns" in text_of(app)
    assert "Contribution" not in text_of(app)
    # Unasked it is by the next column that tells these queries apart.
    unasked = text_of(opened("breakdown", **narrowed))
    assert "All queries are" not in unasked and "Contribution" in unasked


def test_the_difference_on_shared_queries_is_that_of_the_overview() -> None:
    said = "Without the 6 queries that bm25 has no results for, the difference is +0.053."
    pair = {"run": "dense", "base": "bm25"}
    for page in ("", "breakdown"):
        assert said in text_of(opened(page, **pair))
        assert said[:6] not in text_of(opened(page, **pair, missing="shared"))
    assert said[:6] not in text_of(opened("breakdown", run="hybrid", base="dense"))


def test_a_run_compared_with_itself_has_no_differences() -> None:
    app = opened("breakdown", run="dense", base="dense", across="difficulty")
    assert "dense scores lowest in" in text_of(app) and "minus dense" not in text_of(app)
    assert not any("cells" in (chart.proto.id or "") for chart in app.get("plotly_chart"))
