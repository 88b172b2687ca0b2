"""The token that opens the dashboard, kept in the workspace: an open page outlives a restart.

It stands in the address that is printed. What the browser keeps and sends is derived from it, for
each port: whoever takes the port of an ended server and hears what an open page sends there learns
nothing that opens another one.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

FILE = "door.json"
_TOKEN = re.compile(r"[\w-]{43}", re.ASCII)
_FOR_OTHERS = 0o077


@dataclass(frozen=True)
class Keys:
    """What opens a server: `token` in the printed address, then `cookie`, which the browser sends
    to addresses below `/base` only."""

    token: str
    base: str
    cookie: str


def keys(token: str, port: int) -> Keys:
    """The keys of a server on this port."""
    return Keys(token, _derived(token, f"base {port}")[:32], _derived(token, f"cookie {port}"))


def new_token() -> str:
    """A token of 256 random bits, as 43 letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(32)


def kept_token(folder: Path) -> str:
    """The token of a workspace; the folder and the token are made where they are not there yet.

    The folder is closed to other accounts. A token that others could have read is replaced. Raises
    OSError where the folder cannot be closed or the token cannot be kept.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & _FOR_OTHERS:
        folder.chmod(0o700)
    token = _read(folder / FILE)
    if token is None:
        token = new_token()
        _write(folder / FILE, token)
    return token


def _derived(token: str, purpose: str) -> str:
    return hmac.digest(token.encode(), purpose.encode(), "sha256").hex()


def _read(path: Path) -> str | None:
    """The token in a file; None where there is no file, or none to be trusted."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) or (os.name == "posix" and mode & _FOR_OTHERS):
            return None
        token = json.loads(path.read_bytes())["token"]
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return token if isinstance(token, str) and _TOKEN.fullmatch(token) else None


def _write(path: Path, token: str) -> None:
    """Whole or not at all, also where the power fails."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump({"token": token}, file)
            file.flush()
            os.fsync(descriptor)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        listed = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(listed)
        finally:
            os.close(listed)
