"""Every measure once more, slowly and literally, for one query: what the array kernels must equal.

A ranking is a list of grades, best rank first, None where nobody judged the document; `judged` are
all grades of the query. Nothing outside tests/oracle has measures in this form. A family's twins
stand in a module of their own, named here.
"""

from tests.oracle.literal import (
    agreement,
    basic,
    browsing,
    diversity,
    gain,
    rag,
    rarer,
    readers,
    recommending,
)
from tests.oracle.literal.catalogue import CATALOGUE, Case
from tests.oracle.literal.registry import LITERAL, documents_of, ranking_of

__all__ = [
    "CATALOGUE",
    "LITERAL",
    "Case",
    "agreement",
    "basic",
    "browsing",
    "diversity",
    "documents_of",
    "gain",
    "rag",
    "ranking_of",
    "rarer",
    "readers",
    "recommending",
]
