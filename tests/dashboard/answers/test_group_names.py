"""What sentences call a group of queries."""

from __future__ import annotations

import pandas as pd
import pytest

from dashboard.answers.group_names import group_name
from metrics_core.slicing.derived_groups import DERIVED

KEYS = {column.name: column.key for column in DERIVED}


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("1 relevant", "queries with 1 relevant document"),
        ("10 relevant", "queries with 10 relevant documents"),
        ("2 or 3 relevant", "queries with 2 or 3 relevant documents"),
    ],
)
def test_one_relevant_document_is_one(group: str, said: str) -> None:
    groups = pd.Series(["1 relevant", "10 relevant"])
    assert group_name(group, KEYS["relevant documents"], groups) == said
