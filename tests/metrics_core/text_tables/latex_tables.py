"""Whether LaTeX holds together, without LaTeX; and with it, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

PDFLATEX = shutil.which("pdflatex")


def structure(text: str) -> list[int]:
    """The columns of each row, once braces are balanced and the rules stand where they do."""
    plain = re.sub(r"\\[\\{}&%]", lambda found: "\n" if found[0] == r"\\" else "", text)
    depth = 0
    for letter in plain:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0, "a brace closes that none opened"
    assert depth == 0
    inside = text[text.index("\\toprule") : text.index("\\end{tabular}")]
    assert [inside.count(f"\\{rule}") for rule in ("toprule", "midrule", "bottomrule")] == [1] * 3
    rows = [line for line in inside.splitlines() if line.endswith(r"\\")]
    return [_columns(row) for row in rows]


def _columns(row: str) -> int:
    wider = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row))
    return len(re.findall(r"(?<!\\)&", row)) + 1 + wider


def compiled(text: str, folder: Path) -> bytes:
    """The PDF that pdflatex makes of tables, and fails where it has an error or a box too full."""
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (folder / "table.tex").write_text(f"{head}{text}\\end{{document}}\n", "utf-8")
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "table.pdf").read_bytes()
