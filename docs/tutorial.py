"""Run docs/tutorial.ipynb from top to bottom in a kernel of its own and save it with what came out;
--check only says whether its texts are still those that are saved.

    python docs/tutorial.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("tutorial.ipynb")
_KEPT = ("kernelspec", "language_info")


def run(notebook: Any) -> None:
    """Run it where what it writes is gone afterwards; an error in a cell is raised."""
    with TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(("JUPYTER_RUNTIME_DIR", "IPYTHONDIR"), folder)
        os.environ["PYTHONPATH"] = str(NOTEBOOK.parents[1])
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=120, resources=where, record_timing=False).execute()
    notebook.metadata = {key: notebook.metadata[key] for key in _KEPT if key in notebook.metadata}


def texts(notebook: Any) -> list[str]:
    """What each output says without its markup."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    return [out.get("text") or out.data["text/plain"] for out in outputs]


def main() -> int:
    """Run, and save or compare; returns the exit status."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    before = texts(notebook)
    run(notebook)
    if "--check" not in sys.argv:
        nbformat.write(notebook, NOTEBOOK)
        return 0
    changed = [(a, b) for a, b in zip(before, texts(notebook), strict=True) if a != b]
    for saved, now in changed:
        print(f"saved:\n{saved}\nnow:\n{now}", file=sys.stderr)
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
