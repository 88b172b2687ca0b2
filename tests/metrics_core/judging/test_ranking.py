"""Lists of single queries, put together once for all who ask."""

from __future__ import annotations

import pandas as pd
import pytest

from metrics_core.judging.ranking import ranked_documents
from metrics_core.tables import run as runs
from tests.collections_of import run_of

RUN = run_of({"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "p": {"a": 1.0}}, "new")


def test_who_changes_a_list_changes_no_other() -> None:
    first = ranked_documents(RUN, "q")
    first["score"] = 0.0
    first.loc[0, "doc_id"] = "z"
    again = ranked_documents(RUN, "q")
    assert again["doc_id"].tolist() == ["a", "x", "b"] and again["score"].tolist() == [3, 2, 1]
    assert ranked_documents(RUN, "q", depth=2)["rank"].tolist() == [1, 2]
    assert ranked_documents(RUN, "no such query").empty


def test_a_list_is_made_once_unless_it_is_very_long(monkeypatch: pytest.MonkeyPatch) -> None:
    run, made = run_of({"q": {"a": 2.0, "x": 1.0}, "p": {"a": 1.0}}), []

    def make() -> pd.DataFrame:
        made.append(1)
        return pd.DataFrame({"rank": [1]})

    for query_id in "qqpq":
        assert len(run.cached_list(query_id, make)) == 1
    assert len(made) == 2
    monkeypatch.setattr(runs, "_LISTED", 1)
    for query_id in "qpq":
        run.cached_list(query_id, make)
    assert len(made) == 4
