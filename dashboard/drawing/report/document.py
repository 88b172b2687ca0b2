"""A report as one HTML file: verdict, runs and measures, where it comes from, whether it can be
relied on, curves, the largest losses and wins, every query, and what was measured.

The parts are those of the pages; charts are SVG, colours follow the reader's theme, and links lead
within the file. Nothing in it asks for anything from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from latex2mathml.converter import convert
from markupsafe import Markup

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_table import Asked as GroupsAsked
from dashboard.answers.group_table import Listed, listed
from dashboard.answers.report import Case, Report
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, groups, markup, overview, uncompared
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.firmness import TITLE, TITLE_UNCLEAR
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import Badge
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures import curves as figures
from dashboard.drawing.report.sheet import font_face, own_sheet, sheet_for
from dashboard.drawing.svg import svg_of
from dashboard.drawing.theme import BY_THEME
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings import Sentence
from metrics_core.findings.firmness import firmness_finding

PARTS = {
    "runs": "Runs and measures",
    "groups": "Where it comes from",
    "checks": TITLE,
    "curves": "Does it depend on how many results count?",
    "losses": "Largest losses",
    "wins": "Largest wins",
    "queries": "Every query",
    "measured": "What was measured, and how",
}
"""The parts below the verdict, which may be left out, by their places in the file."""
_WIDTH, _WIDE = 360.0, 900.0
"""Width of a chart in px as it is drawn, and on a screen of its own; it grows and shrinks."""
_GROUPS, _RUNS = 7, 6
"""Groups and runs that a screen shows."""
_TITLES = {"P": "Precision@k", "R": "Recall@k", "nDCG": "nDCG@k"}
_LEADS_TO = {"breakdown": "groups", "firm": "checks", "curves": "curves", "pairs": "runs"}
_LINK_TO_NOWHERE = re.compile(r'<a\b((?:(?!>).)*?)\shref=""((?:(?!>).)*)>(.*?)</a>', re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """What the sender wants: a title (the collection's name), a paragraph of their own above all,
    the parts, whether query texts and titles stand in it, and what was left out, in words."""

    title: str
    text: str = ""
    parts: tuple[str, ...] = tuple(PARTS)
    texts: bool = True
    said: str = ""
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def date(self) -> str:
        """The day, as a reader writes it."""
        return f"{self.made.day} {self.made:%B %Y}"


def document(shown: Report, drawing: Drawing, asked: Asked) -> str:
    """The file. `drawing` is what is compared and how the runs are drawn; its colours are those of
    the reader's theme."""
    drawing = replace(drawing, palette=BY_THEME)
    own = _Document(shown, drawing, asked)
    parts = [own.verdict(), *own.parts()]
    slides = own.slides()
    pair = f"scores of {drawing.focus}" if drawing.alone else ""
    pair = pair or f"{drawing.focus} against {drawing.baseline}"
    head = blocks.title_line(asked.title, pair, asked.date, asked.said, asked.text)
    source = f"{asked.title} · {drawing.name} · {_queries(shown)}"
    made = f"Made with {shown.measured.versions}, {asked.made:%Y-%m-%d %H:%M %Z}."
    whole = blocks.document(
        f"{asked.title}: {pair} on {drawing.name}",
        "",
        "",
        head,
        [("verdict", "Verdict"), *((key, own.title(key)) for key in own.kept)],
        parts,
        slides,
        blocks.Foot(shown.measured.versions.split(" · ")[0], asked.date, made, source),
    )
    page = without_links(whole)
    sheet = sheet_for(page, font_face(), own_sheet("report.css"))
    script = (Path(__file__).parent / "report.js").read_text("utf-8")
    page = page.replace("<style></style>", f"<style>{sheet}</style>", 1)
    return page.replace("<script></script>", f"<script>{script}</script>", 1).lstrip()


def without_links(whole: Markup) -> str:
    """The same where links that lead nowhere are plain text."""
    return _LINK_TO_NOWHERE.sub(r"<span\1\2>\3</span>", str(whole))


def _queries(shown: Report) -> str:
    n = shown.overview.facts.queries
    return f"{w.count(n)} {w.plural(n, 'query', 'queries')}"


class _Document:
    """The parts of one report."""

    def __init__(self, shown: Report, drawing: Drawing, asked: Asked) -> None:
        self._shown, self._drawing, self._asked = shown, drawing, asked
        self._styles = drawing.styles
        cases = [*shown.losses, *shown.wins]
        self._anchors = {str(c.row["query_id"]): f"case-{i}" for i, c in enumerate(cases, 1)}
        self._drawn = {key: inside for key in asked.parts if (inside := self._inside(key))}
        self.kept = list(self._drawn)

    def href(self, page: str, **changes: Any) -> str:
        """Where a link of the dashboard leads within the file; "" where nowhere."""
        if page == "query":
            anchor = self._anchors.get(str(changes.get("q", "")), "")
            where = "losses" if anchor and self._is_loss(anchor) else "wins"
            return f"#{anchor}" if anchor and where in self._asked.parts else ""
        if page == "queries" and "queries" in self._asked.parts:
            return f"#queries-{changes.get('show') or 'all'}"
        part = _LEADS_TO.get(page, "")
        return f"#{part}" if part in self._asked.parts else ""

    def _is_loss(self, anchor: str) -> bool:
        return int(anchor.removeprefix("case-")) <= len(self._shown.losses)

    def title(self, key: str) -> str:
        """What a part is called."""
        n = {"losses": len(self._shown.losses), "wins": len(self._shown.wins)}.get(key, 0)
        if key == "checks" and self._shown.firmness.settling:
            return TITLE_UNCLEAR
        if n:
            size = "largest " if n > 1 else ""
            noun = {"losses": "loss", "wins": "win"}[key]
            return f"The {w.number(n)} {size}{w.plural(n, noun, key)}"
        return PARTS[key]

    def verdict(self) -> Markup:
        """The answer, drawn, and what it rests on."""
        shown, drawing = self._shown.overview, self._drawing
        found = shown.verdict
        badge = Badge(found.badge, found.tone) if found.badge else None
        parts = [markup.answer(found.title, found.lead, self._styles, badge=badge)]
        if drawing.focus in shown.too_few:
            parts.append(uncompared.examples(shown.examples, drawing, self.href))
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
        return self.href("queries", show=outcome) if run == self._drawing.focus else ""

    def parts(self) -> list[Markup]:
        """The parts below, those that have something to show."""
        return [
            blocks.part(key, self.title(key), self._lead(key), inside, self._styles)
            for key, inside in self._drawn.items()
        ]

    def _inside(self, key: str) -> Markup:
        inside: dict[str, Callable[[], Markup]] = {
            "runs": self._runs,
            "groups": self._groups,
            "checks": lambda: (
                blocks.reasons(self._shown.firmness) if self._shown.firmness.checks else Markup()
            ),
            "curves": self._curves,
            "losses": lambda: self._cases(self._shown.losses),
            "wins": lambda: self._cases(self._shown.wins),
            "queries": self._queries,
            "measured": self._measured,
        }
        return inside[key]()

    def _lead(self, key: str) -> str | Sentence:
        shown, drawing = self._shown, self._drawing
        if key == "runs":
            alone = len(shown.overview.comparison) < 2
            small = f"Mean over {_queries(shown)}."
            return small if alone else f"{small} Small number: difference to {drawing.baseline}."
        if key == "groups" and shown.groups is not None:
            higher = drawing.comparison.measure.declaration.higher_is_better
            return shown.groups[0].lead("", higher_is_better=higher)
        if key == "curves":
            return shown.curves.lead
        if key in ("losses", "wins"):
            return (
                "First line: which documents made it, and how much each; the parts add up to the"
                " difference. Below: the first ranks of both lists. ? = not judged."
            )
        return ""

    def _runs(self) -> Markup:
        shown, drawing = self._shown.overview, self._drawing
        measures = [(name, gloss, "") for name, gloss, _ in shown.measures]
        table = overview.runs_and_measures(
            shown.table, drawing, measures, shown.judged_shares, lambda run: ""
        )
        tested = len(shown.comparison) > 1 and len(shown.too_few) < len(shown.comparison) - 1
        told = "Coloured if significant after correction." if tested else ""
        return table + overview.table_note(told, shown.by_measure, drawing)

    def _groups(self) -> Markup:
        if self._shown.groups is None:
            return Markup()
        found, rows = self._shown.groups
        table = self._group_table(found, rows)
        return table + groups.below_groups(found, self._drawing, rows.note)

    def _group_table(self, found: Breakdown, rows: Listed) -> Markup:
        return groups.group_table(
            rows,
            found,
            self._drawing,
            column=self._shown.overview.grouped_by,
            lead=lambda group: "",
            ranked=lambda order: "",
            more="",
        )

    def _curves(self) -> Markup:
        shown, drawing = self._shown.curves, self._drawing
        in_colour = shown.in_colour(drawing.comparison)
        tested = shown.queries >= FEWEST_QUERIES
        note = "bands: 95 %" if tested else "too few queries for bands"
        legend = curves_blocks.legend(drawing, in_colour, {}, note)
        told = f"k, results counted (log scale). Dotted: k = {w.count(drawing.cutoff)}."
        if tested and not drawing.alone:
            told += (
                " Bands below hold for all k together: where one is off zero the difference is"
                " significant."
            )
        own = drawing.comparison.measure.declaration.name
        charts = [
            (curves_blocks.panel_head(_title(family), ""), self._chart(family), family == own)
            for family in shown.frames
        ]
        return blocks.panels(charts, legend, curves_blocks.note(told))

    def _chart(self, family: str, width: float = _WIDTH) -> Markup:
        shown, drawing = self._shown.curves, self._drawing
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
        return self._drawn_case(case, self._anchors[str(case.row["query_id"])])

    def _drawn_case(self, case: Case, anchor: str) -> Markup:
        grades = Grades.of(self._shown.grades)
        return blocks.case(case, self._drawing, grades, anchor, texts=self._asked.texts)

    def _queries(self) -> Markup:
        return blocks.query_rows(
            self._shown.queries,
            self._shown.lists,
            self._drawing,
            lambda query_id: self.href("query", q=query_id),
        )

    def _measured(self) -> Markup:
        shown, found = self._shown.overview, self._shown.measured
        formulas = [
            (name, words, Markup(convert(formula))) for name, words, formula in found.measures
        ]
        least = self._drawing.comparison.measure.relevant_from
        complete = shown.facts.complete
        paragraphs = [
            (
                "Relevant, unjudged, missing",
                f"Relevant: grade {w.grade(least)} and above. What is not judged counts as not"
                f" relevant{'; the judgments are taken as complete' if complete else ''}. A judged"
                f" query that a run lacks "
                f"{'is left out' if shown.facts.left_out else 'counts as an empty list'}.",
            ),
        ]
        if not self._drawing.alone:
            paragraphs.append(("Test and correction", shown.tested.text))
        judged = ", ".join(f"{run} {w.share(share)}" for run, share in shown.judged_shares.items())
        k = w.count(self._drawing.cutoff)
        paragraphs.append(
            ("Judged", f"{w.share(shown.facts.judged_share)} of the top {k}. By run: {judged}.")
        )
        return blocks.measured(found, formulas, paragraphs)

    def slides(self) -> list[Markup]:
        """The same findings, one a screen; a screen that has nothing to show is left out."""
        found = [
            self._slide_verdict(),
            self._slide_checks(),
            self._slide_groups(),
            self._slide_cutoff(),
            *(self._slide_case(kind) for kind in ("losses", "wins")),
        ]
        return [slide for slide in found if slide]

    def _slide(
        self, question: str, answer: str | Sentence, picture: Markup, badge: Badge | None = None
    ) -> Markup:
        return blocks.slide(question, answer, picture, self._styles, badge=badge)

    def _slide_verdict(self) -> Markup:
        shown, drawing = self._shown.overview, self._drawing
        found, name = shown.verdict, self._drawing.name
        badge = Badge(found.badge, found.tone) if found.badge else None
        if drawing.alone:
            picture = uncompared.histogram(shown.histogram, drawing, lambda low, high: "")
            question = f"How good is {drawing.focus} on {name}?"
            return (
                self._slide(question, found.title, picture, badge) if shown.histogram else picture
            )
        question = f"Is {drawing.focus} better than {drawing.baseline} on {name}?"
        if drawing.focus in shown.too_few:
            return self._slide(
                question, found.title, uncompared.examples(shown.examples, drawing, self._nowhere)
            )
        picture = differences.difference_rows(
            _first_runs(shown.comparison, drawing),
            drawing,
            lead=lambda run: "",
            listed=lambda run, outcome: "",
            level=drawing.comparison.method.level,
        )
        return self._slide(question, found.title, picture, badge)

    def _nowhere(self, page: str, **changes: Any) -> str:
        return ""

    def _slide_checks(self) -> Markup:
        firmness = self._shown.firmness
        if not firmness.checks:
            return Markup()
        return self._slide(
            self.title("checks"), firmness_finding(firmness), blocks.reasons(firmness, brief=True)
        )

    def _slide_groups(self) -> Markup:
        if self._shown.groups is None or self._drawing.alone:
            return Markup()
        found, _ = self._shown.groups
        higher = self._drawing.comparison.measure.declaration.higher_is_better
        rows = listed(found, GroupsAsked(), alone=False, higher_is_better=higher, most=_GROUPS)
        question = f"Where does it come from, by {self._shown.overview.grouped_by}?"
        return self._slide(question, found.title, self._group_table(found, rows))

    def _slide_cutoff(self) -> Markup:
        shown, drawing = self._shown.curves, self._drawing
        own = drawing.comparison.measure.declaration.name
        family = own if own in shown.frames else next(reversed(shown.frames), "")
        if not family:
            return Markup()
        legend = curves_blocks.legend(drawing, shown.in_colour(drawing.comparison), {}, "")
        picture = legend + self._chart(family, _WIDE)
        return self._slide("Does it depend on how many results count?", shown.title, picture)

    def _slide_case(self, kind: str) -> Markup:
        cases = getattr(self._shown, kind)
        if not cases:
            return Markup()
        case = cases[0]
        name = case.page.text if self._asked.texts else f"query {case.row['query_id']}"
        question = (
            f"What does {'the largest loss' if kind == 'losses' else 'the largest win'} look like?"
        )
        return self._slide(question, f"“{name}”", self._drawn_case(case, ""))


def _first_runs(compared: pd.DataFrame, drawing: Drawing) -> pd.DataFrame:
    """Of many runs those that fit a screen: the pair, and those nearest to it."""
    if len(compared) <= _RUNS + 1:
        return compared
    others = compared[~compared["run"].isin([drawing.baseline, drawing.focus])]
    kept = others.sort_values("mean", ascending=False).head(_RUNS - 1)["run"]
    return compared[compared["run"].isin([drawing.baseline, drawing.focus, *kept])]


def _title(family: str) -> str:
    return _TITLES.get(family, f"{family}@k")
