"""Make sure there is a browser for the browser tests: `python -m tests.browser.install`.

Debian's chromium where it is there or apt can install it, else Playwright's own. Without any, CI
fails; elsewhere the tests say at their end what was not run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from dashboard.printing import find_browser


def installed_browser() -> str | None:
    """The path of a browser on this machine; Playwright's own last; None where there is none."""
    found = find_browser()
    if found:
        return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if own and Path(own).exists() else None


def _install() -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False, **quiet)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        if subprocess.run(command, env=environment, check=False, **quiet).returncode == 0:
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Install a browser where none is; the exit status says whether the tests can go on."""
    if installed_browser() is None:
        print("No browser found; installing one for the browser tests …", flush=True)
        _install()
    if installed_browser() is not None:
        return 0
    print("NO BROWSER: the browser tests cannot run on this machine.", file=sys.stderr)
    return 1 if os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main())
