"""What is sealed comes back as it was written under its name, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.base.whole_files import read_sealed, write_sealed

CONTENT = bytes(range(256)) * 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "new" / "a"
    write_sealed(made, CONTENT)
    return made


@pytest.mark.parametrize("content", [b"", b"x", CONTENT, memoryview(CONTENT)])
def test_what_was_written_comes_back(content: bytes | memoryview, tmp_path: Path) -> None:
    write_sealed(tmp_path / "a", content)
    assert read_sealed(tmp_path / "a") == content


def test_no_bit_may_differ(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert read_sealed(path) is None
        path.write_bytes(whole[:at])
        assert read_sealed(path) is None
    path.write_bytes(whole + b"\0")
    assert read_sealed(path) is None


def test_it_counts_under_its_name_alone(path: Path) -> None:
    other = path.rename(path.with_name("b"))
    assert read_sealed(other) is None
    assert read_sealed(path) is None


def test_it_is_on_the_disk_before_it_is_named(tmp_path: Path, to_disk: list[str]) -> None:
    write_sealed(tmp_path / "a", CONTENT)
    assert to_disk == ["file", "name", "folder"]
