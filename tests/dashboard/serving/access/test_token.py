"""The token of a workspace: made once, kept for its owner alone, whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from dashboard.serving.access.token import FILE, derive_keys, load_token, new_token

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "workspace"
    token = load_token(folder)
    assert len(token) == 43
    assert load_token(folder) == token
    assert load_token(tmp_path / "other") != token
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_a_new_token_is_kept_in_place_of_the_old_one(tmp_path: Path) -> None:
    first = load_token(tmp_path)
    second = load_token(tmp_path, renew=True)
    assert first != second == load_token(tmp_path)


@POSIX
def test_folder_and_file_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_token(tmp_path / "new")
        (tmp_path / "open").mkdir(mode=0o777)
        load_token(tmp_path / "open")
    finally:
        os.umask(before)
    for folder in (tmp_path / "new", tmp_path / "open"):
        assert mode(folder) == 0o700
        assert mode(folder / FILE) == 0o600


@POSIX
def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    token = load_token(tmp_path)
    (tmp_path / FILE).chmod(0o640)
    assert load_token(tmp_path) != token
    assert mode(tmp_path / FILE) == 0o600


@POSIX
def test_a_link_in_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    token = load_token(elsewhere)
    workspace.mkdir()
    (workspace / FILE).symlink_to(elsewhere / FILE)
    assert load_token(workspace) != token
    assert not (workspace / FILE).is_symlink()
    assert load_token(elsewhere) == token


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'"x"', b"{}", b'{"token": 1}', b'{"token": ""}',
     b'{"token": "short"}', json.dumps({"token": "a/" * 21 + "b"}).encode(), b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_file_gives_a_new_token(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(content)
    path.chmod(0o600)
    token = load_token(tmp_path)
    assert len(token) == 43
    assert load_token(tmp_path) == token


def test_what_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        load_token(tmp_path)
    assert not list(tmp_path.iterdir())


@POSIX
def test_file_and_folder_are_on_disk_before_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        # The folder after the name stands in it, the file before.
        assert (tmp_path / FILE).exists() == is_folder
        synced.append("folder" if is_folder else "file")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    load_token(tmp_path)
    assert synced == ["file", "folder"]


def test_each_port_has_its_own_keys() -> None:
    token = new_token()
    here, there = derive_keys(token, 8501), derive_keys(token, 8502)
    assert derive_keys(token, 8501) == here
    assert len({token, here.base, here.cookie, there.base, there.cookie}) == 5
    assert here.base.isalnum() and len(here.base) == 32
    assert token not in here.base + here.cookie
    assert here.base not in here.cookie
