"""The formats in which the outcome of a gate is written, by name."""

from __future__ import annotations

from collections.abc import Callable

from metrics_core.commands.gate_markdown import github, markdown
from metrics_core.commands.gate_records import json_text, junit
from metrics_core.commands.gate_report import GateReport
from metrics_core.commands.gate_table import table

FORMATS: dict[str, Callable[[GateReport], str]] = {
    "table": table,
    "markdown": markdown,
    "github": github,
    "junit": junit,
    "json": json_text,
}
