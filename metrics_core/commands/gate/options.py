"""The options of a gate, which stand beside those of `compare`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.commands.reading_options import ReadingOptions

GATE_FORMATS = ("table", "markdown", "github", "junit", "json")
"""The formats in which the outcome of a gate is written."""

_EXIT = (
    "The exit status is the first that holds of 2, an input error; 1, worse or below a floor; 4,"
    " judgments, queries or measures changed since the snapshot; 3, cannot tell, where that is set"
    " to fail; 0. “Worse” is corrected over all gates and runs; that all are not worse needs no"
    " correction."
)


@dataclass(frozen=True, kw_only=True)
class GateOptions(ReadingOptions):
    """What a gate is asked for; without one of the first four there is none."""

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
        """Whether anything is asked of the runs."""
        return bool(self.gates or self.floors or self.floors_shown or self.overlaps)

    @property
    def keeps_same(self) -> bool:
        """Whether a run given twice stays twice: a gate says that nothing changed."""
        return self.is_gate

    @property
    def of_gates_alone(self) -> dict[str, bool]:
        """The options that say nothing without a gate, and which of them were given."""
        return {
            "--allow-changed": self.allow_changed,
            "--update": self.update,
            "--accept-loss": self.accept_loss,
            "--label": bool(self.label),
            "--report": bool(self.reports),
            "--if-unclear": self.if_unclear != "pass",
        }


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """The options of a gate, in a group of their own."""
    group = parser.add_argument_group("gates for a pull request", _EXIT)
    several: tuple[tuple[str, str, str, str], ...] = (
        (
            "--gate",
            "gates",
            "'MEASURE > -MARGIN'",
            "the difference to the baseline that is still allowed, such as 'nDCG@10 > -0.01', of"
            " some queries 'nDCG@10[category=Billing] > -0.03' (with --queries); may be given"
            " again",
        ),
        (
            "--floor",
            "floors",
            "'MEASURE >= LEAST'",
            "what the mean must reach, such as 'nDCG@10 >= 0.4'; 'answered >= 1' asks for results"
            " of each judged query; may be given again",
        ),
        (
            "--floor-shown",
            "floors_shown",
            "'MEASURE >= LEAST'",
            "the same of the lower end of its 90 %% interval",
        ),
        (
            "--overlap",
            "overlaps",
            "'topK >= SHARE'",
            "how much of the first K results must stay, such as 'top10 >= 0.8'; with nothing else"
            " no judgments are read, and 'none' may stand in their place",
        ),
    )
    for flag, dest, metavar, help in several:
        group.add_argument(flag, dest=dest, action="append", default=[], metavar=metavar, help=help)
    group.add_argument(
        "--if-unclear",
        choices=["pass", "fail"],
        default="pass",
        help="what to do where it cannot be told (default: %(default)s)",
    )
    group.add_argument(
        "--allow-changed",
        action="store_true",
        help="accept that judgments, queries or measures changed since the snapshot",
    )
    group.add_argument(
        "--update",
        action="store_true",
        help="write this run over the snapshot that is the baseline, where no gate fails or is"
        " unclear",
    )
    group.add_argument(
        "--accept-loss",
        action="store_true",
        help="let --update take a run that is significantly worse, by less than the margin",
    )
    group.add_argument("--label", default="", metavar="TEXT", help="that of what --update writes")
    group.add_argument(
        "--report",
        dest="reports",
        action="append",
        default=[],
        metavar="FORMAT=FILE",
        help=f"write the outcome to a file, too ({', '.join(GATE_FORMATS)}); may be given again",
    )
