"""From "what changed?" to a verdict without judgments: draw, judge, and the comparison opens."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dashboard.files.files import SAMPLE_FOLDER
from dashboard.session.open_collection import workspace
from metrics_core.comparing.drawn_queries import QueryDraw
from metrics_core.explaining.drawn_judging import list_all_queries, list_documents_to_judge
from metrics_core.explaining.list_comparison import read_lists
from metrics_core.measures import parse_measure
from metrics_core.tables import Run
from tests.dashboard.app_pages.test_judge import rows_of
from tests.dashboard.conftest import drawn, opened, text_of

PAIR = {"run": "hybrid", "base": "bm25"}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Two runs of the sample as the only files; a draw has the seed 50."""
    for name in ("bm25", "hybrid"):
        shutil.copy(SAMPLE_FOLDER / f"{name}.run", tmp_path)
    monkeypatch.setenv("RANKLENS_DATA", str(tmp_path))
    monkeypatch.setattr("dashboard.session.actions.draws.randbelow", lambda seeds: 50)
    rows = {
        name: [line.split() for line in (tmp_path / f"{name}.run").read_text().splitlines()]
        for name in PAIR.values()
    }
    return [
        Run.from_columns(n, [r[0] for r in rs], [r[2] for r in rs], [float(r[4]) for r in rs])
        for n, rs in rows.items()
    ]


def test_runs_that_nobody_judged_get_a_verdict(runs: list[Run]) -> None:
    overview = opened("", **PAIR)
    assert "Which list is right? Judge 50 queries drawn at random" in text_of(overview)
    assert re.search(r'href="\./judge\?[^"]*">Draw 50 queries', drawn(overview))
    app = opened("judge", **PAIR)
    assert "Judge 50 queries drawn at random" in text_of(app) and not app.exception
    (button,) = [b for b in app.button if b.label == "Draw 50 queries"]
    app = button.click().run()
    told = rows_of(app)
    assert told["queue"]["orders"] == [] and told["grades"] == [0, 1]
    assert "P@10 needs grades for the" in text_of(app)
    order = QueryDraw(50, (50,)).judging_order(list_all_queries(*runs))
    needed = list_documents_to_judge(*runs, parse_measure("P@10"), order)
    found = [(row["query_id"], row["doc_id"]) for row in told["rows"]]
    shown_first = list(dict.fromkeys(query for query, _ in found))
    assert set(found) <= set(zip(needed["query_id"], needed["doc_id"], strict=True))
    assert shown_first == list(dict.fromkeys(needed["query_id"]))[: len(shown_first)]
    collection = str(app.query_params["set"])
    pairs = list(zip(*needed.to_numpy().T, strict=True))
    query, _, documents = read_lists(runs[0], order, 10)
    listed = set(zip((order[i] for i in query), documents.to_pylist(), strict=True))
    # One document of each query is relevant, and only hybrid lists it.
    relevant = {pair[0]: pair for pair in pairs if pair in listed}.values()

    def grade(part: list[tuple[str, str]]) -> str:
        grades = {pair: float(pair in relevant) for pair in part}
        workspace().layers.grade_documents(collection, "me", grades)
        return text_of(opened("", **PAIR))

    early = grade([pair for pair in pairs if pair[0] in order[:2]])
    assert "2 of 10 queries judged" in early and "Continue with the random queries" in early
    shown = grade([pair for pair in pairs if pair[0] in order[:25]])
    assert "hybrid beats bm25" in shown and "clear difference" in shown
    assert re.search(r"so far, on 2\d of 50 random queries: 99\.9% interval", shown)
    # Pages of the lists stay without scores, and say nothing of layers.
    for page in ("queries", "breakdown", "curves"):
        text = text_of(opened(page, **PAIR))
        assert "own grade" not in text and "beats" not in text
    shown = grade(pairs)
    assert "on 50 random queries: 95% interval" in shown and "Draw more queries" in shown
    done = opened("judge", **PAIR)
    assert "See Overview" in text_of(done) and rows_of(done)["rows"] == []
    assert [b.label for b in done.button if "raw" in b.label] == ["Draw 50 more queries"]
    # The reversed pair has the same draw; another k has none.
    assert "bm25 falls behind hybrid" in text_of(opened("", run="bm25", base="hybrid"))
    assert "beats" not in text_of(opened("", k="5", **PAIR))
