"""Compiled code for an account without a home folder."""

from __future__ import annotations

import os
import pwd
from typing import NoReturn

import pytest

from metrics_core.base.compiled import machine


def test_no_home_folder_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> NoReturn:
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME", "RANKLENS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    here = next(machine._cache_folders())
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert list(machine._cache_folders()) == [here]
    monkeypatch.setenv("HOME", os.fspath(here))
    assert list(machine._cache_folders()) == [here, here / ".cache" / "ranklens"]
