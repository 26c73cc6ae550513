#!/usr/bin/env python3
"""What the systemd unit permits: little, and enough. Usage: unit_test.py CARILLON [unittest options]"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from servers import environment  # noqa: E402
from waiting import PATIENCE_SECONDS, await_value  # noqa: E402

CARILLON = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin/carillon").resolve()
PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
UNIT = PACKAGING / "carillon.service"
EXPOSURE_MAX = 3.0
NOBODY = 65_534

CALL = re.compile(r"^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)", re.MULTILINE)
FAMILY = re.compile(r"\bsocket(?:pair)?\((AF_\w+)")


def settings() -> dict[str, list[str]]:
    """Of the unit: every value that each name is given."""
    found: dict[str, list[str]] = {}
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


@cache
def calls_in(group: str) -> frozenset[str]:
    """System calls of a group such as @file-system, groups inside of it included."""
    lines = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    names = [line.strip() for line in lines if line.startswith("    ") and not line.strip().startswith("#")]
    return frozenset().union(*(calls_in(name) if name.startswith("@") else {name} for name in names))


def seconds(text: str) -> int:
    """90s, 10min."""
    number, unit = re.fullmatch(r"(\d+)(s|min)", text).groups()  # type: ignore[union-attr]
    return int(number) * {"s": 1, "min": 60}[unit]


class Settings(unittest.TestCase):
    def test_a_stop_may_take_longer_than_the_server_takes(self) -> None:
        told = subprocess.run([CARILLON, "serve", "--help"], capture_output=True, text=True, env=environment(),
                              timeout=PATIENCE_SECONDS, check=True).stdout
        stop_timeout = re.search(r"--stop-timeout.*default: (\d+)s", told)
        assert stop_timeout is not None

        (stop,) = settings()["TimeoutStopSec"]

        self.assertGreater(seconds(stop), int(stop_timeout[1]) + 20)

    def test_what_people_rely_on_is_there(self) -> None:
        expected = {"Type": "notify", "NotifyAccess": "main", "Restart": "on-failure", "User": "carillon",
                    "StateDirectory": "carillon carillon-work", "KillMode": "mixed", "UMask": "0077", "NoNewPrivileges": "yes",
                    "ProtectSystem": "strict", "PrivateTmp": "yes", "CapabilityBoundingSet": "",
                    "After": "network-online.target time-sync.target"}
        found = settings()
        self.assertEqual({name: found.get(name, []) for name in expected},
                         {name: [value] for name, value in expected.items()})


@unittest.skipIf(shutil.which("systemd-analyze") is None, "there is no systemd-analyze")
class Exposure(unittest.TestCase):
    def exposure(self, *drop_ins: str) -> float:
        """By systemd's own measure, from 0 to 10."""
        with tempfile.TemporaryDirectory(prefix="carillon-unit-") as folder:
            copy = Path(folder) / "carillon.service"
            parts = [UNIT, *(PACKAGING / "drop_ins" / name for name in drop_ins)]
            copy.write_text("\n".join(part.read_text(encoding="utf-8") for part in parts), encoding="utf-8")
            done = subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=yes", str(copy)],
                                  capture_output=True, text=True, timeout=60, check=False)
        level = re.search(r"Overall exposure level for carillon\.service: ([\d.]+)", done.stdout)
        assert level is not None, done.stdout + done.stderr
        return float(level[1])

    def test_the_service_is_little_exposed(self) -> None:
        self.assertLessEqual(self.exposure(), EXPOSURE_MAX)

    def test_drop_ins_give_no_more_than_they_say(self) -> None:
        self.assertEqual(self.exposure("adopt.conf"), self.exposure())
        self.assertEqual(self.exposure("commands.conf"), self.exposure(), "every line of it is to be chosen")
        self.assertGreater(self.exposure("run-as.conf"), self.exposure())
        self.assertLess(self.exposure("run-as.conf"), 4.0)


@unittest.skipIf(shutil.which("systemd-analyze") is None, "there is no systemd-analyze")
@unittest.skipIf(shutil.which("strace") is None, "there is no strace")
class SystemCalls(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-unit-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def traced(self) -> str:
        """What a server asks of the kernel from start to end, a command included."""
        trace, done = self.folder / "trace", self.folder / "done"
        document = {"id": "touch", "spec": {"intervals": [{"every": "1s", "anchor": "epoch"}]},
                    "action": {"command": {"argv": ["/bin/sh", "-c", f"date; touch {done}"]}}}
        file = self.folder / "touch.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        # As the unit has it, without rights: with them the server would use some.
        without = []
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
            without = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        command = [*without, "strace", "--follow-forks", "--output", trace, "--signal=none", CARILLON, "serve", "--data",
                   self.folder / "data", "--listen", "127.0.0.1:0", "--apply", file]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=environment(), text=True) as child:
            assert child.stdout is not None
            pid = next((found[1] for line in child.stdout if (found := re.search(r"\(pid (\d+)\)", line))), None)
            if pid is None:
                self.skipTest("processes cannot be traced here")
            await_value(done.exists, "the command has run")
            os.kill(int(pid), signal.SIGTERM)
            child.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual(child.returncode, 0)
        return trace.read_text(encoding="utf-8", errors="replace")

    def test_a_server_and_a_command_need_none_that_the_unit_forbids(self) -> None:
        trace = self.traced()
        (words,) = settings()["SystemCallFilter"]
        allowed = frozenset().union(*(calls_in(word) if word.startswith("@") else {word} for word in words.split()))
        (families,) = settings()["RestrictAddressFamilies"]

        used = set(CALL.findall(trace))

        self.assertLessEqual({"execve", "clone3", "fdatasync"}, used, "it has been seen at work")
        self.assertEqual(used - allowed, set())
        self.assertLessEqual(set(FAMILY.findall(trace)), set(families.split()))


if __name__ == "__main__":
    unittest.main()
