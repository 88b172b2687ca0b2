"""How the chosen test is written in an address: the test, the correction, the level, and the margin
of a measure."""

from __future__ import annotations

from dashboard.address.address import Address
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.method import Method
from metrics_core.measures import Measure

METHOD_FIELDS = ("test", "correction", "level", "margin")


def read_method(address: Address, measure: Measure) -> tuple[Method, str]:
    """Return the method of comparison that an address requests for a measure, and a message. If the
    request is invalid, the default method is returned, and the message says what is wrong.
    Otherwise, the message is ""."""
    try:
        return _parse_method(address, measure), ""
    except ParameterError as error:
        return Method(), error.message
    except ValueError:
        return Method(), "The confidence level and the margin must be numbers."


def margin_key(measure: Measure, margin: float | None) -> str:
    """Format a margin for an address. The result includes the measure, because the same number
    means something else for another measure. It is "" if there is no margin."""
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
