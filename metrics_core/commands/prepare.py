"""`metrics_core prepare`: compile for this machine in advance, as when an image is built."""

from __future__ import annotations

from metrics_core.base.compiled.machine import compiled, find_code
from metrics_core.base.compiled.signatures import SIGNATURES
from metrics_core.commands import CommandOptions, command


@command("prepare", CommandOptions, help="compile the code for large runs and comparisons now")
def prepare(options: CommandOptions) -> str:
    """Compile what is not compiled yet, and say where it is kept."""
    for part in SIGNATURES:
        compiled(part)
    if code := find_code(part):
        return f"Compiled for this machine, in {code.parent}.\n"
    return "Compiled, but it cannot be kept. Set RANKLENS_CACHE to a folder that can be written.\n"
