"""PDF of an HTML page, by whatever browser is at hand.

Chrome, Chromium and Edge print a page without a window, fonts embedded, at the size that its style
names (`@page`). None is brought along: where there is none, the error says what to install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dashboard.temporary_folders import TemporaryFolder
from metrics_core.base.errors import RanklensError
from metrics_core.base.whole_files import encoded, replace_file

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)  # fmt: skip
_ON_A_MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
_ON_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
_LONGEST = 120
"""Seconds after which a browser that has not printed will not."""


def browser_at_hand() -> str | None:
    """The path of a browser that prints; None where there is none."""
    return next((found for found in _browsers() if found), None)


def _browsers() -> Iterator[str | None]:
    yield from map(shutil.which, _NAMES)
    usual: list[Path] = []
    if sys.platform == "darwin":
        usual = [Path(f"/Applications/{n}.app/Contents/MacOS/{n}") for n in _ON_A_MAC]
    elif sys.platform == "win32":
        folders = map(os.environ.get, ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData"))
        usual = [Path(folder, name) for folder in folders if folder for name in _ON_WINDOWS]
    yield from (str(path) for path in usual if path.is_file())


def written(page: str, path: str | Path) -> int:
    """Write a page where it is to stand, as PDF where that ends so; returns its size in bytes.
    Raises as `pdf_of` and `replace_file`."""
    found = encoded(page, path)
    if Path(path).suffix.lower() == ".pdf":
        found = pdf_of(page, "html")
    replace_file(path, found)
    return len(found)


def pdf_of(page: str, instead: str) -> bytes:
    """The page as PDF. Raises RanklensError where no browser is at hand or it prints nothing;
    `instead` is the ending of a file that needs none."""
    browser = browser_at_hand()
    if browser is None:
        raise RanklensError(
            "Printing a PDF needs Chrome, Chromium or Edge, and none was found.",
            f"Install one, or write a file that ends in .{instead}.",
        )
    with closing(TemporaryFolder()) as temporary:
        folder = temporary.path
        given, made = folder / "page.html", folder / "page.pdf"
        given.write_text(page, encoding="utf-8")
        try:
            subprocess.run(
                [browser, *_options(folder), f"--print-to-pdf={made}", given.as_uri()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _printed_nothing(browser, instead) from error
        if not made.is_file():
            raise _printed_nothing(browser, instead)
        return made.read_bytes()


def _options(folder: Path) -> list[str]:
    """Without a window, a reader's own settings and any call home."""
    own = [
        "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-extensions", "--no-pdf-header-footer",
        f"--user-data-dir={folder / 'profile'}",
    ]  # fmt: skip
    # The account root has no sandbox, as in a container; what is printed is a page of our own.
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*own, "--no-sandbox"] if as_root else own


def _printed_nothing(browser: str, instead: str) -> RanklensError:
    return RanklensError(
        f"{Path(browser).name} is installed but printed nothing.",
        f"Write a file that ends in .{instead}, and print it from a browser's window.",
    )
