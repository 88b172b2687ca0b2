"""How the chosen test stands in an address: test, correction, level and the margin of a measure."""

from __future__ import annotations

from dashboard.address.address import Address
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.method import Method
from metrics_core.measures import Measure

METHOD_FIELDS = ("test", "correction", "level", "margin")


def read_method(address: Address, measure: Measure) -> tuple[Method, str]:
    """The method of an address for a measure, and what it asks for that there is not, as a
    sentence; then the usual method."""
    try:
        return _parse_method(address, measure), ""
    except ParameterError as error:
        return Method(), error.message
    except ValueError:
        return Method(), "The level and the margin must be numbers."


def margin_key(measure: Measure, margin: float | None) -> str:
    """How a margin stands in the address: with its measure, for on another one the same number
    means something else. "" is none."""
    return f"{measure.declaration.name}:{margin:g}" if margin else ""


def _parse_method(address: Address, measure: Measure) -> Method:
    name, _, margin = address["margin"].rpartition(":")
    is_own_margin = bool(margin) and name == measure.declaration.name
    level = address["level"]
    return Method(
        test=address["test"] or Method().test,
        correction=address["correction"],
        level=float(level) / 100 if level else Method().level,
        margin=float(margin) if is_own_margin else None,
    )
