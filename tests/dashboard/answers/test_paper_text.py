"""The tables of the Overview and of Ranking as text: the numbers of the page, and its letters."""

from __future__ import annotations

import pytest

from dashboard.address.address import Address
from dashboard.answers.overview import overview
from dashboard.answers.paper_text import overview_texts, ranking_texts
from dashboard.answers.ranking import pairs_on_measures
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import BETTER_RUN
from metrics_core.tables import Qrels, Run

QUERIES = [f"q{i}" for i in range(40)]
QRELS = Qrels.from_columns(QUERIES, ["yes"] * 40, [1] * 40)


def ranked(name: str, rank: int) -> Run:
    """A run that lists the relevant document at this rank of five."""
    ids = [q for q in QUERIES for _ in range(5)]
    docs = ["yes" if n == rank else f"no{n}" for _ in QUERIES for n in range(1, 6)]
    return Run.from_columns(name, ids, docs, [-float(n) for _ in QUERIES for n in range(5)])


STUDY = Study([ranked("third", 3), ranked("first_run", 1), ranked("also 1", 1)], QRELS)
VIEW = STUDY.view(Address.create(run="first_run", base="third", m="RR")).comparison


@pytest.mark.parametrize("make_texts", [overview_texts, ranking_texts])
def test_texts_have_every_run_and_measure_best_first(make_texts) -> None:
    texts = make_texts(STUDY, VIEW)
    head, _, *rows = texts["Markdown"].strip().splitlines()
    names = [cell.strip() for cell in head.strip("|").split("|")]
    assert names[0] == "run"
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    by_run = {row[0].replace("\\", ""): row[1:] for row in cells}
    assert list(by_run)[-1] == "third" and len(by_run) == 3
    means = overview(STUDY, VIEW).table
    for run, measure, mean in zip(means["run"], means["measure"], means["mean"], strict=True):
        assert by_run[run][names.index(str(measure)) - 1] == w.format_score(mean)
    assert r"\usepackage{booktabs}" in texts["LaTeX"] and r"first\_run" in texts["LaTeX"]


def test_letters_mark_what_the_page_calls_significant() -> None:
    latex = ranking_texts(STUDY, VIEW)["LaTeX"]
    pairs = pairs_on_measures(STUDY, VIEW)[VIEW.measure]
    beaten = (pairs.verdict == BETTER_RUN).sum(axis=1)
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")][1:]
    assert beaten.tolist() == [1, 1, 0]
    assert [(r"\textsuperscript{c}" in row) for row in rows] == [True, True, False]
    assert "include third (c) are compared" in overview_texts(STUDY, VIEW)["LaTeX"]
