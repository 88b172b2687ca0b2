"""Start a Spark session, report missing requirements, and convert the errors of tasks."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from metrics_core.base.errors import RanklensError
from metrics_core.base.installing import install_command

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OURS = re.escape(RanklensError.__module__)
_REFUSED = (
    # Errors raised by `lists` in a Python worker, and by `files` in Spark's own expressions.
    re.compile(rf"{_OURS}\.\w+: (.*?)(?:\n SQLSTATE|\n\s+at |\Z)", re.DOTALL),
    re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE|\n\s+at |\Z)", re.DOTALL),
)

_LACKING = re.compile(r"ModuleNotFoundError: No module named '(metrics_core|pyarrow|numpy)")


def session(master: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the Spark session of this process. If there is none, start one on this master, such as
    local[4], yarn or spark://host:7077.

    `settings` are additional Spark settings by name. Raises RanklensError if PySpark or Java is
    missing, or if the master does not answer."""
    require_pyspark()
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    local = master.startswith("local")
    if not has_java():
        raise RanklensError(
            "Apache Spark needs Java, which is not installed.",
            "Install Java 17 or newer (on Debian: apt install openjdk-17-jre-headless), or set"
            " JAVA_HOME.",
        )
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("Ranklens").master(master)
    options = {"spark.log.level": "ERROR"}
    if local:
        localhost = "127.0.0.1"
        options |= {"spark.driver.bindAddress": localhost, "spark.driver.host": localhost}
        options |= {"spark.ui.enabled": "false"}
        # For when this package is not installed but run from its folder.
        options |= {"spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[3])}
    if not sys.stderr or not sys.stderr.isatty():
        options["spark.ui.showConsoleProgress"] = "false"
    for name, value in {**options, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        with hide_warnings():
            return builder.getOrCreate()
    except PySparkException as error:
        reason = str(error).split("\n")[0]
        raise RanklensError(f"Spark could not start with the master {master!r}.", reason) from error


def require_pyspark() -> None:
    """Raise RanklensError if PySpark is not installed."""
    if find_spec("pyspark") is None:
        raise RanklensError(
            "Apache Spark needs PySpark, which is not installed.",
            f"Install it with: {install_command('spark')}",
        )


def has_java() -> bool:
    """Return whether Java is installed in a location that Spark checks."""
    home = os.environ.get("JAVA_HOME")
    return bool(home and (Path(home) / "bin" / "java").exists()) or bool(shutil.which("java"))


@contextmanager
def row_errors() -> Iterator[None]:
    """Context manager that raises the RanklensError of a failed task in place of Spark's report of
    a failed stage.

    Such errors are, for example, a duplicate document, or a score that is not a number."""
    require_pyspark()
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lacking = _LACKING.search(str(error))
        if lacking:
            raise RanklensError(
                f"Spark's workers have no module {lacking[1]}.",
                "Install Ranklens in the workers' Python, the one that PYSPARK_PYTHON selects.",
            ) from error
        for pattern in _REFUSED:
            match = pattern.search(str(error))
            if match:
                raise RanklensError(match[1].strip()) from error
        raise


@contextmanager
def hide_warnings() -> Iterator[None]:
    """Suppress PySpark's warning that it does not fully support pandas 3, because pandas is not
    used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield
