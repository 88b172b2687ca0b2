"""Which run is the baseline where nobody says."""

import pytest

from dashboard.address.default_baseline import default_baseline


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["dense", "BM25-tuned"], "BM25-tuned"),
        (["dense", "hybrid"], "dense"),
        (["rag", "prod"], "prod"),
        (["rag", "search-prod-eu"], "search-prod-eu"),
        (["rag", "products"], "rag"),
        (["rag_v2", "rag_v10", "rag_v1"], "rag_v1"),
        (["rag_v2", "rag_v10", "rag_v3"], "rag_v2"),
        (["2026-03-02", "2026-01-30"], "2026-01-30"),
        (["canary", "V1"], "V1"),
        (["one"], "one"),
        (["dense", "dense-bm25-hybrid"], "dense"),
        (["dense-bm25-hybrid", "bm25-hybrid", "bm25"], "bm25"),
        (["mybm25", "concurrent"], "mybm25"),
        (["als", "popularity"], "popularity"),
        (["als", "Random (seed 1)"], "Random (seed 1)"),
        (["randomised", "unpopularity"], "randomised"),
    ],
)
def test_the_run_that_is_named_like_a_baseline_or_is_the_first_version(
    names: list[str], found: str
) -> None:
    assert default_baseline(names) == found


@pytest.mark.parametrize("names", [["rag", "prod"], ["rag_v2", "rag_v1"], ["canary", "v1"]])
def test_an_older_collection_keeps_the_baseline_that_it_had(names: list[str]) -> None:
    assert default_baseline(names, use_earlier_rule=True) == names[0]
    assert default_baseline(["dense", "my-bm25+"], use_earlier_rule=True) == "my-bm25+"
