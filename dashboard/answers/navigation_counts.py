"""The counts beside the names of the pages in the rail. Only counts that are known without
computation are shown."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.address.view import Comparison
from dashboard.answers.robustness_summary import is_robustness_cached, robustness_summary
from dashboard.answers.unjudged import count_unjudged_documents
from dashboard.study.library import Library
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES


def page_counts(study: Study, comparison: Comparison) -> Mapping[str, str]:
    """Return the number or short text beside the name of each page in the navigation. Pages without
    one are omitted."""
    in_view = study.n_in_view(comparison)
    texts = {"queries": w.format_count(in_view), "pairs": w.format_count(len(study.names))}
    if study.is_unjudged:
        return texts
    if len(study.names) == 1:
        return {**texts, "firm": "needs 2"}
    if comparison.is_single_run or not is_robustness_cached(study, comparison):
        return texts
    summary = robustness_summary(study, comparison)
    if summary.pair is None or not summary.all_checks:
        texts["firm"] = "not tested" if in_view < FEWEST_QUERIES else ""
    elif summary.settling_checks:
        texts["firm"] = "n.s."
    else:
        texts["firm"] = f"{summary.n_passed_checks} of {len(summary.checks)}"
    if comparison.measure.cutoff is not None and not study.settings.complete:
        waiting = count_unjudged_documents(study, comparison)
        texts["judge"] = w.format_count(waiting) if waiting else ""
    return texts


def describe_files(library: Library) -> str:
    """Return a phrase that describes the files of a collection in which nothing can be compared
    yet."""
    if not library.files:
        return "no files yet"
    runs = len(library.files_of_kind("run"))
    judgments_text = "judgments" if library.files_of_kind("qrels") else "no judgments"
    return f"{judgments_text} · {w.format_count(runs) if runs else 'no'} {w.plural(runs, 'run')}"
