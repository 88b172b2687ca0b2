"""The command that installs an optional part of Ranklens, from where Ranklens itself came: no index
has a package of its name."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import join, quote
from urllib.parse import urlsplit
from urllib.request import url2pathname

_ROOT = Path(__file__).resolve().parents[2]


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra of pyproject.toml: from the folder,
    file or address that Ranklens was installed from, or else these packages themselves."""
    if (_ROOT / "pyproject.toml").is_file():
        return f"pip install {quote(f'{_ROOT}[{extra}]')}"
    # Only who lacks a package waits for it.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        package = distribution("ranklens")
    except PackageNotFoundError:
        return f"pip install '.[{extra}]' in the folder of Ranklens"
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
    """What pip takes for the place that direct_url.json (PEP 610) names, with {extra}; "" where
    there is none, or none any more."""
    url = str(origin.get("url", ""))
    if url.startswith("file:"):
        path = url2pathname(urlsplit(url).path)
        return f"{path}{{extra}}" if Path(path).exists() else ""
    if "vcs_info" in origin:
        version = origin["vcs_info"]
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    return f"ranklens{{extra}} @ {url}" if url else ""
