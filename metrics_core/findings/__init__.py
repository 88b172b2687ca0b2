"""What a reader should be told: findings as data and as a sentence.

A sentence is a tuple of spans, each with the part it plays (a run's name, the statement itself,
what qualifies it), so that pages can colour it and a report or a test can read its plain text.
"""

from metrics_core.findings.changes import change_in_short
from metrics_core.findings.charts import (
    best_by_group,
    extreme_cells,
    precision_at_half_recall,
)
from metrics_core.findings.cutoffs import (
    curves_awaited,
    curves_lead,
    curves_title,
    list_end,
    precision_lead,
    precision_title,
    short_lists,
)
from metrics_core.findings.explanations import explain
from metrics_core.findings.files import files_finding
from metrics_core.findings.firmness import (
    Firmness,
    WayToTurn,
    firmness_finding,
)
from metrics_core.findings.grading import (
    judge_next_finding,
    judged_finding,
    judged_lead,
    judging_finding,
    judging_lead,
)
from metrics_core.findings.history import (
    history_finding,
    no_versions_finding,
    not_versions_finding,
)
from metrics_core.findings.places import first_alone, places_lead, places_title
from metrics_core.findings.queries import Facts, Turned, queries_finding, queries_lead
from metrics_core.findings.sentence import Sentence, Span
from metrics_core.findings.testing import (
    coloured_note,
    doubts_findings,
    greyed_finding,
    margin_finding,
    needed_finding,
    shown_finding,
)
from metrics_core.findings.verdicts import (
    Verdict,
    alone,
    groups_finding,
    measures_finding,
    method_finding,
    verdict,
)

__all__ = [
    "Facts",
    "Firmness",
    "Sentence",
    "Span",
    "Turned",
    "Verdict",
    "WayToTurn",
    "alone",
    "best_by_group",
    "change_in_short",
    "coloured_note",
    "curves_awaited",
    "curves_lead",
    "curves_title",
    "doubts_findings",
    "explain",
    "extreme_cells",
    "files_finding",
    "firmness_finding",
    "first_alone",
    "greyed_finding",
    "groups_finding",
    "history_finding",
    "judge_next_finding",
    "judged_finding",
    "judged_lead",
    "judging_finding",
    "judging_lead",
    "list_end",
    "margin_finding",
    "measures_finding",
    "method_finding",
    "needed_finding",
    "no_versions_finding",
    "not_versions_finding",
    "places_lead",
    "places_title",
    "precision_at_half_recall",
    "precision_lead",
    "precision_title",
    "queries_finding",
    "queries_lead",
    "short_lists",
    "shown_finding",
    "verdict",
]
