"""The formats in which the outcome of a gate is written, by name."""

from __future__ import annotations

from collections.abc import Callable

from metrics_core.commands.gate.markdown import github, markdown
from metrics_core.commands.gate.records import json_text, junit
from metrics_core.commands.gate.terminal import table
from metrics_core.findings.gate_report import GateReport

FORMATS: dict[str, Callable[[GateReport], str]] = {
    "table": table,
    "markdown": markdown,
    "github": github,
    "junit": junit,
    "json": json_text,
}
