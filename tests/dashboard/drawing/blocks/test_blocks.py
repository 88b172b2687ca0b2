"""The drawn parts: what they say, in which order, and that no user text becomes markup."""

from __future__ import annotations

import base64
import html
import math
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from dashboard.answers.field_evidence import Evidence
from dashboard.answers.file_numbers import FileNumbers
from dashboard.answers.file_preview import FilePreview, KindReading, PreviewRow
from dashboard.drawing.blocks import (
    collections,
    curves,
    data,
    differences,
    file_fields,
    leaderboard,
    markup,
    measures,
    movement,
    navigation,
    overview,
    query,
    untested,
)
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.blocks.two_lists import draw_two_lists
from dashboard.drawing.blocks.word_marks import mark_words, query_words, split_at_words
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import shorten
from dashboard.drawing.theme import RunStyle, run_styles
from dashboard.files.collections import Preview
from metrics_core.base.errors import (
    FileFormatError,
    LineProblem,
    NoSharedQueriesError,
    UnknownMeasureError,
)
from metrics_core.base.notes import Note
from metrics_core.checks.fit import FitLine
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.pairs import compare
from metrics_core.explaining.diagnosis import Diagnosis, diagnose
from metrics_core.findings.queries import ViewFacts
from metrics_core.findings.sentence import Sentence, TextSpan
from metrics_core.judging import join_judgments
from metrics_core.measures import parse_measure
from metrics_core.scoring.evaluate import evaluate
from metrics_core.tables import Qrels, Run
from tests.dashboard.drawings import drawing_of

EVIL = """<script>alert(1)</script><b onclick="x">'&"""
TAGS = """a b bdi br button caption code dd details div dl dt form h1 h2 h3 hr i input label li mark
ol p pre small span style summary nav table tbody td tfoot th thead tr ul wbr"""
ATTRIBUTES = """aria-current aria-expanded aria-hidden aria-label aria-pressed aria-sort class
colspan data-adds data-copy data-keep data-key data-name data-named data-opens data-page data-place
data-rest data-run data-star dir href id name open placeholder popover popovertarget role scope step
style tabindex target title type value"""
VOID = {"br", "hr", "input", "wbr"}


class Page(HTMLParser):
    """Tags, attributes and visible text of a part; refuses what the sanitiser would remove."""

    def __init__(self, markup_: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(markup_)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS.split(), f"<{tag}> would be removed"
        own = {name: value or "" for name, value in attrs}
        assert set(own) <= set(ATTRIBUTES.split()), f"{own} would be removed"
        self.found.append((tag, own))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, text: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(text)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words)).strip()

    def having(self, name: str) -> list[dict[str, str]]:
        """Attributes of the elements of this class."""
        return [own for _, own in self.found if name in own.get("class", "").split()]


def lead(name: str) -> str:
    return f"?lead={name}"


def href(page: str, **params: str) -> str:
    return page + "?" + "&".join(f"{k}={v}" for k, v in params.items() if v)


def styles_of(*names: str, focus: str = "hybrid", baseline: str = "bm25") -> dict[str, RunStyle]:
    slots = {name: i for i, name in enumerate(names)}
    return run_styles(names, slots, focus=focus, baseline=baseline)


STYLES = styles_of("bm25", "hybrid", "dense")
DRAWING = drawing_of(STYLES)
ALONE = drawing_of(styles_of("bm25", focus="bm25"))


ROW_HEADS = '<th role="rowheader"[^>]*>(.*?)</th>'


def texts_of(pattern: str, part: str) -> list[str]:
    return [html.unescape(re.sub("<[^>]+>", "", found)) for found in re.findall(pattern, part)]


# Sentences


def test_sentence_colours_the_runs_it_knows():
    said = Sentence(
        (
            TextSpan("hybrid", "run"),
            TextSpan(" beats "),
            TextSpan("other", "run"),
            TextSpan(" by 1"),
        )
    )
    part = markup.draw_heading(said, "", STYLES)
    assert Page(part).text == said.text
    assert Page(part).having("named") == [
        {"class": "named loud", "style": "--run:var(--run-2)"},
    ]
    assert "<h1>" in part


def test_baseline_stays_quiet_within_a_muted_clause():
    said = Sentence(
        (
            TextSpan("dense", "run"),
            TextSpan(" and ", "muted"),
            TextSpan("bm25", "run"),
            TextSpan(" are", "muted"),
        )
    )
    kinds = [own["class"] for own in Page(markup.draw_subtitle(said, STYLES)).having("named")]
    assert kinds == ["named loud", "named quiet"]
    assert markup.draw_subtitle(Sentence(), STYLES) == ""


def test_section_takes_a_sentence_or_text():
    part = markup.draw_section_heading(
        "Files", Sentence((TextSpan("hybrid", "run"), TextSpan(" first"))), STYLES
    )
    assert Page(part).text == "Fileshybrid first"
    assert Page(markup.draw_section_heading("Files", "a < b")).text == "Filesa < b"
    assert "<p>" not in markup.draw_section_heading("Files")


@pytest.mark.parametrize(
    ("value", "clear", "expected"),
    [
        (0.0604, True, "change better clear"),
        (-0.0604, True, "change worse clear"),
        (0.0604, False, "change unclear"),
        (0.0001, True, "change unclear"),
        (math.nan, True, "change unclear"),
    ],
)
def test_a_difference_is_coloured_only_where_it_is_clear(value, clear, expected):
    part = Template("markup")("change", value=value, clear=clear)
    assert Page(part).having("change")[0]["class"] == expected


# Overview


def facts(**changed: object) -> ViewFacts:
    usual: dict[str, object] = {
        "queries": 84,
        "judgments": 1641,
        "lowest_grade": 0.0,
        "highest_grade": 3.0,
        "judged_share": 0.9,
        "judged_text": "judged in the top 10 of both runs",
        "all_zero": 10,
        "missing": {},
        "unjudged": 0,
    }
    return ViewFacts(**{**usual, **changed})  # type: ignore[arg-type]


def test_facts_line():
    page = Page(str(overview.draw_facts_line(facts(), href, STYLES)).replace("</li>", " · </li>"))
    assert page.text.replace("\u00a0", " ") == (
        "84 queries · 1,641 judgments, grades 0–3 (0: not relevant) · "
        "90% judged in the top 10 of both runs · "
        "10 queries on which every run scores 0 ·"
    )
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["queries?show=none"]
    assert not page.having("warning")


def test_facts_line_warns_of_few_judgments_and_missing_queries():
    part = overview.draw_facts_line(
        facts(
            judged_share=0.62,
            all_zero=0,
            missing={"hybrid": 1, "bm25": 12},
            unjudged=3,
            lowest_grade=-1.0,
        ),
        href,
        STYLES,
    )
    page = Page(part)
    assert len(page.having("warning")) == 2
    assert "of both runs: differences may come from missing judgments" in page.text
    assert (
        "hybrid has no results for 1 query and bm25 has no results for 12 queries, counted as 0"
        in page.text
    )
    assert "3 queries without judgments, left out" in page.text
    assert "grades −1 to 3" in page.text
    assert "every run scores 0" not in page.text


def test_the_bar_of_outcomes_leads_to_the_queries_of_each():
    part = overview.draw_outcomes({"won": 54, "same": 1, "lost": 0, "verdict": "better"}, href)
    page = Page(part)
    assert [own["href"] for tag, own in page.found if tag == "a"] == [
        "queries?show=better",
        "queries?show=same",
    ], "what nobody is in has no part"
    assert "54 queries better" in page.text and "1 same" in page.text
    assert page.having("outcomes")[0]["class"] == "lens outcomes clear"
    grey = overview.draw_outcomes({"won": 1, "same": 1, "lost": 1, "verdict": "cannot tell"}, href)
    assert Page(grey).having("outcomes")[0]["class"] == "lens outcomes"
    assert "1 query better" in Page(grey).text


def measures_table(verdict: str = "better") -> pd.DataFrame:
    rows = [
        ("bm25", "nDCG@10", 0.571, math.nan, math.nan, math.nan, None),
        ("dense", "nDCG@10", 0.562, -0.009, -0.057, 0.038, "cannot tell"),
        ("hybrid", "nDCG@10", 0.631, 0.060, 0.030, 0.092, verdict),
        ("bm25", "NumRet", 8400.0, math.nan, math.nan, math.nan, None),
        ("dense", "NumRet", 8400.0, 0.0, math.nan, math.nan, "cannot tell"),
        ("hybrid", "NumRet", 8316.0, -84.0, math.nan, math.nan, "cannot tell"),
    ]
    columns = ["run", "measure", "mean", "difference", "low", "high", "verdict"]
    table = pd.DataFrame(rows, columns=columns).assign(p_corrected=0.02)
    return table.assign(clear=table["verdict"].isin(["better", "worse"]))


MEASURES = [
    ("nDCG@10", "ranking quality of the top 10", "?measure=nDCG"),
    ("NumRet", "documents", "?m=x"),
]


def test_runs_and_measures_best_first_with_the_best_in_bold():
    judged = {"bm25": 0.9, "hybrid": 0.92}
    part = overview.draw_runs_and_measures(measures_table(), DRAWING, MEASURES, judged, lead)
    page = Page(part)
    assert [own["href"] for tag, own in page.found if tag == "a"] == [
        *("?measure=nDCG", "?m=x"),
        *("?lead=hybrid", "?lead=bm25", "?lead=dense"),
    ]
    assert texts_of(ROW_HEADS, part) == [
        "hybrid",
        "bm25 baseline",
        "dense",
    ]
    assert "<b>0.631</b>" in part and "<b>0.571</b>" not in part
    assert part.count("<b>8,400</b>") == 2, "two values written alike are both the best"
    assert "+0.060" in page.text and "−0.009" in page.text
    hint = "95% interval [0.030, 0.092], p\u00a0=\u00a00.020"
    assert [own.get("title") for own in page.having("change")][:2] == [hint, None]
    assert len(page.having("meter")) == 3, "only the chosen measure has bars"
    assert [own["class"] for own in page.having("chosen")] == ["chosen"] * 4
    assert "92%" in "".join(page.words) and "–" in page.text


def test_where_nobody_is_clearly_ahead_no_value_is_bold():
    table = measures_table("cannot tell")
    part = overview.draw_runs_and_measures(table, DRAWING, MEASURES, {}, lead)
    assert "<b>0.631" not in part and not Page(part).having("clear")


def test_where_less_is_better_the_least_is_the_best_and_first():
    drawing = drawing_of(STYLES, measure="Unjudged@10")
    table = measures_table("worse").replace("nDCG@10", "Unjudged@10")
    part = overview.draw_runs_and_measures(table, drawing, [("Unjudged@10", "", "?")], {}, lead)
    assert texts_of(ROW_HEADS, part) == [
        "dense",
        "bm25 baseline",
        "hybrid",
    ]
    assert "<b>0.562</b>" in part and Page(part).having("worse")[0]["class"].startswith("change")


def test_one_run_has_no_best_and_no_difference():
    table = measures_table().query("run == 'bm25'")
    part = overview.draw_runs_and_measures(
        table, DRAWING, [("nDCG@10", "", "?")], {"bm25": 0.9}, lead
    )
    assert "<b>0.571" not in part and "0.571" in part and "90%" in part
    assert not Page(part).having("change")


def test_long_names_of_runs_are_shortened_with_the_whole_on_them():
    long = "experiment-with-a-very-long-name-of-its-own-7"
    styles = styles_of("bm25", long, focus=long)
    part = markup.draw_heading(
        Sentence((TextSpan(long, "run"), TextSpan(" beats bm25"))), "Why.", styles
    )
    page = Page(part)
    assert len(page.text.removesuffix("Why.")) <= 40
    assert [own["title"] for _, own in page.found if "title" in own] == [long]


def leaders(n: int, places: bool = True, named: str = "", baseline: str = "r01") -> Markup:
    names = [f"r{i:02}" for i in range(n)]
    rows = [(name, "AP", 0.9 - i / 100, 0.1, 0.01, 0.2, "better") for i, name in enumerate(names)]
    columns = ["run", "measure", "mean", "difference", "low", "high", "verdict"]
    table = pd.DataFrame(rows, columns=columns).assign(p_corrected=0.02, clear=True)
    styles = styles_of(*names, focus="r00", baseline=baseline)
    square = np.full((n, n), 0.1)
    found = AllPairs(
        tuple(names), np.linspace(0.9, 0.1, n), *[square] * 5, square.astype(object),
        np.full((n, n), 50), np.r_[1, 1, np.arange(3, n + 1)], np.full(n, n), 9, None,
    )  # fmt: skip
    drawing = drawing_of(styles, measure="AP")
    return leaderboard.draw_leaderboard(
        table, drawing, [("AP", "", "?")], {"r00": 0.9}, lead,
        pairs="?pairs", all_pairs=found if places else None, search=named,
    )  # fmt: skip


def test_the_leaderboard_folds_what_lies_far_below_and_brackets_who_may_be_the_best():
    part = leaders(25)
    first, more = part.split("<details>")
    assert first.count('scope="row"') == 17 and more.count('scope="row"') == 8
    assert "8 more runs" in Page(part).text and "by mean 18 to 25: r17, r18, r19 and 5" in more
    page = Page(part)
    assert len(page.having("best")) == 2 and part.count("<small>may be the best</small>") == 1
    assert page.text.count(", may be the best") == 2
    assert "1–25" in page.text and "?pairs" in part
    assert leaders(18).count("<details>") == 0, "one more row is no fold"
    many = leaders(60)
    assert many.count('scope="row"') == 17 and '<a href="?pairs">43 more runs</a>' in many


def test_the_leaderboard_never_folds_the_baseline():
    first, more = leaders(25, baseline="r20").split("<details>")
    assert first.count('scope="row"') == 18 and more.count('scope="row"') == 7
    assert first.count(' apart"') == 1
    assert "7 more runs" in more and "by mean 18 to 25: r17, r18, r19 and 4" in more
    next_one, _ = leaders(25, baseline="r17").split("<details>")
    assert next_one.count('scope="row"') == 18 and "apart" not in next_one


def test_the_leaderboard_waits_for_the_places_and_finds_runs_by_their_names():
    assert "1–" not in Page(leaders(8, places=False)).text
    found = Page(leaders(25, named=" R2 "))
    assert re.findall(r"r\d\d", found.text) == [f"r2{i}" for i in range(5)]
    assert "No run has “zz” in its name." in Page(leaders(8, named="zz")).text


def test_a_column_of_differences_has_one_number_of_decimals():
    row = {"mean": 0.5, "low": 0.0003, "high": 0.04, "p_corrected": 0.04, "verdict": "better"}
    many = {
        "a": row | {"difference": 0.0221, "clear": True},
        "b": row | {"difference": 0.2, "clear": True},
        "c": row | {"difference": 0.0001, "clear": False},
    }
    column = overview.MeasureColumn("P@10", "", "", many, 10)
    assert column.digits == 3
    # None that is significant is written as 0.
    many["d"] = row | {"difference": 0.00004, "clear": True}
    assert column.digits == 5


def query_rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query_id": ["1", "2"],
            "text": ["charged twice", ""],
            "meta": ["Billing · medium", ""],
            "score": [0.442, 0.0],
            "baseline_score": [0.775, 0.1],
            "difference": [-0.333, -0.1],
            "unlisted_by": ["", "hybrid"],
            "n_unlisted": 1,
            "unlisted_sum": -0.1,
            "cause": ["", "never said"],
        }
    )


def test_query_list():
    part = overview.draw_query_list(query_rows(), DRAWING, "worse", href, total=17)
    page = Page(part)
    links = [own["href"] for tag, own in page.found if tag == "a"]
    assert links == ["queries?show=worse", "query?q=1&list=worse", "query?q=2&list=worse"]
    assert page.text.startswith("Got worse2 of 17")
    assert "charged twiceBilling · medium · 0.775 →to 0.442 −0.333" in page.text
    assert "query 2hybrid has no results" in page.text, "a query without a text has its id"
    caused = query_rows().assign(cause="best document fell to rank 5", unlisted_by="")
    page = Page(overview.draw_query_list(caused, DRAWING, "worse", href, total=17))
    assert "charged twiceBilling · medium · 0.775 →to 0.442 −0.333" in page.text
    assert page.text.endswith("All two: best document fell to rank 5."), "said once for all rows"
    lacked = pd.concat([query_rows().iloc[[1]]] * 5 + [query_rows().iloc[[0]]], ignore_index=True)
    lacked[["n_unlisted", "unlisted_sum"]] = [7, -1.4]
    page = Page(overview.draw_query_list(lacked, DRAWING, "worse", href, total=17))
    assert "query 2" not in page.text and "charged twice" in page.text
    assert "8 of 17" in page.text
    assert "→7 queries without hybrid resultsmean loss −0.200" in page.text
    quiet = overview.draw_query_list(
        query_rows(), DRAWING, "worse", href, total=17, use_colours=False
    )
    assert not Page(quiet).having("clear")


def test_query_list_of_nothing():
    rows = query_rows().head(0)
    page = Page(overview.draw_query_list(rows, DRAWING, "better", href, total=0))
    assert "No query got better." in page.text


def test_few_queries_stand_as_they_are_and_in_grey():
    part = untested.draw_examples(query_rows(), DRAWING, href)
    page = Page(part)
    assert "charged twice" in page.text and "−0.333" in page.text and "0.775" in page.text
    assert not page.having("better") and not page.having("worse")
    assert "left:0.00%;width:50.00%" in part, "the largest fills its side"


def test_the_scores_of_one_run_in_tenths():
    part = untested.draw_histogram([3, 0, 6], DRAWING, lambda low, high: f"?{low:.2f}&{high:.2f}")
    page = Page(part)
    assert "Scores of the 9 queries" in page.text
    assert [own["href"] for tag, own in page.found if tag == "a"] == [
        "?0.00&0.33",
        "?0.67&1.00",
    ], "no queries, no link"


def group_rows(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": [f"group {i}" for i in range(n)],
            "queries": range(1, n + 1),
            "difference": np.linspace(-0.1, 0.2, n),
            "mean": np.linspace(0.1, 0.9, n),
            "diff_low": -0.2,
            "diff_high": 0.3,
            "clear": [False] * (n - 1) + [True],
        }
    )


FOUND = Sentence((TextSpan("No group is significant by itself.", "muted"),))


def groups_drawn(rows: pd.DataFrame) -> Markup:
    rows = rows.assign(adds=rows["difference"] / len(rows))
    return overview.draw_group_list(
        rows, DRAWING, href, lead, column=("topic", "topic"), finding=FOUND
    )


def test_group_list_in_the_order_given():
    part = groups_drawn(group_rows(3).iloc[::-1])
    page = Page(part)
    assert "contribution to +0.050" in page.text
    assert [own["href"] for tag, own in page.found if tag == "a"] == [
        "breakdown?by=topic",
        *("?lead=group 2", "?lead=group 1", "?lead=group 0"),
    ]
    assert "By topic" in page.text and "No group is significant by itself." in page.text
    assert re.findall(r"group \d", page.text) == ["group 2", "group 1", "group 0"]
    assert "[−0.200, 0.300]" in "".join(page.words)
    assert [own["class"] for own in page.having("change")] == [
        "change better clear",
        "change unclear",
        "change unclear",
    ]
    assert [own["class"] for own in page.having("bar")] == [
        *("bar better", "bar level", "bar level")
    ], "the bar follows the rule of the number"


def test_of_many_groups_the_first_are_listed():
    page = Page(groups_drawn(group_rows(20)))
    assert re.findall(r"group (\d+)", page.text) == ["0", "1", "2", "3", "4"]
    assert "5 of 20" in page.text
    means = Page(
        untested.draw_mean_list(group_rows(20), DRAWING, href, lead, by=("topic", "topic"))
    )
    assert len(re.findall(r"group \d", means.text)) == 8 and "0.100" in means.text


# Differences


def comparison() -> pd.DataFrame:
    rows = [
        ("bm25", 0.571, math.nan, math.nan, math.nan, 0, 0, 84, None),
        ("titles", 0.410, -0.161, -0.204, -0.119, 9, 59, 16, "worse"),
        ("hybrid", 0.631, 0.060, 0.030, 0.092, 46, 17, 21, "better"),
        ("dense", 0.562, -0.009, -0.057, 0.038, 35, 35, 14, "cannot tell"),
    ]
    columns = ["run", "mean", "difference", "low", "high", "won", "lost", "same", "verdict"]
    frame = pd.DataFrame(rows, columns=columns).assign(queries=84)
    p, effect = [math.nan, 0.0001, 0.002, 0.71], [math.nan, -0.8, 0.41, -0.05]
    ends = {"effect_low": [e - 0.2 for e in effect], "effect_high": [e + 0.2 for e in effect]}
    return frame.assign(p=[math.nan, 0.0001, 0.001, 0.4], p_corrected=p, effect=effect, **ends)


def preview_of(name: str) -> Preview:
    return Preview(name, name, 1, 0.5, f"{name} too", 0.6, -0.1, True, 20, 2)


def rows_of(frame: pd.DataFrame, drawing: Drawing = DRAWING) -> Markup:
    return differences.draw_difference_rows(
        frame,
        drawing,
        make_link=lead,
        list_link=lambda run, outcome: f"?listed={run}&show={outcome}",
    )


def zero_of(row: dict) -> Markup:
    tested = row["low"], row["high"], 0.95
    return differences.draw_difference_interval(row, tested, comparison(), DRAWING)


def test_the_interval_stands_against_zero():
    row = comparison().iloc[2].to_dict()
    part = zero_of(row)
    page = Page(part)
    assert "hybrid minus bm25 on nDCG@10: +0.060 [0.030, 0.092]" in page.text
    assert "[0.030, 0.092] simultaneous 95% interval" in page.text and "better" in page.text
    assert page.having("value") and 'class="better"' in part
    assert "simultaneous 95% interval, three comparisons" in part
    grey = zero_of(row | {"verdict": "cannot tell"})
    assert 'class="unclear"' in grey and 'class="better"' not in grey
    none = row | {"low": math.nan, "high": math.nan}
    assert not Page(zero_of(none)).having("interval")


def test_an_interval_too_short_for_the_scale_of_all_has_its_own():
    row = comparison().iloc[2].to_dict() | {"low": 0.058, "high": 0.062}
    own = Page(zero_of(row)).text
    assert "+0.05" in own and "−0.10" not in own


def test_difference_rows():
    part = rows_of(comparison())
    page = Page(part)
    names = texts_of(ROW_HEADS, part)
    assert names == ["hybrid", "dense", "titles"]
    assert "bm25 = 0.571" in page.text
    assert "+0.060 [0.030, 0.092]" in page.text and "−0.161 [−0.204, −0.119]" in page.text
    assert "17 worse with hybrid 46 better with hybrid21 same" in page.text
    assert "−0.20−0.100+0.10" in page.text, "the axis: nice ticks, a plain zero"
    assert "← worse" in page.text and "better →" in page.text
    assert [own["class"] for own in page.having("change")] == [
        "change better clear",
        "change unclear",
        "change worse clear",
    ]
    shapes = [own["class"] for own in page.having("point")]
    assert shapes == ["point square", "point diamond", "point circle"]
    assert "--part:1.0000" in part, "the largest count fills its side"


def test_one_narrow_interval_sets_the_decimals_of_the_whole_column():
    frame = comparison()
    frame.loc[2, ["low", "high"]] = 0.0596, 0.0604
    text = Page(rows_of(frame)).text
    assert "+0.06000 [0.05960, 0.06040]" in text and "−0.16100 [−0.20400, −0.11900]" in text


def test_difference_rows_without_an_interval_or_another_run():
    frame = comparison()
    frame.loc[2, ["low", "high"]] = math.nan
    page = Page(rows_of(frame))
    assert len(page.having("interval")) == 2 and len(page.having("point")) == 3
    alone = rows_of(frame.head(1), ALONE)
    assert "Add a second run" in Page(alone).text


def test_every_mark_of_a_difference_row_leads_on():
    frame = comparison()
    frame.loc[2, "lost"] = 0
    page = Page(rows_of(frame))
    links = [own["href"] for tag, own in page.found if tag == "a"]
    assert links[:4] == [
        "?lead=hybrid",
        "?listed=hybrid&show=",
        "?listed=hybrid&show=better",
        "?listed=hybrid&show=same",
    ], "an empty list is no link"
    assert links[4:9] == ["?lead=dense"] + [
        f"?listed=dense&show={outcome}" for outcome in ("", "worse", "better", "same")
    ]
    drawn = page.having("track")[0]
    assert (drawn["aria-hidden"], drawn["tabindex"]) == ("true", "-1"), "its row says the same"


# One query


def small_diagnosis(
    lists: dict[str, list[str]], grades: dict[str, float], *, cutoff: int = 3, focus: str = "hybrid"
) -> Diagnosis:
    runs = [
        Run.from_columns(
            name, ["q"] * len(ids) + ["other"], [*ids, "x"], range(len(ids) + 1, 0, -1)
        )
        for name, ids in lists.items()
    ]
    qrels = Qrels.from_columns(
        ["q"] * len(grades) + ["other"], [*grades, "x"], [*grades.values(), 0]
    )
    return diagnose(
        runs,
        [join_judgments(run, qrels) for run in runs],
        qrels,
        "q",
        parse_measure(f"nDCG@{cutoff}"),
        baseline="bm25",
        focus=focus,
        cutoff=cutoff,
    )


LISTS = {"bm25": ["a", "b", "c", "d", "e"], "hybrid": ["c", "u", "a", "f", "b"]}
GRADES = {"a": 3, "b": 1, "c": 0, "f": 2, "g": 1}
DOCUMENTS = pd.DataFrame(
    {"title": ["Charged twice", "Refund <i>"], "text": ["We charge once.\n\nMore.", "Text"]},
    index=["a", "b"],
)


@pytest.mark.parametrize(
    ("levels", "tints"),
    [
        ([0, 1], {0: "g0", 1: "g3"}),
        ([0, 1, 2], {1: "g2", 2: "g3"}),
        ([0, 1, 2, 3], {1: "g1", 2: "g2", 3: "g3", math.nan: "gx", -1: "gx"}),
        ([0, 1, 2, 3, 4], {1: "g1", 2: "g2", 3: "g3", 4: "g3"}),
        ([0, 0.5], {0.5: "g3"}),
        ([0], {0: "g0"}),
    ],
)
def test_grades_share_three_tints_relative_to_the_highest(levels, tints):
    grades = Grades.from_grades(levels, [-2])
    assert {g: grades.tint(g) for g in tints} == tints


def test_legend_names_the_grades():
    named = Page(Grades.from_grades([0, 1, 2]).legend({2: "answers", 1: "helps"})).text
    assert named == "Gradesgrade 22 answersgrade 11 helpsgrade 00 not relevantunjudged? unjudged"
    assert "relevantgrade 0" in Page(Grades.from_grades([0, 1]).legend({})).text


def test_standings():
    part = query.draw_ranks_by_run(small_diagnosis(LISTS, GRADES), STYLES, {3: "full", 0: "none"})
    page = Page(part)
    names = texts_of(ROW_HEADS, part)
    assert names == ["bm25 baseline", "hybrid"]
    assert "rank 1: grade 3" in page.text and "rank 2: unjudged" in page.text
    tiles = page.having("tile")
    assert [t["class"] for t in tiles[20:26]] == [
        "tile g0",
        "tile gx",
        "tile g3 rule",
        "tile g2",
        "tile g1",
        "tile beyond",
    ]
    assert tiles[20]["title"] == "rank 1: grade 0, c"
    assert "first relevant: rank 1relevant in top 3: 2 of 4" in page.text
    assert [own["class"] for own in page.having("change")] == ["change worse clear"]
    # Both list a document that nobody has judged.
    assert len(page.having("reach")) == 2
    assert page.text.count("once its unjudged documents are judged") == 2
    assert "Small numbers under a score: the lowest and highest value that" in page.text


def test_standings_of_an_unjudged_query():
    page = Page(query.draw_ranks_by_run(small_diagnosis(LISTS, {}), STYLES))
    assert "first relevant: nonerelevant in top 3: 0 of 0" in page.text
    assert not page.having("meter")
    assert "–" in page.text and "nan" not in page.text


@pytest.mark.parametrize(
    ("rank", "other", "grade", "side", "words", "tone"),
    [
        (1, 5, 3, "left", "▼fell to 5", "worse"),
        (5, 1, 3, "left", "▲rose to 1", "better"),
        (5, 1, 3, "right", "▼fell from 1", "worse"),
        (1, 1200, 1, "right", "▲rose from 1,200", "better"),
        (1, 12, 0, "right", "▲rose from 12", ""),
        (1, 12, math.nan, "left", "▼fell to 12", ""),
        (2, 2, 3, "left", "stays", ""),
        (2, math.nan, 3, "left", "dropped", "worse"),
        (2, math.nan, 3, "right", "new", "better"),
        (2, math.nan, 0, "right", "new", ""),
    ],
)
def test_movement_in_words(rank, other, grade, side, words, tone):
    row = {"rank": rank, "other_rank": other, "other_known": True, "relevant": grade >= 1}
    said = movement.describe_movement(row, side)
    assert Page(Template("two_lists")("move", move=said)).text == words
    assert said.tone == tone


def layers(part: str) -> dict[str, str]:
    found = re.findall(r"background:var\(--(\w+)\);.*?base64,([\w+/=]+)\)", part)
    return {color: base64.b64decode(code).decode() for color, code in found}


def test_two_lists_are_joined_by_lines_that_hold_only_numbers():
    part = draw_two_lists(small_diagnosis(LISTS, GRADES), DRAWING, DOCUMENTS, ["charge"])
    Page(part)
    drawn = layers(part)
    assert set(drawn) == {"worse", "line"}
    assert drawn["worse"].count("<path") == 1, "a fell; b left the top and has no line"
    assert drawn["line"].count('stroke-width="1.3"') == 1, "c is not relevant"
    assert 'viewBox="0 0 52 258"' in drawn["line"]
    assert not re.search(r"[a-z]+ ?\(|href|script", drawn["worse"].replace("http://www.w3.org", ""))


def test_two_lists_texts():
    part = draw_two_lists(small_diagnosis(LISTS, GRADES), DRAWING, DOCUMENTS, ["charge"])
    page = Page(part)
    moves = texts_of(r"<small[^>]*>(.*?)</small>", part)
    assert moves == [
        "▼fell to 3",
        "▼fell to 5",
        "▲rose to 1",
        "▲rose from 3",
        "new",
        "▼fell from 1",
    ]
    assert "<mark>Charged</mark> twice" in part and "We <mark>charge</mark> once." in part
    assert part.count('<summary class="line"') == 3, "a row with a text opens"
    assert part.count('name="lens-which"') == 3, "on a phone one list at a time, or both"
    assert page.having("whole") and '<p dir="auto">More.</p>' in part
    assert "Refund <i>" in page.text
    assert "No document file" not in page.text


def test_two_lists_without_documents_show_ids():
    empty = pd.DataFrame()
    page = Page(draw_two_lists(small_diagnosis(LISTS, GRADES), DRAWING, empty, ["charge"]))
    assert "No document file is loaded, so documents are shown by id." in page.text
    assert page.having("by-id") and not page.having("excerpt")


def test_two_lists_of_unequal_length_and_of_one_run():
    found = small_diagnosis({"bm25": [], "hybrid": ["a", "b"]}, GRADES)
    part = draw_two_lists(found, DRAWING, DOCUMENTS, [])
    assert "bm25 has no results for this query." in Page(part).text
    assert not layers(part)
    alone = small_diagnosis({"bm25": ["a"]}, GRADES, focus="bm25")
    page = Page(draw_two_lists(alone, ALONE, DOCUMENTS, []))
    assert not page.having("joins")
    assert "stays" not in page.text


def test_missed():
    part = query.draw_missed_documents(small_diagnosis(LISTS, GRADES), DOCUMENTS, STYLES, 100)
    page = Page(part)
    assert texts_of('<th role="columnheader"[^>]*>(.*?)</th>', part) == [
        "Grade",
        "Document",
        "bm25",
        "hybrid",
    ]
    assert texts_of(ROW_HEADS, part) == ["f", "Refund <i> bText", "g"]
    assert [own["class"] for own in page.having("rank")][2:] == [
        "rank outside",
        "rank outside",
        "rank inside",
        "rank outside",
        "rank outside",
        "rank outside",
    ]
    assert "not in the top 100" in page.text and "–" in page.text


def test_nothing_missed():
    found = small_diagnosis(LISTS, {"a": 3, "c": 0})
    assert (
        "in the top 3 of both runs."
        in Page(query.draw_missed_documents(found, DOCUMENTS, STYLES, 5)).text
    )
    unjudged = small_diagnosis(LISTS, {"c": 0})
    assert "No document is judged relevant" in query.draw_missed_documents(
        unjudged, DOCUMENTS, STYLES, 5
    )


def test_many_missed_are_folded():
    found = small_diagnosis(LISTS, {f"m{i:03}": 1 for i in range(query.OPEN_MISSED + 5)})
    part = query.draw_missed_documents(found, DOCUMENTS, STYLES, 5)
    Page(part)
    assert "<summary>and 5 more</summary>" in part
    assert part.count('role="rowheader"') == query.OPEN_MISSED + 5


def test_long_text_is_cut_with_a_word_on_it():
    found = small_diagnosis(LISTS, GRADES)
    long = pd.DataFrame({"text": ["x" * 7000]}, index=["a"])
    page = Page(draw_two_lists(found, DRAWING, long, []))
    assert page.text.count("The first 6,000 of 7,000 characters.") == 2
    assert "x" * 6001 not in page.text


def test_query_words_mark_their_forms():
    words = query_words("Charged twice for one order?")
    assert words == ["charged", "twice", "order"]
    assert mark_words("Charges: ordering <b>", words) == (
        "<mark>Charges</mark>: <mark>ordering</mark> &lt;b&gt;"
    )
    assert query_words("to be or not") == ["to", "be", "or", "not"]
    assert mark_words("返品方法です", ["返品"]) == "<mark>返品</mark>方法です"


# Data and curves


def error(count: int = 3) -> FileFormatError:
    problems = [LineProblem(1204 + i, "5", "6 columns", EVIL) for i in range(min(count, 100))]
    return FileFormatError(f"x{EVIL}", problems, hint="Write `score`.", count=count, offer="a=b")


def test_error_card():
    page = Page(data.draw_error_card(error()))
    assert f"x{EVIL} was not loaded: line 1,204: expected 6 columns, found 5" in page.text
    assert "how to fix it" in page.text and "Write score. It can be read with a=b." in page.text
    assert "and 2 more lines" in page.text
    assert EVIL in page.text
    assert "further ones" not in page.text
    assert "40 more, not listed" in Page(data.draw_error_card(error(140))).text
    plain = Page(data.draw_error_card(NoSharedQueriesError("No query `1`.", "Look.")))
    assert plain.text == "No query 1.how to fix itLook."


def test_the_folder_of_the_collections_is_folded():
    part = collections.draw_storage_note(EVIL)
    (folded,) = texts_of("<details>.*?</details>", part)
    assert folded == f"Show the folder{EVIL}" and Page(part).text.count(EVIL) == 1


def test_file_table():
    row = {
        "file": EVIL,
        "kind": "Run",
        "use": "not in use",
        "read_as": "TREC run",
        "rows": 8400,
        "queries": None,
        "judged": 0.9,
        "notes": (Note("x", "2 rows twice", 2, (EVIL,), loud=True),),
        "style": STYLES["hybrid"],
        "preview": "?file=1",
    }
    base = {**row, "notes": (), "style": STYLES["bm25"]}
    base |= {"use": "baseline"}
    plain = {**base, "use": "", "style": None, "judged": None}
    page = Page(data.draw_file_table([row, base, plain], 5))
    assert "Top 5 judged" in page.text
    assert "rows 8,400judged 90%" in "".join(page.words)
    assert f"2 rows twiceFirst: {EVIL}" in page.text
    assert "2 rows twiceA, b" in Page(
        data.draw_file_table([{**row, "notes": (Note("x", "2 rows twice", 2, ("a", "b")),)}])
    ).text  # fmt: skip
    assert page.text.count("Preview of ") == 3
    assert [own["href"] for _, own in page.found if own.get("href", "")[:5] == "?file"]
    assert page.text.count("not in use") == 1
    assert page.text.count("baseline") == 1 and "–" not in page.text
    assert len(page.having("dot")) == 2


def test_a_note_is_one_line_and_its_details_are_folded():
    row = {"file": "a", "kind": "Run", "read_as": "", "rows": 1, "queries": 1, "judged": 1.0}
    row |= {"style": None, "use": "", "preview": "#"}
    tied = Note("ties", "5 of 9 rows have tied scores; ties broken by id; others give 0.5", 5)
    code = Note("code", "column `a; b` is empty", 1, loud=True)
    drawn = data.draw_file_table([{**row, "notes": (tied, code)}])
    fold = '<details class="remark"><summary title="5 of 9 rows have tied scores. '
    assert f'{fold}Ties broken by id; others give 0.5">5 of 9 rows have tied scores</s' in drawn
    assert drawn.count("<details") == 1 and "<code>a; b</code> is empty" in drawn


def test_only_what_may_change_the_scores_stands_open():
    row = {"file": "a", "kind": "Run", "read_as": "", "rows": 1, "queries": 1, "judged": 1.0}
    row |= {"style": None, "use": "", "preview": "#"}
    loud, quiet = Note("x", "half are tied", 1, loud=True), Note("y", "a blank line", 1)
    both = data.draw_file_table([{**row, "notes": (quiet, quiet, loud)}])
    assert texts_of("<details>.*?</details>", both) == ["2 morea blank linea blank line"]
    assert "half are tied" in Page(both).text
    alone = data.draw_file_table([{**row, "notes": (quiet, quiet)}])
    assert texts_of("<summary>.*?</summary>", alone) == ["2 minor notes"]
    for few in ((loud,), (loud, quiet)):
        assert "<details>" not in data.draw_file_table([{**row, "notes": few}]), (
            "one remark is no fold"
        )


def test_what_is_seen_by_a_sign_is_said_in_words():
    steps = navigation.draw_query_navigation("a", "b", "1 of 2", "c")
    assert '<span aria-hidden="true">←</span> <span class="name">Previous' in steps
    cell = Template("markup")("change", value=0.1, clear=True, hint="95% interval [0.0, 0.2]")
    assert 'class="unseen">, 95% interval [0.0, 0.2]<' in cell
    named = re.findall(
        r"<(ul|ol)\b([^>]*)>",
        data.draw_getting_started("search", [], "#")
        + overview.draw_facts_line(facts(), href, STYLES),
    )
    assert all('role="list"' in own for _, own in named), "Safari drops the role with the bullets"


def test_fit_table_steps_and_preview():
    lines = [FitLine("queries", "84 of 84", ""), FitLine("documents", "0", EVIL)]
    page = Page(data.draw_file_fit_table(lines))
    assert page.text == f"documents{EVIL}0!queries84 of 84✓all"
    assert len(page.having("warning")) == 1
    assert "Judgments" in Page(data.draw_getting_started("search", [], "#")).text
    rows = pd.DataFrame({EVIL: [EVIL, None], "score": [1.5, math.nan]})
    assert Page(data.draw_preview("Run", rows)).text.count("–") == 2


def test_the_fields_of_a_file_and_its_first_rows():
    why = LineProblem(None, f"no {EVIL}", "a query")
    head = file_fields.draw_check_heading(EVIL, 3, why, 2)
    assert Page(head).text == (
        f"Check how {EVIL} is read 3 rows and 2 more files with these fields"
        f"It was not loaded: expected a query, found no {EVIL}."
    )
    assert Page(file_fields.draw_kind_question("x")).text == "Is x a run or judgments?"
    assert Page(file_fields.draw_field(EVIL, EVIL)).text == f"{EVIL} {EVIL}"
    told = Page(file_fields.draw_field_evidence(Evidence(f"2 of 3 are in `{EVIL}`", fails=True)))
    assert told.text == f"2 of 3 are in {EVIL}" and len(told.having("warning")) == 1
    row = PreviewRow("q1", EVIL, "2.5", 1, EVIL, EVIL, "grade 2")
    words = {"query": "user", "doc": "item", "score": "score", "grade": "rating"}
    found = FilePreview("run", [row], "j.qrels")
    assert Page(file_fields.draw_preview(found, words)).text == (
        "The top of the first list, as it will be readUserRankItemScoreIn j.qrels"
        f"q1 {EVIL}1{EVIL} {EVIL}2.5grade 2"
    )
    found = FilePreview("qrels", [PreviewRow("q1", "d1", "2")])
    numbers = FileNumbers((("3", "judgments"),))
    own = KindReading(found, ["only 1 and 2"], numbers, "Judgments would be missing.", True)
    shown = Page(file_fields.draw_kind_preview(own, is_likely=True))
    assert shown.text.startswith("Judgments more likelyonly 1 and 2The first rows, as they will")
    assert len(shown.having("follows")) == 1


def test_read_off():
    levels = np.linspace(0, 1, 11)
    frame = pd.concat(
        pd.DataFrame({"run": run, "recall": levels, "precision": top * (1 - levels)})
        for run, top in (("bm25", 0.7), ("hybrid", 0.8))
    )
    part = curves.draw_precision_table(frame, DRAWING)
    assert Page(part).text == (
        "Precision when … of the relevant documents are foundRun"
        "20%50%80%hybrid0.6400.4000.160bm25"
        " baseline0.5600.3500.140"
    )
    assert part.count("<b>") == 4


# What users write


def test_no_user_text_becomes_markup():
    styles = styles_of(EVIL, "base", focus=EVIL, baseline="base")
    drawing = drawing_of(styles, measure="Bpref")
    said = Sentence((TextSpan(EVIL, "run"), TextSpan(EVIL), TextSpan(EVIL, "muted")))
    rows = query_rows().assign(text=EVIL, meta=EVIL, query_id=EVIL)
    groups = group_rows(2).assign(group=EVIL)
    evil = {"base": [EVIL, "b"], EVIL: ["b", EVIL]}
    runs = [Run.from_columns(n, [EVIL] * 2, ids, [2.0, 1.0]) for n, ids in evil.items()]
    qrels = Qrels.from_columns([EVIL], [EVIL], [1])
    scores = evaluate(runs, qrels, ["Bpref"])
    compared = compare(scores, "Bpref", "base")
    table = compared.assign(measure="Bpref", clear=True)
    found = diagnose(
        runs,
        [join_judgments(r, qrels) for r in runs],
        qrels,
        EVIL,
        parse_measure("AP"),
        baseline="base",
        focus=EVIL,
        cutoff=1,
    )
    documents = pd.DataFrame({"title": [EVIL], "text": [EVIL]}, index=[EVIL])
    parts = [
        markup.draw_heading(said, said, styles),
        markup.draw_subtitle(said, styles),
        markup.draw_section_heading(EVIL, EVIL),
        markup.draw_empty_state(EVIL, EVIL),
        overview.draw_runs_and_measures(table, drawing, [("Bpref", EVIL, EVIL)], {}, lead),
        overview.draw_query_list(rows, drawing, "worse", href, total=2),
        untested.draw_examples(rows, drawing, href),
        overview.draw_group_list(
            groups.assign(adds=0.1), drawing, href, lead, column=(EVIL, EVIL), finding=said
        ),
        untested.draw_mean_list(groups, drawing, href, lead, by=(EVIL, EVIL)),
        differences.draw_difference_interval(
            compared.iloc[1].to_dict(), (0.1, 0.2, 0.95), compared, drawing
        ),
        rows_of(compared, drawing),
        query.draw_query_heading(EVIL, EVIL, {EVIL: EVIL, "long": EVIL * 9}),
        query.draw_explanation(said, styles),
        query.draw_ranks_by_run(found, styles, {1: ""}) + query.draw_grade_legend(found, {1: EVIL}),
        draw_two_lists(found, drawing, documents, query_words(EVIL)),
        query.draw_missed_documents(found, documents, styles, 2),
        data.draw_preview(EVIL, pd.DataFrame({EVIL: [EVIL]})),
        navigation.draw_measure_note(EVIL, EVIL, EVIL, EVIL),
        navigation.draw_page_links([navigation.PageLink(EVIL, EVIL, EVIL, EVIL, EVIL, True)]),
        navigation.draw_collection_choices(
            [navigation.ShelfEntry(EVIL, EVIL, EVIL, True, EVIL, EVIL)]
        ),
        collections.draw_collection_row(
            collections.CollectionRow(EVIL, EVIL, EVIL, True, EVIL, "", preview_of(EVIL), EVIL)
        ),
        navigation.draw_page_title(EVIL, EVIL),
        navigation.draw_control_text(EVIL),
        navigation.draw_folded_controls([RunStyle(EVIL, 0)], {EVIL: EVIL}, EVIL),
        navigation.draw_filter_list([(EVIL, EVIL)], EVIL),
        navigation.draw_measure_error(
            UnknownMeasureError(EVIL, {EVIL: EVIL}), EVIL, lambda name: name
        ),
        navigation.draw_query_navigation(EVIL, None, EVIL, EVIL),
        measures.draw_no_match_message(EVIL, [EVIL], href),
    ]
    for part in parts:
        assert isinstance(part, Markup)
        # Page refuses every tag and attribute that is not ours.
        text = Page(part).text
        assert EVIL in text or shorten(EVIL, 24) in text, part
        assert "&amp;#39;" not in part and "&amp;amp;" not in part, "escaped twice"


def test_colours_are_variables_only():
    part = rows_of(comparison())
    part += query.draw_ranks_by_run(small_diagnosis(LISTS, GRADES), STYLES)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", part)


def test_a_text_in_pieces_is_the_text_with_the_words_at_odd_places() -> None:
    text = "𝒳 Charges: ordering, and charged <b>"
    cut = split_at_words(text, query_words("charge for the order"))
    assert "".join(cut) == text
    assert cut[1::2] == ["Charges", "ordering", "charged"]
    assert split_at_words("nothing here", ["charge"]) == ["nothing here"] and split_at_words(
        "", ["a"]
    ) == [""]
