"""What is sealed comes back as it was written under its name, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core.base.errors import RanklensError
from metrics_core.base.whole_files import (
    read_checksummed_file,
    replace_file,
    write_checksummed_file,
)
from tests.full_disk import full_disk

CONTENT = bytes(range(256)) * 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "new" / "a"
    write_checksummed_file(made, CONTENT)
    return made


@pytest.mark.parametrize("content", [b"", b"x", CONTENT, memoryview(CONTENT)])
def test_what_was_written_comes_back(content: bytes | memoryview, tmp_path: Path) -> None:
    write_checksummed_file(tmp_path / "a", content)
    assert read_checksummed_file(tmp_path / "a") == content


def test_no_bit_may_differ(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert read_checksummed_file(path) is None
        path.write_bytes(whole[:at])
        assert read_checksummed_file(path) is None
    path.write_bytes(whole + b"\0")
    assert read_checksummed_file(path) is None


def test_it_counts_under_its_name_alone(path: Path) -> None:
    other = path.rename(path.with_name("b"))
    assert read_checksummed_file(other) is None
    assert read_checksummed_file(path) is None


def test_it_is_on_the_disk_before_it_is_named(tmp_path: Path, to_disk: list[str]) -> None:
    write_checksummed_file(tmp_path / "a", CONTENT)
    assert to_disk == ["file", "name", "folder"]


@pytest.mark.parametrize("content", [b"x" * 5000, "x" * 5000, "\udcff"])
def test_a_file_of_the_user_s_stays_whole_where_it_cannot_be_written(
    content: bytes | str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    with full_disk(), pytest.raises((OSError, RanklensError), match=r"report\.html"):
        replace_file(path, content)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError, match=r"nowhere.x\.html"):
        replace_file(tmp_path / "nowhere" / "x.html", "")


def test_a_file_of_the_user_s_keeps_its_rights_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "own.json", tmp_path / "link.json"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_file(link, "now ü")
    assert path.read_text("utf-8") == "now ü" and link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    replace_file("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()
