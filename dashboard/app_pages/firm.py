"""Robustness: the checks of a verdict, and the evidence of the one that is open."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.query_list import NO_LIST
from dashboard.answers import firm, unjudged
from dashboard.answers import firmness as answers
from dashboard.answers.grading import with_documents
from dashboard.answers.spreadsheet import spreadsheet
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.completeness import complete_switch
from dashboard.drawing.blocks import card_head, firmness, layers, markup
from dashboard.drawing.blocks.firmness import Cell, DifferenceRange
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import curves as figures
from dashboard.drawing.figures.text import short_names
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.findings.firmness import firmness_finding
from metrics_core.findings.grading import judge_next_finding
from metrics_core.scoring.intervals import LEVEL
from metrics_core.tables.ranked_run import as_judged_ranks

_SHOWN = 20
_IN_A_HEAD = 24
_TO_JUDGE = 5
"""Documents to judge next that the page lists; all of them are in the download and the queue."""


def render() -> None:
    """A row a check, those that do not hold first; below the open one its evidence."""
    here = session.opened_study()
    view, styles = here.comparison, here.drawing.styles
    strip = answers.firmness(here.study, view)
    st.html(markup.answer(*firmness_finding(strip).parted, styles))
    if not strip.entries:
        more = "Include more queries" if strip.text else "Compare another run"
        st.html(markup.nothing("Nothing to check.", f"{more}."))
        return
    # What there is nothing of stands last, and is no check.
    checks = sorted(strip.entries, key=lambda entry: (not entry.brief, entry.tone == "firm"))
    asked = here.view.address["part"]
    open_ = asked if asked in [entry.part for entry in checks] else checks[0].part
    with st.container(key="checks", gap=None):
        for entry in checks:
            is_open = entry.part == open_
            link, unclear = session.href("firm", part=entry.part), bool(strip.settling)
            row = firmness.check(entry, link, unclear=unclear, is_open=is_open)
            if not is_open:
                st.html(row)
                continue
            with st.container(key="open_check", gap=None):
                st.html(row)
                with st.container(key=f"part_{entry.part}"):
                    _PARTS[entry.part](here, entry.reason)


def _unjudged(here: Opened, _: str) -> None:
    view, study = here.comparison, here.study
    found = unjudged.unjudged(study, view)
    reached, likely = found.reached, found.likely
    how = "exact" if reached.exact else "upper and lower bound"
    interval = likely.interval
    spans = [
        DifferenceRange(
            "Now", "unjudged count as not relevant", reached.difference, reached.difference
        ),
        DifferenceRange(
            "Likely",
            # Why it is not known stands in the check's own line.
            f"graded like similar judged documents, {w.share(LEVEL)} of draws"
            if interval
            else "unknown",
            float(interval.low) if interval else math.nan,
            float(interval.high) if interval else math.nan,
        ),
        DifferenceRange(
            "Worst and best case", reached.reason or how, reached.lowest, reached.highest
        ),
    ]
    label = f"Possible range of the difference on {view.name}, {view.focus} minus {view.baseline}"
    st.html(firmness.spans(spans, here.drawing, label))
    defer(lambda: _judge_next(here, found.shares))


def _judged_by_k(here: Opened, shares: pd.DataFrame) -> None:
    with st.popover("Judged share by k", type="tertiary", key="judged_by_k"):
        section.heading(
            "Judged share",
            "Share of judged documents in the top k of all queries.",
            frame=shares,
            key="judged",
        )
        heads = [Column("k"), *(Column(run, "number") for run in _pair(here))]
        rows = [
            [Cell(w.count(row["k"])), Cell(w.share(row["run"])), Cell(w.share(row["baseline"]))]
            for row in shares.to_dict("records")
        ]
        st.html(firmness.table(heads, rows, "Judged share by k"))
        complete_switch(here.study, "robustness")


def _judge_next(here: Opened, shares: pd.DataFrame) -> None:
    view, study = here.comparison, here.study
    unknown = study.nameless((view.focus, view.baseline))
    if unknown:
        section.heading(
            "Judge next",
            f"{as_judged_ranks(unknown)}, so it is unknown which documents are unjudged."
            " Their number and their maximum effect are known.",
        )
        _judged_by_k(here, shares)
        return
    found = unjudged.next_to_judge(study, view)
    waiting = unjudged.how_many_unjudged(study, view)
    said = judge_next_finding(found, firm.pair_of(study, view), waiting)
    if found.table.empty:
        st.html(markup.nothing("No unjudged document could reverse the order.", said))
        _judged_by_k(here, shares)
        return
    sheet = found.to_fill_in()
    settling = found.to_settle or 0
    these = f"Judge these {w.count(settling)}" if settling > 1 else "Judge one by one"
    with st.container(horizontal=True, vertical_alignment="center", key="judge_these"):
        st.html(layers.onward(session.href("judge"), these, "primary"))
        st.html(card_head.remark(said))
        _judged_by_k(here, shares)
        st.download_button(
            f"Sheet to fill in :gray[{section.counted(len(sheet), 'document', 'documents')}]",
            data=lambda: spreadsheet(sheet),
            file_name=section.file_name("to-judge"),
            mime="text/csv",
            key="csv_to_judge",
            type="tertiary",
            on_click="ignore",
            help="Fill in the column relevance, then upload the file under Files as"
            " judgments. Rows left empty stay unjudged.",
        )
        section.csv_link("Judge next", found.table, "judge_next")
    first = found.table.head(_TO_JUDGE)
    shown = study.with_texts(first)
    shown["title"] = with_documents(study, first)["title"].to_numpy()
    heads = [
        Column("Judge next, most influential first"),
        Column("Document"),
        *(Column(f"rank in {run}", "number") for run in _pair(here)),
        Column("max. effect on the mean", "number"),
    ]
    rows = [
        [
            _query(row),
            Cell(row["title"] or row["doc_id"], small=row["doc_id"] if row["title"] else ""),
            Cell(w.count(row["run_rank"]) if row["run_rank"] else w.DASH),
            Cell(w.count(row["baseline_rank"]) if row["baseline_rank"] else w.DASH),
            Cell(w.difference(row["moves"], 4)),
        ]
        for row in shown.to_dict("records")
    ]
    st.html(firmness.table(heads, rows, "Documents to judge next", headed=heads[0].name))


def _queries(here: Opened, reason: str) -> None:
    view = here.comparison
    found = firm.removed(here.study, view)
    section.heading(
        "Fewest queries whose removal reverses the result",
        "Right: the mean of the remaining queries, after removing this query and all above it.",
        frame=found,
        key="turning",
    )
    if found.empty:
        st.html(markup.nothing("No query can reverse the result.", reason))
        return
    ends = {"difference": "difference", "left": "mean after removal"}
    _by_query(found, ends, "Fewest queries whose removal reverses the result")


def _by_query(found: pd.DataFrame, named: Mapping[str, str], caption: str) -> None:
    """A row a query, with the differences of these columns under these names."""
    heads = [Column("Query"), *(Column(name, "number") for name in named.values())]
    rows = [
        [_query(row), *(Cell(w.difference(row[column])) for column in named)]
        for row in found.head(_SHOWN).to_dict("records")
    ]
    st.html(firmness.table(heads, rows, caption))
    _rest(len(found))


def _cutoff(here: Opened, reason: str) -> None:
    view = here.comparison
    found = firm.cutoffs(here.study, view)
    if found is None:
        section.heading("No cutoff", reason)
        return
    name = view.family
    section.heading(
        f"{name} by number of results counted",
        "Top: the scores. Bottom: their difference, with a band that is simultaneous"
        " over all k. The lead is significant at each k whose band excludes zero.",
        frame=found.frame,
        key="by_cutoff",
    )
    figure = drawn(
        figures.measure_by_cutoff,
        found.frame,
        here.drawing,
        value_range=here.drawing.value_range,
    )
    runs = (view.focus, view.baseline)
    picture = section.caption(f"{name} by k", section.INTERVALS, runs=runs)
    alt = f"{name} by k. {reason}"
    section.chart(figure, "firm_cutoff", alt=alt, picture=picture, clickable=False, zooms=True)


def _measures(here: Opened, _: str) -> None:
    view = here.comparison
    found = firm.measures(here.study, view).table
    section.heading(
        "Results on other measures",
        f"Means over the queries in view, {view.focus} minus {view.baseline}. {view.name}"
        " is tested as on the Overview; the other measures have simultaneous intervals.",
        frame=found,
        key="measures",
    )
    heads = [Column("Measure"), *(Column(run, "number") for run in _pair(here))]
    heads += [Column("difference", "number"), Column("interval", "number"), Column("verdict")]
    rows = [
        [
            Cell(row["measure"], session.href("measures", measure=row["measure"])),
            Cell(w.score(row["mean"])),
            Cell(w.score(row["baseline_mean"])),
            Cell(w.difference(row["difference"])),
            Cell(w.interval(row["low"], row["high"])),
            Cell(row["verdict"]),
        ]
        for row in found.to_dict("records")
    ]
    st.html(firmness.table(heads, rows, "The two runs on other measures"))
    other, apart = firm.seen_otherwise(here.study, view)
    section.heading(
        f"Queries on which {view.name} and {other} disagree most",
        "The two differences are compared in units of each measure's typical difference.",
        frame=apart,
        key="apart",
    )
    named = {"first": view.name, "second": other}
    _by_query(apart, named, f"Queries on which {view.name} and {other} disagree")


def _ties(here: Opened, reason: str) -> None:
    found = firm.moved_by_ties(here.study, here.comparison)
    if found is None:
        section.heading("Ties", reason)
        return
    section.heading(
        "Queries whose difference depends on tie-breaking",
        "Ties are broken by document id, which is arbitrary. Right: the difference in"
        " the worst and in the best order.",
        frame=found,
        key="ties",
    )
    if found.empty:
        st.html(markup.nothing("None.", "Ties affect no query's difference."))
        return
    ends = {"difference": "difference", "low": "lowest", "high": "highest"}
    _by_query(found, ends, "Queries affected by tie-breaking")


def _missing(here: Opened, _: str) -> None:
    found = firm.lacking(here.study, here.comparison)
    section.heading(
        "Queries for which a run has no results",
        "A run without results for a query gets the score of an empty list, usually 0.",
        frame=found,
        key="missing",
    )
    heads = [Column("Query"), Column("no results from")]
    rows = [[_query(row), Cell(row["run"])] for row in found.head(_SHOWN).to_dict("records")]
    st.html(firmness.table(heads, rows, "Queries for which a run has no results"))
    _rest(len(found))


def _pair(here: Opened) -> tuple[str, str]:
    """The two compared, as they are called in the head of a column."""
    view, short = here.comparison, short_names(here.drawing.styles, _IN_A_HEAD)
    return short[view.focus], short[view.baseline]


def _query(row: dict[str, object]) -> Cell:
    name = str(row["query_id"])
    link = session.href("query", q=name, rows="", **NO_LIST)
    return Cell(str(row["text"]), link, str(row["meta"]))


def _rest(count: int) -> None:
    if count > _SHOWN:
        st.html(markup.nothing("", f"{w.count(count - _SHOWN)} more are in the CSV."))


_PARTS = {
    "unjudged": _unjudged,
    "queries": _queries,
    "cutoff": _cutoff,
    "measures": _measures,
    "ties": _ties,
    "missing": _missing,
}


if __name__ == "__main__":
    render()
