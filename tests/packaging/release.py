"""`make release`: builds the sdist and the wheel in dist/, checks them, installs both in fresh
environments of each Python that is found, and runs README's commands there.

    python -m tests.packaging.release
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator, Set
from pathlib import Path

from tests.code_blocks import blocks_of, prepare
from tests.packages import ROOT
from tests.servers import free_port, serving

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = ("dashboard", "metrics_core", "sample_runs")
MODULES = {"pytest_ranklens.py", "ranklens.py"}
MADE = {"PKG-INFO", "setup.cfg"}
"""What setuptools adds to an sdist, beside a folder .egg-info."""


def tracked_files() -> set[str]:
    """The files of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if name}


def wrong_contents(sdist: Path, wheel: Path, sources: Set[str]) -> list[str]:
    """What the sdist and the wheel hold besides these sources, and what they lack of them."""
    with tarfile.open(sdist) as packed:
        members = [member for member in packed.getmembers() if not member.isdir()]
    inside = {m.name.partition("/")[2] if m.isfile() else f"{m.name}: no file" for m in members}
    inside = {name for name in inside if not name.startswith("ranklens.egg-info/")} - MADE
    with zipfile.ZipFile(wheel) as built:
        held = {name for name in built.namelist() if ".dist-info/" not in name}
    packaged = {name for name in sources if name.partition("/")[0] in PACKAGES} | MODULES
    return [
        *(f"sdist: {name} is not of the sources" for name in sorted(inside - sources)),
        *(f"sdist: {name} is missing" for name in sorted(sources - inside)),
        *(f"wheel: {name} is not of the packages" for name in sorted(held - packaged)),
        *(f"wheel: {name} is missing" for name in sorted(packaged - held)),
    ]


def readme_commands() -> Iterator[list[str]]:
    """Each command and Python block of README that an installation runs: none that needs Spark or
    a checkout, and not `ranklens`, which does not end."""
    for block in blocks_of(ROOT / "README.md"):
        if block.language == "python" and "spark" not in block.text:
            yield ["python", "-c", block.text]
        elif block.language == "sh":
            for line in block.text.splitlines():
                words = shlex.split(line, comments=True)
                is_ours = words[:1] in (["ranklens"], ["metrics-core"]) and len(words) > 1
                if is_ours and "--spark" not in words:
                    yield words


def found_pythons() -> Iterator[str]:
    """An interpreter of each version that pyproject.toml names: of the PATH, or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"])):
        paths = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
        if path := next((path for path in paths if path and _is_version(path, version)), None):
            yield str(path)


def _is_version(python: str | Path, version: str) -> bool:
    program = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    return done.stdout.strip() == version


def install_and_run(python: str, artefact: Path, folder: Path) -> int:
    """Install the sdist or the wheel with the dashboard, and run README's commands in a folder that
    has the files they name. Returns their number; the first that fails ends the release."""
    bin_folder, files = folder / "environment" / "bin", folder / "files"
    run([python, "-m", "venv", folder / "environment"])
    pip = [bin_folder / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "install", f"{artefact}[app]"])
    run([*pip, "check"])
    files.mkdir()
    prepare(files)
    plain = {
        "PATH": os.pathsep.join([str(bin_folder), os.defpath]),
        "HOME": str(folder),
        "RANKLENS_CACHE": str(folder.parent / "compiled"),
    }
    commands = list(readme_commands())
    for words in commands:
        run([bin_folder / words[0], *words[1:]], cwd=files, env=plain, capture_output=True)
    kept, port = folder / "kept", free_port()
    command = [str(bin_folder / "ranklens"), "--port", str(port), "--workspace", str(kept)]
    with serving(kept, command=command, port=port, cwd=files, environment=plain) as server:
        server.let_in()
    return len(commands)


def run(words: list[str | Path], **more: object) -> None:
    """Run a command; one that fails ends the release with its output."""
    done = subprocess.run(words, text=True, **more)  # type: ignore[call-overload]
    if done.returncode:
        said = f"{done.stdout or ''}{done.stderr or ''}"
        sys.exit(f"{said}Failed ({done.returncode}): {shlex.join(map(str, words))}")


def main() -> None:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, ROOT],
        capture_output=True,
    )
    sdist, wheel = (next(dist.glob(f"*.{ending}")) for ending in ("tar.gz", "whl"))
    run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel])
    if wrong := wrong_contents(sdist, wheel, tracked_files()):
        sys.exit("\n".join(wrong))
    pythons = list(found_pythons())
    for python in pythons:
        for artefact in (wheel, sdist):
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                count = install_and_run(python, artefact, Path(folder) / "release")
            took = time.monotonic() - began
            print(f"{python}: {artefact.name} ran {count} commands of README ({took:.0f} s)")
    if not pythons:
        sys.exit("No Python was found that pyproject.toml names.")
    if ", unreleased" in (ROOT / "CHANGELOG.md").read_text():
        print("Before an upload: write the date in CHANGELOG.md, and in CITATION.cff.")


if __name__ == "__main__":
    main()
