"""The commands of `python -m metrics_core`, one module an idea.

Importing a module registers its commands; a new one adds one line here.
"""

from metrics_core.commands import compare, evaluate, explain, listings, residuals
from metrics_core.commands.command import COMMANDS

__all__ = ["COMMANDS", "compare", "evaluate", "explain", "listings", "residuals"]
