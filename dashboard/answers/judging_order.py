"""Orders in which documents are offered for judging."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

MOVING, BY_QUERY, AT_RANDOM, DRAWN = "", "queries", "random", "drawn"
ORDERS = {
    MOVING: ("Largest effect first", "decides with the fewest grades"),
    BY_QUERY: ("One query at a time", "finish each query before the next"),
    AT_RANDOM: ("Random documents", "estimates the result from a sample"),
    DRAWN: ("Random queries", "judge a sample of queries completely"),
}
"""The titles of the orders, and their use. The keys are the words for the orders in an address."""

_LEFT_OUT = 0.1
"""Maximum share of missing judgments in a random sample. Judgments may be missing because the user
skipped documents or withdrew grades."""

Pair = tuple[str, str]
"""A query id and a document id."""


def parse_judging_order(word: str) -> str:
    """Return the order that an address names. Returns the default order if the name is unknown."""
    return word if word in ORDERS else MOVING


def positions_in_random_order(pairs: Sequence[Pair]) -> list[int]:
    """Return the positions of the pairs in random order. The order is given by a hash of each pair,
    so the beginning of any selection of pairs is a random sample of the selection."""
    hashes = [blake2b("\0".join(pair).encode(), digest_size=8).digest() for pair in pairs]
    return sorted(range(len(pairs)), key=hashes.__getitem__)


def is_random_sample(graded_pairs: set[Pair], candidates: Sequence[Pair]) -> bool:
    """Return whether `graded_pairs` count as a random sample of `candidates`. In the random order
    of `candidates`, at least nine tenths of the pairs up to the last graded pair must be graded."""
    is_graded = [
        candidates[position] in graded_pairs for position in positions_in_random_order(candidates)
    ]
    n = sum(is_graded)
    reached = max((position for position, is_hit in enumerate(is_graded, 1) if is_hit), default=0)
    return n >= (1 - _LEFT_OUT) * reached
