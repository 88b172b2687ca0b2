"""What sentences on changed lists claim is so: each number is read back out of the text and counted
anew from the lists."""

from __future__ import annotations

import re
from random import Random

import pytest

from metrics_core.explaining.diagnosis import diagnose_unjudged_query
from metrics_core.explaining.list_changes import find_list_changes
from metrics_core.findings.list_changes import (
    NOT_JUDGED,
    explain_list_changes,
    list_changes_finding,
)
from tests.metrics_core.explaining.test_list_changes import (
    literal_lists,
    random_rows,
    run_of,
    run_of_rows,
)

JUDGING_WORDS = re.compile(r"better|worse|winner|beats|gain|loss|improve|regress", re.I)


def number_before(words: str, text: str) -> int:
    found = re.search(rf"([\d,]+) {words}", text)
    return int(found[1].replace(",", "")) if found else 0


@pytest.mark.parametrize("seed", range(20))
def test_numbers_in_sentences_are_those_of_the_lists(seed: int) -> None:
    random = Random(seed)
    k, n = random.choice([1, 3, 10]), random.choice([1, 12, 40])
    rows = random_rows(random, n)
    others = [row for row in rows if random.random() < 0.7] + random_rows(random, n // 2)
    others = [*{row[:2]: row for row in others}.values()]
    if not rows or not {q for q, *_ in rows} & {q for q, *_ in others}:
        return
    changes = find_list_changes(run_of_rows("new", others), run_of_rows("old", rows), k)
    before, after = literal_lists(rows), literal_lists(others)
    tops = [(before.get(q, [])[:k], after.get(q, [])[:k]) for q in {*before, *after}]
    n_changed = sum(one != two for one, two in tops)
    finding = list_changes_finding(changes)
    title, subtitle = finding.title.text, finding.lead.text
    assert subtitle.endswith(NOT_JUDGED) and not JUDGING_WORDS.search(title + subtitle)
    if not n_changed:
        assert title.startswith(f"new and old give the same top {k} for ")
        return
    total = f"{n_changed} of {len(tops)}" if n_changed < len(tops) else f"all {len(tops)}"
    expected = f"{total} queries" if len(tops) > 1 else "the query"
    assert title == f"new changes the top {k} of {expected}"
    shares = [len({*one} & {*two}) / min(k, max(len(one), len(two))) for one, two in tops]
    kept = float(subtitle.split(" of ")[0])
    assert kept == pytest.approx(k * sum(shares) / len(tops), abs=0.0500001)
    n_none = sum(share == 0 for share in shares)
    assert number_before("quer(y shares|ies share) none", subtitle) == n_none
    assert ("every query keeps at least one" in subtitle) == (n_none == 0)
    n_short = sum(max(len(one), len(two)) < k for one, two in tops)
    assert number_before("quer(y has|ies have) lists shorter than", subtitle) == n_short


def test_equal_lists_are_called_the_same() -> None:
    same = find_list_changes(run_of("new", {"q1": "ab"}), run_of("old", {"q1": "ab"}), 2)
    finding = list_changes_finding(same)
    assert finding.title.text == "new and old give the same top 2 for the query"
    assert finding.lead.text == NOT_JUDGED


@pytest.mark.parametrize("seed", range(20))
def test_numbers_on_one_query_are_those_of_its_lists(seed: int) -> None:
    random = Random(seed)
    k = random.choice([1, 3, 10])
    rows, others = random_rows(random, 12), random_rows(random, 12)
    if not rows or not others:
        return
    runs = [run_of_rows("old", rows), run_of_rows("new", others)]
    before, after = literal_lists(rows), literal_lists(others)
    for query in {*before, *after}:
        text = explain_list_changes(diagnose_unjudged_query(runs, query, "old", "new", k)).text
        one, two = before.get(query, [])[:k], after.get(query, [])[:k]
        assert text.endswith("This query is not judged yet.") and not JUDGING_WORDS.search(text)
        if not one or not two:
            assert text.startswith("old" if two else "new") and "has no results" in text
        elif {*one} != {*two}:
            assert number_before("documents? (is|are) new in the top", text) == len({*two} - {*one})
            kept = f"{len({*one} & {*two})} of {max(len(one), len(two))} stay."
            assert kept in text
        else:
            moved = sum(x != y for x, y in zip(one, two, strict=True))
            assert number_before("changes? (its )?ranks?", text) == moved
            assert ("Both lists are the same" in text) == (not moved)
