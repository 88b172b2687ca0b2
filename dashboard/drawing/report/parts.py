"""The parts of a report, each by the blocks of its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from latex2mathml.converter import convert
from markupsafe import Markup

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_names import column_title
from dashboard.answers.group_table import GroupRows
from dashboard.answers.report import Case, Report
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, groups, markup, overview, untested
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.firmness import TITLE, TITLE_UNCLEAR
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import Badge
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures import curves as figures
from dashboard.drawing.svg.chart_svg import svg_of
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import in_words
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method
from metrics_core.comparing.pairs import SAME
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence

PARTS = {
    "runs": "Runs and measures",
    "groups": "Breakdown by group",
    "checks": TITLE,
    "curves": "Does it depend on the cutoff?",
    "losses": "Largest losses",
    "wins": "Largest wins",
    "queries": "Every query",
    "noted": "Notes and tags",
    "measured": "What was measured, and how",
}
"""The parts below the verdict, which may be left out, by their places in the file."""
_WIDTH, WIDE = 360.0, 900.0
"""Width of a chart in px as it is drawn, and on a screen of its own; it grows and shrinks."""
_TITLES = {"P": "Precision@k", "R": "Recall@k", "nDCG": "nDCG@k"}
_LEADS_TO = {"breakdown": "groups", "firm": "checks", "curves": "curves", "pairs": "runs"}


@dataclass(frozen=True)
class ReportRequest:
    """What the sender wants: a title (the collection's name), a paragraph of their own above all,
    the parts, what was left out, in words, and the packed collection that it carries, b"" for
    none."""

    title: str
    text: str = ""
    parts: tuple[str, ...] = tuple(PARTS)
    said: str = ""
    data: bytes = field(default=b"", repr=False)
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def date(self) -> str:
        """The day, as a reader writes it."""
        return f"{self.made.day} {self.made:%B %Y}"


def queries_in(shown: Report) -> str:
    """How many queries are in view, in words."""
    n = shown.overview.facts.queries
    return f"{w.count(n)} {w.plural(n, 'query', 'queries')}"


class Parts:
    """The parts of one report, and what they are drawn of."""

    def __init__(self, shown: Report, drawing: Drawing, asked: ReportRequest) -> None:
        """Draw those that are asked for and have something to show."""
        self.shown, self.drawing, self.asked = shown, drawing, asked
        self.styles = drawing.styles
        cases = [*shown.losses, *shown.wins]
        self._anchors = {str(c.row["query_id"]): f"case-{i}" for i, c in enumerate(cases, 1)}
        self._drawn = {key: inside for key in asked.parts if (inside := self._made(key))}
        self.kept = list(self._drawn)

    def href(self, page: str, **changes: Any) -> str:
        """Where a link of the dashboard leads within the file; "" where nowhere."""
        if page == "query":
            anchor = self._anchors.get(str(changes.get("q", "")), "")
            where = "losses" if anchor and self._is_loss(anchor) else "wins"
            return f"#{anchor}" if anchor and where in self.asked.parts else ""
        if page == "queries" and "queries" in self.asked.parts:
            return f"#queries-{changes.get('show') or 'all'}"
        part = _LEADS_TO.get(page, "")
        return f"#{part}" if part in self.asked.parts else ""

    def _is_loss(self, anchor: str) -> bool:
        return int(anchor.removeprefix("case-")) <= len(self.shown.losses)

    def title(self, key: str) -> str:
        """What a part is called."""
        n = {"losses": len(self.shown.losses), "wins": len(self.shown.wins)}.get(key, 0)
        if key == "checks" and self.shown.firmness.settling:
            return TITLE_UNCLEAR
        if n:
            size = "largest " if n > 1 else ""
            noun = {"losses": "loss", "wins": "win"}[key]
            return f"The {w.number(n)} {size}{w.plural(n, noun, key)}"
        return PARTS[key]

    def verdict(self) -> Markup:
        """The answer, drawn, and what it rests on."""
        shown, drawing = self.shown.overview, self.drawing
        found = shown.verdict
        badge = Badge(found.badge, found.tone) if found.badge else None
        parts = [markup.answer(found.title, found.lead, self.styles, badge=badge)]
        if drawing.focus in shown.too_few:
            parts.append(untested.examples(shown.examples, drawing, self.href))
        elif not drawing.alone:
            row = shown.every.set_index("run").loc[drawing.focus].to_dict()
            parts += [
                overview.outcomes(row, self.href),
                differences.difference_rows(
                    shown.comparison,
                    drawing,
                    lead=lambda run: "",
                    listed=self._listed,
                    level=drawing.comparison.method.level,
                ),
            ]
        parts.append(overview.facts_line(shown.facts, self.href))
        inside = Markup("").join(parts)
        return Markup('<section id="verdict">{}</section>').format(inside)

    def _listed(self, run: str, outcome: str) -> str:
        return self.href("queries", show=outcome) if run == self.drawing.focus else ""

    def parts(self) -> list[Markup]:
        """The parts below, those that have something to show."""
        return [
            blocks.part(key, self.title(key), self._lead(key), inside, self.styles)
            for key, inside in self._drawn.items()
        ]

    def _made(self, key: str) -> Markup:
        """The content of a part, or why it could not be made; an error may quote ids and texts."""
        failed = self.shown.failed.get(key)
        if failed is None:
            try:
                return self._inside(key)
            except Exception as error:
                failed = error
        why = failed.message if isinstance(failed, RanklensError) else in_words(failed)
        return blocks.left_out("" if self.asked.said else why)

    def _inside(self, key: str) -> Markup:
        inside: dict[str, Callable[[], Markup]] = {
            "runs": self._runs,
            "groups": self._groups,
            "checks": lambda: (
                blocks.reasons(self.shown.firmness) if self.shown.firmness.checks else Markup()
            ),
            "curves": self._curves,
            "losses": lambda: self._cases(self.shown.losses),
            "wins": lambda: self._cases(self.shown.wins),
            "queries": self._queries,
            "noted": lambda: blocks.noted(self.shown.noted),
            "measured": self._measured,
        }
        return inside[key]()

    def _lead(self, key: str) -> str | Sentence:
        shown, drawing = self.shown, self.drawing
        if key == "runs":
            alone = len(shown.overview.comparison) < 2
            small = f"Mean over {queries_in(shown)}."
            return small if alone else f"{small} Small number: difference from {drawing.baseline}."
        if key == "groups" and shown.groups is not None:
            higher = drawing.comparison.measure.declaration.higher_is_better
            return shown.groups[0].lead("", higher_is_better=higher)
        if key == "curves" and shown.curves is not None:
            return shown.curves.lead
        if key == "losses":
            return (
                "First line: the documents that caused it, with their contributions, which add up"
                " to the difference. Below: the first ranks of both lists. ? = not judged."
            )
        if key == "wins":
            return self._empty_lists()
        return ""

    def _empty_lists(self) -> str:
        """How many of the largest wins are queries that the baseline does not list."""
        wins, baseline = self.shown.wins, self.drawing.baseline
        empty = sum(case.row["unlisted_by"] == baseline for case in wins)
        if not empty:
            return ""
        which = "All" if empty == len(wins) else w.sentence_case(w.number(empty))
        noun = w.plural(empty, "is a query", "are queries")
        return f"{which} of them {noun} without results from {baseline}."

    def _runs(self) -> Markup:
        shown, drawing = self.shown.overview, self.drawing
        measures = [(name, gloss, "") for name, gloss, _ in shown.measures]
        table = overview.runs_and_measures(
            shown.table, drawing, measures, shown.judged_shares, lambda run: ""
        )
        told = f"{w.sentence_case(shown.coloured)}." if shown.coloured else ""
        return table + overview.table_note(told, shown.by_measure, drawing)

    def _groups(self) -> Markup:
        if self.shown.groups is None:
            return Markup()
        found, rows = self.shown.groups
        table = self.group_table(found, rows)
        return table + groups.below_groups(found, self.drawing, rows.note)

    def group_table(self, found: Breakdown, rows: GroupRows) -> Markup:
        """The groups of the queries."""
        return groups.group_table(
            rows,
            found,
            self.drawing,
            column=column_title(found.by, self.drawing.cutoff),
            lead=lambda group: "",
            ranked=lambda order: "",
            more="",
        )

    def _curves(self) -> Markup:
        shown, drawing = self.shown.curves, self.drawing
        if shown is None:
            return Markup()
        in_colour = shown.in_colour(drawing.comparison)
        tested = shown.queries >= FEWEST_QUERIES
        note = curves_blocks.bands(drawing, tested=tested)
        legend = curves_blocks.legend(drawing, in_colour, {}, note)
        told = f"k: number of results counted (log scale). Dotted: k = {w.count(drawing.cutoff)}."
        if tested and not drawing.alone:
            told += (
                " The bands below are simultaneous over all k: the difference is"
                " significant at each k whose band excludes zero."
            )
        own = drawing.comparison.measure.declaration.name
        charts = [
            (curves_blocks.panel_head(_title(family), ""), self.chart(family), family == own)
            for family in shown.frames
        ]
        return blocks.panels(charts, legend, curves_blocks.note(told))

    def chart(self, family: str, width: float = _WIDTH) -> Markup:
        """The chart of a measure by k."""
        shown, drawing = self.shown.curves, self.drawing
        if shown is None:
            return Markup()
        unit = shown.ranges[family] == (0, 1)
        chart = figures.measure_by_cutoff(
            shown.frames[family],
            drawing,
            in_colour=shown.in_colour(drawing.comparison),
            ends=shown.ends,
            difference_range=figures.difference_range(shown.alike, drawing) if unit else None,
            value_range=shown.ranges[family],
        )
        label = f"{_title(family)} of {w.listing(drawing.styles)} by k. {shown.title.text}."
        return svg_of(chart, width, label)

    def _cases(self, cases: Sequence[Case]) -> Markup:
        return Markup("").join(self._case(case) for case in cases)

    def _case(self, case: Case) -> Markup:
        return self.case_of(case, self._anchors[str(case.row["query_id"])])

    def case_of(self, case: Case, anchor: str) -> Markup:
        """A query with both lists; without an anchor nothing leads to it."""
        grades = Grades.of(self.shown.grades)
        return blocks.case(case, self.drawing, grades, anchor)

    def _queries(self) -> Markup:
        if self.shown.queries is None:
            return Markup()
        return blocks.query_rows(
            self.shown.queries,
            self.shown.lists,
            self.drawing,
            lambda query_id: self.href("query", q=query_id),
        )

    def _measured(self) -> Markup:
        shown, found = self.shown.overview, self.shown.measured
        formulas = [
            (name, words, Markup(convert(formula))) for name, words, formula in found.measures
        ]
        least = self.drawing.comparison.measure.relevant_from
        # Of a measure of gains whatever is above 0 has one.
        from_grade = f"grade {w.grade(least)} and above" if least >= 1e-9 else "any grade above 0"
        complete = shown.facts.complete
        of_runs = ", ".join(f"{run} lacks {w.count(n)}" for run, n in found.missing.items())
        lacking = f": {of_runs}" if of_runs else ""
        paragraphs = [
            (
                "Relevant, unjudged, missing",
                f"Relevant: {from_grade}. Unjudged documents count as not"
                f" relevant{'; the judgments are taken as complete' if complete else ''}."
                " A judged query without results from a run "
                f"{'is left out' if shown.facts.left_out else 'counts as an empty list'}{lacking}.",
            ),
        ]
        if not self.drawing.alone:
            paragraphs.append(
                (
                    "Test and correction",
                    f"{shown.tested.text} {_method(self.drawing.comparison.method)}",
                )
            )
        judged = ", ".join(f"{run} {w.share(share)}" for run, share in shown.judged_shares.items())
        k = w.count(self.drawing.cutoff)
        paragraphs.append(
            ("Judged", f"{w.share(shown.facts.judged_share)} of the top {k}. By run: {judged}.")
        )
        paragraphs += [("The files", " ".join(found.changed))] if found.changed else []
        return blocks.measured(found, formulas, paragraphs)


def _method(method: Method) -> str:
    """The test and the correction by their names, and what counts as won."""
    return (
        f"Test: {TESTS[method.test]}; correction: {CORRECTIONS[method.corrected_by]}. The random"
        f" draws are the same each time. A query is won or lost beyond ±{SAME:g}. Effect size is"
        " the mean difference divided by the standard deviation of the queries’ differences."
    )


def _title(family: str) -> str:
    return _TITLES.get(family, f"{family}@k")
