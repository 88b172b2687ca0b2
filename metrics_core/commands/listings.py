"""`metrics_core measures` and `metrics_core formats`: what there is."""

from __future__ import annotations

import argparse

from metrics_core.commands.command import command
from metrics_core.formats import formats
from metrics_core.measures import declarations


@command("measures", help="list the measures")
def measures(options: argparse.Namespace) -> str:
    """Every measure with its parameters, its explanation and its other names."""
    lines = []
    for d in declarations():
        parameters = ", ".join(
            p.name if p.required else f"{p.name}={p.default!r}" for p in d.parameters
        )
        lines.append(f"{d.name}({parameters})" if parameters else d.name)
        lines.append(f"    {d.explanation}")
        names = [*d.aliases, *(n.replace("{cutoff}", "k") for n in d.trec_eval)]
        if names:
            lines.append(f"    also: {', '.join(names)}")
    return "\n".join(lines) + "\n"


@command("formats", help="list the file formats")
def listing(options: argparse.Namespace) -> str:
    """Every file format with its explanation."""
    lines = []
    for f in formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"
