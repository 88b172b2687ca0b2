"""Conversion of an HTML page to PDF with an installed browser.

Chrome, Chromium and Edge print without a window, with embedded fonts, at the page size in the style
sheet (`@page`). Ranklens does not include a browser. If none is installed, the error says which
ones can be used."""

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
from metrics_core.base.whole_files import encode_text, replace_file

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)  # fmt: skip
_ON_A_MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
_ON_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
_LONGEST = 120
"""Maximum time in seconds that the browser may take."""


def find_browser() -> str | None:
    """Return the path of a browser that can print to PDF. Returns None if none is installed."""
    return next((path for path in _find_browsers() if path), None)


def _find_browsers() -> Iterator[str | None]:
    yield from map(shutil.which, _NAMES)
    default_paths: list[Path] = []
    if sys.platform == "darwin":
        default_paths = [Path(f"/Applications/{n}.app/Contents/MacOS/{n}") for n in _ON_A_MAC]
    elif sys.platform == "win32":
        folders = map(os.environ.get, ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData"))
        default_paths = [Path(folder, name) for folder in folders if folder for name in _ON_WINDOWS]
    yield from (str(path) for path in default_paths if path.is_file())


def write_page(page: str, path: str | Path) -> int:
    """Write a page as HTML, or as PDF if the path ends in .pdf, and return its size in bytes.

    Raises the errors of `print_pdf` and `replace_file`."""
    content = encode_text(page, path)
    if Path(path).suffix.lower() == ".pdf":
        content = print_pdf(page, "html")
    replace_file(path, content)
    return len(content)


def print_pdf(page: str, fallback_extension: str) -> bytes:
    """Convert a page to PDF. Raises RanklensError if no browser is installed or if it prints
    nothing. The error suggests `fallback_extension`, a file extension that needs no browser."""
    browser = find_browser()
    if browser is None:
        raise RanklensError(
            "Printing a PDF needs Chrome, Chromium or Edge, but none was found.",
            f"Install one, or write a file that ends in .{fallback_extension}.",
        )
    with closing(TemporaryFolder()) as temporary:
        folder = temporary.path
        page_file, pdf_file = folder / "page.html", folder / "page.pdf"
        page_file.write_text(page, encoding="utf-8")
        try:
            subprocess.run(
                [
                    browser,
                    *_browser_options(folder),
                    f"--print-to-pdf={pdf_file}",
                    page_file.as_uri(),
                ],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _printing_error(browser, fallback_extension) from error
        if not pdf_file.is_file():
            raise _printing_error(browser, fallback_extension)
        return pdf_file.read_bytes()


def _browser_options(folder: Path) -> list[str]:
    """Return the options with which the browser prints without a window, without the user's
    settings, and without network access."""
    options = [
        "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-extensions", "--no-pdf-header-footer",
        f"--user-data-dir={folder / 'profile'}",
    ]  # fmt: skip
    # Chrome's sandbox does not work for root, as in a container; the page is our own.
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*options, "--no-sandbox"] if as_root else options


def _printing_error(browser: str, fallback_extension: str) -> RanklensError:
    return RanklensError(
        f"{Path(browser).name} is installed but printed nothing.",
        f"Write a .{fallback_extension} file instead, and print it from a browser.",
    )
