"""Runs from files that Spark reads: TREC text lines and Parquet, in one file, in parts or by a
glob, from any file system that Spark supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from metrics_core.base.errors import RanklensError
from metrics_core.formats.parsing.columns import NAMES, find_position
from metrics_core.formats.parsing.trec_lines import RUN
from metrics_core.formats.registry import run_name
from metrics_core.formats.values import NUMBER
from metrics_core.scoring.spark.columns import id_column
from metrics_core.tables.run_names import find_free_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COLUMNS = len(RUN.columns)
_RANK, _SCORE = list(RUN.columns).index("rank"), list(RUN.columns).index("score")
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class SparkFile:
    """A file, or a folder with the parts of one run. If `parquet` is true, the format is Parquet,
    otherwise text lines."""

    path: str
    parquet: bool


def read_runs(spark: SparkSession, patterns: Sequence[str]) -> tuple[DataFrame, list[str]]:
    """Return runs in the form that `evaluate` accepts (run, query_id, doc_id, score), and the run
    names derived from file names, in the order of the files.

    A pattern is a file, a folder with the parts of one run, or a glob of these. A run is named
    after its file or folder, unless this is Parquet with a column of run names (run, system, model
    and the like). Lines are validated when they are read: an invalid TREC line makes the Spark
    query fail and is quoted in the error. Raises RanklensError if nothing matches."""
    names: list[str] = []
    parts = []
    for file in (file for pattern in patterns for file in find_files(spark, pattern)):
        frame = _read_parquet(spark, file.path) if file.parquet else _read_lines(spark, file.path)
        if "run" not in frame.columns:
            name = find_free_name(run_name(file.path.rstrip("/")), names)
            names.append(name)
            frame = _name_run(frame, name)
        parts.append(frame.select("run", "query_id", "doc_id", "score"))
    return reduce(lambda one, other: one.unionByName(other), parts), names


def find_files(spark: SparkSession, pattern: str) -> list[SparkFile]:
    """Return the files that match a pattern, sorted by their paths. Raises RanklensError if no file
    matches."""
    jvm: Any = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(pattern)
    system = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    statuses = system.globStatus(path)
    if not statuses:
        raise RanklensError(
            f"{pattern}: no such file or folder.",
            "On a cluster, Spark looks paths up in its own file system. Use file:/… for a file"
            " that exists on every machine.",
        )
    return [_describe_file(system, status) for status in statuses]


def _describe_file(system: Any, status: Any) -> SparkFile:
    """Return the file or folder as a SparkFile. The format is detected from the first bytes of the
    file or, for a folder, of the folder's first file."""
    path = status.getPath()
    if not status.isDirectory():
        return SparkFile(path.toString(), _is_parquet(system, path))
    inside = [part.getPath() for part in system.listStatus(path)]
    files = [part for part in inside if not part.getName().startswith(("_", "."))]
    if not files:
        raise RanklensError(f"{path.toString()}: the folder is empty.")
    # A folder that Spark partitioned by a column contains folders.
    folders = any(system.getFileStatus(part).isDirectory() for part in files[:1])
    return SparkFile(path.toString(), folders or _is_parquet(system, files[0]))


def _is_parquet(system: Any, path: Any) -> bool:
    stream = system.open(path)
    try:
        return bytes(stream.read() & 0xFF for _ in _PARQUET) == _PARQUET
    finally:
        stream.close()


def _read_parquet(spark: SparkSession, path: str) -> DataFrame:
    frame = spark.read.parquet(path)
    index = find_position(frame.columns, NAMES["tag"])
    if index >= 0 and "run" not in frame.columns:
        frame = frame.withColumnRenamed(frame.columns[index], "run")
    lacking = [name for name in ("query_id", "doc_id", "score") if name not in frame.columns]
    if lacking:
        raise RanklensError(
            f"{path} has no column {lacking[0]!r}; its columns: {', '.join(frame.columns)}.",
            "Runs in Parquet have the columns query_id, doc_id and score.",
        )
    # Cast to string before files are combined: ids may be numbers in one and strings in another.
    ids = {name: id_column(frame, f"run {path}", name) for name in ("query_id", "doc_id")}
    return frame.withColumns(ids)


def _name_run(frame: DataFrame, name: str) -> DataFrame:
    from pyspark.sql import functions as f

    return frame.withColumn("run", f.lit(name))


def _read_lines(spark: SparkSession, path: str) -> DataFrame:
    """Return the rows of TREC lines. Blank lines and comments are skipped."""
    from pyspark.sql import functions as f

    line = f.expr("trim(both ' \\t' from value)")
    lines = spark.read.text(path).select(f.regexp_replace(line, "^\ufeff", "").alias("line"))
    lines = lines.where("line != '' and line not like '#%'")
    fields = lines.select("line", f.split("line", "[ \t]+").alias("fields"))
    score, count = f.get("fields", f.lit(_SCORE)), f.size("fields")
    # More columns mean a run name of several words, unless a space in an id has shifted them.
    is_shifted = (count > _COLUMNS) & ~f.get("fields", f.lit(_RANK)).rlike(NUMBER)
    is_bad = (count < _COLUMNS) | is_shifted | ~score.rlike(NUMBER)
    message = f.concat(
        f.lit(
            f"{path}: expected {_COLUMNS} columns and a number as the score in the fifth, found: "
        ),
        f.substring("line", 1, 200),
        f.lit(f"\n{RUN.line}"),
    )
    error = f.raise_error(message).cast("string")
    return fields.select(
        f.when(is_bad, error).otherwise(f.get("fields", f.lit(0))).alias("query_id"),
        f.get("fields", f.lit(2)).alias("doc_id"),
        score.cast("double").alias("score"),
    )
