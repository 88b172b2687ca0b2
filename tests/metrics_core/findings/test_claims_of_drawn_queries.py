"""What sentences on drawn queries claim is so: see `test_claims.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from metrics_core.base.wording import format_p_value
from metrics_core.comparing.drawn_queries import QueryDraw
from metrics_core.explaining.drawn_judging import (
    DrawnJudgments,
    evaluate_draw,
    list_documents_to_judge,
)
from metrics_core.explaining.list_comparison import read_lists
from metrics_core.findings.drawn_queries import (
    drawn_queries_finding,
    judged_percent_needed,
    new_draw_reasons,
    new_draw_steps,
    result_note,
    result_rows,
)
from metrics_core.measures import parse_measure
from metrics_core.tables import Qrels
from tests.claims import is_rounded, offenders, value_of
from tests.metrics_core.explaining.test_drawn_judging import BASELINE, QUERIES, RUN

SEEDS = range(60)


@cache
def state_of(seed: int) -> DrawnJudgments:
    """A draw of which some queries are judged, in favour of one of the runs in half of them."""
    random = Random(seed)
    measure = parse_measure(random.choice(["P@5", "P@1", "nDCG@5"]))
    draw = QueryDraw(seed, (random.choice([12, 20, 40]),), date="2026-11-28")
    order = draw.judging_order(QUERIES)
    n_judged = random.choice([0, 7, 10, 11, len(order) - 1, len(order)])
    judged = [*order[:n_judged], *random.sample(QUERIES, random.choice([0, 3]))]
    query, _, documents = read_lists(RUN if seed % 2 else BASELINE, order, 5)
    favoured = set(zip((order[i] for i in query), documents.to_pylist(), strict=True))
    needed = list_documents_to_judge(RUN, BASELINE, measure, judged)
    grades = {
        pair: float(pair in favoured if random.random() < (seed % 3) / 2 else random.randint(0, 1))
        for pair in zip(needed["query_id"], needed["doc_id"], strict=True)
    }
    if n_judged == len(order) and seed % 2:
        draw = replace(draw, left_out=tuple(order[2:4]))
    return evaluate_draw(RUN, BASELINE, draw, measure, Qrels.from_columns([], [], []), grades)


def false_in_task(state: DrawnJudgments, text: str) -> Iterator[str | bool]:
    n = len(state.query_ids)
    yield f"Judge {n} random queries" not in text and "how many"
    needing = set(state.documents["query_id"])
    same = re.search(r"(\d+) quer(?:y has|ies have) the same (documents|list) in both runs", text)
    n_same = sum(query_id not in needing for query_id in state.query_ids)
    yield (int(same[1]) if same else 0) != n_same and "the same"
    yield f"a random sample of the {state.n_available} queries." not in text and "of how many"
    needed = re.search(r"(\S+) needs grades for the (\d+) documents? (that only one|in the)", text)
    assert needed, text
    yield (needed[1], int(needed[2])) != (str(state.measure), len(state.documents)) and "documents"
    is_precision = str(state.measure).startswith("P@")
    yield (needed[3] == "that only one") != is_precision and needed[3]


def false_in_result(state: DrawnJudgments, text: str) -> Iterator[str | bool]:
    row, title = state.row, text.partition(" [")[0]
    assert row is not None
    gap = re.search(
        r"differs by (\S+?)(?: so far)?, on .*:"
        r" (?:(\S+)% interval (\S+) to (\S+?) \(|not tested:)",
        text,
    )
    assert gap, text
    yield not is_rounded(gap[1], row["difference"]) and "difference"
    yield bool(gap[2]) != (row["low"] == row["low"]) and "whether there is an interval"
    if gap[2]:
        yield abs(float(gap[2]) - 100 * state.level) > 1e-9 and "level"
        yield not (is_rounded(gap[3], row["low"]) and is_rounded(gap[4], row["high"])) and "ends"
    yield ("so far" in text) == state.is_finished and "so far"
    yield bool(gap[2]) != (format_p_value(row["p"]) in text) and "p"
    counted = re.search(r", on (?:(\d+) of )?(\d+) random queries: ", text)
    assert counted, text
    n = len(state.query_ids)
    yield (int(counted[1] or n), int(counted[2])) != (state.n_counted, n) and "what counts"
    drawn = re.search(r"Randomly selected on 2026-11-28, seed (\d+)\.", text)
    yield (drawn is None or int(drawn[1]) != state.draw.seed) and "seed"
    for words, number in (
        ("other judged quer(?:y is|ies are) not counted", state.n_others),
        ("skipped quer(?:y is|ies are) left out", len(state.draw.left_out)),
    ):
        found = re.search(rf"(\d+) {words}\.", text)
        yield (int(found[1]) if found else 0) != number and words
    is_significant = row["p"] <= 1 - state.level + 1e-12 and row["difference"] != 0
    verb = re.search(r"^new (beats|falls behind) old$", title)
    yield ("no verdict yet" in text) == (state.is_finished or is_significant) and "the badge"
    yield bool(verb) != is_significant and "a verdict"
    yield verb is not None and (verb[1] == "beats") != (row["difference"] > 0) and "which run"
    yield ("needs p ≤ 0.001" in text) == (state.is_finished or is_significant) and "the level"


def false_in_finding(seed: int, text: str) -> Iterator[str | bool]:
    state = state_of(seed)
    yield from (false_in_result if state.is_comparison_shown else false_in_task)(state, text)


def test_what_is_to_be_judged_and_what_the_judged_part_shows() -> None:
    assert {state_of(s).is_comparison_shown for s in SEEDS} == {True, False}
    assert {state_of(s).is_finished for s in SEEDS if state_of(s).is_comparison_shown} == {
        True,
        False,
    }
    texts = {s: drawn_queries_finding(state_of(s)).text for s in SEEDS}
    assert {"beats", "behind", "no verdict yet", "no clear difference"} <= {
        word
        for text in texts.values()
        for word in ("beats", "behind", "no verdict yet", "no clear difference")
        if word in text
    }
    for seed, text in texts.items():
        assert not [fault for fault in false_in_finding(seed, text) if fault], (seed, text)


def test_the_rows_beside_it() -> None:
    for seed in SEEDS:
        state, rows = state_of(seed), dict(result_rows(state_of(seed)))
        if state.is_comparison_shown:
            row = state.row
            assert row is not None and judged_percent_needed(state) is None
            assert list(rows)[:2] == ["new", "old"]
            gap = rows["difference" if state.is_finished else "difference so far"]
            assert is_rounded(gap, row["difference"])
            ends = rows[f"{100 * state.level:g}% interval"].split(" to ")
            assert (
                [value_of(end) for end in ends]
                == pytest.approx([row["low"], row["high"]], abs=6e-4)
                if row["low"] == row["low"]
                else ends == ["–"]
            )
            assert (rows["new"] == "–") == bool(np.isnan(row["mean"]))
            continue
        n, smallest = len(state.query_ids), state.detectable_difference
        assert judged_percent_needed(state) == 1000 / n
        more = re.fullmatch(r"(\d+) more quer(?:y|ies)", rows["first result after"])
        differing = re.fullmatch(r"6 differing queries \((\d) so far\)", rows["first result after"])
        assert (int(more[1]) if more else 0) == max(10 - state.n_counted, 0)
        assert more or (differing and int(differing[1]) == state.n_differing < 6)
        guess = rows[f"all {n} can detect"]
        assert guess == "unknown" if np.isnan(smallest) else is_rounded(guess.split()[0], smallest)


def test_what_is_known_of_each_run() -> None:
    measure, none = parse_measure("P@5"), Qrels.from_columns([], [], [])
    lists = [read_lists(run, QUERIES, 5) for run in (RUN, BASELINE)]
    pairs = [
        (QUERIES[i], d)
        for query, _, ids in lists
        for i, d in zip(query, ids.to_pylist(), strict=True)
    ]
    grades = dict.fromkeys(pairs, 1.0)
    known = evaluate_draw(RUN, BASELINE, QueryDraw(1, (20,)), measure, none, grades)
    assert known.row is not None and known.row["mean"] == 1
    assert result_note(known) == "P@5, new minus old."
    states = [state_of(s) for s in SEEDS if state_of(s).is_comparison_shown]
    for state in states:
        note = result_note(state)
        assert note.startswith(f"{state.measure}, new minus old.")
        is_hidden = state.row is not None and np.isnan(state.row["mean"])
        assert is_hidden == ("Only the difference is known" in note)


def test_all_queries_of_a_small_collection_are_judged_without_a_comparison() -> None:
    state = evaluate_draw(
        RUN, RUN, QueryDraw(1, (6,)), parse_measure("P@5"), Qrels.from_columns([], [], []), {}
    )
    text = drawn_queries_finding(state).text
    assert text.startswith("6 random queries judged") and "at least 10 queries" in text


def test_what_a_draw_would_detect_is_a_guess() -> None:
    def false_in_guess(n: int, text: str) -> Iterator[str | bool]:
        found = re.fullmatch(
            r"Draw (\d+) of the 300 queries at random\. They can detect a difference in P@10 of"
            r" about (\S+) or more\. Judge about (\d+) documents in (\d+) queries\. Runs and ranks"
            r" are hidden\. See a first result after 10 queries, the verdict after (\d+)\.",
            text,
        )
        assert found, text
        counts = [n, round(n * 3.2), round(n * 0.4), n]
        yield [int(found[i]) for i in (1, 3, 4, 5)] != counts and "n"
        # 2.8 standard errors, and a little more for few queries.
        standard = value_of(found[2]) / (0.25 * np.sqrt(0.4 / n))
        yield not 2.8 < standard < 3.1 and f"{standard}"

    cases = [20, 31, 50, 200]

    def steps(n: int) -> str:
        return " ".join(new_draw_steps(n, 300, 0.4, 0.4, 3.2, "P@10"))

    assert not offenders(cases, steps, false_in_guess)
    assert new_draw_steps(3, 4, 0.5, 0.5, 2, "P@10")[2].endswith("the verdict after 3.")


def test_why_a_draw_has_so_many_queries() -> None:
    def false_in_reason(n: int, text: str) -> Iterator[str | bool]:
        found = re.fullmatch(
            r"Why (\d+) queries\? (\d+) queries detect a difference of about (\S+) or more, all"
            r" 300 one of about (\S+)\. You can draw more queries later\.",
            text,
        )
        assert found, text
        yield [int(found[i]) for i in (1, 2)] != [n, n // 2] and "n"
        for size, detected in ((n // 2, found[3]), (300, found[4])):
            standard = value_of(detected) / (0.25 * np.sqrt(0.4 / size))
            yield not 2.7 < standard < 3.3 and f"{standard}"

    def reason(n: int) -> str:
        return " ".join(next(iter(new_draw_reasons(n, 300, 0.4).items())))

    assert not offenders([50, 60, 200], reason, false_in_reason)
    # Half as many are too few for an estimate, and more do not exist.
    others = ["Why at random?", "Why are runs hidden?"]
    assert [*new_draw_reasons(8, 30, 0.4)] == [*new_draw_reasons(30, 30, 0.4)] == others
    assert "represents all 30 queries." in new_draw_reasons(8, 30, 0.4)["Why at random?"]
