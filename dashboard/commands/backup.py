"""`ranklens backup`: save a whole workspace as one zip file. Ranklens may be running at the same
time."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from dashboard.workspace.exports.backup import write_backup
from metrics_core.base import wording as w
from metrics_core.base.whole_files import open_replacement
from metrics_core.formats.source.limits import format_size


def execute(arguments: Sequence[str]) -> str:
    """Make the backup. Return a message with its path, its size, and the damaged collections in
    it."""
    options = _make_parser().parse_args(arguments)
    folder, out = Path(options.folder).expanduser().resolve(), Path(options.out)
    with open_replacement(out) as file:
        if os.name == "posix":
            os.fchmod(file.fileno(), 0o600)
        damaged = write_backup(folder, file)
        size = format_size(file.tell())
    message = f"{out}: {size}, a backup of {folder}"
    if damaged:
        message += f"\nDamaged, copied unchanged: {w.join_words(damaged)}"
    return message


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ranklens backup",
        description="A whole workspace as one zip file, even while Ranklens is running. The"
        " unpacked file is a workspace folder.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="the folder of the workspace")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="the zip file to write")
    return parser
