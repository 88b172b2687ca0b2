"""`metrics_core prepare`: compile for this machine in advance, for example when a container image
is built."""

from __future__ import annotations

from metrics_core.base.compiled.machine import compiled_functions, find_object_file
from metrics_core.base.compiled.signatures import SIGNATURES
from metrics_core.commands import CommandOptions, command


@command("prepare", CommandOptions, help="compile the code for large runs and comparisons now")
def prepare(options: CommandOptions) -> str:
    """Compile all parts that are not compiled yet, and return a line with the folder of the
    compiled code."""
    for part in SIGNATURES:
        compiled_functions(part)
    if code := find_object_file(part):
        return f"The code compiled for this machine is in {code.parent}.\n"
    return "Compiled, but the code cannot be stored. Set RANKLENS_CACHE to a writable folder.\n"
