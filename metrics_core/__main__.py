"""The command line: `python -m metrics_core evaluate|residuals|measures|formats|trec_eval`.

Exit status 0, or 2 with the error on stderr and nothing on stdout.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from metrics_core.commands import COMMANDS
from metrics_core.compatible import trec_eval
from metrics_core.errors import RanklensError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["trec_eval"]:
        return trec_eval.main(given[1:])
    options = _parser().parse_args(given)
    command: Callable[[argparse.Namespace], str] = options.command
    try:
        output = command(options)
    except RanklensError as error:
        print(error, file=sys.stderr)
        for line in _on_the_command_line(error):
            print(line, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    sys.stdout.write(output)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metrics-core", description="Scores of runs against relevance judgments."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        own = commands.add_parser(command.name, help=command.help)
        command.options(own)
        own.set_defaults(command=command.output)
    commands.add_parser("trec_eval", help="trec_eval's own command line")
    return parser


def _on_the_command_line(error: RanklensError) -> list[str]:
    """How the reading choice that an error offers is asked for here."""
    name, equals, value = getattr(error, "offer", "").partition("=")
    if not equals:
        return []
    if name == "kind":
        return ["The order is: evaluate QRELS RUN …"]
    return [f"On the command line: --{name} {'word=number' if value.startswith('{') else value}"]


if __name__ == "__main__":
    sys.exit(main())
