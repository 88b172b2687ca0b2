"""A packed collection in a page comes out as it went in; other pages carry none."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.workspace.exports.report_data import (
    extract_packed_collection,
    is_page_with_data,
    make_data_markup,
)
from metrics_core.formats.source.unpacking import Origin

PACKED = bytes(range(256)) * 40


@pytest.fixture(params=["in memory", "on the disk"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    """Keeps a page so, and gives where it is."""

    def keep(page: str) -> Origin:
        path = tmp_path / "x.html"
        path.write_text(page)
        return path if request.param == "on the disk" else page.encode()

    return keep


def test_what_goes_in_comes_out(kept) -> None:  # type: ignore[no-untyped-def]
    page = kept(
        f"<!DOCTYPE html><p>{'x' * 9000}</p>{make_data_markup(PACKED)}<script></script></html>"
    )
    assert is_page_with_data(page) and extract_packed_collection(page) == PACKED


@pytest.mark.parametrize("page", ["", "<!doctype html><p>data</p>", make_data_markup(PACKED)])
def test_other_files_carry_none(page: str, kept) -> None:  # type: ignore[no-untyped-def]
    assert not is_page_with_data(kept(page))


@pytest.mark.parametrize("cut", [5, 40, 20_000])
def test_what_is_not_whole_is_not_the_same(cut: int, kept) -> None:  # type: ignore[no-untyped-def]
    page = kept(f"<!doctype html>{make_data_markup(PACKED)}"[:-cut])
    assert not is_page_with_data(page) or extract_packed_collection(page) != PACKED
