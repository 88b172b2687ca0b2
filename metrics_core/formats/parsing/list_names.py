"""Recognise by the name of a list of documents whether the list belongs to a run or to
judgments."""

from __future__ import annotations

import re

from metrics_core.formats.parsing.columns import NAMES, QUERY_IDS, ROLES, fold_name
from metrics_core.formats.registry import Kind

QUERY_KEYS = (*ROLES["query_id"][:3], *QUERY_IDS, "query", "querytext", "question", "userinput")
"""Keys that name the query to which a list belongs: keys of its id first, then keys of its text."""

_RANKED = re.compile(
    r"hits|rankings?|rankedlist|results|references|recommendations|candidates|doc(?:ument)?ids|itemids"
    r"|(?:retrieved|returned|recommended|predicted)(?:\w*ids|docs|documents|items|passages)?"
)
_RELEVANT = re.compile(
    r"positivepassages|retrievalgt"
    r"|(?:positive|relevant|gold|expected|reference)(?:\w*ids|docs|documents)"
)
_NOT_RELEVANT = re.compile(r"negativepassages|negative(?:\w*ids|docs|documents)")
_NUMBER_NAMES = {
    "score": re.compile(r"\w*scores?|\w*similarit(?:y|ies)"),
    "grade": re.compile(r"\w*(?:grade|label|rating|relevance|judge?ment)s?"),
}


def role_of_numbers(name: str) -> str:
    """Return the role of a number next to a document id, inferred from its name: score, grade or
    rank. Returns "" if the name indicates none of these."""
    folded = fold_name(name)
    for role in ("rank", "score"):
        if folded in NAMES[role]:
            return role
    return next((role for role, pattern in _NUMBER_NAMES.items() if pattern.fullmatch(folded)), "")


def kind_of_list(name: str) -> Kind | None:
    """Return the kind of table that the name of a list indicates. Returns None if it indicates
    none."""
    folded = fold_name(name)
    if _RELEVANT.fullmatch(folded) or _NOT_RELEVANT.fullmatch(folded):
        return "qrels"
    return "run" if _RANKED.fullmatch(folded) else None


def is_non_relevant_name(name: str) -> bool:
    """Return whether the name of a list says that its documents are not relevant."""
    return _NOT_RELEVANT.fullmatch(fold_name(name)) is not None
