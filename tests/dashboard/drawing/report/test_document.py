"""A report says what the pages say, holds only what was asked for, and asks for nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any

import pytest

from dashboard.address.address import Address
from dashboard.answers.overview import overview
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.query import query_page
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.report import UsedFile, make_report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import make_report_page
from dashboard.drawing.report.parts import PARTS, ReportRequest
from dashboard.files.files import SAMPLE_FOLDER, read_file
from dashboard.study.library import assemble_library
from dashboard.study.study import Study
from dashboard.workspace import Settings
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.tables import Queries
from tests.collections_of import qrels_of, run_of

FILES = (
    UsedFile("qrels.txt", "qrels", "", 1516, 104, "8b4bba3b1ae0" * 5),
    *(
        UsedFile(f"{name}.run", "run", name, 10, 10, "ab" * 32)
        for name in ("bm25", "dense", "hybrid", "titles-only")
    ),
)


@cache
def sample() -> Study:
    paths = [p for p in sorted(SAMPLE_FOLDER.iterdir()) if p.suffix not in (".md", ".py")]
    files = [
        f for p in paths if p.is_file() for f in read_file(p, display_name=p.name, origin="sample")
    ]
    study = assemble_library(files).study
    assert study is not None
    return study


def page_of(
    study: Study,
    asked: ReportRequest | None = None,
    remarks: Remarks = NOTHING_NOTED,
    own_grades: dict[str, int] | None = None,
    **address: str,
) -> str:
    view = study.view(Address.create(**address)).comparison
    drawing = Drawing.for_comparison(view, study.names)
    found = make_report(study, view, FILES, remarks=remarks, n_grades_by_layer=own_grades)
    return make_report_page(found, drawing, asked or ReportRequest("Help centre"))


def text_of(page: str) -> str:
    body = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", body)).split())


def test_the_numbers_are_those_of_the_pages() -> None:
    study = sample()
    view = study.view(Address.create()).comparison
    first, page = overview(study, view), page_of(study)
    text = text_of(page)
    assert " ".join(first.verdict.lead.text.split()) in text
    for row in first.shown_rows.to_dict("records"):
        if row["run"] != view.baseline:
            digits = w.interval_decimals(row["low"], row["high"])
            assert w.format_interval(row["low"], row["high"], digits) in text
    for row in first.table.to_dict("records"):
        assert w.format_score(row["mean"]) in text
    rows = re.findall(r"<tr data-in=.*?</tr>", page, flags=re.DOTALL)
    listed = query_list(study, view, QueryListRequest())
    assert len(rows) == len(listed.rows) == 104
    for drawn, record in zip(rows, listed.rows.to_dict("records"), strict=True):
        cells = text_of(drawn)
        assert record["text"] in unescape(drawn)
        assert w.format_difference(record["difference"]) in cells
        assert w.format_score(record[f"run: {view.focus}"]) in cells


def test_it_stands_by_itself() -> None:
    page = page_of(sample())
    assert page.startswith("<!doctype html>") and len(page.encode()) < 1_000_000
    assert 'href=""' not in page and not re.search(r"(?:src|href)=\"(?!#)", page)
    targets = set(re.findall(r'id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= targets, links - targets
    assert not re.findall(r"url\((?!data:)", page)
    text = text_of(page)
    for said in (
        "dense beats bm25",
        "The five largest losses",
        "vinegar for the robot",
        "8b4bba3b1ae0",
    ):
        assert said in text
    assert "metrics-core compare qrels.txt bm25.run dense.run" in text


def test_parts_and_words_of_the_sender() -> None:
    asked = ReportRequest("Ours <b>", "Read me & <i>mind</i>", parts=("runs", "queries"))
    page = page_of(sample(), asked)
    text = text_of(page)
    assert "Read me & <i>mind</i>" in text and "<i>mind</i>" not in page.replace("&lt;", "")
    ids = set(re.findall(r'<section id="([^"]+)"', page))
    assert ids == {"verdict", "runs", "queries"}


def test_what_people_noted_and_graded_is_said() -> None:
    remarks = Remarks((("q098", ("<vague>",), ("two meanings", "ask Ann")), ("gone", (), ("x",))))
    page = page_of(sample(), remarks=remarks, own_grades={"Ann's": 12, "nobody's": 0})
    text = text_of(page)
    assert "vinegar for the robot<vague>two meanings · ask Ann" in text and "&lt;vague" in page
    assert "these grades from Ranklens count: 12 of Ann's." in text
    # No command knows those grades.
    assert "metrics-core compare" not in text
    assert "Notes and tags" not in text_of(page_of(sample()))


def test_the_command_reads_the_ids_as_the_pages_do() -> None:
    study = sample()
    said = Settings(map_docs="cut #", exclude_self=True)
    own = Study(list(study.runs.values()), study.qrels, study.queries, settings=said)
    assert "-m nDCG@10,P@10,R@10,RR,AP --map-docs 'cut #' --exclude-self" in text_of(page_of(own))


@pytest.mark.parametrize("queries", [1, 9, 30])
@pytest.mark.parametrize("runs", [1, 2, 7])
def test_any_number_of_runs_and_queries(runs: int, queries: int) -> None:
    grades = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(queries)}

    def scored(i: int, docs: dict[str, int]) -> dict[str, float]:
        return {d: float((i * len(docs) + int(d[1:]) * (i + 2)) % 7) for d in docs}

    given = [
        run_of({q: scored(i, docs) for q, docs in grades.items()}, f"run {i}") for i in range(runs)
    ]
    study = Study(given, qrels_of(grades))
    page = page_of(study)
    ids = re.findall(r'<section id="([^"]+)"', page)
    assert ids[:2] == ["verdict", "runs"] and "groups" not in ids and "queries" in ids
    assert ("checks" in ids) == (queries >= 10 and runs > 1)
    assert set(ids) <= {"verdict", *PARTS}
    assert "nan" not in text_of(page).lower().split()


def test_the_meeting_has_a_screen_for_what_there_is() -> None:
    screens = re.findall(r'<div class="slide', page_of(sample()))
    assert len(screens) == 7 + 2  # seven screens, their frame and its foot
    level = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    study = Study([run_of({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, n) for n in "xy"], qrels_of(level))
    page = page_of(study)
    assert (
        "the largest loss look like" not in page
        and "Where does the difference come from" not in page
    )


def test_the_last_screen_says_what_to_do_next() -> None:
    last = screen_of(page_of(sample()), "next")
    assert (
        "Judging 70 documents could rule out a reversalIf the 70 documents that could help" in last
    )
    assert "+0.101 [0.087, 0.115]" in last and "[−0.070, 0.226]" in last
    page = page_of(sample(), run="hybrid", base="dense")
    unclear = screen_of(page, "checks")
    assert 'data-screen="next"' not in page and "that the runs are equally good" in unclear
    assert "about 840 queries needed to confirm 0.011" in unclear


def screen_of(page: str, key: str) -> str:
    return text_of(page.partition(f'data-screen="{key}"')[2].partition('data-screen="')[0])


def with_groups(names: list[str], rename: str = "{}") -> Study:
    """The sample's queries in these groups, with its runs renamed."""
    study = sample()
    ids = list(study.query_ids)
    groups = [names[i % len(names)] for i in range(len(ids))]
    queries = Queries.from_columns({"query_id": ids, "kind": groups})
    runs = [replace(run, name=rename.format(run.name)) for run in study.runs.values()]
    return Study(runs, study.qrels, queries)


def test_a_screen_has_at_most_eight_rows_and_its_numbers_add_up() -> None:
    page = page_of(with_groups([f"kind {i}" for i in range(15)]))
    screen = page.partition('data-screen="groups"')[2].partition('data-screen="')[0]
    rows = re.findall(r"<tr role=\"row\">(.*?)</tr>", screen, flags=re.DOTALL)[1:]
    assert len(rows) == 8 + 1 and "8 others" in rows[-2]
    amounts = [re.search(r'class="amount"[^>]*>(.*?)</span>', row, re.DOTALL) for row in rows]
    numbers = [float(text_of(found[1]).replace(w.MINUS, "-")) for found in amounts if found]
    assert round(sum(numbers[:-1]), 3) == numbers[-1] == 0.087
    # Eight groups fit without a row for others.
    assert "other" not in screen_of(page_of(with_groups(list("abcdefgh"))), "groups")


def test_a_query_is_on_its_screen_once_with_the_reason_and_both_lists() -> None:
    page = page_of(sample())
    loss = screen_of(page, "losses")
    assert loss.count("vinegar for the robot") == 1 and "The largest loss“vinegar" in loss
    assert "the only highly relevant document fell from rank 1 to rank 5" in loss
    assert loss.count("Sweep error ER-21") == 2 and "FN-0175" in loss
    # Ten titles each, also for a smaller k.
    small = page_of(sample(), k="5").partition('data-screen="losses"')[2]
    titles = re.findall(r'<b><bdi>(.*?)</bdi></b> <span class="id">', small)
    assert len(titles) == 40 and not any(title.startswith("FN-") for title in titles)
    # All five largest wins are queries without results from bm25, which explain nothing.
    win = screen_of(page, "wins")
    assert "moved house, order going to old adress" in win and "no results for" not in win
    assert "The largest win with results from both runs" in win


def test_checks_say_whether_they_hold() -> None:
    screen = screen_of(page_of(sample()), "checks")
    assert screen.count("holds: ") == 5 and screen.count("open: ") == 1
    # The rows say it, so the lead does not.
    assert "but are unlikely to." not in screen and screen.count("unlikely to reverse it") == 1


def test_groups_that_are_not_tested_are_hatched() -> None:
    page = page_of(sample())
    screen = page.partition('data-screen="groups"')[2].partition('data-screen="')[0]
    assert screen.count("bar level untested") == 2 and screen.count('bar level"') == 6
    assert "Grey: not significant on its own. Hatched: not tested." in screen_of(page, "groups")


def test_long_names_are_shortened_on_screens() -> None:
    page = page_of(with_groups(["one", "two"], "{0}-" + "made-from-many-words-" * 4 + "{0}"))
    sections, _, screens = page.partition('<div class="slides"')
    shortened = [screens]
    for part in ("runs", "checks", "curves", "losses", "wins", "queries"):
        shortened.append(sections.partition(f'<section id="{part}"')[2].partition("</section>")[0])
        assert shortened[-1], part
    for markup in shortened:
        # The whole name is there for the pointer and for who hears it.
        seen = re.sub(
            r'<svg.*?</svg>|<span class="unseen[^>]*>.*?</span>', "", markup, flags=re.DOTALL
        )
        assert "many-words-made-from-many-words" not in text_of(seen)
    assert "bm25" in screen_of(page, "verdict") and "dense" in screen_of(page, "curves")


def test_all_losses_and_wins_but_the_first_with_both_lists_are_folded() -> None:
    page = page_of(sample())
    folds = re.findall(r'<details class="lens case"( open)?>', page)
    # bm25 has no results for the five largest wins, so one more follows.
    assert folds == [" open", *(9 * [""]), " open"]
    # A link opens what its target is in.
    assert re.findall(r"</summary>\s*<div id=\"(case-\d+)\">", page) == [
        f"case-{i}" for i in range(1, 12)
    ]
    wins = text_of(page.partition('<section id="wins"')[2].partition("</section>")[0])
    assert wins.count("no results from bm25") == 5
    assert wins.count("The largest win with results from both runs") == 1
    assert "The five largest winsbm25 has no results for these queries, so it scores 0." in wins
    # With another measure the largest loss and win have both lists.
    both = page_of(sample(), run="hybrid", base="dense")
    assert re.findall(r'<details class="lens case"( open)?>', both).count(" open") == 2


def test_words_in_formulas_are_set_together() -> None:
    page = page_of(sample())
    assert "<mtext>rel</mtext>" in page and "<mi>r</mi><mi>e</mi>" not in page


def test_formulas_have_the_cutoff_and_the_threshold_of_their_measure() -> None:
    view = sample().view(Address.create(m="P(rel=2)@k", k="5")).comparison
    report = make_report(sample(), view, FILES)
    formulas = {name: formula for name, _, formula in report.methods.measures}
    assert formulas["P(rel=2)@5"] == r"\frac{1}{5}\sum_{i \le 5} [\text{rel}_i \ge 2]"
    assert formulas["RR"] == r"\frac{1}{\min\{i : \text{rel}_i \ge 1\}}"
    assert formulas["AP"] == r"\frac{1}{R}\sum_{i} [\text{rel}_i \ge 1]\, P@i"
    page = text_of(page_of(sample()))
    assert "grade at rank i. g: its gain, by default the grade. R: number" in page
    assert "Share of the first 10 results that are relevant." in page


def test_the_chip_of_missing_queries_names_the_run() -> None:
    assert "no results from bm25: 6" in text_of(page_of(sample()))


def test_the_screens_of_verdict_and_curves_do_not_contradict_each_other() -> None:
    # At k = 5 the difference is significant; the band for all k holds zero everywhere.
    page = page_of(sample(), run="dense", base="hybrid", m="R@k", k="5")
    assert "clear difference" in screen_of(page, "verdict")
    curves = screen_of(page, "curves")
    assert "no clear difference" not in curves
    assert "k = 5 is significant on its own, but not after correction for all k." in curves
    assert "95% intervals, simultaneous over all k for the difference · Thin" in curves
    whole = screen_of(page_of(sample(), m="AP"), "curves")
    assert "AP counts the whole list, but the curves show AP by k." in whole


def test_the_date_is_that_of_the_sender() -> None:
    asked = ReportRequest("x")
    assert replace(asked, made=asked.made.replace(year=2025, month=3, day=4)).date == "4 March 2025"


def test_what_a_run_lacks_is_counted_alike_where_it_is_left_out() -> None:
    lacking = "(bm25: 6 queries, titles-only: 23 queries)."
    assert f"is scored as an empty list {lacking}" in text_of(page_of(sample()))
    assert f"is left out {lacking}" in text_of(page_of(sample(), missing="shared"))


def test_the_method_is_that_of_these_queries() -> None:
    assert "Test: paired bootstrap; correction: Holm." in text_of(page_of(sample()))
    few = text_of(page_of(sample(), missing="shared"))
    assert "Test: paired bootstrap (for up to 100 queries combined" in few


def test_each_count_of_outcomes_is_drawn_once() -> None:
    page = page_of(sample())
    verdict = page.partition('<section id="verdict"')[2].partition("</section>")[0]
    assert "lens differences" in verdict and "lens outcomes" not in verdict


def test_slides_of_examples_need_no_list_of_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    def draws_all_but_one(study: Any, comparison: Any, query_id: str, *more: Any) -> Any:
        if query_id == "q065":
            raise RanklensError("No such query.")
        return query_page(study, comparison, query_id, *more)

    monkeypatch.setattr("dashboard.answers.report.query_page", draws_all_but_one)
    page = page_of(sample())
    assert "This part could not be created. No such query." in text_of(page)
    assert "vinegar for the robot" in screen_of(page, "losses")


@pytest.mark.parametrize("error", [RanklensError("Mine of orchard failed."), ValueError("no k")])
def test_a_part_that_fails_is_left_out_with_a_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    for part in ("curves", "robustness_summary", "breakdown", "query_page", "query_masks"):
        monkeypatch.setattr(f"dashboard.answers.report.{part}", fails)
    monkeypatch.setattr("dashboard.drawing.blocks.report.draw_methods_section", fails)
    page = page_of(sample())
    assert "dense beats bm25" in text_of(page) and "vinegar for the robot" not in page
    ids = set(re.findall(r'<section id="([^"]+)"', page))
    failed = {"groups", "checks", "curves", "losses", "wins", "queries", "measured"}
    assert ids == {"verdict", "runs", *failed}
    assert text_of(page).count(f"This part could not be created. {said_of(error)}") == len(failed)
    assert set(re.findall(r'data-screen="(\w+)"', page)) == {"verdict"}
    # An error may quote what is left out.
    shared = text_of(page_of(sample(), ReportRequest("X", left_out_note="texts left out")))
    assert shared.count("This part could not be created.") == len(failed)
    assert said_of(error) not in shared


def said_of(error: Exception) -> str:
    return error.message if isinstance(error, RanklensError) else "ValueError: no k."
