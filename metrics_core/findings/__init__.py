"""What a reader should be told: findings as data and as a sentence.

A sentence is a tuple of spans, each with the part it plays (a run's name, the statement itself,
what qualifies it), so that pages can colour it and a report or a test can read its plain text.
"""

from metrics_core.findings.charts import (
    best_by_group,
    extreme_cells,
    precision_at_half_recall,
)
from metrics_core.findings.explanations import explain
from metrics_core.findings.files import files_finding
from metrics_core.findings.firmness import (
    Firmness,
    WayToTurn,
    firmness_finding,
)
from metrics_core.findings.grading import judge_next_finding, judging_finding, judging_lead
from metrics_core.findings.history import history_finding, no_versions_finding
from metrics_core.findings.origins import (
    bridge_finding,
    curves_awaited,
    curves_finding,
    mix_finding,
    reversal_finding,
    short_lists,
    strongest_other,
)
from metrics_core.findings.places import bests_finding, places_finding
from metrics_core.findings.sentence import Sentence, Span
from metrics_core.findings.testing import (
    doubts_findings,
    greyed_finding,
    margin_finding,
    needed_finding,
    shown_finding,
)
from metrics_core.findings.verdicts import (
    Facts,
    method_finding,
    others_verdict,
    verdict,
)
from metrics_core.findings.which_queries import Turned, queries_finding, queries_lead

__all__ = [
    "Facts",
    "Firmness",
    "Sentence",
    "Span",
    "Turned",
    "WayToTurn",
    "best_by_group",
    "bests_finding",
    "bridge_finding",
    "curves_awaited",
    "curves_finding",
    "doubts_findings",
    "explain",
    "extreme_cells",
    "files_finding",
    "firmness_finding",
    "greyed_finding",
    "history_finding",
    "judge_next_finding",
    "judging_finding",
    "judging_lead",
    "margin_finding",
    "method_finding",
    "mix_finding",
    "needed_finding",
    "no_versions_finding",
    "others_verdict",
    "places_finding",
    "precision_at_half_recall",
    "queries_finding",
    "queries_lead",
    "reversal_finding",
    "short_lists",
    "shown_finding",
    "strongest_other",
    "verdict",
]
