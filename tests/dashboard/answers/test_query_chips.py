"""Chips, filter line, selection, columns: a number is the rows that it gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers import query_columns, query_filter, query_views
from dashboard.answers.queries import QueryList, QueryListRequest, query_list
from dashboard.answers.query_chips import CHANGES, FAILURES, OUTCOMES, SHOW_ALL, SHOWS
from dashboard.answers.query_filter import filter_column_names, filter_example, filter_vocabulary
from dashboard.study.study import Study
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining import query_kinds
from metrics_core.slicing.derived_groups import MARK
from metrics_core.slicing.filtering import make_completion_data
from metrics_core.tables import Queries
from tests.collections_of import qrels_of, run_of


def random_study(n: int = 100) -> Study:
    """Two to four runs of 100 queries: some lacking, some without relevant documents, some with
    tops that nobody judged."""
    random = np.random.default_rng(11)
    ids = [f"q{i:03}" for i in range(n)]
    docs = [f"d{i}" for i in range(30)]
    qrels = {
        q: {d: int(random.choice([0, 0, 1, 2])) for d in random.choice(docs[:16], 8, replace=False)}
        for q in ids
    }
    runs = []
    for number, name in enumerate(("bm25", "dense", "hybrid", "titles")):
        listed = [q for q in ids if random.random() > 0.05 * number]
        runs.append(
            run_of(
                {
                    q: {
                        d: 20.0 - rank
                        for rank, d in enumerate(random.choice(docs[: 16 + 4 * (i % 4)], 12, False))
                    }
                    for i, q in enumerate(listed)
                },
                name,
            )
        )
    columns = {
        "query_id": ids,
        "text": [" ".join(["word"] * (i % 7 + 1)) for i in range(n)],
        "category": [("billing", "returns", "")[i % 3] for i in range(n)],
        "year": [str(1990 + i % 40) for i in range(n)],
        "note": [f"note {i}" for i in range(n)],
    }
    return Study(runs, qrels_of(qrels), Queries.from_columns(columns))


STUDY = random_study()


def comparison(**asked: str) -> Comparison:
    return STUDY.view(Address.create(run="dense", base="bm25", **asked)).comparison


def listed(view: Comparison | None = None, **asked: object) -> QueryList:
    return query_list(STUDY, view or comparison(), QueryListRequest(**asked))  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["nDCG", "P", "RR"])
@pytest.mark.parametrize(
    "narrowed",
    [{}, {"search": "word word word"}, {"line": "difference < 0"}, {"picked": ("q003", "q040")}],
    ids=str,
)
def test_a_chip_has_as_many_rows_as_it_says(measure: str, narrowed: dict[str, object]) -> None:
    view = comparison(m=measure, k="5")
    told = listed(view, **narrowed)
    for show in SHOWS:
        rows = listed(view, show=show, **narrowed)
        assert rows.counts[show] == len(rows.rows), show
        assert told.counts.get(show, 0) == len(rows.rows) or show not in told.counts
        if show not in told.counts:
            assert not listed(view, show=show).list_size or show == "both"


def test_kinds_part_the_queries_and_are_those_of_the_core() -> None:
    view = comparison(k="5")
    parts = [set(listed(view, show=key).rows["query_id"]) for key in FAILURES]
    assert sum(map(len, parts)) == 100 and len(set.union(*parts)) == 100
    ranks = STUDY.judged["dense"], STUDY.judged["bm25"]
    failure = query_kinds.classify_queries(ranks[0], view.measure, 5)
    change = query_kinds.classify_changes(*ranks, view.measure, 5, tie_threshold=SAME)
    for key, kind in FAILURES.items():
        assert len(listed(view, show=key).rows) == int((failure == kind).sum())
    for key, kind in CHANGES.items():
        assert len(listed(view, show=key).rows) == int((change == kind).sum())
    better, fixed = (set(listed(view, show=s).rows["query_id"]) for s in ("better", "fixed"))
    assert fixed <= better
    assert sum(listed(view).counts[name] for name in OUTCOMES) == 100


def test_lists_without_a_query_have_no_chip_but_the_one_that_is_asked_for() -> None:
    counts = listed().counts
    assert {SHOW_ALL, *OUTCOMES} <= set(counts)
    assert all(counts[key] for key in counts if key not in OUTCOMES)
    assert "empty" not in counts and listed(show="empty").counts["empty"] == 0
    alone = listed(comparison(), show="fixed").counts
    assert "fixed" in alone
    single = STUDY.view(Address.create(run="dense", base="dense")).comparison
    assert not set(listed(single).counts) & {*OUTCOMES, *CHANGES}


def test_a_filter_line_keeps_the_rows_it_is_true_for() -> None:
    frame = listed().frame.set_index("query_id")
    kept = listed(line='category == "billing" and difference < -0.1 and words > 3').rows
    assert len(kept) and set(kept["by: category"]) == {"billing"}
    assert (kept["difference"] < -0.1).all()
    assert (kept["text"].str.split().str.len() > 3).all()
    gaps = frame.loc[frame["by: category"] == "billing", "difference"]
    words = frame.loc[gaps.index, "text"].str.split().str.len()
    assert set(kept["query_id"]) == set(gaps.index[(gaps < -0.1) & (words > 3)])


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("year >= 2020", 20),
        ("year == 1990", 3),
        ('note == "note 7"', 1),
        ('category in ("billing", "returns")', 67),
        ('not category == "billing"', 33),
        ('query_id == "q012" or query_id contains "Q09"', 11),
        ("titles > dense and dense > bm25 and titles <= dense", 0),
        ('failure == "fine" and failure != "fine"', 0),
        ("`gain by order` >= 0 and `gain from below` >= 0 and `gain by missing` >= 0", 100),
    ],
)
def test_any_column_can_be_asked_for(line: str, rows: int) -> None:
    found = listed(line=line)
    assert found.line_error is None and len(found.rows) == rows


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ('failure == "relevant, but too low"', 'failure == "ranked too low"'),
        ('failure in ("fine", "nothing relevant")', 'failure in ("good", "no relevant retrieved")'),
        ('not failure != "fine" or note == "fine"', 'not failure != "good" or note == "fine"'),
    ],
)
def test_a_line_of_before_names_kinds_as_they_were_called_then(before: str, now: str) -> None:
    found, expected = listed(line=before), listed(line=now)
    assert found.line_error is None and len(found.rows) == len(expected.rows) > 0


def test_a_wrong_line_filters_nothing_and_says_why() -> None:
    found = listed(line="diference < 0")
    assert len(found.rows) == 100 and found.line_error is not None
    assert (found.line_error.position, found.line_error.found) == (0, "diference")


def test_a_browser_is_told_every_column_with_its_kind_and_values() -> None:
    view = comparison()
    told = {own["name"]: own for own in filter_vocabulary(STUDY, view)["columns"]}
    assert [own["written"] for own in told.values()] == filter_column_names(STUDY, view)
    columns = query_columns.FilterColumns(STUDY, view)
    for name, own in told.items():
        assert (own["holds"] == "numbers") == (columns[name].dtype.kind == "f"), name
    assert told["year"]["holds"] == "numbers" and not told["year"]["values"]
    assert sum(rows for _, rows in told["category"]["values"]) == 67
    assert told["failure"]["values"]


def test_the_example_of_a_filter_line_can_be_typed_as_it_stands() -> None:
    single = STUDY.view(Address.create(run="dense", base="dense")).comparison
    for view in (comparison(), single):
        line = filter_example(STUDY, view)
        assert line and listed(view, line=line).line_error is None, line
    assert "difference" not in filter_example(STUDY, single)


def test_every_column_can_be_shown_sorted_by_and_downloaded() -> None:
    view = comparison()
    offered = query_columns.offered_columns(STUDY, view)
    keys = tuple(column.key for column in offered)
    assert len(set(keys)) == len(keys)
    names = query_columns.FilterColumns(STUDY, view)
    assert len(names) == len(offered)
    for column in offered:
        found = listed(view, columns=(column.key,), order=f"-{column.key}")
        assert found.order == f"-{column.key}" and len(found.rows) == 100
        assert column.label in found.download_table.columns or column.key == "text"
        assert len(names[column.label]) == 100, column
    assert [c.key for c in listed(view, columns=("n:words", "bogus", "difference")).columns] == [
        "text",
        "n:words",
        "difference",
    ]
    assert listed(view, columns=("bogus",)).columns == listed(view).columns
    derived = next(key for key in keys if key.endswith(MARK))
    assert list(listed(view, columns=(derived,)).download_table)[2] == derived[3:].removesuffix(
        MARK
    )


def test_numbers_of_a_query_are_what_they_say() -> None:
    view = comparison(m="P@5", k="5")
    scores = STUDY.scores_of_all_runs(view, view.measure).values_of(view.measure)

    def column(key: str) -> np.ndarray:
        known = {c.key: c for c in query_columns.offered_columns(STUDY, view)}
        return query_columns.column_values(STUDY, view, known[key])

    assert np.allclose(column("n:mean"), scores.mean(axis=0), atol=1e-12)
    assert np.allclose(column("n:spread"), scores.std(axis=0), atol=1e-12)
    assert list(column("n:words")) == [i % 7 + 1 for i in range(100)]
    parts = sum(column(f"n:{part}") for part in ("order", "below", "missing"))
    reachable = np.minimum(column("n:relevant"), 5) / 5
    assert np.allclose(column("score:dense") + parts, reachable, atol=1e-12)


def test_a_region_holds_what_lies_in_it() -> None:
    frame = listed().frame
    box = {"x": [0.2, 0.6], "y": [0.7, 0.1]}
    inside = set(query_views.find_ids_in_regions(frame, "baseline_score", "score", [box]))
    known = frame["baseline_score"].between(0.2, 0.6) & frame["score"].between(0.1, 0.7)
    assert inside == set(frame.loc[known, "query_id"]) and 0 < len(inside) < 100
    triangle = {"x": [-0.1, 1.1, -0.1], "y": [-0.1, 1.1, 1.1]}
    above = query_views.find_ids_in_regions(frame, "baseline_score", "score", [triangle])
    assert set(above) == set(frame.loc[frame["score"] > frame["baseline_score"], "query_id"])
    both = query_views.find_ids_in_regions(frame, "baseline_score", "score", [box, triangle])
    assert set(both) == inside | set(above)


def test_strips_hold_every_query_of_the_compared_runs() -> None:
    found = query_views.query_strips(STUDY, comparison(), "category")
    assert found.groups == ["billing", "returns", "(none)"] and len(found.frame) == 200
    assert found.means["queries"].sum() == 200
    mean = found.means.set_index(["group", "run"])["mean"]
    own = found.frame[(found.frame["group"] == "billing") & (found.frame["run"] == "dense")]
    assert mean["billing", "dense"] == pytest.approx(own["score"].mean())
    assert query_views.query_strips(STUDY, comparison(), "bogus").groups == [
        query_views.EVERY_QUERY
    ]


def test_the_heatmap_begins_with_the_easiest_and_knows_what_a_run_lacks() -> None:
    view = comparison()
    many = query_views.heatmap(STUDY, listed(view), view)
    assert list(many.frame.columns) == ["query_id", "text", *view.runs] and len(many.frame) == 100
    assert sorted(many.frame["query_id"]) == sorted(listed(view).rows["query_id"])
    assert many.frame[list(view.runs)].mean(axis=1).round(9).is_monotonic_decreasing
    for run in view.runs:
        lacking = set(STUDY.query_ids) - set(STUDY.runs[run].query_ids)
        assert set(many.frame["query_id"][many.empty[run]]) == lacking
    scores = many.frame.set_index("query_id")[list(view.runs)]
    assert (scores.loc[list(many.failed["query_id"])] == 0).all(axis=None)
    assert len(many.failed) == min(many.failing, 5)
    lead = scores[view.focus] - scores.drop(columns=view.focus).max(axis=1)
    assert list(many.ahead["query_id"]) == list(lead.sort_values(ascending=False).index[:5])
    assert list(many.ahead["difference"]) == pytest.approx(list(lead[many.ahead["query_id"]]))


def test_of_one_run_no_list_stands_there_twice() -> None:
    """That every run fails and that a run lacks it is said of the run itself."""
    one = Study(list(STUDY.runs.values())[3:], STUDY.qrels, STUDY.queries)
    shown = query_list(one, one.view(Address.create()).comparison, QueryListRequest())
    assert {"zero", "lacking"} <= shown.counts.keys()
    assert not {"none", "missing"} & shown.counts.keys()


@pytest.mark.parametrize("cutoff", [3, 10])
@pytest.mark.parametrize("where", [(), (("category", "billing"),)])
def test_what_is_kept_of_a_column_is_what_it_holds_now(
    cutoff: int, where: tuple[tuple[str, str], ...]
) -> None:
    view = replace(comparison(k=str(cutoff)), filters=where)
    columns = query_columns.FilterColumns(STUDY, view)
    assert filter_vocabulary(STUDY, view) == make_completion_data(columns, columns.numeric_columns)


@pytest.mark.parametrize(
    ("typed", "search", "line"),
    [
        ("how long in store", "how long in store", ""),
        (" words > 5 ", "", "words > 5"),
        ('text contains "a"', "", 'text contains "a"'),
        ('category in ("a", "b")', "", 'category in ("a", "b")'),
        ('"a < b"', "a < b", ""),
        ("", "", ""),
    ],
)
def test_the_one_field_tells_words_from_a_filter(typed: str, search: str, line: str) -> None:
    assert query_filter.split_search_text(typed) == (search, line)
    assert query_filter.join_search_text(search, line) == typed.strip()
    assert query_filter.join_search_text("words", "words > 5") == "words > 5"
