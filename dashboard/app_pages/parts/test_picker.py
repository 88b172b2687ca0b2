"""The method of comparison: what the verdict means, and the choice of another test."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address.method_key import margin_key
from dashboard.drawing.blocks import markup
from dashboard.session import PageContext
from metrics_core.base import wording as w
from metrics_core.comparing.difference_warnings import is_test_unavailable
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method, suggest_margin
from metrics_core.comparing.paired_tests import PAIRED_TESTS
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.significance import unavailable_test_finding
from metrics_core.scoring.random_groups import GROUPS, MOST_SINGLE

_LEVELS = (90.0, 95.0, 99.0)
_WHY = """
**What p means.** Suppose the two runs were equally good on queries like these. Then *p* is the
share of query samples with a mean difference at least this far from zero. At 5 in 100 or less,
after the correction, the difference is called significant. Its interval then excludes zero.

**What p does not mean.** It is not the probability that the run is better. It does not show that
the difference matters to anyone. It does not apply to other users or documents. Unjudged documents
count as not relevant.

**The correction.** Without a correction, about one in twenty equally good runs would be called
better or worse by chance. So the interval and the verdict are corrected for the comparisons of all
loaded runs with the baseline, on one measure.
"""

_IN_GROUPS = f"""
**Many queries.** With more than {w.format_count(MOST_SINGLE)} queries, the test resamples
{w.format_count(GROUPS)} groups of queries, not single queries. Queries are assigned to groups at
random, the same way each time. Group sizes differ by at most one query. Intervals are at most
about 1% wider or narrower than with single queries.
"""


def show_test_method(test_sentence: Sentence, context: PageContext, n_queries: int) -> None:
    """Show which correction for multiple comparisons the verdict uses and what the verdict means,
    and let the user choose another test."""
    if not test_sentence:
        return
    with (
        st.container(gap=None, key="how_tested"),
        st.popover("How this is tested", type="tertiary", width="content"),
    ):
        st.html(markup.draw_subtitle(test_sentence, {}))
        st.markdown(_WHY + _IN_GROUPS if n_queries > MOST_SINGLE else _WHY)
        _show_choices(context, n_queries)


def _show_choices(context: PageContext, n_queries: int) -> None:
    method = context.comparison.method
    session.draw_widget(
        st.selectbox,
        "Test",
        "test",
        value=method.test,
        store=lambda test: {"test": "" if test == Method().test else test, "correction": ""},
        options=list(TESTS),
        format_func=lambda test: _test_label(test, n_queries),
        help="The alternatives to the default are for comparison with other tools. All test the"
        " mean difference, except Wilcoxon's test and the sign test.",
    )
    if method.test in PAIRED_TESTS:
        greyed = unavailable_test_finding(method.test, n_queries)
        st.caption(f"{PAIRED_TESTS[method.test].question} {greyed.text}")
    session.draw_widget(
        st.selectbox,
        "Correction",
        "correction",
        value=method.effective_correction,
        store=lambda name: {"correction": "" if name == method.valid_corrections[0] else name},
        options=list(method.valid_corrections),
        format_func=lambda name: CORRECTIONS[name],
    )
    session.draw_widget(
        st.selectbox,
        "Interval",
        "level",
        value=method.level * 100,
        store=lambda level: {"level": "" if level == Method().level * 100 else f"{level:g}"},
        options=sorted({*_LEVELS, method.level * 100}),
        format_func=lambda level: f"{level:g}%",
    )
    session.draw_widget(
        st.number_input,
        f"Smallest {context.comparison.measure.declaration.name} difference that matters",
        "margin",
        value=method.margin,
        store=lambda margin: _store_margin(context, margin),
        min_value=0.0,
        step=0.005,
        format="%.4g",
        placeholder=_margin_hint(context),
        help="If this value is set, a difference can also be called too small to matter. Set it"
        " before you look at the differences.",
    )


def _test_label(test: str, n_queries: int) -> str:
    other = is_test_unavailable(test, n_queries)
    return f"{TESTS[test]} (does not test the mean)" if other else TESTS[test]


def _margin_hint(context: PageContext) -> str:
    margin = suggest_margin(context.comparison.measure)
    return "not set" if margin is None else f"not set; often {margin:g}"


def _store_margin(context: PageContext, margin: float | None) -> dict[str, Any]:
    return {"margin": margin_key(context.comparison.measure, margin)}
