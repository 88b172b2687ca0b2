"""Whoever asks about two runs gets one p and one word: random comparisons through every door, 300
on each push and 2,000 in `make thorough`.

A statement of another family (all k of a pair, all of its measures, all pairs, all versions) may
find more or less than the comparison with the baseline; it says of which family it speaks.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from dashboard.address.address import Address
from dashboard.address.view import Comparison
from dashboard.answers import robustness, robustness_summary
from dashboard.answers.curves import curves
from dashboard.answers.history import history_page
from dashboard.answers.overview import overview
from dashboard.answers.pairs import pairs
from dashboard.answers.report import make_report
from dashboard.answers.run_comparisons import compare_runs
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import make_report_page
from dashboard.drawing.report.parts import ReportRequest
from dashboard.notebook import NotebookComparison
from dashboard.study.study import Study
from metrics_core import compare
from metrics_core.__main__ import main
from metrics_core.comparing.gate_conditions import EVERY_QUERY, Gate
from metrics_core.comparing.gates import evaluate_gates
from metrics_core.comparing.method import Method
from metrics_core.comparing.verdicts import (
    AHEAD,
    BEHIND,
    BETTER_RUN,
    CLEAR,
    FEWEST_QUERIES,
    NO_MATTER,
    WORSE_RUN,
)
from metrics_core.formats.writing import write
from metrics_core.python_gate import gate
from metrics_core.python_interface import compare_scores
from metrics_core.tables import Qrels, Run
from tests.random_cases import in_this_run

COLLECTIONS, VIEWS = in_this_run(50, 334), 6
WHOLE_PAGES, WHOLE_REPORTS = 11, 26
"""Of so many comparisons one is asked through every page, of so many one as report and command."""
KINDS = ("any", "ties", "one sign", "zero or one", "all lost but one", "identical", "missing")
MEASURES = ("nDCG@k", "nDCG@k", "P@k", "RR@k", "Success@k", "AP", "RR", "GMAP")
METHODS: tuple[dict[str, str], ...] = (
    {}, {}, {}, {"level": "90"}, {"level": "99"}, {"test": "t-test"}, {"correction": "none"},
)  # fmt: skip
BASELINE = "run0"

Says = tuple[str, object, object]
"""A door, what it says, and what the comparison with the baseline says."""


@dataclass(frozen=True)
class Case:
    """A comparison of one collection."""

    study: Study
    shown: Comparison

    @property
    def row(self) -> dict[str, Any]:
        """The comparison of the run in focus with the baseline."""
        return of_run(compare_runs(self.study, self.shown, self.shown.measure), self.shown.focus)

    @property
    def by_default(self) -> bool:
        """Whether it is tested by the draws and corrected by Holm, as what takes no choice is."""
        method = self.shown.method
        return Method(level=method.level, margin=method.margin) == method


def of_run(frame: pd.DataFrame, run: str) -> dict[str, Any]:
    return dict(frame.set_index("run").loc[run])


def side_of(word: object) -> int:
    return (word in AHEAD) - (word in BEHIND)


def collection(seed: int) -> Study:
    """2 to 7 runs with short lists for few queries; where the relevant document of a query stands
    is what the kind says, and half of the queries have one of a lower grade."""
    chance = np.random.default_rng(seed)
    kind, runs = KINDS[seed % len(KINDS)], int(chance.integers(2, 8))
    queries, depth = int(chance.choice([8, 10, 11, 13, 20, 30])), int(chance.choice([3, 8, 12]))
    ids = [f"q{i:02}" for i in range(queries)]
    ranks = first_ranks(kind, runs, queries, depth, chance)
    given = chance.random(ranks.shape) > (0.25 if kind == "missing" else -1)
    given[:, 0] = True
    tables = []
    for run in range(runs):
        rows = [
            (query, "good" if rank == first else f"d{rank}", -float(rank))
            for query, first in zip(ids, np.where(given[run], ranks[run], 0), strict=True)
            for rank in range(1, depth + 1 if first else 1)
        ]
        tables.append(Run.from_columns(f"run{run}", *map(list, zip(*rows, strict=True))))
    return Study(tables, Qrels.from_columns(*map(list, zip(*judgments(ids), strict=True))))


def judgments(ids: Sequence[str]) -> list[tuple[str, str, int]]:
    return [(query, "good", 2) for query in ids] + [(query, "d1", 1) for query in ids[::2]]


def first_ranks(
    kind: str, runs: int, queries: int, depth: int, chance: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The rank of each query's relevant document; beyond `depth` it is not listed."""
    ranks = chance.integers(1, depth + 2, (runs, queries))
    if kind == "ties":
        return np.where(chance.random(ranks.shape) < 0.5, ranks[:1], ranks)
    if kind == "one sign":
        steps = chance.integers(0, 3, ranks.shape) * (np.arange(runs) > 0)[:, None]
        return np.minimum(ranks[:1] + steps, depth + 1)[:: chance.choice([-1, 1])]
    if kind == "zero or one":
        rates = chance.choice([0.2, 0.5, 0.9], (runs, 1))
        return np.where(chance.random(ranks.shape) < rates, 1, depth + 1)
    if kind == "all lost but one":
        ranks[0], ranks[1:] = 1, depth + 1
        ranks[:, -1] = ranks[::-1, -1]
        return ranks[:: chance.choice([-1, 1])]
    if kind == "identical":
        return np.repeat(ranks[:1], runs, axis=0)
    good = chance.random((runs, 1)) < 0.5
    return np.where(good & (chance.random(ranks.shape) < 0.9), 1, ranks)


def cases() -> Iterator[tuple[int, Case]]:
    for seed in range(COLLECTIONS):
        study, chance = collection(seed), np.random.default_rng([seed, 1])
        for view in range(VIEWS):
            asked = {"m": str(chance.choice(MEASURES)), "k": str(chance.choice([1, 3, 5, 10]))}
            asked |= METHODS[chance.integers(len(METHODS))]
            focus = str(chance.choice(study.names[1:]))
            address = Address.create(base=BASELINE, run=focus, **asked)
            if chance.random() < 0.3:
                name = study.view(address).comparison.measure.declaration.name
                address = address.with_values(margin=f"{name}:{chance.choice(['0.05', '0.3'])}")
            yield seed * VIEWS + view, Case(study, study.view(address).comparison)


def of_every_comparison(case: Case) -> Iterator[Says]:
    """The doors that are quick."""
    study, shown, row = case.study, case.shown, case.row
    scores = study.scores_of_all_runs(shown, shown.measure)
    told = compare_scores(scores, baseline=BASELINE, **asked_of(shown.method))
    python = of_run(told, shown.focus)
    for name in ("p", "p_corrected", "low", "high", "inner_low", "inner_high", "effect"):
        yield f"Python's {name}", python[name], near(row[name])
    yield "Python", python["verdict"], row["verdict"]
    if not case.by_default:
        return
    yield from of_all_pairs(case)
    yield from of_gates(case)


def of_all_pairs(case: Case) -> Iterator[Says]:
    """Ranking: one p of a pair; corrected for more pairs it finds no more and nothing else."""
    row, found = case.row, pairs(case.study, case.shown).run_pairs
    at = found.runs.index(case.shown.focus), found.runs.index(BASELINE)
    yield "Ranking's p", found.p[at], near(row["p"])
    yield "Ranking's difference", found.difference[at], near(row["difference"])
    two = len(found.runs) == 2
    if two:
        yield "Ranking's p of two", found.p_corrected[at], near(row["p_corrected"])
    if two or found.verdict[at] in CLEAR:
        yield "Ranking", side_of(found.verdict[at]), side_of(row["verdict"])


def of_gates(case: Case) -> Iterator[Says]:
    """One gate is the comparison with the baseline; its margin is held by the same interval."""
    row, measure, level = case.row, case.shown.measure, case.shown.method.level
    scores, margin = case.study.scores_of_all_runs(case.shown, measure), case.shown.method.margin
    every = {EVERY_QUERY: np.ones(scores.n_queries, dtype=bool)}
    outcomes = evaluate_gates(scores, [Gate(measure, margin or 0.05)], every, BASELINE)
    found = next(one for one in outcomes if one.run == case.shown.focus)
    yield "gate's p", found.p_corrected, near(row["p_corrected"])
    yield "gate's difference", found.difference, near(row["difference"])
    if level != Method().level:
        return
    yield "gate's lower end", found.inner_low, near(row["inner_low"])
    yield "gate's upper end", found.inner_high, near(row["inner_high"])
    yield "gate's significance", found.is_significant, row["verdict"] in CLEAR
    if found.outcome == "worse":
        yield "gate", found.outcome, row["verdict"]
    if row["verdict"] == NO_MATTER:
        yield "gate within the margin", found.outcome, "not worse"


def asked_of(method: Method) -> dict[str, Any]:
    """The method as the functions of Python take it."""
    return asdict(method)


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


def word_of(title: str) -> str:
    """What a title says of two runs."""
    said = {" beats ": "ahead", " falls behind ": "behind"}
    said |= {" significantly ahead ": "ahead", " significantly behind ": "behind"}
    return next((word for text, word in said.items() if text in title), "none")


def expected_word(row: Mapping[str, Any]) -> str:
    return {1: "ahead", -1: "behind", 0: "none"}[side_of(row["verdict"])]


def of_pages(case: Case) -> Iterator[Says]:
    """Every page that speaks of the pair."""
    study, shown, row = case.study, case.shown, case.row
    page = overview(study, shown)
    yield "Overview", word_of(page.verdict.title.text), expected_word(row)
    badge = {"ahead": "clear difference", "behind": "clear loss"}.get(expected_word(row))
    yield "Overview's badge", page.verdict.badge in ("clear difference", "clear loss"), bool(badge)
    cell = of_run(page.table[page.table["measure"] == shown.name], shown.focus)
    yield "Overview's table", (cell["verdict"], cell["clear"]), (row["verdict"], bool(badge))
    yield "Overview's p", cell["p_corrected"], near(row["p_corrected"])
    notebook = NotebookComparison(study, shown)
    listed = notebook.frame[notebook.frame["measure"] == shown.name]
    own = of_run(listed, shown.focus)
    yield (
        "notebook",
        (own["verdict"], own["p_corrected"]),
        (row["verdict"], near(row["p_corrected"])),
    )
    yield "notebook's text", page.verdict.title.text in repr(notebook), True
    yield from of_cutoffs(case)
    yield from of_robustness(case)
    if case.by_default:
        yield from of_versions(case)


def of_cutoffs(case: Case) -> Iterator[Says]:
    """By cutoff: the heading agrees with the verdict at k; where the band differs it says why."""
    study, shown, row = case.study, case.shown, case.row
    page = curves(study, shown)
    if shown.measure.cutoff is None or row["queries"] < FEWEST_QUERIES:
        return
    if "depending on k" in page.title.text or "only at a few k" in page.title.text:
        yield "By cutoff by k", side_of(row["verdict"]) != 0, True
    else:
        yield "By cutoff", word_of(page.title.text), expected_word(row)
    frame = page.frames[shown.family]
    at_k = frame[(frame["run"] == shown.focus) & (frame["k"] == shown.cutoff)]
    in_band, alone = (
        bool(((at_k["diff_low"] > 0) | (at_k["diff_high"] < 0)).any()),
        side_of(row["verdict"]),
    )
    yield "By cutoff's band", "this pair alone" in page.lead.text, in_band and not alone
    if len(at_k) and at_k["diff_low"].notna().all():
        yield "By cutoff's k", "by itself is" in page.lead.text, bool(alone) and not in_band


def of_robustness(case: Case) -> Iterator[Says]:
    """Robustness: the verdict that it examines, also in its table of measures; a k that is clear
    for this pair alone is called so where the verdict is not."""
    study, shown, row = case.study, case.shown, case.row
    found = robustness_summary.robustness_summary(study, shown)
    if found.pair is None or not found.all_checks:
        return
    yield "Robustness", found.pair.verdict, row["verdict"]
    own = robustness.measure_agreement(study, shown).table.set_index("measure").loc[shown.name]
    yield "Robustness' table", own["verdict"], row["verdict"]
    yield "Robustness' interval", (own["low"], own["high"]), near((row["low"], row["high"]))
    by_cutoff = robustness.compare_pair_by_cutoff(study, shown)
    if by_cutoff is None or row["verdict"] in CLEAR or row["verdict"] == NO_MATTER:
        return
    at = by_cutoff.crossings.cutoffs == (shown.measure.cutoff or -1)
    if by_cutoff.crossings.clear[at].any():
        (entry,) = (entry for entry in found.all_checks if entry.part == "cutoff")
        yield "Robustness at k", "this pair alone" in entry.reason, True
        (settling,) = (entry for entry in found.settling_checks if entry.part == "cutoff")
        yield "Overview's check at k", "this pair alone" in settling.brief, True


def of_versions(case: Case) -> Iterator[Says]:
    """Versions are corrected for whoever looks again, too: they find no more."""
    study, shown, row = case.study, case.shown, case.row
    pair = BASELINE, shown.focus
    text = history_page(study, shown, pair, are_versions=True).finding.text
    if "is significantly worse" in text:
        scores = study.scores_of_all_runs(shown, shown.measure).select_runs(pair)
        yield "Versions", compare_scores(scores, baseline=BASELINE)["verdict"][0] in BEHIND, True
    if " is the best on " in text:
        yield "Versions", row["verdict"] in AHEAD, True


def of_outputs(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Says]:
    """What leaves: the report, and what the commands and Python say of the same files."""
    study, shown, row = case.study, case.shown, case.row
    page = make_report_page(
        make_report(study, shown, ()),
        Drawing.for_comparison(shown, study.names),
        ReportRequest("A report"),
    )
    text = " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())
    first, by_k = overview(study, shown), curves(study, shown)
    yield "report", first.verdict.title.text in text, True
    yield "report's By cutoff", by_k.title.text in text, shown.focus not in first.too_few
    method, measure = shown.method, shown.name
    files = [str(folder / f"{name}.run") for name in study.names]
    for file, run in zip(files, study.runs.values(), strict=True):
        write(run, file, "trec")
    (folder / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, d, g in judgments(study.query_ids))
    )

    def command(name: str, *options: str) -> Any:
        main([name, str(folder / "qrels.txt"), *files, *options, "--format", "json"])
        return json.loads(capsys.readouterr().out)

    options = ["-m", measure, "--level", str(method.level), "--test", method.test]
    options += ["--correction", method.correction] if method.correction else []
    options += ["--margin", str(method.margin)] if method.margin else []
    told = of_run(pd.DataFrame(command("compare", *options)), shown.focus)
    yield "compare", told["verdict"], row["verdict"]
    yield "compare's p", told["p_corrected"] or math.nan, near(row["p_corrected"])
    runs, qrels = list(study.runs.values()), study.qrels
    python = of_run(compare(runs, qrels, measure, **asked_of(method)), shown.focus)
    yield "metrics_core.compare", python["verdict"], row["verdict"]
    yield "metrics_core.compare's p", python["p_corrected"], near(row["p_corrected"])
    if not case.by_default:
        return
    found = pairs(study, shown).run_pairs
    for told in command("all-pairs", *options[:4]):
        if {told["run"], told["other"]} == {BASELINE, shown.focus}:
            at = found.runs.index(told["run"]), found.runs.index(told["other"])
            yield "all-pairs", told["verdict"], found.verdict[at]
            yield "all-pairs' p", told["p"] or math.nan, near(row["p"])
    asked = str(Gate(shown.measure, 0.05))
    wanted = gate(runs[1:], runs[0], qrels, asked)
    outcome = next(one for one in wanted.outcomes if one.run == shown.focus)
    yield "gate in Python", outcome.p_corrected, near(row["p_corrected"])
    printed = of_run(pd.DataFrame(command("compare", "--gate", asked)["gates"]), shown.focus)
    yield "compare --gate", printed["outcome"], outcome.outcome
    yield "compare --gate's p", printed["p_corrected"] or math.nan, near(row["p_corrected"])


@pytest.mark.random
def test_every_door_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    false, words = [], Counter[str]()
    for number, case in cases():
        doors = [of_every_comparison(case)]
        if number % WHOLE_PAGES == 0:
            doors.append(of_pages(case))
        if number % WHOLE_REPORTS == 0:
            doors.append(of_outputs(case, tmp_path, capsys))
        said = [(number, *each) for door in doors for each in door]
        false += [each for each in said if each[2] != each[3]]
        words[case.row["verdict"]] += 1
    assert not false, (len(false), false[:20])
    assert words.total() == COLLECTIONS * VIEWS >= 300
    assert min(words[word] for word in (BETTER_RUN, WORSE_RUN, NO_MATTER)) > 10, words
