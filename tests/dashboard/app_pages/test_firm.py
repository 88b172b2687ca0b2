"""How firm? Every part with its evidence, the strip, and a filled-in list of judgments."""

from __future__ import annotations

import csv
import io
import re
import time
from dataclasses import replace
from math import nan

import pytest

from dashboard.address.address import Address
from dashboard.answers import robustness
from dashboard.answers.robustness_summary import robustness_summary
from dashboard.answers.unjudged import next_judgments
from dashboard.drawing.blocks import robustness_checks as blocks
from dashboard.drawing.theme import run_styles
from dashboard.study.study import Study
from metrics_core.formats import read, spreadsheet_csv
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels, Run
from tests.dashboard.conftest import drawn, opened, text_of
from tests.dashboard.drawings import drawing_of

PARTS = {
    "unjudged": "Worst and best case",
    "queries": "Difference without the most favourable queries",
    "cutoff": "nDCG by number of results (k)",
    "measures": "Results on other measures",
    "ties": "Difference if tied documents are ordered differently",
    "missing": "Difference with and without these queries",
}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_shows_its_evidence(part: str) -> None:
    app = opened("firm", run="dense", base="bm25", part=part)
    assert PARTS[part] in text_of(app)
    assert drawn(app).count('aria-current="true"') == 1
    assert not any(other in text_of(app) for name, other in PARTS.items() if name != part)


def test_tables_of_evidence_are_folded_below_their_picture() -> None:
    folds = {
        "queries": "22 queries, in order",
        "measures": "Queries on which nDCG@10 and",
        "ties": "18 queries whose difference depends on the order",
        "missing": "Queries for which a run has no results (6)",
    }
    for part, label in folds.items():
        app = opened("firm", run="dense", base="bm25", part=part)
        assert [fold.label.startswith(label) for fold in app.expander] == [True]
        assert not app.expander[0].proto.expanded
        chart = app.get("plotly_chart")
        assert bool(chart) == (part == "queries") and ("lens spans" in drawn(app)) != bool(chart)


def test_the_difference_after_removal_ends_beyond_its_crossing() -> None:
    study = small(20, base_lacks=8)
    shown = study.view(Address.create(run="new", base="old", m="RR")).comparison
    # 8 queries differ by 1, the others by 0.5: their order is known, and none is negative.
    left = robustness.difference_after_removal(study, shown)
    assert left[[0, 8, 19]].tolist() == [pytest.approx(14 / 20), 0.5, 0.5] and len(left) == 20
    assert robustness.queries_that_reverse_sign(study, shown).empty


def test_missing_queries_change_both_means() -> None:
    study = small(20, base_lacks=8)
    shown = study.view(Address.create(run="new", base="old", m="RR")).comparison
    table = robustness.compare_means_by_coverage(study, shown)
    assert table["queries"].tolist() == [20, 12]
    assert table["mean"].tolist() == [1.0, 1.0]
    # The baseline finds the document second in 12 lists, and has no list for 8 queries.
    assert table["baseline_mean"].tolist() == [pytest.approx(12 * 0.5 / 20), 0.5]
    assert table["difference"].tolist() == [pytest.approx(0.7), 0.5]


def test_the_way_to_judge_says_how_many_settle_it() -> None:
    shown = drawn(opened("firm", run="dense", base="bm25"))
    assert re.search(r'<a class="primary" href="\./judge[^"]*">Judge \d+ documents<', shown)


def test_few_queries_and_one_run_have_nothing_to_look_into() -> None:
    few = opened("firm", where=["category=Network", "difficulty=hard"])
    assert "Only 5 queries" in text_of(few) and "Nothing to check." in text_of(few)
    assert "Robustness needs two runs" in text_of(opened("firm", run="bm25", base="bm25"))


def test_a_measure_without_cutoff_says_so() -> None:
    shown = text_of(opened("firm", m="Bpref", part="cutoff"))
    assert "Bpref scores whole lists" in shown


def small(n: int, *, base_lacks: int = 0) -> Study:
    """A run that finds the relevant document first, a baseline that finds it second."""
    queries = [f"q{i}" for i in range(n)]
    rows = {"new": ("yes", "no"), "old": ("no", "yes")}
    runs = []
    for name, docs in rows.items():
        own = queries[base_lacks:] if name == "old" else queries
        ids, listed, scores = [], [], []
        for q in own:
            for place, doc in enumerate((*docs, "unknown" if name == "old" else "other")):
                ids.append(q)
                listed.append(doc)
                scores.append(-float(place))
        runs.append(Run.from_columns(name, ids, listed, scores))
    qrels = Qrels.from_columns(queries * 2, ["yes"] * n + ["no"] * n, [1] * n + [0] * n)
    return Study(runs, qrels)


def entries(study: Study, **asked: str) -> dict[str, tuple[str, str]]:
    shown = study.view(Address.create(run="new", base="old", **asked)).comparison
    return {e.part: (e.word, e.tone) for e in robustness_summary(study, shown).all_checks}


def test_the_strip_of_a_plain_lead() -> None:
    found = entries(small(20), m="RR")
    assert found["unjudged"] == ("cannot reverse it", "firm")
    assert found["queries"] == ("every query supports it", "firm")
    assert found["cutoff"] == ("significant at every k", "firm")
    assert "ties" not in found and "missing" not in found


def test_a_query_that_the_baseline_lacks_has_its_entry() -> None:
    study = small(20, base_lacks=8)
    assert entries(study)["missing"] == ("still significant on the other queries", "firm")
    shown = study.view(Address.create(run="new", base="old")).comparison
    assert robustness.queries_without_results(study, shown)["query_id"].tolist() == [
        f"q{i}" for i in range(8)
    ]
    assert robustness.query_coverage(study, shown).shared == 12


def test_lower_is_better_speaks_of_the_same_leader() -> None:
    # The baseline lists nothing for three queries, and so has fewer unjudged documents.
    study = small(20, base_lacks=3)
    shown = study.view(Address.create(run="new", base="old")).comparison
    chosen = replace(shown.chosen_measure, measure=parse_measure("Unjudged@3"))
    lower = replace(shown, chosen_measure=chosen)
    assert not lower.measure.declaration.higher_is_better
    gap = lower.measure.score(study.judged["new"]) - lower.measure.score(study.judged["old"])
    assert gap.sum() > 0 and robustness.compared_pair(study, lower).side == -1
    assert robustness.compared_pair(study, lower).leader(-1) == "old"
    assert {e.part for e in robustness_summary(study, lower).all_checks} >= {
        "unjudged",
        "queries",
        "measures",
    }


def ranked(name: str, queries: int, place: int | None) -> Run:
    """A run whose lists hold twenty documents, the relevant one at a place or not at all."""
    ids, listed, scores = [], [], []
    for q in range(queries):
        for rank in range(1, 21):
            ids.append(f"q{q}")
            listed.append("yes" if rank == place else f"other{rank}")
            scores.append(-float(rank))
    return Run.from_columns(name, ids, listed, scores)


def test_two_runs_that_are_the_same_are_level_everywhere() -> None:
    qrels = Qrels.from_columns([f"q{q}" for q in range(30)], ["yes"] * 30, [1] * 30)
    study = Study([ranked("new", 30, 3), ranked("old", 30, 3)], qrels)
    shown = study.view(Address.create(run="new", base="old")).comparison
    strip = robustness_summary(study, shown)
    assert strip.text.startswith("The runs are tied,")
    said = " ".join(f"{e.word} {e.reason}" for e in strip.all_checks)
    assert "ahead" not in said and "leads" not in said.replace("No run leads on any measure.", "")
    assert "reverse" not in said.replace("there is no direction to reverse.", "")
    assert entries(study)["cutoff"] == ("tied at every k", "")
    assert entries(study)["measures"] == ("14 of 14 are tied", "")


def test_level_at_the_chosen_cutoff_and_clearly_ahead_below_it() -> None:
    qrels = Qrels.from_columns([f"q{q}" for q in range(30)], ["yes"] * 30, [1] * 30)
    study = Study([ranked("new", 30, 11), ranked("old", 30, None)], qrels)
    shown = study.view(Address.create(run="new", base="old")).comparison
    found = {e.part: e for e in robustness_summary(study, shown).all_checks}
    assert found["cutoff"].word == "tied at k = 1 to 10"
    assert found["cutoff"].reason == "new is significantly ahead from k = 11 on."
    assert found["measures"].reason.startswith("new is significantly ahead on nDCG@20, P@20,")


def test_seven_thousand_queries_have_their_strip_within_seconds() -> None:
    study = small(7_000)
    begun = time.monotonic()
    assert entries(study)["queries"] == ("every query supports it", "firm")
    assert time.monotonic() - begun < 30


def test_the_open_check_is_marked_and_those_that_do_not_hold_stand_first() -> None:
    shown = drawn(opened("firm", run="dense", base="bm25", part="ties"))
    checks = re.findall(
        r'<a class="lens check ([a-z-]+)" href="([^"]+)"( aria-current="true")?', shown
    )
    assert len(checks) == 6
    tones = [tone for tone, _, _ in checks]
    assert tones == sorted(tones, key=lambda tone: tone == "firm")
    assert [("part=ties" in link) for _, link, open_ in checks if open_] == [True]


def test_where_a_difference_could_lie_is_drawn_on_one_axis_with_zero() -> None:
    styles = run_styles(["old", "new"], {"old": 0, "new": 1}, focus="new", baseline="old")
    drawing = drawing_of(styles)
    span = blocks.DifferenceRange
    rows = [span("Now", "", 0.1, 0.1), span("Likely", "", nan, nan), span("Worst", "", -0.1, 0.3)]
    part = str(blocks.draw_difference_ranges(rows, drawing, "label"))
    assert "= old" in part and "[−0.100, 0.300]" in part and ">–<" in part
    at = [float(value) for value in re.findall(r'zero" style="left:([0-9.]+)%', part)]
    left, width = re.findall(r'from-to[ a-z]*" style="left:([0-9.]+)%;width:([0-9.]+)%', part)[0]
    assert len(set(at)) == 1 and float(left) < at[0] < float(left) + float(width)
    assert re.findall(r'<small style="left:[0-9.]+%">(.*?)<', part) == [
        "−0.1",
        "+0.1",
        "+0.2",
        "+0.3",
    ]


def test_many_differences_are_one_line_each_and_grey_without_significance() -> None:
    styles = run_styles(["old", "new"], {"old": 0, "new": 1}, focus="new", baseline="old")
    span = blocks.DifferenceRange
    rows = [
        span("AP", "0.1 → 0.2", 0.05, 0.15, 0.1, link="?measure=AP"),
        *(span(f"P@{k}", "", -0.05, 0.15, 0.05, grey=True) for k in range(1, 4)),
        span("RR", "", nan, nan, nan),
    ]
    part = str(blocks.draw_difference_ranges(rows, drawing_of(styles), "label"))
    assert 'class="lens spans many"' in part and '<a href="?measure=AP">AP</a>' in part
    assert part.count("from-to bound") == 3 and part.count('"at"') == 4
    assert (
        "+0.100 [0.050, 0.150]" in part and '<span class="number" style="--end:0">–</span>' in part
    )


def test_what_a_judge_fills_in_is_read_as_judgments() -> None:
    study = small(20)
    shown = study.view(Address.create(run="new", base="old", m="P@k", k="3")).comparison
    sheet = next_judgments(study, shown).make_blank_judgments(4)
    lines = list(csv.reader(io.StringIO(spreadsheet_csv(sheet).decode("utf-8-sig"))))
    assert lines[0] == ["query_id", "doc_id", "relevance"] and len(lines) == 5
    lines[1][2], lines[3][2] = "1", "0"
    filled = io.StringIO()
    csv.writer(filled).writerows(lines)
    loaded = read(filled.getvalue().encode(), name="to-judge.csv")
    assert isinstance(loaded.table, Qrels)
    rows = loaded.table.table.to_pylist()
    assert [(r["query_id"], r["relevance"]) for r in rows] == [(lines[1][0], 1), (lines[3][0], 0)]


def test_that_a_difference_does_not_matter_is_a_result() -> None:
    study = small(20)
    asked = {"m": "Success@2", "margin": "Success:0.3"}
    shown = study.view(Address.create(run="new", base="old", **asked)).comparison
    strip = robustness_summary(study, shown)
    assert strip.pair is not None and strip.pair.verdict == "no difference that matters"
    assert strip.text.startswith("Four checks show whether the difference could matter.")
    assert {e.part: (e.word, e.tone) for e in strip.all_checks} == {
        "unjudged": ("cannot make it matter", "firm"),
        "queries": ("no query makes it matter", "firm"),
        "cutoff": ("matters at k = 1", "not firm"),
        "measures": ("9 of 15 are significant", "not firm"),
    }


def test_what_the_run_behind_missed_is_read_off_its_lists() -> None:
    study = small(20, base_lacks=8)
    shown = study.view(Address.create(run="new", base="old", m="P@1")).comparison
    found = robustness.find_missed_queries(study, shown, robustness.query_fragility(study, shown))
    assert found is not None and found.depth == 1 and found.without_relevant.all()
    assert found.missing["old"].tolist() == [True] * 8 + [False] * 12
    whole = replace(
        shown, chosen_measure=replace(shown.chosen_measure, measure=parse_measure("RR"))
    )
    found = robustness.find_missed_queries(study, whole, robustness.query_fragility(study, whole))
    assert found is not None and found.depth is None
    assert found.without_relevant.tolist() == found.missing["old"].tolist()
