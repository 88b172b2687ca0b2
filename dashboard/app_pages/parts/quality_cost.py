"""The chart of quality against cost, on the Overview."""

from __future__ import annotations

from dashboard import session
from dashboard.answers.quality_cost import quality_cost
from dashboard.app_pages.parts import section
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures.quality_cost import quality_against_cost
from dashboard.session import PageContext
from metrics_core.base import wording as w


def show_quality_cost(context: PageContext) -> None:
    """Show a chart of the runs in view by the chosen measure and by cost, if there is a measure of
    cost."""
    comparison, answer = context.comparison, quality_cost(context.study, context.comparison)
    if answer is None:
        return
    level = w.format_share(comparison.method.level)
    section.show_heading(
        "Quality against cost",
        f"Up and to the left is better. Crosses: {level} intervals of the means. The line joins the"
        " best mean at each cost. For each run below the line, another run is at least as good and"
        " costs no more.",
        frame=answer.frame,
        key="quality_cost",
    )
    best = w.join_words(answer.frame.loc[answer.frame["best"], "run"].tolist())
    title = f"{comparison.name} against {answer.cost}"
    clicked = section.show_chart(
        draw_figure_cached(quality_against_cost, answer.frame, context.drawing, answer.cost),
        "quality_cost",
        alt=f"{title}. On the line: {best}.",
        picture=section.make_caption(title, section.INTERVALS, runs=comparison.runs),
    )
    if clicked:
        run = clicked[0] if isinstance(clicked, list) else clicked
        session.goto("overview", **context.view.changes_to_compare(str(run)))
