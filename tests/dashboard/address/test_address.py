"""What stands in an address is what was written: one writer, one reader."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.address.address import SHARED_FIELDS, Address, Field

OWN = (Field("q"), Field("find", lasting=False))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


@given(
    run=TEXTS,
    also=st.lists(TEXTS, max_size=3).map(tuple),
    where=st.lists(st.tuples(TEXTS, TEXTS), max_size=4, unique=True).map(tuple),
)
def test_what_is_written_is_read(
    run: str, also: tuple[str, ...], where: tuple[tuple[str, str], ...]
) -> None:
    address = Address.create(OWN, run=run, also=also, where=where, q="1")
    link = address.link("queries")
    page, again = Address.create(OWN).parse_link(link)
    # A browser drops texts that are empty; every other one stays as it is.
    kept = tuple(text for text in also if text)
    assert (page, again) == ("queries", address.with_values(also=kept))
    assert Address.create(OWN).read(parse_qs(urlsplit(link).query))["where"] == where


def test_many_links_that_differ_in_one_field() -> None:
    address = Address.create(OWN, run="a b", where=(("g", "x&y"),), q="1")
    for value in ("2", "a&b=c d", "ü"):
        link = address.make_link_function("query", "q")(value)
        assert Address.create(OWN).parse_link(link) == ("query", address.with_values(q=value))
    assert Address.create(OWN).make_link_function("query", "q")("7") == "./query?q=7"


def test_a_column_may_hold_an_equals_sign() -> None:
    where = (("a=b", "c=d"), ("50%", "x"))
    assert Address.create(where=where).parameters()["where"] == ["a%3Db=c=d", "50%25=x"]
    assert Address.create().read({"where": ["category=A", "nonsense", "category=A"]})["where"] == (
        ("category", "A"),
    )


def test_only_what_is_chosen_stands_there() -> None:
    assert Address.create(OWN).parameters() == {}
    assert Address.create(OWN).link("") == "./"
    assert Address.create(run="a", k="5").link("") == "./?run=a&k=5"


def test_what_nobody_declares_is_an_error_in_the_program() -> None:
    with pytest.raises(KeyError, match="no page declares q"):
        Address.create(q="1")
    assert Address.create().read({"bogus": ["1"]}) == Address.create()


def test_what_was_looked_up_stays_behind() -> None:
    assert Address.create(OWN, q="1", find="x").menu_address == Address.create(OWN, q="1")


def test_the_shared_fields_come_first_and_once() -> None:
    assert Address.create(SHARED_FIELDS).fields == SHARED_FIELDS
