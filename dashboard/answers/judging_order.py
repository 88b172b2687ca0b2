"""In which order documents are offered for judging."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

MOVING, BY_QUERY, AT_RANDOM = "", "queries", "random"
ORDERS = {
    MOVING: "most influential first",
    BY_QUERY: "query by query",
    AT_RANDOM: "a random sample, for an estimate",
}
"""The orders as an address says them, and what they are called."""

_LEFT_OUT = 0.1
"""Of a sample so many may be left out: skipped, or taken back."""

Pair = tuple[str, str]
"""A query_id and a doc_id."""


def read_order(word: str) -> str:
    """The order that an address asks for; the usual one where it asks for none that there is."""
    return word if word in ORDERS else MOVING


def random_order(pairs: Sequence[Pair]) -> list[int]:
    """The places of the pairs in an order that has nothing to do with what they are. It is the same
    for whatever selection of them, so that a part of a sample is a sample."""
    hashes = [blake2b("\0".join(pair).encode(), digest_size=8).digest() for pair in pairs]
    return sorted(range(len(pairs)), key=hashes.__getitem__)


def is_sample(graded: set[Pair], candidates: Sequence[Pair]) -> bool:
    """Whether these, of every pair that could be graded, are those that come first by lot."""
    is_graded = [candidates[position] in graded for position in random_order(candidates)]
    n = sum(is_graded)
    reached = max((position for position, is_hit in enumerate(is_graded, 1) if is_hit), default=0)
    return n >= (1 - _LEFT_OUT) * reached
