"""Made-up files for trec_eval's command line, and calls of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from metrics_core.compatible import trec_eval
from metrics_core.compatible.trec_eval.command import ProgramResult

QRELS = """\
q2 0 d1 0
q2 0 d2 2
q2 0 d3 1
q1 0 d1 1
q1 0 d2 0
q1 0 d5 -1
q3 0 d9 1
"""
"""q1 has a document that was pooled and not judged; q3 is not in the run."""

RUN = """\
q1 Q0 d2 1 3 tag
q1 Q0 d1 2 2 tag
q1 Q0 d5 3 2 tag
q1 Q0 dx 4 1 tag
q2 Q0 d3 9 1.5 tag
q2 Q0 d2 8 1.5 tag

q4 Q0 d1 1 1 last
"""
"""q1 and q2 have ties; q4 is not judged."""

GROUPS = """\
q1 ann d1 1
q1 ann d2 0
q1 bob d1 0
q1 bob d2 2
q1 bob d5 1
q2 ann d2 1
"""
"""Judgments of two judges."""

Call = Callable[..., ProgramResult]


def caller(folder: Path) -> Call:
    """Calls trec_eval with files of these contents behind the options."""

    def call(*options: str, qrels: str | bytes = QRELS, run: str | bytes = RUN) -> ProgramResult:
        paths = []
        for name, content in (("qrels", qrels), ("run", run)):
            path = folder / name
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            paths.append(str(path))
        return trec_eval.evaluate([*options, *paths])

    return call


def lines(text: str) -> bytes:
    """Output from `name query value` a line, as trec_eval spaces it."""
    words = [line.split() for line in text.strip().splitlines()]
    return "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in words).encode()


def values(outcome: ProgramResult) -> dict[tuple[str, str], str]:
    """(name, query) -> what is printed for it."""
    rows = [line.split("\t") for line in outcome.output.decode("latin-1").splitlines()]
    return {(name.strip(), query): value for name, query, value in rows}
