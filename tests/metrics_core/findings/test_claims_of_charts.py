"""What sentences on charts, slices, notes and rows claim is so: see `test_claims.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest

from metrics_core.base.wording import sentence_case
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.explaining.top_document import TopDocument
from metrics_core.findings.changes import summarise_change
from metrics_core.findings.charts import (
    best_runs_by_group_finding,
    extreme_cells_finding,
    precision_at_half_recall_finding,
)
from metrics_core.findings.cutoffs import median_list_length
from metrics_core.findings.groups import crossed_groups_subtitle, slices_finding, untested_note
from metrics_core.findings.phrases import short_lists_note
from metrics_core.findings.ranking import first_places_text
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.slicing.breakdowns import ALL
from metrics_core.tables import Qrels, Run
from tests.claims import NUMBER, count_of, is_rounded, named_in, offenders
from tests.situations import Situation, by_group, situations

pytestmark = pytest.mark.random

GROUPED = tuple(given for given in situations(12) if given.groups and given.focus != given.baseline)
SEEDS = range(150)


def claimed_groups(text: str, groups: set[str]) -> Iterator[str | bool]:
    """Whether a list of groups is these, as far as it names them."""
    names, count = named_in(text)
    yield count != len(groups) and f"{count} groups, not {len(groups)}"
    yield not set(names) <= groups and f"others than {text}"


def false_in_best(given: Situation, text: str) -> Iterator[str | bool]:
    runs, groups = given.scores.runs[:10], given.groups[0]
    means = pd.DataFrame(
        {
            group: {run: np.nanmean(given.values(run)[groups == group]) for run in runs}
            for group in dict.fromkeys(groups)
        }
    ).T
    top = means.eq(means.max(axis=1), axis=0)
    alone = top[top.sum(axis=1) == 1]
    told = dict(re.findall(r"(run\d+) scores best in ([^;]+?)[;.]", text))
    for run in runs:
        own = set(alone.index[alone[run]])
        yield bool(own) != (run in told) and f"{run} is best somewhere"
        if run in told:
            yield from claimed_groups(told[run], own)
    several = re.search(r"several runs share the best score in (.*)\.$", text)
    yield bool(several) != (len(alone) < len(top)) and "shared"
    if several:
        yield from claimed_groups(several[1], set(top.index) - set(alone.index))


def test_who_scores_best_where() -> None:
    def text_of(given: Situation) -> str:
        runs = given.scores.runs[:10]
        rows = [
            (run, group, np.nanmean(given.values(run)[given.groups[0] == group]))
            for group in dict.fromkeys(given.groups[0])
            for run in runs
        ]
        frame = pd.DataFrame(rows, columns=["run", "group", "mean"])
        return best_runs_by_group_finding(frame, runs, list(dict.fromkeys(given.groups[0])))

    whole = [
        given
        for given in GROUPED
        if not any(np.isnan(given.values(run)).any() for run in given.scores.runs[:10])
    ]
    assert whole and not offenders(whole, text_of, false_in_best)


@cache
def cells_of(seed: int) -> pd.DataFrame:
    """A crossed frame with margins, with cells of few queries and without any."""
    rng = np.random.default_rng([seed, 4])
    rows = []
    for row in ("r1", "r2", ALL):
        for column in ("c1", "c2", "c3", ALL):
            n = int(rng.choice([0, 3, 9, 10, 40]))
            gap = rng.choice([-0.2, -0.05, 0.0, 0.05, 0.3]) + rng.choice([0.0, 0.01])
            rows.append((row, column, gap if n else np.nan, n))
    return pd.DataFrame(rows, columns=["row", "column", "difference", "queries"])


def false_in_cells(seed: int, text: str) -> Iterator[str | bool]:
    cells = cells_of(seed)
    inner = cells[(cells["row"] != ALL) & (cells["column"] != ALL)]
    enough = inner[(inner["queries"] >= 10) & inner["difference"].notna()]
    if "an example" in text:
        yield len(enough) > 0 and "no cell has ten queries"
        return
    if "equals" in text:
        yield bool((enough["difference"] != 0).any()) and "equals"
        return
    said = re.findall(
        rf"furthest (ahead of|behind) old in (\w+), (\w+): ({NUMBER}) over (\S+) quer(?:y|ies)",
        text,
    )
    signs = {"ahead of": 1, "behind": -1}
    for word, sign in signs.items():
        there = bool((enough["difference"] * sign > 0).any())
        yield there != any(word == one[0] for one in said) and word
    for word, row, column, gap, n in said:
        cell = enough[(enough["row"] == row) & (enough["column"] == column)].iloc[0]
        yield not is_rounded(gap, cell["difference"]) and "its difference"
        yield count_of(n) != cell["queries"] and "its queries"
        ends = enough["difference"] * signs[word]
        yield cell["difference"] * signs[word] < ends.max() and "the most"


def test_the_extreme_cells() -> None:
    assert not offenders(
        SEEDS, lambda seed: extreme_cells_finding(cells_of(seed), "new", "old"), false_in_cells
    )


def false_in_half(seed: int, text: str) -> Iterator[str | bool]:
    known = points_of(seed).query("recall == 0.5").set_index("run")["precision"].dropna()
    told = re.findall(rf"(run\d) ({NUMBER})", text)
    yield [run for run, _ in told] != list(known.sort_values(ascending=False).index) and "order"
    for run, value in told:
        yield not is_rounded(value, known[run]) and run


@cache
def points_of(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, 5])
    runs = [f"run{i}" for i in range(int(rng.integers(1, 5)))]
    rows = [
        (run, recall, np.nan if rng.random() < 0.1 else rng.random())
        for run in runs
        for recall in (0.0, 0.5, 1.0)
    ]
    return pd.DataFrame(rows, columns=["run", "recall", "precision"])


def test_precision_at_half_of_the_recall_of_each_run() -> None:
    def text_of(seed: int) -> str:
        points = points_of(seed)
        return precision_at_half_recall_finding(points, list(dict.fromkeys(points["run"])))

    assert not offenders(SEEDS, text_of, false_in_half)


@cache
def lists_of(seed: int) -> list[JudgedRanks]:
    """Two runs whose lists have different lengths, some of them none."""
    rng = np.random.default_rng([seed, 6])
    qrels = Qrels.from_columns([f"q{i}" for i in range(7)], ["d0"] * 7, [1] * 7)
    judged = []
    for name in ("new", "old"):
        most = int(rng.choice([1, 4, 10, 30]))
        rows = [
            (f"q{i}", f"d{j}", -float(j))
            for i in range(7)
            for j in range(int(rng.integers(0 if i else 1, most + 1)))
        ]
        run = Run.from_columns(name, *(list(column) for column in zip(*rows, strict=True)))
        judged.append(join_judgments(run, qrels))
    return judged


def false_in_short(seed: int, text: str) -> Iterator[str | bool]:
    lengths = {ranks.run_name: sorted(n for n in ranks.retrieved if n) for ranks in lists_of(seed)}
    middle = {name: int(np.median(found)) for name, found in lengths.items()}
    said = re.match(
        r"Half of the (\w+) lists end by rank (\d+), which favours (\w+) at larger k\.$",
        text,
    )
    if not said:
        yield "no claim"
        return
    short, longest = said[1], said[3]
    yield short == longest and "of the same run"
    yield int(said[2]) != middle[short] and "where its lists end"
    yield middle[short] * 2 >= middle[longest] and "lists that are not short"
    ended = sum(n <= int(said[2]) for n in lengths[short])
    yield 2 * ended < len(lengths[short]) and "half of the lists"


def test_lists_that_end_early() -> None:
    told = {
        seed: short_lists_note({r.run_name: median_list_length(r) for r in lists_of(seed)})
        for seed in SEEDS[:80]
    }
    assert not offenders(told, told.__getitem__, false_in_short)
    for seed, text in told.items():
        ends = sorted(
            int(np.median(r.retrieved[r.retrieved > 0])) if (r.retrieved > 0).any() else 0
            for r in lists_of(seed)
        )
        assert bool(text) == (2 * ends[0] < ends[1]), seed


def false_in_crossed_lead(given: Situation, text: str) -> Iterator[str | bool]:
    own = by_group(given).query(f"run == '{given.focus}'").set_index("group")["difference"]
    told = re.findall(rf"(?:^|, )(\S+) ({NUMBER})(?=[,.])", text)
    shown = own.dropna()
    if told:
        yield not text[0].isupper() and text[0].isalpha() and "a capital"
        first = next((g for g in shown.index if sentence_case(g) == told[0][0]), "")
        told = [(first, told[0][1]), *told[1:]]
    yield len(told) != min(len(shown), 4) and "how many are told"
    for group, gap in told:
        yield not is_rounded(gap, shown[group]) and group
    sizes = [abs(shown[group]) for group, _ in told]
    yield sizes != sorted(sizes, reverse=True) and "the largest first"
    left = shown.drop([group for group, _ in told]).abs()
    yield bool(len(left)) and left.max() > min(sizes) and "a larger one is left out"


def test_the_lead_of_crossed_columns() -> None:
    def text_of(given: Situation) -> str:
        own = by_group(given)
        return crossed_groups_subtitle(own[own["run"] == given.focus]).text

    assert not offenders(GROUPED, text_of, false_in_crossed_lead)


def false_in_slices(counts: tuple[int, int], text: str) -> Iterator[str | bool]:
    looked_at, found = counts
    said = re.match(
        r"Also tested: (\S+) groups? of queries, formed by one or two columns\."
        r" In (\w+) of them(?:, the difference departs| does the difference depart) significantly"
        r" from that of the other queries"
        r" \(false discovery rate 5%\)\.$",
        text,
    )
    if not said:
        yield "no claim"
        return
    yield count_of(said[2].lower().replace("none", "no")) != found and "how many"
    yield count_of(said[1]) != looked_at and "of how many"


def test_how_many_slices_stand_out() -> None:
    counts = [(n, k) for n in (1, 2, 9, 176, 4000) for k in (0, 1, 2, 9) if k <= n]
    assert not offenders(counts, lambda both: slices_finding(*both), false_in_slices)
    assert slices_finding(0, 0) == ""


def false_in_untested(given: Situation, text: str) -> Iterator[str | bool]:
    own = by_group(given).query(f"run == '{given.focus}'").set_index("group")
    own = own[own["difference"].notna()]
    few = set(own.index[own["queries"] < FEWEST_QUERIES])
    alike = set(own.index[(own["queries"] >= FEWEST_QUERIES) & own["diff_low"].isna()])
    for groups, pattern in (
        (few, r"With fewer than ten queries, ([^.:]*) cannot be tested\."),
        (alike, r"No interval, because too few queries differ: ([^.:]*)\."),
    ):
        said = re.search(pattern, text)
        yield bool(said) != bool(groups) and pattern
        if said:
            yield from claimed_groups(said[1], groups)


def test_why_groups_are_not_tested() -> None:
    def text_of(given: Situation) -> str:
        own = by_group(given)
        return untested_note(own[own["run"] == given.focus])

    assert not offenders(GROUPED, text_of, false_in_untested)


def false_in_first_places(seed: int, text: str) -> Iterator[str | bool]:
    clause = r"[Oo]n ([^;]+?), ((?:run\d|no run)[^;]*?) (alone ranks first|share first place)"
    told = {}
    for measures, who, verb in re.findall(clause, text):
        names, n = ([], 0) if who == "no run" else named_in(who)
        yield (verb == "share first place") != (n > 1) and "alone or not"
        told |= dict.fromkeys(named_in(measures)[0], (tuple(names), n))
    leaders = {m: runs for m, runs in leaders_of(seed).items() if m != "M0"}
    bests = {m: (runs if len(runs) <= 4 else runs[:3], len(runs)) for m, runs in leaders.items()}
    yield told != bests and "who is first"


def leaders_of(seed: int) -> dict[str, tuple[str, ...]]:
    """The runs that share first place, on some of five measures."""
    rng = np.random.default_rng([seed, 7])
    runs = [f"run{i}" for i in range(5)]
    return {f"M{i}": tuple(runs[: rng.integers(6)]) for i in range(5) if rng.random() < 0.6}


def test_which_runs_rank_first_on_other_measures() -> None:
    assert not offenders(
        SEEDS, lambda seed: first_places_text(leaders_of(seed), "M0"), false_in_first_places
    )


Row = tuple[TopDocument | None, bool, bool]


def rows() -> list[Row]:
    tops = [
        TopDocument(before, after, only)
        for before in (0, 1, 7)
        for after in (0, 1, 3, 20)
        for only in (False, True)
        if before or after
    ]
    flags = (False, True)
    return [(top, loses, found) for top in (*tops, None) for loses in flags for found in flags]


def false_in_row(row: Row, text: str) -> Iterator[str | bool]:
    top, loses, found = row
    if "nothing relevant" in text:
        yield (found or text != "new: nothing relevant in the top 10.") and "something relevant"
        return
    said = re.match(
        r"(best|only relevant) document(?:: rank (\d+) to| (no longer) retrieved \(was at rank"
        r"| new at rank) (\d+)\)?\.$",
        text,
    )
    if not said or top is None:
        yield "no claim"
        return
    rank = int(said[4])
    before, after = (rank, 0) if said[3] else (int(said[2] or 0), rank)
    yield (bool(said[2]) and not (top.before and top.after)) and "a move without both ranks"
    yield (before, after) != (top.before, top.after) and "its ranks"
    yield (said[1] == "only relevant") != top.is_only_relevant and said[1]
    yield ((after or 10**9) > (before or 10**9)) != loses and "the way of the score"


def test_what_became_of_the_best_document() -> None:
    def text_of(row: Row) -> str:
        top, loses, found = row
        said = summarise_change(top, "new", is_loss=loses, has_relevant=found, cutoff=10)
        return said and f"{said}."

    assert not offenders(rows(), text_of, false_in_row)
