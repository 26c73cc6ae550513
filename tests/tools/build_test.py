"""Tests of tools/build, on a small project that compiles nothing."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PRESETS = """{"version": 6, "configurePresets": [
  {"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
foreach(step one two three)
  add_custom_target(${step} ALL COMMAND %s)
endforeach()
"""


class SmallProject(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "a tree"
        for name in ("tools", "cmake"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(ROOT / "tools/build", self.root / "tools/build")
        (self.root / "CMakePresets.json").write_text(PRESETS, encoding="utf-8")


class BuildTest(SmallProject):
    def build(self, command: str, quiet_seconds: int) -> subprocess.CompletedProcess[str]:
        (self.root / "CMakeLists.txt").write_text(PROJECT % command, encoding="utf-8")
        return subprocess.run(
            [self.root / "tools/build", "dev"],
            env=os.environ | {"CARILLON_QUIET_SECONDS": str(quiet_seconds)},
            capture_output=True, text=True, check=False, timeout=60,
        )

    def test_says_how_far_it_has_come_where_there_is_no_terminal(self) -> None:
        done = self.build("${CMAKE_COMMAND} -E true", quiet_seconds=0)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            re.findall(r"^carillon: building dev, (\d) of (\d)$", done.stderr, re.MULTILINE),
            [("1", "3"), ("2", "3"), ("3", "3")],
        )

    def test_says_little_when_it_is_quick(self) -> None:
        done = self.build("${CMAKE_COMMAND} -E true", quiet_seconds=600)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_shows_the_end_of_the_log_when_it_fails(self) -> None:
        done = self.build("${CMAKE_COMMAND} -E false", quiet_seconds=600)

        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stderr)
        self.assertIn("the dev build failed", done.stderr)


# The program is made of the dashboard, as far as there is one.
PROGRAM = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
if(NOT EXISTS ${CMAKE_SOURCE_DIR}/pages)
  file(WRITE ${CMAKE_SOURCE_DIR}/pages "")
endif()
add_custom_command(OUTPUT program DEPENDS ${CMAKE_SOURCE_DIR}/pages VERBATIM
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/pages program
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/begun)
add_custom_target(all_of_it ALL DEPENDS program)
"""
# Waits for the build that runs beside it; if that came after it, the pages would be missing.
DASHBOARD = """#!/bin/sh
root=$(dirname "$(dirname "$0")")
timeout 30 sh -c 'until test -e "$0/begun"; do :; done' "$root" || exit 1
%s
"""


class BuildProgramTest(SmallProject):
    def setUp(self) -> None:
        super().setUp()
        shutil.copy(ROOT / "tools/build_program", self.root / "tools/build_program")
        (self.root / "CMakeLists.txt").write_text(PROGRAM, encoding="utf-8")

    def build_program(self, dashboard: str) -> subprocess.CompletedProcess[str]:
        script = self.root / "tools/build_dashboard"
        script.write_text(DASHBOARD % dashboard, encoding="utf-8")
        script.chmod(0o755)
        return subprocess.run(
            [self.root / "tools/build_program", "dev"], capture_output=True, text=True, check=False, timeout=60)

    def test_builds_the_dashboard_beside_the_program_and_takes_it_in(self) -> None:
        done = self.build_program('echo "the pages" >"$root/pages"')

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.root / "build/dev/program").read_text(encoding="utf-8"), "the pages\n")

    def test_fails_when_the_dashboard_does(self) -> None:
        self.assertEqual(self.build_program("exit 1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
