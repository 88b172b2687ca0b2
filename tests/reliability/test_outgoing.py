"""Nothing goes out: no connection, no name looked up, whatever is asked of the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.test_doors import ways
from tests.servers import ROOT, Server, Visit, serving

# Python tells of each name looked up and each connection before it is made.
NOTED = """
import json, os, sys
def heard(event, given):
    if event.startswith("socket.") and event != "socket.__new__":
        with open(os.environ["NOTED"], "a") as file:
            json.dump([event, [repr(value) for value in given[1:]] or repr(given)], file)
            file.write("\\n")
sys.addaudithook(heard)
"""
OURS = {"socket.bind", "socket.gethostname"}
FOREIGN = ("http://evil.example", "https://127.0.0.1:1", "null", "http://10.0.0.1")


def read_pages(server: Server, before: tuple[str, ...] = ()) -> None:
    """Three sessions that open every page."""
    command = [sys.executable, "-m", "benchmarks.sessions", server.printed()]
    command += ["--sessions", "3", "--clicks", "8", "--every", "0"]
    done = subprocess.run(
        [*before, *command], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def ask_from_elsewhere(server: Server, visit: Visit) -> None:
    for origin in FOREIGN:
        for host in (f"127.0.0.1:{server.port}", "evil.example"):
            ways(server, visit, {"Host": host, "Origin": origin, "Cookie": visit.cookie})


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--no-token",), marks=pytest.mark.thorough)],
    ids=["token", "no token"],
)
def test_no_name_is_looked_up_and_no_connection_made(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOTED)
    noted = tmp_path / "noted"
    added = {"PYTHONPATH": str(tmp_path), "NOTED": str(noted)}
    with serving(tmp_path / "workspace", *options, environment=added) as server:
        server.printed()
        visit = Visit(f"http://127.0.0.1:{server.port}", "") if options else server.let_in()
        ask_from_elsewhere(server, visit)
        read_pages(server)
    heard = [json.loads(line) for line in noted.read_text().splitlines()]
    assert ["socket.bind", [repr(("127.0.0.1", server.port))]] in heard
    assert [event for event in heard if event[0] not in OURS] == []


IN_A_NET_OF_ITS_OWN = """
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
ip link set lo up
ip link add out type veth peer name wall
ip addr add 10.255.0.1/30 dev out
ip link set out up
ip link set wall up
ip neigh add 10.255.0.2 lladdr 02:00:00:00:00:01 dev out
ip route add default via 10.255.0.2
exec "$@"
"""
SENT = """
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.1", 53))
"""


def sent_by(process: int) -> int:
    """Packets that left the net of a process by its one way out."""
    lines = Path(f"/proc/{process}/net/dev").read_text().splitlines()
    return next(int(line.split()[10]) for line in lines if line.strip().startswith("out:"))


def test_no_packet_leaves(tmp_path: Path) -> None:
    """In a network namespace where every packet to elsewhere would go through one counted link."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("a network of its own takes root")
    net = ("unshare", "-n", "sh", "-c", IN_A_NET_OF_ITS_OWN, "sh")
    tools = all(shutil.which(tool) for tool in ("unshare", "nsenter", "ip", "sysctl"))
    if not tools or subprocess.run([*net, "true"], capture_output=True).returncode:
        pytest.skip("this machine gives no network of its own")
    with serving(tmp_path / "workspace", before=net) as server:
        server.printed()
        inside = ("nsenter", "-t", str(server.process.pid), "-n")
        ready = (
            "import sys, tests.reliability.test_outgoing as t, tests.servers as s;"
            "from pathlib import Path;"
            "server = s.Server(None, int(sys.argv[1]), Path(sys.argv[2]));"
            "t.ask_from_elsewhere(server, server.let_in())"
        )
        asked = [*inside, sys.executable, "-c", ready, str(server.port), str(server.output)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        read_pages(server, inside)
        assert sent_by(server.process.pid) == 0
        # And it would have been counted.
        subprocess.run([*inside, sys.executable, "-c", SENT], check=True, timeout=60)
        assert sent_by(server.process.pid) > 0
