"""`metrics_core measures` and `metrics_core formats`: what there is."""

from __future__ import annotations

import argparse

from metrics_core.commands.command import command
from metrics_core.commands.measure_texts import listed_measures, measure_text
from metrics_core.formats import formats
from metrics_core.measures.declaring.names import declared


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="all about these, such as nDCG or ndcg_cut_10"
    )


@command("measures", help="list the measures, or explain one", options=_names)
def measures(options: argparse.Namespace) -> str:
    """Every measure in a sentence, or all about the named ones."""
    if not options.names:
        return listed_measures()
    return "\n".join(measure_text(declared(name)) for name in options.names)


@command("formats", help="list the file formats")
def listing(options: argparse.Namespace) -> str:
    """Every file format with its explanation."""
    lines = []
    for f in formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"
