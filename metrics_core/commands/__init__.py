"""The commands of `python -m metrics_core`, one module an idea.

Importing a module registers its commands. A new one adds one line here: the commands of a module,
so that only the module of the one that is asked for need be loaded.
"""

from collections.abc import Sequence
from importlib import import_module

from metrics_core.commands.command import COMMANDS, Command

MODULES = {
    "evaluate": ("evaluate",),
    "compare": ("compare",),
    "explain": ("explain",),
    "residuals": ("residuals",),
    "listings": ("measures", "formats"),
}


def commands_for(arguments: Sequence[str]) -> list[Command]:
    """The command that these arguments ask for; all of them where they ask for none."""
    asked = [module for module, names in MODULES.items() if set(arguments[:1]) & set(names)]
    for module in asked or MODULES:
        import_module(f"metrics_core.commands.{module}")
    order = [name for names in MODULES.values() for name in names]
    return sorted(COMMANDS, key=lambda command: order.index(command.name))
