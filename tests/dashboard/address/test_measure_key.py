"""Every measure: the pages can work with it, axes hold its scores, and all about it is said."""

from __future__ import annotations

import random
import re
from functools import cache
from html import unescape
from typing import Any

import numpy as np
import pytest

from dashboard.address import measure_key
from dashboard.address.address import Address
from dashboard.address.measure_key import MeasureChoice, explain_unsupported, measure_choices
from dashboard.address.view import Comparison
from dashboard.answers.breakdown import breakdown
from dashboard.answers.crossing import crossing, default_second_column
from dashboard.answers.curves import curves as curves_page
from dashboard.answers.measures import find_measures, measure_detail, selectable_keys
from dashboard.answers.overview import overview
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.query import query_page
from dashboard.drawing.blocks import measures as blocks
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures import curves, run_against_run
from dashboard.drawing.figures.breakdown import score_by_group
from dashboard.drawing.theme import LIGHT, run_styles
from dashboard.study.study import Study
from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.description import describe_measure
from metrics_core.tables import Queries
from tests.collections_of import qrels_of, run_of

DRAWN = [choice for choice in measure_choices() if not choice.declaration.needs]


@cache
def sample() -> Study:
    """A few queries in two groups, two runs and grades 0 to 3; one query without a result."""
    chance = random.Random(7)
    queries = [f"q{i}" for i in range(14)]
    docs = [f"d{i}" for i in range(12)]
    runs = [
        run_of(
            {
                q: {d: 8.0 - i for i, d in enumerate(chance.sample(docs, 8))}
                for q in queries[first:]
            },
            name,
        )
        for name, first in (("bm25", 0), ("dense", 1))
    ]
    qrels = qrels_of({q: {d: chance.choice([0, 0, 1, 2, 3]) for d in docs[:7]} for q in queries})
    groups = {"category": ["A", "B"] * 7, "difficulty": ["easy"] * 7 + ["hard"] * 7}
    return Study(runs, qrels, Queries.from_columns({"query_id": queries, **groups}))


def seen(choice: MeasureChoice) -> tuple[Comparison, Drawing]:
    view = sample().view(Address.create(m=choice.key)).comparison
    slots = {name: i for i, name in enumerate(view.runs)}
    styles = run_styles(view.runs, slots, focus=view.focus, baseline=view.baseline)
    return view, Drawing(view, LIGHT, styles)


def name_of(choice: MeasureChoice) -> str:
    return choice.name


def holds(axis: Any, values: Any) -> bool:
    """Whether every value stands within the axis."""
    low, high = sorted(axis.range)
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return bool(((known >= low - 1e-9) & (known <= high + 1e-9)).all())


@pytest.mark.parametrize("choice", DRAWN, ids=name_of)
def test_every_page_works_with_it(choice: MeasureChoice) -> None:
    view, drawing = seen(choice)
    assert str(view.measure) in overview(sample(), view).verdict.text
    assert query_page(sample(), view, "", QueryListRequest()).explanation.text
    assert breakdown(sample(), view, "").title.text
    listed = query_list(sample(), view, QueryListRequest())
    scores = listed.frame[[f"run: {name}" for name in view.runs]].to_numpy()
    if listed.scale is None:
        assert view.measure.declaration.range[0] < 0
    else:
        assert listed.scale[0] <= np.nanmin(scores) and np.nanmax(scores) <= listed.scale[1]
    drawn = run_against_run.run_against_run(listed.frame, drawing, tie_threshold=0.01)
    assert holds(drawn.layout.xaxis, listed.frame["baseline_score"])
    assert holds(drawn.layout.yaxis, listed.frame["score"])


@pytest.mark.parametrize("choice", DRAWN, ids=name_of)
def test_intervals_stand_within_the_axes(choice: MeasureChoice) -> None:
    view, drawing = seen(choice)
    by = sample().groupings[0]
    groups = crossing(sample(), view, by, default_second_column(sample(), view, by)).groups
    drawn = score_by_group(groups, drawing, order=list(dict.fromkeys(groups["group"])))
    assert holds(drawn.layout.xaxis, groups[["mean", "low", "high"]])
    shown = curves_page(sample(), view)
    for frame in shown.frames.values():
        drawn = curves.measure_by_cutoff(frame, drawing)
        assert holds(drawn.layout.yaxis, frame[["mean", "low", "high"]])


@pytest.mark.parametrize("declaration", declarations(), ids=lambda d: d.name)
def test_all_about_it_is_said(declaration: Declaration) -> None:
    detail = measure_detail(declaration.name, sample())
    told = describe_measure(declaration)
    drawn = "".join(
        (
            blocks.draw_measure_heading(told, "back", "use", detail.why_not),
            blocks.draw_parameters(told),
            blocks.draw_facts(told),
            blocks.draw_worked_example(told),
        )
    )
    text = unescape(re.sub(r"<[^>]+>", "", drawn))
    for said in (told.title, told.answer, told.more, told.range, told.reference, *told.other_names):
        assert said.replace("`", "") in text
    assert all(p.meaning[1:] in text and p.allowed in text for p in told.parameters)
    assert all(x.name in text and f"{x.value:.6g}" in text for x in told.worked)
    assert all(sentence in text for _, sentence in told.exceptions)
    assert (declaration.name in selectable_keys(sample())) == (not detail.why_not)
    assert bool(detail.why_not) == bool(explain_unsupported(declaration) or declaration.needs)


@pytest.mark.parametrize("declaration", declarations(), ids=lambda d: d.name)
def test_it_is_found_by_its_names_and_first_words(declaration: Declaration) -> None:
    for sought in (declaration.name, *declaration.aliases, declaration.title):
        found = find_measures(sought).groups["Matches"]
        assert declaration.name in [told.name for told in found]
    first = " ".join(declaration.explanation.split()[:4])
    assert declaration.name in [t.name for t in find_measures(first).groups["Matches"]]


@pytest.mark.parametrize("choice", DRAWN, ids=name_of)
def test_no_explanation_names_a_cause_that_is_none(choice: MeasureChoice) -> None:
    for query_id in sample().query_ids[::4]:
        view, _ = seen(choice)
        told = query_page(sample(), view, query_id, QueryListRequest()).explanation.text
        assert "because ." not in told and "nan" not in told and "of –" not in told, told


@pytest.mark.parametrize(
    ("typed", "key"), [("ndcg", "nDCG@k"), ("hit rate", "Success@k"), ("mrr", "RR"), ("map", "AP")]
)
def test_a_name_alone_is_the_entry_of_that_name(typed: str, key: str) -> None:
    assert measure_key.pick_measure(typed, 10)["m"] == key


def test_every_name_in_the_picker_gives_the_entry_that_lists_it_or_what_it_says_instead() -> None:
    instead = measure_key.trec_eval_presets()
    assert instead == {"rbp": "RBP(p=0.9)"}
    for choice in measure_choices():
        for name in choice.label.split(" · "):
            assert measure_key.pick_measure(name, 10)["m"] == instead.get(name, choice.key), name
