"""Runs without judgments: every page shows what changed, and says nothing on quality."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.answers.list_changes import changes_overview
from dashboard.app_pages.menu import PAGES
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.list_changes import make_html_report
from dashboard.drawing.report.parts import ReportRequest
from dashboard.files.files import SAMPLE_FOLDER
from dashboard.notebook import show
from dashboard.session.open_collection import all_collections, load_library
from dashboard.study.layered_study import with_layers
from dashboard.study.sharing import make_shareable_study
from dashboard.study.study import Study
from dashboard.workspace import Layer
from dashboard.workspace.layers import GradeRecord
from metrics_core.__main__ import main
from metrics_core.base.errors import RanklensError
from metrics_core.tables.ranked_run import RankedRun
from tests.dashboard.conftest import drawn, opened, text_of

RAIL = [page.name for page in PAGES if page.group != "none" or page.name == "query"]
WITHOUT = [page.name for page in PAGES if page.needs_judgments]
JUDGING = re.compile(r"(?i)\b(better|worse|winner|beats?|gains?|loss(es)?|improve\w*|regress\w*)\b")


def run_lines(lists: dict[str, str], name: str) -> str:
    """A run file with one letter per document."""
    return "".join(
        f"{query} Q0 {doc} {rank} {100 - rank} {name}\n"
        for query, docs in lists.items()
        for rank, doc in enumerate(docs, 1)
    )


def write_runs(folder: Path, **runs: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, lists in runs.items():
        (folder / f"{name}.run").write_text(run_lines(lists, name))
    return folder


OLD = {"q1": "abcd", "q2": "abcd", "q3": "abcd", "q4": "abcd"}
NEW = {"q1": "abcd", "q2": "bacd", "q3": "abxy", "q4": "wxyz"}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs: a list that stays, one in another order, one with two new documents, one that
    shares none."""
    data = write_runs(tmp_path / "small", new=NEW, old=OLD)
    (data / "queries.csv").write_text(
        "query_id,text,kind\nq1,one,x\nq2,two,x\nq3,three,y\nq4,four,y\n"
    )
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    return data


def copy_sample_runs(data: Path) -> Path:
    """A folder with three runs of the sample, without its judgments and texts."""
    data.mkdir()
    for name in ("bm25", "dense", "hybrid"):
        shutil.copy(SAMPLE_FOLDER / f"{name}.run", data)
    rows = (SAMPLE_FOLDER / "queries.csv").read_text().splitlines()[1:]
    lines = [f"{row.split(',')[0]},{row.rsplit(',', 2)[1]}" for row in rows]
    (data / "queries.csv").write_text("\n".join(["query_id,category", *lines]))
    return data


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(copy_sample_runs(tmp_path / "sample")))


PAIR = {"run": "new", "base": "old", "k": "4"}


def test_no_page_says_which_list_is_right(sample: None) -> None:
    for page in RAIL:
        text = text_of(opened("" if page == "overview" else page, run="hybrid", base="bm25"))
        about_runs = next(p for p in PAGES if p.name == page).group or page == "query"
        assert not (about_runs and JUDGING.search(text)), (page, JUDGING.search(text))
        assert ("This page needs judgments" in text) is (page in WITHOUT)


def test_the_overview_counts_what_changed(small: Path) -> None:
    text = text_of(opened(**PAIR))
    assert "new changes the top 4 of 3 of 4 queries not judged" in text
    assert "2.5 of 4 documents stay on average; 1 query shares none" in text
    assert "same first document 2 of 4" in text and "new documents 6" in text
    # four and two new documents of four, the same in another order, the same list
    for words in ("1 query: 3–4 new", "1: 2 new", "1: other order", "1: same list"):
        assert words in text
    assert "foury · first change at rank 1 0 of 4" in text
    assert (
        "foury not in the first 4" in text and "twox was rank 2" in text
    )  # w was nowhere in the old list of q4
    assert "y, 2 queries 1.0" in text and "x, 2 queries 4.0" in text and "kept of 4" in text


def test_the_rail_has_no_page_that_needs_judgments(small: Path) -> None:
    text = text_of(opened(**PAIR))
    rail = text[text.index("This comparison") :]
    assert "Overview" in rail and "By cutoff" in rail and "All queries 4" in rail
    assert "Robustness" not in rail and "Versions" not in rail and "Ranking" not in rail


def test_all_queries_lists_the_least_overlap_first(small: Path) -> None:
    text = text_of(opened("queries", **PAIR))
    assert text.rindex("four") < text.rindex("three") < min(text.rindex("two"), text.rindex("one"))
    assert "0.000 overlap" in text and "0.500 overlap" in text
    assert "– best new" in text  # nothing is new in q1: not 0


def test_classes_of_change_are_filters(small: Path) -> None:
    for line, left in (
        ('change == "other order"', "two"),
        ("overlap < 0.3", "four"),
        ("`best new` == 3", "three"),
    ):
        text = text_of(opened("queries", filter=line, **PAIR))
        assert "1 of 4 queries" in text
        assert left in text[text.index("1 of 4 queries") :]


def test_a_query_marks_new_gone_and_moved_documents(small: Path) -> None:
    text = text_of(opened("query", q="q3", **PAIR))
    assert "new: 2 documents are new in the top 4; 2 of 4 stay." in text
    assert "2 gone" in text and "2 new" in text
    assert "rank 3: new" in text and "rank 3: gone" in text
    assert "Where the new documents (2) came from" in text
    moved = text_of(opened("query", q="q2", **PAIR))
    assert "The same documents; 2 change ranks. This query is not judged yet." in moved
    same = text_of(opened("query", q="q1", **PAIR))
    assert "Both lists are the same." in same
    app = opened("query", q="q1", **PAIR)
    assert drawn(app).count('aria-label="First documents of') == 1
    assert [field.placeholder for field in app.text_area] == ["What do you see?"]


def test_overlap_by_cutoff_and_by_group(small: Path) -> None:
    curves = text_of(opened("curves", **PAIR))
    assert "The lists share 62% of the top 4" in curves
    groups = text_of(opened("breakdown", by="kind", **PAIR))
    assert "Overlap is smallest in y, largest in x" in groups
    assert "0.250" in groups and "1.000" in groups


def test_all_pairs_have_rank_biased_overlap(sample: None) -> None:
    text = text_of(opened("pairs"))
    assert "are most alike" in text and "persistence 0.9" in text
    assert re.search(r'href="\./data\?[^"]*">Add judgments from a file', drawn(opened()))
    overview = text_of(opened())
    assert (
        "Run changed kept RBO same first" in " ".join(overview.split()) or "same first" in overview
    )


def test_two_runs_have_one_pair(small: Path) -> None:
    assert re.search(r"old and new have RBO 0\.\d{3}", text_of(opened("pairs", **PAIR)))


def test_one_run_asks_for_a_second_run_or_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKLENS_DATA", str(write_runs(tmp_path / "one", old=OLD)))
    assert "One file is loaded" in text_of(opened())
    assert "Add a second run or judgments." in text_of(opened())


def test_runs_without_a_common_query_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_runs(tmp_path / "two", old=OLD, other={"z9": "abcd"})
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    text = text_of(opened())
    assert "have no query in common" in text and "Add a second run or judgments." in text


def test_runs_of_unlike_depth_are_refused_with_a_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_runs(tmp_path / "two", old=OLD, short={"q1": "ab", "q2": "ba"})
    monkeypatch.setenv("RANKLENS_DATA", str(data))
    app = opened(run="short", base="old", k="4")
    assert "short has at most 2 results per query, but old has up to 4 in the top 4." in text_of(
        app
    )
    next(b for b in app.button if b.label == "Compare the top 2").click().run()
    assert "short changes the top 2 of 3 of 4 queries" in text_of(app)


def test_with_judgments_overlap_is_a_column_to_choose() -> None:
    text = text_of(opened("queries", cols=["list:overlap", "list:rbo"]))
    assert "overlap" in text and "rbo" in text.lower()
    assert "Overlap" not in drawn(opened("queries")).split("<table")[1].split("</thead>")[0]


def test_the_report_shows_what_changed(sample: None) -> None:
    study = load_library(all_collections().choose_collection("")).study
    assert study is not None and study.is_unjudged
    view = study.comparison(study.read_measure().measure, baseline="bm25", focus="hybrid")
    drawing = Drawing.for_comparison(view, study.names)
    html = make_html_report(study, view, drawing, ReportRequest("Title"))
    text = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", " ", html, flags=re.S)
    assert "changes the top 10 of" in text and "not judged" in text
    assert "Every query" in text and "q104" in text and "rank-biased overlap" in text
    assert not JUDGING.search(text), JUDGING.search(text)
    shared = make_shareable_study(study, "scores only")
    view = shared.rename_comparison(view)
    anonymous = make_html_report(
        shared.study, view, Drawing.for_comparison(view, shared.study.names), ReportRequest("Title")
    )
    assert "hybrid" not in anonymous and "q104" not in anonymous


def test_a_notebook_shows_what_changed(small: Path) -> None:
    shown = show([str(small / "old.run"), str(small / "new.run")], None, top=4)
    assert repr(shown).startswith("new changes the top 4 of 3 of 4 queries. 2.5 of 4 documents")
    assert "not judged" in shown._repr_html_() and not JUDGING.search(repr(shown))
    assert shown.frame["kept"].tolist() == [2.5]
    assert shown.queries()["overlap"].tolist() == [0.0, 0.5, 1.0, 1.0]
    assert shown.curves()["mean"].iloc[-1] == 0.625
    with pytest.raises(RanklensError, match="no scores"):
        shown.explain("q1")
    with pytest.raises(RanklensError, match="no run to compare"):
        show(str(small / "old.run"), None)


def test_the_command_says_nothing_on_quality(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "none", str(small / "old.run"), str(small / "new.run")]) == 0
    text = capsys.readouterr().out
    assert "new changes the top 10 of 3 of 4 queries" in text and not JUDGING.search(text)


def test_grades_of_a_layer_leave_the_lists_unjudged(small: Path) -> None:
    study = load_library(all_collections().choose_collection("")).study
    assert study is not None
    grades = {("q1", "a"): GradeRecord(1.0, "me", "2026")}
    layered = with_layers(study, [Layer("me", "me", "2026", True, "1", grade_records=grades)])
    assert layered.is_unjudged and layered.query_ids == study.query_ids
    view = layered.view(Address.create(**PAIR)).comparison
    assert len(changes_overview(layered, view).queries) == 4


def test_a_run_of_judged_documents_only_is_refused() -> None:
    one, two = np.array([1]), np.array([2])
    runs = [RankedRun.from_ranks(name, ["q1"], ["a"], one, two, one) for name in "ab"]
    assert "Only the ranks of judged documents" in str(Study(runs, None).refused["b"])
