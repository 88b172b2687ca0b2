"""Write the reference of the Python interface from its docstrings: `python docs/api.py`.

A folder may be named; without one it is `build/api`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pdoc

import metrics_core

ROOT = Path(__file__).resolve().parent.parent
MODULES = (
    "metrics_core",
    "metrics_core.lists",
    "metrics_core.extending",
    "metrics_core.formats.in_memory",
    "metrics_core.base.errors",
)
"""What a program imports, and what it is told there."""


def write(folder: Path) -> None:
    """Write a page for each module, index and search."""
    for name in metrics_core.__all__:
        # They are loaded when they are asked for; pdoc looks at what is there.
        setattr(metrics_core, name, getattr(metrics_core, name))
    pdoc.render.configure(show_source=False, footer_text=f"Ranklens {metrics_core.__version__}")
    others = "|".join(re.escape(module) for module in MODULES)
    pdoc.pdoc(*MODULES, f"!(?!({others})$)", output_directory=folder)


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "api"
    write(given)
    print(f"Written: {given / 'index.html'}")
