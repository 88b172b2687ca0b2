"""Build the command that installs an optional part of Ranklens.

The command uses the source from which Ranklens itself was installed, because Ranklens is in no
package index."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import join, quote
from urllib.parse import urlsplit
from urllib.request import url2pathname

_ROOT = Path(__file__).resolve().parents[2]


def install_command(extra: str) -> str:
    """Return the command that installs an optional extra from pyproject.toml.

    The command names the folder, file or URL that Ranklens was installed from. If this source is
    unknown, the command names the packages of the extra."""
    if (_ROOT / "pyproject.toml").is_file():
        return f"pip install {quote(f'{_ROOT}[{extra}]')}"
    # Slow to load, and needed only if a package is missing.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        package = distribution("ranklens")
    except PackageNotFoundError:
        return f"pip install '.[{extra}]' in the Ranklens folder"
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    if source := _pip_source(origin):
        return f"pip install {quote(source.format(extra=f'[{extra}]'))}"
    requirements = [line.partition(";") for line in package.requires or []]
    marker = f'extra == "{extra}"'
    return join(
        [
            "pip",
            "install",
            *(name.strip() for name, _, condition in requirements if marker in condition),
        ]
    )


def _pip_source(origin: dict[str, dict[str, str]]) -> str:
    """Return the source in direct_url.json (PEP 610) in the form that pip accepts, with a
    placeholder {extra}.

    Returns "" if there is no source or it no longer exists.
    """
    url = str(origin.get("url", ""))
    if url.startswith("file:"):
        path = url2pathname(urlsplit(url).path)
        return f"{path}{{extra}}" if Path(path).exists() else ""
    if "vcs_info" in origin:
        version = origin["vcs_info"]
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    return f"ranklens{{extra}} @ {url}" if url else ""
