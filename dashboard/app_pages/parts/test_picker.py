"""How runs are compared: what the verdict says and does not, and the choice of another test."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address.method_key import margin_key
from dashboard.drawing.blocks import markup
from dashboard.session import Opened
from metrics_core.base import wording as w
from metrics_core.comparing.method import CORRECTIONS, TESTS, Method, suggested_margin
from metrics_core.comparing.test_warnings import asks_something_else
from metrics_core.comparing.tests import PAIRED_TESTS
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.testing import greyed_finding
from metrics_core.scoring.random_groups import GROUPS, MOST_SINGLE

_LEVELS = (90.0, 95.0, 99.0)
_WHY = """
**What p says.** If the two runs were equally good on queries like these, a mean difference this far
from zero would show in *p* of all samples of queries. At 5 in 100 or less, after the correction, it
is called a difference; the interval then excludes zero.

**What it does not say.** Not how likely it is that the run is better, nor that the difference
matters to anyone, nor anything of other users or documents. What nobody judged it takes as not
relevant.

**The correction.** Among twenty equal runs one would be called better by chance. So the interval
and the verdict hold for all loaded runs against the baseline together, on one measure.
"""

_IN_GROUPS = f"""
**So many queries.** Of more than {w.count(MOST_SINGLE)} queries not single ones are drawn again but
{w.count(GROUPS)} groups of them, equally large but for one query; each query was put into one at
random, the same each time. An interval is as wide as with single queries, up to about 1 %.
"""


def explained(tested: Sentence, here: Opened, queries: int) -> None:
    """For how many comparisons the verdict holds, what it means, and how else it could be made."""
    if not tested:
        return
    with (
        st.container(gap=None, key="how_tested"),
        st.popover("How this is tested", type="tertiary", width="content"),
    ):
        st.html(markup.second(tested, {}))
        st.markdown(_WHY + _IN_GROUPS if queries > MOST_SINGLE else _WHY)
        _choices(here, queries)


def _choices(here: Opened, queries: int) -> None:
    method = here.comparison.method
    session.widget(
        st.selectbox,
        "Test",
        "test",
        value=method.test,
        store=lambda test: {"test": "" if test == Method().test else test, "correction": ""},
        options=list(TESTS),
        format_func=lambda test: _named(test, queries),
        help="Beside the usual one for comparison with other tools. All test the mean difference,"
        " except Wilcoxon's and the sign test.",
    )
    if method.test in PAIRED_TESTS:
        greyed = greyed_finding(method.test, queries)
        st.caption(f"{PAIRED_TESTS[method.test].question} {greyed.text}")
    session.widget(
        st.selectbox,
        "Correction",
        "correction",
        value=method.corrected_by,
        store=lambda name: {"correction": "" if name == method.fitting[0] else name},
        options=list(method.fitting),
        format_func=lambda name: CORRECTIONS[name],
    )
    session.widget(
        st.selectbox,
        "Interval",
        "level",
        value=method.level * 100,
        store=lambda level: {"level": "" if level == Method().level * 100 else f"{level:g}"},
        options=sorted({*_LEVELS, method.level * 100}),
        format_func=lambda level: f"{level:g} %",
    )
    session.widget(
        st.number_input,
        f"Smallest difference on {here.comparison.measure.declaration.name} that matters",
        "margin",
        value=method.margin,
        store=lambda margin: _with_margin(here, margin),
        min_value=0.0,
        step=0.005,
        format="%.4g",
        placeholder=_suggested(here),
        help="With it a difference can also be called too small to matter. Choose it before you"
        " look at the differences.",
    )


def _named(test: str, queries: int) -> str:
    other = asks_something_else(test, queries)
    return f"{TESTS[test]} (another question)" if other else TESTS[test]


def _suggested(here: Opened) -> str:
    margin = suggested_margin(here.comparison.measure)
    return "none said" if margin is None else f"none said; often {margin:g}"


def _with_margin(here: Opened, margin: float | None) -> dict[str, Any]:
    return {"margin": margin_key(here.comparison.measure, margin)}
