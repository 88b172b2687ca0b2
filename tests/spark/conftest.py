"""One real Spark session on this machine for all these tests; without PySpark or Java none runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from metrics_core.base.errors import RanklensError
from metrics_core.scoring.spark.session import has_java, require_pyspark

_PARTITIONS = "3"
_ROWS_A_BATCH = "7"
"""So few that lists stand in several Arrow batches."""


def lacking() -> str:
    """What these tests lack on this machine, "" if nothing."""
    try:
        require_pyspark()
    except RanklensError:
        return "PySpark is not installed (make test SPARK=1 installs it)"
    return "" if has_java() else "there is no Java"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """None runs where something is lacking."""
    without = lacking()
    for item in items:
        if "tests/spark" in str(item.path):
            item.add_marker(pytest.mark.spark)
            if without:
                item.add_marker(pytest.mark.skip(reason=without))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    from metrics_core.scoring.spark import session

    started = session(
        "local[2]",
        {
            "spark.sql.shuffle.partitions": _PARTITIONS,
            "spark.sql.execution.arrow.maxRecordsPerBatch": _ROWS_A_BATCH,
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # starts sooner
        },
    )
    yield started
    started.stop()
