"""The command line, `metrics-core`: evaluate, compare, explain, residuals, trec_eval …

The exit status is 0 if there was no error. Otherwise it is 2, with the error on stderr and nothing
on stdout. A gate has further statuses (`gates`), such as 1 for a loss. An unexpected exception
therefore also ends with 2, not with 1 as usual in Python."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence

from metrics_core.base import heap, process_exit
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.version import __version__
from metrics_core.commands import Command, CommandOptions, CommandResult, load_commands
from metrics_core.commands.command_parser import CommandParser
from metrics_core.commands.console import (
    INTERRUPTED,
    NOBODY_READS,
    adapt_console,
    silence_streams,
)

_GARBAGE_THRESHOLD = 200_000
"""Number of new objects that triggers garbage collection. The program creates fewer objects while
it starts."""

_VERBATIM_FORMATS = ("csv", "tsv")
"""Output formats in which control characters of ids are not escaped, because other programs compare
these ids byte for byte."""


def process() -> int:
    """Run `main` and end the process with its status. This is the entry point of `metrics-core`.

    To save time, freed memory is kept in the process, and garbage is not collected while modules
    are loaded."""
    heap.keep_freed_memory()
    gc.set_threshold(_GARBAGE_THRESHOLD)
    return process_exit.exit_with_status(main)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Returns the exit status."""
    command_line = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with adapt_console():
            return _run_command_line(command_line)
    except BrokenPipeError:
        return NOBODY_READS
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        silence_streams()


def _run_command_line(command_line: Sequence[str]) -> int:
    """Run the given command and return its exit status. After an unexpected exception, the status
    is 2."""
    try:
        if command_line[:1] == ["trec_eval"]:
            from metrics_core.compatible import trec_eval

            return trec_eval.main(command_line[1:])
        options = vars(_make_parser(command_line).parse_args(command_line))
        command: Command = options.pop("command")
        return _run_command(command, command.options(**options))
    except BrokenPipeError:
        raise
    except Exception:
        return _report_fault()


def _report_fault() -> int:
    import traceback

    traceback.print_exc()
    print("This is a bug in Ranklens or a plug-in. Please report it.", file=sys.stderr)
    return 2


def _run_command(command: Command, options: CommandOptions) -> int:
    try:
        output = command.output(options)
    except RanklensError as error:
        print(error, file=sys.stderr)
        for line in _command_line_hints(error):
            print(line, file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:
        # The error has no file name if the file has none.
        subject = w.escape_controls(str(error.filename or "The system"))
        print(f"{subject}: {error.strerror or error}", file=sys.stderr)
        return 2
    except SystemExit:  # raised by a plug-in: our commands do not exit this way
        return _report_fault()
    text, status = (
        (output.text, output.status) if isinstance(output, CommandResult) else (output, 0)
    )
    return (
        _print_output(
            text if options.format in _VERBATIM_FORMATS else w.escape_controls_in_lines(text)
        )
        or status
    )


def _print_output(output: str) -> int:
    """Write `output` to stdout. Returns the exit status: 2 if writing fails, otherwise 0."""
    if sys.stdout is None:
        print("Standard output is closed.", file=sys.stderr)
        return 2
    try:
        sys.stdout.write(output)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"Standard output: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _make_parser(command_line: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metrics-core", description="Score runs against relevance judgments."
    )
    version = f"%(prog)s {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    for command in load_commands(command_line):
        command_parser = commands.add_parser(command.name, help=command.help)
        command.arguments(command_parser)
        command_parser.set_defaults(command=command)
    commands.add_parser(
        "trec_eval", help="score a run with the options and the output of trec_eval"
    )
    return parser


def _command_line_hints(error: RanklensError) -> list[str]:
    """Return a list with one hint on how to resolve an error on the command line.

    The list is empty if the error has no `offer` (a reading choice with which the input would be
    accepted)."""
    name, equals, value = getattr(error, "offer", "").partition("=")
    if not equals:
        return []
    if name == "kind":
        return ["The arguments must be in this order: evaluate QRELS RUN …"]
    return [f"On the command line: --{name} {'word=number' if value.startswith('{') else value}"]


if __name__ == "__main__":
    sys.exit(process())
