"""Packages as pip leaves them in a folder, without pip, which takes seconds for each."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "tests" / "example_package"
SOURCES = (
    ".ci",
    ".dockerignore",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
    "MANIFEST.in",
    "Makefile",
    "README.md",
    "action.yml",
    "benchmarks",
    "dashboard",
    "docs",
    "metrics_core",
    "pyproject.toml",
    "pytest_ranklens.py",
    "ranklens.py",
    "requirements-dev.in",
    "requirements-dev.lock",
    "requirements-spark.in",
    "requirements-spark.lock",
    "requirements.lock",
    "requirements.txt",
    "sample_runs",
    "setup.py",
    "tests",
)
"""What a checkout has: all of it is in the sdist."""

OPTIONAL = ("datasets", "llama_index", "mlflow", "pyterrier", "rank_llm", "ragas", "wandb")
"""Modules that a few tests use if they are installed, and `make test` does not install."""


def install(
    into: Path, name: str, points: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]
) -> None:
    """Put a package into a folder: entry points by group and name, sources by module."""
    for module, source in modules.items():
        (into / f"{module}.py").write_text(source)
    told = into / f"{name.replace('-', '_')}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        line
        for group, own in points.items()
        for line in (f"[{group}]", *(f"{point} = {value}" for point, value in own.items()))
    ]
    (told / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install_example(into: Path) -> None:
    """Put the package of docs/extending.md into a folder, as its pyproject.toml says."""
    told = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    modules = told["tool"]["setuptools"]["py-modules"]
    project = told["project"]
    sources = {module: (EXAMPLE / f"{module}.py").read_text() for module in modules}
    install(into, project["name"], project["entry-points"], sources)


def with_packages(*folders: Path) -> dict[str, str]:
    """The variables of a process in which Ranklens and what is in these folders is installed."""
    kept = {name: value for name, value in os.environ.items() if name != "RANKLENS_PLUGINS"}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *folders)))}
