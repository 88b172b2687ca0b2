"""Make sure there is Java for the tests on Apache Spark: `python -m tests.spark.install`.

Debian's where apt can install it. Without any, the tests say at their end that they were not run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from metrics_core.scoring.spark.session import has_java

_PACKAGES = ("openjdk-17-jre-headless", "default-jre-headless")


def _install() -> None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False, **quiet)
    for package in _PACKAGES:
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
        if subprocess.run(command, env=environment, check=False, **quiet).returncode == 0:
            return


def main() -> int:
    """Install Java where none is, and say where there is none still."""
    if not has_java():
        print("No Java found; installing it for the tests on Spark …", flush=True)
        _install()
    if not has_java():
        print("NO JAVA: the tests on Apache Spark cannot run on this machine.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
