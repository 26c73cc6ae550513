#!/usr/bin/env python3
"""What makes faults of the program harder to use. Usage: hardening_test.py PROGRAM SOURCE [unittest options]"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv.pop(1)).resolve()
SOURCE = Path(sys.argv.pop(1)).resolve()


def run(*command: object) -> str:
    """What it says."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@unittest.skipIf(shutil.which("readelf") is None, "there is no readelf")
class Linking(unittest.TestCase):
    """Of every build."""

    def test_addresses_are_bound_at_the_start_and_cannot_be_changed_then(self) -> None:
        self.assertRegex(run("readelf", "--dynamic", "--wide", PROGRAM), r"FLAGS_1.*\bNOW\b")
        self.assertIn("GNU_RELRO", run("readelf", "--segments", "--wide", PROGRAM))

    def test_the_program_may_be_anywhere_in_memory(self) -> None:
        self.assertRegex(run("readelf", "--file-header", PROGRAM), r"Type:\s+DYN")

    def test_the_stack_cannot_be_run(self) -> None:
        lines = run("readelf", "--segments", "--wide", PROGRAM).splitlines()
        flags = [line.split()[-2] for line in lines if "GNU_STACK" in line]
        self.assertEqual(flags, ["RW"])


class Compiling(unittest.TestCase):
    """Of release builds, which are those that people run: configured here, not built."""

    def test_every_file_is_compiled_with_protection(self) -> None:
        with tempfile.TemporaryDirectory(prefix="carillon-release-") as folder:
            run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCARILLON_TESTS=OFF")
            commands = json.loads((Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertGreater(len(commands), 40)
        for command in commands:
            words = command["command"].split()
            for flag in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=3", "-fPIE"):
                self.assertIn(flag, words, command["file"])
            self.assertTrue({"-O2", "-O3"} & set(words), "the checks of buffers need optimisation")


if __name__ == "__main__":
    unittest.main()
