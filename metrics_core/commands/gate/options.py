"""Options of a gate, which are added to the options of `compare`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.commands.reading_options import ReadingOptions

GATE_FORMATS = ("table", "markdown", "github", "junit", "json")
"""Output formats of a gate."""

_EXIT = (
    "Exit status (the first that applies): 2 = input error; 1 = worse, or below a floor; 4 ="
    " judgments, queries or measures changed since the snapshot; 3 = cannot tell (with --if-unclear"
    " fail); 0 = none of these. Findings of “worse” are corrected for the number of gates and runs;"
    " findings of “not worse” need no correction."
)


@dataclass(frozen=True, kw_only=True)
class GateOptions(ReadingOptions):
    """Options of a gate. There is no gate unless `gates`, `floors`, `floors_shown` or `overlaps` is
    set."""

    gates: Sequence[str] = ()
    floors: Sequence[str] = ()
    floors_shown: Sequence[str] = ()
    overlaps: Sequence[str] = ()
    if_unclear: str = "pass"
    allow_changed: bool = False
    update: bool = False
    accept_loss: bool = False
    label: str = ""
    reports: Sequence[str] = ()

    @property
    def is_gate(self) -> bool:
        """Whether any gate condition is set."""
        return bool(self.gates or self.floors or self.floors_shown or self.overlaps)

    @property
    def keeps_repeated_runs(self) -> bool:
        """Whether a run that is listed twice on the command line is kept twice.

        This is true for a gate, so that it can report that nothing changed."""
        return self.is_gate

    @property
    def gate_only_options(self) -> dict[str, bool]:
        """The options that are only allowed with a gate, and whether each of them is set."""
        return {
            "--allow-changed": self.allow_changed,
            "--update": self.update,
            "--accept-loss": self.accept_loss,
            "--label": bool(self.label),
            "--report": bool(self.reports),
            "--if-unclear": self.if_unclear != "pass",
        }


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the gate options to the parser, in a separate group of the help."""
    group = parser.add_argument_group("gates for a pull request", _EXIT)
    repeatable: tuple[tuple[str, str, str, str], ...] = (
        (
            "--gate",
            "gates",
            "'MEASURE > -MARGIN'",
            "the largest loss allowed, such as 'nDCG@10 > -0.01', or 'nDCG@10[category=Billing] >"
            " -0.03' for some of the queries (needs --queries); repeatable",
        ),
        (
            "--floor",
            "floors",
            "'MEASURE >= LEAST'",
            "the value that the mean must reach, such as 'nDCG@10 >= 0.4'; 'answered >= 1'"
            " requires results for each judged query; repeatable",
        ),
        (
            "--floor-shown",
            "floors_shown",
            "'MEASURE >= LEAST'",
            "like --floor, but for the lower bound of the 90%% confidence interval",
        ),
        (
            "--overlap",
            "overlaps",
            "'topK >= SHARE'",
            "share of the baseline's first K results that must remain, such as 'top10 >= 0.8'; if"
            " this is the only condition, no judgments are read and QRELS may be 'none'",
        ),
    )
    for flag, dest, metavar, help in repeatable:
        group.add_argument(flag, dest=dest, action="append", default=[], metavar=metavar, help=help)
    group.add_argument(
        "--if-unclear",
        choices=["pass", "fail"],
        default="pass",
        help="outcome of a gate if the data do not show whether the run is worse (default:"
        " %(default)s)",
    )
    group.add_argument(
        "--allow-changed",
        action="store_true",
        help="allow changes to judgments, queries or measures since the snapshot",
    )
    group.add_argument(
        "--update",
        action="store_true",
        help="overwrite the baseline snapshot with this run, unless a gate fails or is"
        " inconclusive",
    )
    group.add_argument(
        "--accept-loss",
        action="store_true",
        help="let --update accept a run that is significantly worse, but by less than the margin",
    )
    group.add_argument(
        "--label", default="", metavar="TEXT", help="label for the snapshot that --update writes"
    )
    group.add_argument(
        "--report",
        dest="reports",
        action="append",
        default=[],
        metavar="FORMAT=FILE",
        help=f"also write the outcome to a file ({', '.join(GATE_FORMATS)}); repeatable",
    )
