#!/usr/bin/env python3
"""HTTP actions do not call the server that sends them. Usage: own_port_test.py FOLDER_OF_BINARIES

The rules that close private addresses would hide the one about a server's own port, so this gives the machine a public
address, in a network of its own from which nothing leads anywhere.
"""

import ctypes
import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "crash"))

from servers import environment  # noqa: E402
from waiting import PATIENCE_SECONDS, await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

ADDRESS = "93.184.216.34"
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
SIOCSIFADDR = 0x8916
IFF_UP = 1


def enter_own_network() -> bool:
    """Whether this process is alone in a network that has the address."""
    if ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))
        address = struct.pack("16sHH4s16x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(ADDRESS))
        fcntl.ioctl(control, SIOCSIFADDR, address)
    return True


class OwnPort(unittest.TestCase):
    """A server at a public address of this machine."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-own-port-")
        self.addCleanup(temporary.cleanup)
        self.data = Path(temporary.name) / "data"
        command = [BINARIES / "carillon", "serve", "--data", self.data, "--listen", f"{ADDRESS}:0", "--insecure"]
        # pylint: disable-next=consider-using-with
        self.server = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )
        self.addCleanup(self.close)
        assert self.server.stdout is not None
        greeting = ""
        while "Ctrl-C" not in greeting:
            line = self.server.stdout.readline().decode()
            self.assertTrue(line, "the server has ended")
            greeting += line
        found = re.search(r"http://[\d.]+:\d+", greeting)
        assert found is not None
        self.url = found[0]

    def close(self) -> None:
        """Ends it."""
        self.server.terminate()
        self.server.wait(timeout=PATIENCE_SECONDS)
        assert self.server.stdout is not None
        self.server.stdout.close()

    def ask(self, path: str, body: Any = None) -> Any:
        """GET, or POST if there is a body."""
        token = (self.data / "admin.token").read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(
            self.url + path, headers=headers, data=None if body is None else json.dumps(body).encode()
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def test_is_closed_to_http_actions(self) -> None:
        action = {"http": {"url": f"{self.url}/livez", "method": "GET"}}
        self.ask("/api/v1/schedules", {"id": "self", "action": action, "policies": {"retry": {"maxAttempts": 1}}})
        run = self.ask("/api/v1/schedules/self/trigger", {})["id"]

        ended = await_value(
            lambda: (run_now := self.ask(f"/api/v1/runs/{run}"))["state"] in ("succeeded", "failed") and run_now,
            "the end of the run",
        )

        self.assertEqual("failed", ended["state"])
        self.assertIn("egress rule own-port", ended["error"])


if __name__ == "__main__":
    if os.geteuid() != 0 or not enter_own_network():
        print("skipped: a network of one's own needs root")
        sys.exit(0)
    unittest.main()
