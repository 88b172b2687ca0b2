"""The sections of a report, drawn with the blocks of the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from latex2mathml.converter import convert
from markupsafe import Markup

from dashboard.address.view import Comparison
from dashboard.answers.report import Case, Report
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, groups, markup, overview, untested
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.robustness_checks import TITLE, TITLE_UNCLEAR
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures import curves as figures
from dashboard.drawing.figures.curves import Panels
from dashboard.drawing.svg.chart_svg import draw_svg
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.plugins import describe_error
from metrics_core.comparing.method import CORRECTIONS, FOR_FEW, TESTS
from metrics_core.comparing.resampled import FEW
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.phrases import describe_tie_rule
from metrics_core.findings.robustness import robustness_finding
from metrics_core.findings.sentence import Sentence, muted_span
from metrics_core.findings.significance import rounding_note

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
"""The titles of the optional sections below the verdict, by the anchor in the file."""
_NOUNS = {"losses": "loss", "wins": "win"}
_WIDTH = 360.0
"""Width in px at which a chart is drawn. The chart is scaled when it is shown."""
_SYMBOLS = Markup(
    "rel<sub><var>i</var></sub>: grade at rank <var>i</var>. <var>g</var>: its gain, by default"
    " the grade. <var>R</var>: number of relevant documents."
)
_LEADS_TO = {"breakdown": "groups", "firm": "checks", "curves": "curves", "pairs": "runs"}


@dataclass(frozen=True)
class ReportRequest:
    """What the user chose for a report: a title (by default the collection's name), an
    introduction, the sections, a note on what was left out, and the packed collection to embed (b""
    for none)."""

    title: str
    text: str = ""
    parts: tuple[str, ...] = tuple(PARTS)
    left_out_note: str = ""
    data: bytes = field(default=b"", repr=False)
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def date(self) -> str:
        """The date in words."""
        return f"{self.made.day} {self.made:%B %Y}"


def query_count_text(report: Report) -> str:
    """Return the number of queries in view, in words."""
    return w.format_query_count(report.overview.facts.queries)


class ReportParts:
    """The sections of one report, together with the data that they show."""

    def __init__(self, report: Report, drawing: Drawing, request: ReportRequest) -> None:
        """Draw the requested sections. Empty sections are omitted."""
        self.report, self.drawing, self.request = report, drawing, request
        self.styles = drawing.styles
        self._examples = {
            kind: case
            for kind, case in report.examples.items()
            if all(case.row["query_id"] != c.row["query_id"] for c in self.cases(kind))
        }
        cases = [(kind, case) for kind in _NOUNS for case in self.cases(kind)]
        cases += self._examples.items()
        self._anchors = {str(c.row["query_id"]): f"case-{i}" for i, (_, c) in enumerate(cases, 1)}
        self._parts_of_cases = {str(c.row["query_id"]): kind for kind, c in cases}
        self._contents = {
            key: content for key in request.parts if (content := self._draw_part(key))
        }
        self.keys = list(self._contents)

    def href(self, page: str, **changes: Any) -> str:
        """Return the link within the file that corresponds to a link of the dashboard. Returns ""
        if there is none."""
        if page == "query":
            query_id = str(changes.get("q", ""))
            is_shown = self._parts_of_cases.get(query_id) in self.request.parts
            return f"#{self._anchors[query_id]}" if is_shown else ""
        if page == "queries" and "queries" in self.request.parts:
            return f"#queries-{changes.get('show') or 'all'}"
        part = _LEADS_TO.get(page, "")
        return f"#{part}" if part in self.request.parts else ""

    def part_title(self, key: str) -> str:
        """Return the title of a section."""
        n = {"losses": len(self.report.losses), "wins": len(self.report.wins)}.get(key, 0)
        if key == "checks" and self.report.robustness.settling_checks:
            return TITLE_UNCLEAR
        if n:
            size = "largest " if n > 1 else ""
            return f"The {w.number_word(n)} {size}{w.plural(n, _NOUNS[key], key)}"
        return PARTS[key]

    def draw_verdict(self) -> Markup:
        """Draw the verdict, its chart, and facts about the data that it is based on."""
        answer, drawing = self.report.overview, self.drawing
        parts = [markup.draw_finding(answer.verdict, self.styles)]
        if drawing.focus in answer.too_few:
            parts.append(untested.draw_examples(answer.examples, drawing, self.href))
        elif not drawing.is_single_run:
            if drawing.comparison.compares_means:
                rows = differences.draw_difference_rows(
                    answer.shown_rows,
                    drawing,
                    make_link=lambda run: "",
                    list_link=self._query_list_link,
                    level=drawing.comparison.method.level,
                )
                parts.append(rows)
            else:
                row = answer.all_rows.set_index("run").loc[drawing.focus].to_dict()
                parts.append(overview.draw_outcomes(row, self.href))
        parts.append(overview.draw_facts_line(answer.facts, self.href, self.styles))
        inside = Markup("").join(parts)
        return Markup('<section id="verdict">{}</section>').format(inside)

    def _query_list_link(self, run: str, outcome: str) -> str:
        return self.href("queries", show=outcome) if run == self.drawing.focus else ""

    def draw_parts(self) -> list[Markup]:
        """Draw the non-empty sections below the verdict."""
        return [
            blocks.draw_report_section(
                key, self.part_title(key), self._subtitle(key), inside, self.styles
            )
            for key, inside in self._contents.items()
        ]

    def _draw_part(self, key: str) -> Markup:
        """Draw the content of a section or, if it could not be made, the reason. The reason is
        omitted if anything was left out of the report, because an error message may quote ids and
        texts."""
        failure = self.report.errors.get(key)
        if failure is None:
            try:
                return self._part_content(key)
            except Exception as error:
                failure = error
        why = failure.message if isinstance(failure, RanklensError) else describe_error(failure)
        return blocks.draw_missing_section_note("" if self.request.left_out_note else why)

    def _part_content(self, key: str) -> Markup:
        drawers: dict[str, Callable[[], Markup]] = {
            "runs": self._draw_runs,
            "groups": self._draw_groups,
            "checks": lambda: (
                blocks.draw_check_reasons(self.report.robustness, self.styles)
                if self.report.robustness.checks
                else Markup()
            ),
            "curves": self._draw_curves,
            "losses": lambda: self._draw_cases("losses"),
            "wins": lambda: self._draw_cases("wins"),
            "queries": self._draw_queries,
            "noted": lambda: blocks.draw_query_notes(self.report.notes),
            "measured": self._draw_methods,
        }
        return drawers[key]()

    def _subtitle(self, key: str) -> str | Sentence:
        report, drawing = self.report, self.drawing
        if key == "runs":
            alone = len(report.overview.shown_rows) < 2
            small = f"Mean over {query_count_text(report)}."
            small += "" if alone else f" Small number: difference from {drawing.baseline}."
            return report.ranking + muted_span(f". {small}") if report.ranking else small
        if key == "groups" and report.groups is not None:
            return report.groups[0].title + muted_span(". ") + report.groups[0].lead_text
        if key == "checks" and report.robustness.checks:
            return robustness_finding(report.robustness).statement_and_rest[0] + muted_span(".")
        if key == "curves" and report.curves is not None:
            title, lead = report.curves.title, report.curves.lead
            untested = drawing.is_single_run or drawing.focus in report.overview.too_few
            return lead if untested else title + muted_span(". ") + lead
        if key == "losses":
            return (
                "Under each query: the documents that caused the difference (grade, ranks,"
                " contribution), then the first ranks of both lists. ? = unjudged."
            )
        if key == "wins":
            return self._empty_lists_sentence()
        if key == "queries" and any(
            kind in ("fixed", "broken") and queries.any() for kind, queries in report.lists.items()
        ):
            return (
                f"Fixed: {drawing.focus} reaches two thirds of the ideal score, {drawing.baseline}"
                " does not. Broken: the reverse."
            )
        return ""

    def _empty_lists_sentence(self) -> str:
        """Return a sentence that says how many of the largest wins are queries for which the
        baseline has no results. The sentence is empty if there are none."""
        wins, baseline = self.report.wins, self.drawing.baseline
        empty = sum(case.row["unlisted_by"] == baseline for case in wins)
        if not empty:
            return ""
        some = "these queries" if empty == len(wins) else f"{w.number_word(empty)} of them"
        return f"{baseline} has no results for {some}, so it scores 0."

    def _draw_runs(self) -> Markup:
        answer, drawing = self.report.overview, self.drawing
        measures = [(name, gloss, "") for name, gloss, _ in answer.measures]
        table = overview.draw_runs_and_measures(
            answer.table, drawing, measures, answer.judged_shares, lambda run: ""
        )
        note = f"{w.sentence_case(answer.colour_note)}. " if answer.colour_note else ""
        note += answer.rounding_note
        return table + overview.draw_table_note(note, answer.measures_sentence, drawing)

    def _draw_groups(self) -> Markup:
        if self.report.groups is None:
            return Markup()
        breakdown, rows = self.report.groups
        notes = [rows.note, rounding_note(breakdown.table)]
        if self.drawing.is_single_run:
            table = groups.draw_group_table(
                rows,
                breakdown,
                self.drawing,
                make_group_link=lambda group: "",
                sort_link=lambda order: "",
                more="",
            )
        else:
            table = groups.draw_waterfall(rows, breakdown, self.drawing)
            notes.insert(1, groups.waterfall_caption(rows))
        note = " ".join(filter(None, notes))
        breakdown = replace(breakdown, shared_difference=Sentence())  # The verdict has it.
        return table + groups.draw_note_below_groups(breakdown, self.drawing, note)

    def _draw_curves(self) -> Markup:
        curves, drawing = self.report.curves, self.drawing
        if curves is None:
            return Markup()
        in_colour = curves.coloured_runs(drawing.comparison)
        is_tested = curves.queries >= FEWEST_QUERIES
        legend = curves_blocks.draw_legend(drawing, in_colour, {})
        text = (
            "Vertical line: k ="
            f" {w.format_count(drawing.cutoff)}. {curves_blocks.describe_lines(curves, drawing)}"
        )
        if is_tested and not drawing.is_single_run:
            text += f" {curves.short_lists}" * bool(curves.short_lists)
        charts = [
            (
                curves_blocks.draw_panel_heading(f"{family}@k", ""),
                self.draw_chart(family, drawing),
            )
            for family in curves.frames
        ]
        note = curves_blocks.draw_chart_note(markup.shorten_run_names(text, self.styles))
        return blocks.draw_panels(charts, legend, note)

    def draw_chart(
        self, family: str, drawing: Drawing, panels: Panels = "both", width: float = _WIDTH
    ) -> Markup:
        """Draw the chart of a measure by k for the runs of `drawing`, with all panels or with one
        of them."""
        curves = self.report.curves
        if curves is None:
            return Markup()
        chart = figures.measure_by_cutoff(
            curves.frames[family],
            drawing,
            coloured_runs=curves.coloured_runs(drawing.comparison),
            end_by_run=curves.list_ends,
            panels=panels,
        )
        label = f"{family}@k of {w.join_words(drawing.styles)} by k. {curves.title.text}."
        return draw_svg(chart, width, label)

    def cases(self, kind: str) -> list[Case]:
        """Return the largest losses or wins."""
        return self.report.losses if kind == "losses" else self.report.wins

    def _draw_cases(self, kind: str) -> Markup:
        """Draw the largest losses or wins. If the largest one with results from both runs is not
        among them, it follows below its own heading. Only the first case with results from both
        runs is unfolded."""
        cases, example = self.cases(kind), self._examples.get(kind)
        if not cases:
            return Markup()
        all_cases = [*cases, example] if example else cases
        first = next((case for case in all_cases if not case.row["unlisted_by"]), cases[0])
        grades = Grades.from_grades(self.report.grades)
        drawn = [
            blocks.draw_case(
                case,
                self.drawing,
                grades,
                self._anchors[str(case.row["query_id"])],
                is_open=case is first,
            )
            for case in all_cases
        ]
        if example:
            heading = markup.draw_section_heading("The largest win with results from both runs")
            drawn.insert(-1, heading)
        return Markup("").join(drawn)

    def _draw_queries(self) -> Markup:
        if self.report.queries is None:
            return Markup()
        return blocks.draw_query_rows(
            self.report.queries,
            self.report.lists,
            self.drawing,
            lambda query_id: self.href("query", q=query_id),
            runs_without_results=markup.shorten_run_names(
                w.join_words(self.report.overview.facts.missing, "or"), self.styles
            ),
        )

    def _draw_methods(self) -> Markup:
        answer, methods = self.report.overview, self.report.methods
        formulas = [
            (name, words, Markup(convert(formula, display="block")) if formula else Markup())
            for name, words, formula in methods.measures
        ]
        least = self.drawing.comparison.measure.relevant_from
        # For a measure of gains every grade above 0 counts.
        from_grade = (
            f"grade {w.format_grade(least)} and above" if least >= 1e-9 else "any grade above 0"
        )
        missing_text = ", ".join(
            f"{run}: {w.format_query_count(n)}" for run, n in methods.missing.items()
        )
        paragraphs = [
            (
                "Relevant, unjudged, missing",
                (
                    f"Relevant: {from_grade}. Unjudged documents count as not"
                    f" relevant{'; the judgments are treated as complete' * answer.facts.complete}."
                    " A judged query without results from a run "
                    f"{'is left out' if answer.facts.left_out else 'is scored as an empty list'}"
                    f"{f' ({missing_text})' if missing_text else ''}."
                ),
            ),
        ]
        if not answer.judged_shares:
            paragraphs = [
                ("Missing", "A query without a score for a run is left out, not scored as 0.")
            ]
        if any(r"\text{rel}_i" in formula for _, _, formula in methods.measures):
            paragraphs.insert(0, ("Symbols", _SYMBOLS))
        if not self.drawing.is_single_run:
            paragraphs += [
                ("What the test can show", answer.test_sentence.text),
                (
                    "Test and correction",
                    _method_text(self.drawing.comparison, answer.facts.queries),
                ),
            ]
        paragraphs += (
            [("The files", " ".join(methods.file_changes))] if methods.file_changes else []
        )
        return blocks.draw_methods_section(methods, formulas, paragraphs)


def _method_text(comparison: Comparison, n_queries: int) -> str:
    """Return a description of the test, the correction, and the rule by which a query counts as won
    or lost."""
    method = comparison.method
    test = TESTS[method.test].removesuffix(FOR_FEW * (n_queries > FEW))
    return (
        f"Test: {test}; correction: {CORRECTIONS[method.effective_correction]}."
        " A fixed seed makes the random numbers reproducible. "
        f"{describe_tie_rule(comparison.measure)}"
    )
