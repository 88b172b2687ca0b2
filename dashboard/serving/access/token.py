"""The token that gives access to the dashboard. It is stored in the workspace, so that open pages
continue to work after a restart.

The printed URL contains the token. The browser stores and sends a value that is derived from the
token for each port. If another program takes over the port of a stopped server, the values that it
receives from an open page give it no access to another server."""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from dashboard.workspace.disk import durable

FILE = "door.json"
_TOKEN = re.compile(r"[\w-]{43}", re.ASCII)


@dataclass(frozen=True)
class Keys:
    """The keys that give access to a server. The browser first sends the `token` in the printed
    URL. Afterwards it sends the `cookie`, but only to URLs below `/base`."""

    token: str
    base: str
    cookie: str


def derive_keys(token: str, port: int, path_prefix: str = "") -> Keys:
    """Return the keys of a server on this port. `path_prefix` is the beginning of all its paths,
    without a slash at either end: `a/b`."""
    base = f"{path_prefix}/{_derive_secret(token, f'base {port}')[:32]}".removeprefix("/")
    return Keys(token, base, _derive_secret(token, f"cookie {port}"))


def new_token() -> str:
    """Return a token of 256 random bits, as 43 letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(32)


def load_token(folder: Path, *, renew: bool = False) -> str:
    """Return the token of a workspace. The folder and the token are created if they are missing.

    Other accounts get no access to the folder. The token is replaced if other accounts could have
    read it, or if `renew` is true. Raises OSError if access to the folder cannot be restricted or
    the token cannot be stored."""
    durable.make_private_folder(folder)
    token = None if renew else _read_token(folder / FILE)
    if token is None:
        token = new_token()
        durable.write_file(folder / FILE, json.dumps({"token": token}).encode())
    return token


def _derive_secret(token: str, purpose: str) -> str:
    return hmac.digest(token.encode(), purpose.encode(), "sha256").hex()


def _read_token(path: Path) -> str | None:
    """Return the token in a file. Returns None if there is no file, or if the file cannot be
    trusted."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) or (os.name == "posix" and mode & durable.FOR_OTHERS):
            return None
        token = json.loads(path.read_bytes())["token"]
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return token if isinstance(token, str) and _TOKEN.fullmatch(token) else None
