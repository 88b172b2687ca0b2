"""How the chosen test stands in an address."""

from __future__ import annotations

import pytest

from dashboard.address.address import Address
from dashboard.address.method_key import margin_key, read_method
from metrics_core.comparing.method import Method
from metrics_core.measures import parse_measure

NDCG, RR = parse_measure("nDCG@10"), parse_measure("RR")


def test_an_address_that_says_nothing_means_the_usual_method() -> None:
    assert read_method(Address.create(), NDCG) == (Method(), "")


def test_what_is_chosen_is_read_again() -> None:
    asked = Address.create(test="t-test", correction="bonferroni", level="90", margin="nDCG:0.02")
    expected = Method("t-test", "bonferroni", 0.02, 0.9)
    assert read_method(asked, NDCG) == (expected, "")
    assert not expected.is_default


def test_a_margin_is_that_of_its_measure() -> None:
    assert margin_key(NDCG, 0.025) == "nDCG:0.025" and margin_key(NDCG, None) == ""
    asked = Address.create(margin=margin_key(NDCG, 0.025))
    assert read_method(asked, NDCG)[0].margin == 0.025
    assert read_method(asked, parse_measure("nDCG@5"))[0].margin == 0.025
    assert read_method(asked, RR)[0].margin is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"test": "z-test"}, "There is no test 'z-test'."),
        (
            {"test": "randomization", "correction": "holm"},
            "The test randomization cannot be combined with the correction 'holm'.",
        ),
        (
            {"test": "t-test", "correction": "max-t"},
            "The test t-test cannot be combined with the correction 'max-t'.",
        ),
        ({"level": "10"}, "0.1 is not a valid confidence level."),
        ({"level": "nan"}, "nan is not a valid confidence level."),
        ({"level": "high"}, "The confidence level and the margin must be numbers."),
        ({"margin": "nDCG:-1"}, "-1 is not a valid margin."),
        ({"margin": "nDCG:nan"}, "nan is not a valid margin."),
    ],
)
def test_what_there_is_not_is_said(asked: dict[str, str], said: str) -> None:
    assert read_method(Address.create(**asked), NDCG) == (Method(), said)
