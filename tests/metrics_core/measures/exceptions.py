"""What does not hold for every measure: named sets, each with its reason.

`test_exceptions.py` sees to it that each measure is in exactly the sets that fit: on collections
made for it, the members of a set break the rule and nobody else does. Where a declaration says that
the rule cannot hold, the set follows from it, and a new measure is named nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.registry import MISSING

ALL = declarations()


@dataclass(frozen=True)
class Exceptions:
    """Names of the measures for which a rule does not hold, and why."""

    reason: str
    names: frozenset[str]

    def __contains__(self, declaration: Declaration) -> bool:
        return declaration.name in self.names


def named(reason: str, *names: str) -> Exceptions:
    """Exceptions that no declaration tells."""
    return Exceptions(reason, frozenset(names))


def following(reason: str, fits: Callable[[Declaration], bool]) -> Exceptions:
    """Exceptions that follow from the declarations."""
    return Exceptions(reason, frozenset(d.name for d in ALL if fits(d)))


def without(*sets: Exceptions, among: Iterable[Declaration] = ALL) -> list[Declaration]:
    """The measures for which the rule holds."""
    return [d for d in among if not any(d in exceptions for exceptions in sets)]


# A query scores alone as among others.
OF_ALL_QUERIES = following(
    "what one query shows counts less where others show it too", lambda d: not d.by_query
)

# No ranking beats the relevant documents in the order of their grades.
MORE_THAN_RELEVANT = named("it counts what is listed, relevant or not", "NumRet")
BY_SUBTOPIC = following(
    "the best order by subtopic is not that of the grades", lambda d: "subtopics" in d.needs
)
BY_WORTH = following(
    "price, popularity and variety know nothing of grades",
    lambda d: "documents" in d.needs and d.ideal is None,
)
BEATEN = (MORE_THAN_RELEVANT, BY_SUBTOPIC, BY_WORTH)

# A declaration that says of missing queries what is usual scores them 0, and only such a one.
ZERO_ALL_THE_SAME = named(
    "it says what becomes of the 0 when queries are combined", "Coverage", "GMAP", "GMBpref"
)
UNUSUAL_WHEN_MISSING = following(
    "its declaration says what else it scores",
    lambda d: d.missing != MISSING and d.name not in ZERO_ALL_THE_SAME.names,
)

# Of the measures with a cutoff, those that never fall as it grows.
NEVER_FALLING = named(
    "a sum to which a deeper cutoff only adds, over nothing that grows with it",
    *("R", "ContextRecall", "Success", "AP", "RR", "ARHR", "DCG", "IDCG", "CG", "RBP", "ERR"),
    *("StRecall", "MoneyR"),
)

# Measures whose score is no sum over the listed documents that are judged.
NO_SUM = named(
    "a best, a logarithm, or an average over places that move with what is found",
    *("IPrec", "IPrecAvg", "Yaap", "nDCGRel"),
)
OF_UNJUDGED_TOO = named(
    "it also counts documents that nobody judged, or that are not listed",
    *("Answered", "NumRet", "Utility", "Unjudged", "RBPResidual"),
)
OF_JUDGMENTS_ALONE = named("it does not depend on what is listed", "NumQ", "NumRel", "IDCG")
OF_MORE_THAN_GRADES = following(
    "a document's part lies in its subtopics, its price or its company", lambda d: bool(d.needs)
)
WITHOUT_TERMS = (NO_SUM, OF_UNJUDGED_TOO, OF_JUDGMENTS_ALONE, OF_MORE_THAN_GRADES)
