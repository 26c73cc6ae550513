#!/usr/bin/env python3
"""Debian's package on a system: installed, used, upgraded, removed, purged."""

import configparser
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from package import make_package, missing_tool, parse_arguments, with_version  # noqa: E402
from throwaway_root import ThrowawayRoot, enter_namespace, why_not  # noqa: E402
from waiting import PATIENCE_SECONDS, await_value  # noqa: E402

ARGUMENTS, REST = parse_arguments(__doc__)
enter_namespace()

UNIT = "/usr/lib/systemd/system/carillon.service"
LINK = "/etc/systemd/system/multi-user.target.wants/carillon.service"
CONFIGURATION = "/etc/carillon/carillon.conf"
WHO_AM_I = {
    "id": "who-am-i",
    "spec": {"intervals": [{"every": "1s", "anchor": "epoch"}]},
    "action": {"command": {"argv": ["/bin/sh", "-c", "id -un >/var/lib/carillon-work/new; mv new whoami"],
                           "cwd": "/var/lib/carillon-work"}},
}


class Serving:
    """A server, started as the unit says."""

    def __init__(self, root: ThrowawayRoot, *, more: str) -> None:
        unit = configparser.RawConfigParser(strict=False)
        unit.optionxform = str  # type: ignore[assignment,method-assign]
        unit.read(root.inside(UNIT))
        words = shlex.split(unit["Service"]["ExecStart"].replace("%S", "/var/lib").replace("$CARILLON_ARGS", more))
        self._child = subprocess.Popen(root.command(*words, user=unit["Service"]["User"]), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, cwd="/",
                                       env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    def url(self) -> str:
        """Where it answers, once it does."""
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if found := re.search(r"at (http://\S+)", line):
                return found[1]
        raise AssertionError(self._child.stderr.read() if self._child.stderr else "")

    def stop(self) -> int:
        """Its exit code."""
        self._child.send_signal(signal.SIGTERM)
        self._child.communicate(timeout=PATIENCE_SECONDS)
        return self._child.returncode


@unittest.skipIf(missing_tool(), f"there is no {missing_tool()}")
@unittest.skipIf(why_not(), why_not())
class Lifecycle(unittest.TestCase):
    package: Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-package-")
        cls.addClassCleanup(temporary.cleanup)
        cls.package = make_package(ARGUMENTS, Path(temporary.name))

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-root-")
        self.addCleanup(temporary.cleanup)
        self.root = ThrowawayRoot(Path(temporary.name))
        self.addCleanup(self.root.close)

    def install(self, package: Path | None = None) -> None:
        shutil.copy(package or self.package, self.root.inside("/tmp/carillon.deb"))
        # Manual pages of the whole system need not be indexed again.
        self.root.run("dpkg", "--no-triggers", "--install", "/tmp/carillon.deb")

    def status(self) -> str:
        return self.root.run("dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", "carillon", check=False).stdout

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.root.inside(path))

    def leftovers(self) -> list[str]:
        """Files of this name that were not there before; /tmp is not looked at."""
        return sorted(str(path.relative_to(self.root.changed)) for path in self.root.changed.rglob("*carillon*"))

    def test_it_works_after_being_installed(self) -> None:
        self.install()

        self.assertTrue(self.root.run("carillon", "version").stdout.startswith("carillon "))
        name, _, number, _, _, home, shell = self.root.run("getent", "passwd", "carillon").stdout.strip().split(":")
        self.assertEqual((name, home, shell), ("carillon", "/var/lib/carillon", "/usr/sbin/nologin"))
        data = self.root.inside("/var/lib/carillon").stat()
        self.assertEqual((data.st_uid, data.st_mode & 0o777), (int(number), 0o700))
        self.assertTrue(self.exists(LINK), "enabled")

    @unittest.skipIf(shutil.which("systemd-analyze") is None, "there is no systemd-analyze")
    def test_systemd_finds_no_fault_with_the_unit(self) -> None:
        self.install()

        found = self.root.run("systemd-analyze", "verify", "--man=no", UNIT, check=False)

        about_it = [line for line in found.stderr.splitlines() if "carillon" in line]
        self.assertEqual((found.returncode, about_it), (0, []))

    def test_the_service_answers_and_runs_schedules_as_its_own_user(self) -> None:
        self.install()
        self.root.inside("/etc/carillon/schedules/who.json").write_text(json.dumps(WHO_AM_I), encoding="utf-8")

        server = Serving(self.root, more="--listen 127.0.0.1:0")
        self.addCleanup(server.stop)

        with urllib.request.urlopen(f"{server.url()}/livez", timeout=PATIENCE_SECONDS) as answer:
            self.assertEqual(answer.status, 200)
        said = self.root.inside("/var/lib/carillon-work/whoami")
        await_value(said.exists, "the command has run")
        self.assertEqual(said.read_text(encoding="utf-8"), "carillon\n")
        self.assertEqual(server.stop(), 0)

    def test_without_schedules_the_service_starts_too(self) -> None:
        self.install()

        server = Serving(self.root, more="--listen 127.0.0.1:0")

        self.assertTrue(server.url().startswith("http://127.0.0.1:"))
        self.assertEqual(server.stop(), 0)

    def test_an_upgrade_keeps_what_an_administrator_has_changed(self) -> None:
        self.install()
        self.root.inside(CONFIGURATION).write_text("CARILLON_ARGS=--workers 3\n", encoding="utf-8")
        self.root.inside("/var/lib/carillon/kept").write_text("data", encoding="utf-8")
        self.root.inside(LINK).unlink()

        self.install(with_version(self.package, "99.0.0-1"))

        self.assertEqual(self.status(), "installed 99.0.0-1")
        self.assertEqual(self.root.inside(CONFIGURATION).read_text(encoding="utf-8"), "CARILLON_ARGS=--workers 3\n")
        self.assertEqual(self.root.inside("/var/lib/carillon/kept").read_text(encoding="utf-8"), "data")
        self.assertFalse(self.exists(LINK), "what was disabled stays disabled")

    def test_an_upgrade_leaves_an_enabled_service_enabled(self) -> None:
        self.install()

        self.install(with_version(self.package, "99.0.1-1"))

        self.assertTrue(self.exists(LINK))

    def test_removed_it_leaves_configuration_and_data_for_the_next_time(self) -> None:
        self.install()
        self.root.inside("/var/lib/carillon/kept").write_text("data", encoding="utf-8")

        self.root.run("dpkg", "--no-triggers", "--remove", "carillon")

        self.assertFalse(self.exists("/usr/bin/carillon") or self.exists(UNIT))
        self.assertTrue(self.exists(CONFIGURATION) and self.exists("/var/lib/carillon/kept"))
        self.install()
        self.assertTrue(self.exists("/var/lib/carillon/kept"))

    def test_purged_it_leaves_nothing_but_its_user(self) -> None:
        before = self.leftovers()
        self.install()
        self.root.inside("/var/lib/carillon/kept").write_text("data", encoding="utf-8")
        self.root.inside("/etc/carillon/schedules/who.json").write_text("{}", encoding="utf-8")
        self.assertNotEqual(self.leftovers(), before)

        self.root.run("dpkg", "--no-triggers", "--purge", "carillon")

        self.assertEqual(self.leftovers(), before)
        self.assertFalse(self.exists(LINK))
        self.assertNotIn("installed", self.status())
        self.root.run("getent", "passwd", "carillon")


if __name__ == "__main__":
    unittest.main(argv=REST)
