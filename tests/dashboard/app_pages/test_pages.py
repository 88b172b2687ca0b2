"""Each page through Streamlit's AppTest, on the sample: no error, the right sentence, the state."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages import menu
from dashboard.session.open_collection import workspace
from metrics_core.measures import declarations
from tests.dashboard.conftest import drawn, opened, text_of

PAGES = {
    "": "beats bm25",
    "curves": "dense is significantly ahead of bm25 on nDCG from k = 3",
    "breakdown": "scores higher than bm25 in all eight categories",
    "pairs": "dense and hybrid share first place on nDCG@10",
    "firm": "The lead of dense holds in five of six checks",
    "queries": "is better on 54 of 104 queries, worse on 21",
    "query": "dense scores 0.",
    "history": "Are these versions of one system?",
    "data": "Seven files are loaded",
    "collections": "The example is your only collection",
    "measures": f"48 of {len(declarations())} measures are available here",
    "help": "First steps, and what the words mean.",
    "judge": "Judging 70 documents could rule out a reversal",
}


def test_no_page_is_left_out() -> None:
    names = {"" if page is menu.PAGES[0] else page.name for page in menu.PAGES}
    assert PAGES.keys() == HEADINGS.keys() == names
    assert set(OF_THE_STUDY) == {"", *(p.name for p in menu.PAGES if p.needs_study)} - {"overview"}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_opens_with_its_finding(page: str) -> None:
    assert PAGES[page] in text_of(opened(page))


def test_the_first_words_of_pills_send_nobody_for_the_list_of_emojis() -> None:
    # Streamlit loads it at the first that is not ASCII: a tenth of a second before the first page.
    told = [option for group in opened().get("button_group") for option in group.options]
    assert any("gray" in option for option in told)
    assert all(option.split(" ")[0].isascii() for option in told), told


HEADINGS = {
    "": "judged in the top",
    "curves": "click a chart to change k",
    "breakdown": "category",
    "pairs": "Every pair on",
    "firm": "Robustness",
    "queries": "queries",
    "query": "Every run on this query",
    "history": "Are these versions of one system?",
    "data": "Judgments made here",
    "collections": "A collection is one set of queries",
    "measures": "Search by name",
    "help": "no clear difference",
    "judge": "←",
}
"""What each page shows near its end, whatever the address."""

NOT_HERE = "This link refers to something that is no longer here:"
OF_THE_STUDY = ("", "curves", "breakdown", "pairs", "firm", "queries", "query", "history", "judge")


ADDRESSES: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"run": "bm25", "base": "bm25"}, ()),
    ({"also": "-"}, ()),
    ({"also": "*"}, ()),
    ({"m": "RR", "k": "5"}, ()),
    ({"m": "P(rel=2)@k", "k": "7"}, ()),
    ({"where": ["category=Network", "difficulty=hard"]}, ()),
    ({"m": "bogus", "k": "-3"}, OF_THE_STUDY),
    ({"show": "?", "by": "?"}, ()),
    ({"show": "none", "s": "robot"}, ()),
    ({"show": "better", "order": "-by:category", "p": "2"}, ()),
    ({"order": "score:nobody", "p": "none", "list": "?", "sort": "-", "rows": "-1"}, ()),
    ({"q": "q031"}, ()),
    ({"q": "no such query"}, ("query",)),
    ({"run": "nobody"}, OF_THE_STUDY),
]


@pytest.mark.parametrize(
    ("page", "parameters", "unfit"),
    [
        pytest.param(
            *(page, *address),
            id=f"{'-'.join(address[0])}-{page}",
            # Each address on every fifth page, each page with every fifth address.
            marks=() if (i + j) % 5 == 0 or page == "query" else pytest.mark.thorough,
        )
        for i, page in enumerate(PAGES)
        for j, address in enumerate(ADDRESSES)
    ],
)
def test_no_address_breaks_a_page(
    page: str, parameters: dict[str, Any], unfit: tuple[str, ...]
) -> None:
    app = opened(page, **parameters)
    shown = text_of(app)
    assert "error-card" not in drawn(app)
    assert (NOT_HERE in shown) == (page in unfit)
    if page not in unfit:
        assert HEADINGS[page] in shown


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"run": "nobody"}, "These files do not contain the run nobody."),
        ({"base": "old-bm25", "run": "dense"}, "These files do not contain the run old-bm25."),
        ({"also": ["dense", "gone"]}, "These files do not contain the run gone."),
        (
            {"where": "category=Nowhere"},
            "These files do not contain the value Nowhere in category.",
        ),
        ({"where": "language=en"}, "These files do not contain the column language."),
    ],
)
def test_a_link_that_no_longer_fits_says_what_is_not_there(
    parameters: dict[str, Any], said: str
) -> None:
    app = opened(**parameters)
    assert said in text_of(app) and "beats" not in text_of(app)
    next(b for b in app.button if b.label == "Continue without it").click().run()
    assert said not in text_of(app) and "on nDCG@10" in text_of(app)


def test_a_query_that_is_not_there_is_said_on_its_page_alone() -> None:
    app = opened("query", q="416")
    assert "These files do not contain the query 416." in text_of(app)
    assert "beats bm25" in text_of(opened(q="416"))
    next(b for b in app.button if b.label == "Continue without it").click().run()
    assert "These files do not contain the query 416." not in text_of(
        app
    ) and "dense scores 0." in text_of(app)


def test_a_saved_view_is_in_the_rail_and_says_what_is_gone() -> None:
    workspace().get_or_create_collection("Sample", "sample")
    links = {"hard ones": "./queries?where=difficulty%3Dhard&show=worse", "old": "./?m=gone@10"}
    with workspace().hold_write_lock() as store:
        store.put_collection(replace(store.read_collection("sample"), views=links))
    app = opened()
    rail = drawn(app)[drawn(app).index("Saved views") :]
    hard, old = re.findall(r'<a href="([^"]*)"[^>]*><span>(?:hard ones|old)</span>', rail)
    assert rail.index("hard ones") < rail.index("Files")
    fields = {name: values[-1] for name, values in parse_qs(urlsplit(unescape(hard)).query).items()}
    page = opened("queries", **fields)
    assert "difficulty: hard" in text_of(page) and "set=sample" in hard
    gone = parse_qs(urlsplit(unescape(old)).query)
    assert "This link refers to something that is no longer here" in text_of(opened(m=gone["m"][0]))


def test_the_baseline_changes_places_with_the_run_in_focus() -> None:
    app = opened(run="dense", base="bm25")
    app.selectbox(key="w_base").select("dense").run()
    assert app.query_params["base"] == "dense"
    assert app.query_params["run"] == "bm25"
    assert "bm25 falls behind dense" in text_of(app)


def test_controls_write_the_address() -> None:
    app = opened()
    app.selectbox(key="w_m").select("P").run()
    assert "on P@10" in text_of(app)
    assert app.query_params["m"] == "P@k"


def test_a_click_on_a_mark_opens_the_query() -> None:
    app = opened("queries", view="against")
    app.session_state["against_0"] = {
        "selection": {"points": [{"customdata": ["q098", ""]}], "point_indices": [0]}
    }
    app.run()
    assert app.query_params["q"] == "q098"
    assert "vinegar for the robot" in text_of(app)


def test_the_heatmap_narrows_the_queries() -> None:
    app = opened("breakdown", across="difficulty")
    app.session_state["cells_0"] = {
        "selection": {"points": [{"customdata": ["Devices", "hard"]}], "point_indices": [0]}
    }
    app.run()
    assert app.query_params["where"] == ["category=Devices", "difficulty=hard"]


def test_no_match_offers_the_way_back() -> None:
    app = opened("queries", s="blockchain")
    assert "No query matches." in text_of(app)
    button = next(b for b in app.button if b.label == "Clear filters")
    button.click().run()
    assert "No query matches." not in text_of(app)


def test_first_run_without_files() -> None:
    app = opened(set="own")
    assert "Compare two systems" in text_of(app) and "Drop all files here" in text_of(app)
    next(b for b in app.button if b.label.startswith("Open the example")).click().run()
    assert "on nDCG@10" in text_of(app)


def test_a_folder_given_at_the_start_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 x\n")
    (tmp_path / "j.qrels").write_text("q1 0 d1 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    assert "a scores 1.000 on nDCG@10" in text_of(opened())


@pytest.mark.parametrize("page", ["", "curves", "breakdown", "pairs", "queries", "query"])
def test_filters_that_leave_nothing_say_so(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"q1": "A,easy", "q2": "A,easy", "q3": "B,hard", "q4": "B,hard"}
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 d1 1 2.0 x\n" for q in groups))
    (tmp_path / "b.run").write_text("".join(f"{q} Q0 d2 1 2.0 x\n" for q in groups))
    (tmp_path / "j.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in groups))
    listed = "".join(f"{q},text,{group}\n" for q, group in groups.items())
    (tmp_path / "queries.csv").write_text(f"query_id,text,category,difficulty\n{listed}")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    app = opened(page, where=["category=A", "difficulty=hard"])
    assert "No queries in view" in text_of(app)
    next(b for b in app.button if b.label == "Clear filters").click().run()
    assert "No queries in view" not in text_of(app)
    assert not app.exception


@pytest.mark.parametrize("change", [{"k": "1"}, {"m": "Success@k"}, {"where": ["difficulty=easy"]}])
def test_no_other_control_changes_who_is_compared(change: dict[str, Any]) -> None:
    plain, changed = opened(), opened(**change)
    for box in ("w_run", "w_base"):
        assert changed.selectbox(key=box).value == plain.selectbox(key=box).value


def test_a_button_swaps_run_and_baseline() -> None:
    app = opened("breakdown", run="dense", base="bm25", also=["hybrid"])
    app.button(key="swap").click().run()
    assert [app.selectbox(key=key).value for key in ("w_run", "w_base")] == ["bm25", "dense"]
    assert app.query_params["run"] == "bm25" and app.query_params["also"] == "hybrid"
    alone = opened(run="bm25", base="bm25")
    assert not any(button.key == "swap" for button in alone.button)


def test_a_file_of_the_folder_that_changes_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 x\n")
    judgments = tmp_path / "j.qrels"
    judgments.write_text("q1 0 d1 1\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    assert "a scores 1.000" in text_of(opened())
    told = judgments.stat()
    judgments.write_text("q1 0 d2 1\n")
    os.utime(judgments, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert judgments.stat().st_size == told.st_size
    assert "a scores 0.000" in text_of(opened())


def test_the_queries_file_with_most_judged_queries_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 x\nq2 Q0 d1 1 2.0 x\n")
    (tmp_path / "j.qrels").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "all.csv").write_text("query_id,text\nq1,first\nq2,second\n")
    (tmp_path / "some.csv").write_text("query_id,text\nq1,other\n")
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    assert "second" in text_of(opened("query", q="q2"))


@pytest.mark.parametrize("page", ["curves", "breakdown", "pairs", "queries", "query"])
def test_a_page_without_files_says_what_to_load(page: str) -> None:
    assert "Compare two systems" in text_of(opened(page, set="own"))


def test_options_write_the_address() -> None:
    app = opened(m="P@k")
    app.number_input(key="w_p_P_rel").set_value(2).run()
    assert app.query_params["m"] == "P(rel=2)@k" and "on P(rel=2)@10" in text_of(app)
    app.number_input(key="w_p_P_rel").set_value(1).run()
    assert app.query_params["m"] == "P@k"
    app = opened()
    app.toggle(key="w_whole_nDCG").set_value(True).run()
    assert app.query_params["m"] == "nDCG" and "nDCG rises from" in text_of(app)
    app.selectbox(key="w_p_nDCG_dcg").select("exp-log2").run()
    assert app.query_params["m"] == "nDCG(dcg='exp-log2')"


@pytest.mark.parametrize(
    ("page", "key"),
    [
        pytest.param(page, key, marks=() if (i + j) % 3 == 0 else pytest.mark.thorough)
        for i, page in enumerate(["", "curves", "breakdown", "pairs", "queries", "query"])
        for j, key in enumerate(["Utility", "Yaap", "IPrec@0.5"])
    ],
)
def test_scores_below_zero_and_other_cutoffs_break_no_page(page: str, key: str) -> None:
    for alone in ({}, {"run": "bm25", "base": "bm25"}):
        app = opened(page, m=key, **alone)
        shown = text_of(app)
        assert (
            HEADINGS[page] in shown
            and "error-card" not in drawn(app)
            and not re.search(r"\bnan\b", shown)
        )
        # A score below 0 is no share: 0 is no failure, and no bar is drawn for it.
        assert not (key == "Utility" and "fails" in shown)


def test_what_a_measure_needs_is_said_on_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    declaration = next(d for d in declarations() if d.name == "AP")
    monkeypatch.setitem(declaration.__dict__, "needs", ("subtopics",))
    for page in OF_THE_STUDY:
        assert "AP needs judgments by subtopic." in text_of(opened(page, m="AP"))
    assert "Seven files are loaded" in text_of(opened("data", m="AP"))
    assert "lack the data that this measure needs" in text_of(opened("measures", measure="AP"))


def test_an_option_beyond_its_range_says_the_range() -> None:
    app = opened(m="RBP")
    app.number_input(key="w_p_RBP_p").set_value(1.0).run()
    assert "RBP: p must be a number above 0 to below 1" in text_of(app)
    assert app.query_params["m"] == "RBP"


def links_of(app: AppTest) -> list[str]:
    """Where the drawn links lead, with plain text in place of escapes."""
    return [unquote_plus(unescape(link)) for link in re.findall(r'href="([^"]+)"', drawn(app))]


def test_every_mark_of_the_overview_leads_on() -> None:
    links = links_of(opened(run="hybrid"))
    for wanted in (
        "./?set=sample&run=dense&base=bm25&qrels=qrels.txt",
        "./?set=sample&run=bm25&base=bm25&qrels=qrels.txt",
        "./?set=sample&run=hybrid&base=bm25&m=RR&qrels=qrels.txt",
        "./measures?set=sample&run=hybrid&base=bm25&qrels=qrels.txt&measure=nDCG",
        "./queries?set=sample&run=dense&base=bm25&qrels=qrels.txt",
        "./queries?set=sample&run=titles-only&base=bm25&qrels=qrels.txt&show=worse",
        "./queries?set=sample&run=hybrid&base=bm25&where=category=Network&qrels=qrels.txt",
        "./breakdown?set=sample&run=hybrid&base=bm25&qrels=qrels.txt&by=category",
    ):
        assert wanted in links, wanted


def test_the_runs_shown_by_name_stay_shown_when_another_comes_into_focus() -> None:
    app = opened(run="hybrid", base="bm25", also=["dense"])
    app.selectbox(key="w_run").select("dense").run()
    assert app.query_params["also"] == "hybrid"
    app.selectbox(key="w_base").select("hybrid").run()
    assert app.query_params["also"] == "bm25"
    links = links_of(opened(run="hybrid", base="bm25", also=["dense"]))
    assert "./?set=sample&run=dense&base=bm25&also=hybrid&qrels=qrels.txt" in links


def collection(folder: Path, queries: int, groups: list[str] | None = None) -> Path:
    """Files of a collection in which `a` beats `b` on every query; groups take turns."""
    ids = [f"q{i}" for i in range(queries)]
    (folder / "a.run").write_text("".join(f"{q} Q0 d1 1 2.0 x\n" for q in ids))
    (folder / "b.run").write_text("".join(f"{q} Q0 d2 1 2.0 x\n" for q in ids))
    (folder / "j.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in ids))
    named = groups or ["A"]
    rows = "".join(f"{q},text,{named[i % len(named)]},{i % 57}\n" for i, q in enumerate(ids))
    (folder / "queries.csv").write_text(f"query_id,text,category,length\n{rows}")
    return folder


def test_under_ten_queries_nothing_is_coloured_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(collection(tmp_path, 9)))
    app = opened(run="a", base="b")
    assert "no difference is tested with fewer than 10 queries" in text_of(app)
    assert "A test needs at least 10 queries, so" in text_of(app)
    tables = drawn(app).split("lens measures")[1].split("</table>")[0]
    assert "change unclear" in tables and " clear" not in tables
    rows = drawn(app).split("lens examples")[1].split("</table>")[0]
    assert rows.count("<tr ") == 10 and 'better"' not in rows and 'worse"' not in rows
    assert "lens against" not in drawn(app) and "lens checks" not in drawn(app)


def test_a_numeric_column_narrows_by_its_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(collection(tmp_path, 114)))
    app = opened("breakdown", run="a", base="b", by="length", charts="1")
    shown = text_of(app)
    assert "a scores higher than b in all" in shown and "groups are significantly better" in shown
    rows = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["customdata"]
    assert [row[0] for row in rows][:3] == ["0\u20138", "9\u201318", "19\u201327"]
    app.session_state["difference_by_group_0"] = {
        "selection": {"points": [{"customdata": ["0\u20138"]}], "point_indices": [0]}
    }
    app.run()
    assert app.query_params["where"] == "length=0\u20138"
    assert "is better on 18 of 18 queries" in text_of(app)
    lengths = r'class="number">([^<]*)<span class="word"> length<'
    cells = re.findall(lengths, drawn(opened("queries", order="by:length")))
    assert cells[:6] == ["0", "0", "1", "1", "2", "2"]
    worse = text_of(opened(run="b", base="a")).partition("Got worse")[2].partition("By length")[0]
    listed = re.findall(r"length [\d\u2013]+", worse)
    assert listed and not any("\u2013" in number for number in listed)


def test_of_forty_categories_those_that_differ_most_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = collection(tmp_path, 104, [f"group {i}" for i in range(40)])
    monkeypatch.setenv("RANKLENS_DATA", str(folder))
    few = "With fewer than ten queries, "
    assert few in text_of(opened("breakdown", run="a", base="b"))
    assert few not in text_of(opened("breakdown", run="a", base="b", by="length"))
    shown = text_of(opened(run="a", base="b"))
    listed = re.findall(r"group \d+(?=, mean difference)", shown.partition("By category")[2])
    assert len(listed) == 5 and "5 of 40" in shown


NAMES = [f"a-rather-long-name-of-a-run-{size}-seed{n}" for n in range(6) for size in ("s", "xl")]


def many_runs(folder: Path) -> Path:
    """Twelve runs with long names, the later the better."""
    ids = [f"q{i}" for i in range(12)]
    (folder / "j.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in ids))
    for n, name in enumerate(NAMES):
        found = [f"{q} Q0 d{1 if i <= n else 2} 1 2.0 x\n" for i, q in enumerate(ids)]
        (folder / f"{name}.run").write_text("".join(found))
    return folder


def test_of_many_runs_all_the_best_or_none_are_shown_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(many_runs(tmp_path)))
    app = opened()
    for choice, shown in (
        ("all", "*"),
        ("best five", list(reversed(NAMES[6:11]))),
        ("none", "-"),
    ):
        app.button_group(key="w_also_at_once").select(choice).run()
        assert app.query_params["also"] == shown
    assert [b for b in opened(set="sample").get("button_group") if b.key == "w_also_at_once"] == []


def test_long_names_are_shortened_and_pills_have_the_colours_of_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(many_runs(tmp_path)))
    app = opened()
    options = app.selectbox(key="w_run").options
    assert options == sorted(f"{size}-seed{n}" for n in range(6) for size in ("s", "xl"))
    # In focus is the best, and the baseline is the first.
    best = sorted(NAMES).index(NAMES[-2])
    rules = " ".join(e.proto.body for e in app.get("html"))
    color = f"var(--run-{best % 8 + 1})"
    assert f"button:nth-child(1) .stMarkdownColoredText {{ color: {color}" in rules


def test_a_link_with_a_measure_that_is_none_shows_no_other() -> None:
    assert "The pages compare means" in text_of(opened(m="NumRet"))
    assert "k = x is not a cutoff" in text_of(opened(k="x"))
    app = opened(m="foo")
    assert "This link refers to something that is no longer here:" in text_of(app)
    assert "There is no measure 'foo'." in text_of(app)
    assert "nDCG@10 is shown" not in text_of(app) and "clearly" not in text_of(app)
    next(b for b in app.button if b.label == "Continue without it").click().run()
    assert "on nDCG@10" in text_of(app)


def test_the_picker_says_what_a_name_of_another_tool_was_read_as() -> None:
    app = opened(m="RBP(p=0.9)")
    # The test bench takes no text that is not among a box's options; the page's own callback does.
    app.session_state["_told"] = ("m", app.session_state["_address"], "rbp")
    app.run()
    assert "rbp is trec_eval’s name and was read as RBP(p=0.9)." in text_of(app)
    app.number_input(key="w_k_typed").set_value(7).run()
    assert "was read as" not in text_of(app)


def test_any_k_can_be_typed() -> None:
    app = opened()
    app.number_input(key="w_k_typed").set_value(13).run()
    assert app.query_params["k"] == "13" and "on nDCG@13" in text_of(app)
    app.button_group(key="w_k").select(5).run()
    assert app.number_input(key="w_k_typed").value == 5 and "on nDCG@5" in text_of(app)


def test_a_table_is_downloaded_under_a_name_that_says_what_it_holds() -> None:
    app = opened(run="dense", base="bm25", m="P(rel=2)@k", k="5")
    button = next(b for b in app.get("download_button") if b.key == "csv_runs")
    assert re.sub(r":gray\[(.*?)\]", r"\1", button.label) == "Download CSV of Runs and measures"


def test_what_only_matters_to_few_is_folded() -> None:
    shown = drawn(opened(m="RBP"))
    first, more = shown.split("<details><summary>more</summary>")
    assert "the gain of each document is its grade." in first and "trec_eval 10.0" not in first
    assert "trec_eval 10.0 first scales the grades" in more
