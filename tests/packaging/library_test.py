#!/usr/bin/env python3
"""Installs libcarillon from a build and uses it as a stranger would: its examples, built against the package."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

INCLUDE = re.compile(r"^\s*#\s*include\s*(.+)$", re.MULTILINE)
OWN_OR_STANDARD = re.compile(r"<(carillon/[a-z_]+\.hpp|[a-z_]+)>")
STROKE = re.compile(r"stroke (\d+) of bell@\S+Z")

arguments = argparse.Namespace()


def run(*command: object, timeout: float = 300) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class InstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="carillon-packaging-")
        cls.addClassCleanup(cls.folder.cleanup)
        root = Path(cls.folder.name)
        cls.prefix = root / "prefix"
        cls.state = root / "state"
        cls.bell = root / "build" / "embedded" / "bell"
        cls.reporter = root / "build" / "embedded_pipelines" / "reporter"
        run(arguments.cmake, "--install", arguments.build, "--prefix", cls.prefix, "--component", "library")
        # The package must not depend on where it was installed first.
        moved = root / "moved"
        cls.prefix.rename(moved)
        cls.prefix = moved
        for example in ("embedded", "embedded_pipelines"):
            build = root / "build" / example
            run(arguments.cmake, "-S", arguments.source / "examples" / example, "-B", build,
                "-G", arguments.generator, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
                f"-DCMAKE_CXX_FLAGS={arguments.flags} -Wall -Wextra -Werror")
            run(arguments.cmake, "--build", build)

    def test_public_headers_need_nothing_but_the_standard_library(self) -> None:
        headers = sorted((self.prefix / "include").glob("**/*"))
        headers = [header for header in headers if header.is_file()]
        self.assertIn(self.prefix / "include" / "carillon" / "carillon.hpp", headers)
        for header in headers:
            for included in INCLUDE.findall(header.read_text(encoding="utf-8")):
                self.assertRegex(included, OWN_OR_STANDARD, header.name)

    def test_the_version_of_the_headers_is_that_of_the_package(self) -> None:
        header = (self.prefix / "include" / "carillon" / "version.hpp").read_text(encoding="utf-8")
        package = next(self.prefix.glob("lib*/**/cmake/carillon/carillonConfigVersion.cmake"))

        version = re.search(r'#define CARILLON_VERSION "(.+)"', header)[1]

        self.assertIn(f'set(PACKAGE_VERSION "{version}")', package.read_text(encoding="utf-8"))

    def test_the_package_names_no_folder_of_the_machine_it_was_built_on(self) -> None:
        files = sorted(self.prefix.glob("lib*/**/cmake/carillon/*.cmake"))
        self.assertTrue(files)
        for file in files:
            text = file.read_text(encoding="utf-8")
            self.assertNotIn(str(arguments.source), text, file.name)
            self.assertNotIn(str(arguments.build), text, file.name)

    def test_the_example_rings_three_times_and_ends(self) -> None:
        output = run(self.bell, timeout=60)

        self.assertEqual([int(number) for number in STROKE.findall(output)][:3], [1, 2, 3])
        last = re.search(r"log of the last: stroke (\d+)\nlast: bell@\S+Z, result (\d+)\n$", output)
        self.assertIsNotNone(last, output)
        self.assertEqual(last[1], last[2])

    def test_with_a_folder_the_example_goes_on_where_it_was(self) -> None:
        first = [int(number) for number in STROKE.findall(run(self.bell, self.state, timeout=60))]
        second = [int(number) for number in STROKE.findall(run(self.bell, self.state, timeout=60))]

        self.assertGreaterEqual(len(second), 3)
        self.assertEqual(first + second, list(range(1, len(first) + len(second) + 1)))

    def test_the_example_with_pipelines_prints_its_report_and_goes_on_with_its_history(self) -> None:
        pipelines = Path(self.folder.name) / "pipelines"
        shutil.copytree(arguments.source / "examples" / "embedded_pipelines" / "pipelines", pipelines)

        first = run(self.reporter, pipelines, timeout=60)
        run(self.reporter, pipelines, timeout=60)

        self.assertIn("daily-report: 0 9 * * * (America/New_York)", first)
        self.assertIn("daily-report is done", first)
        self.assertIn("| Server crashes | high", first)
        state = json.loads((pipelines / "daily-report" / ".schedule-state.json").read_text(encoding="utf-8"))
        self.assertEqual((2, 2), (state["stats"]["successfulRuns"], len(state["history"])))
        self.assertFalse((pipelines / ".scheduler.lock").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "generator", "compiler", "flags"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
