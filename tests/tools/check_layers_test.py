"""Tests of tools/check_layers, on small trees planted for each case and on the tree it ships with."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Two layers that pass: calendar over base.
BASE = {
    "src/base/CMakeLists.txt": "carillon_module(base\n  SOURCES error.cpp)\n",
    "src/base/error.hpp": "#pragma once\n",
    "src/base/error.cpp": '#include "base/error.hpp"\n',
}
CALENDAR = {
    "src/calendar/CMakeLists.txt": "carillon_module(calendar USES base SOURCES cron.cpp TESTS cron_test.cpp)\n",
    "src/calendar/cron.hpp": '#pragma once\n\n#include "base/error.hpp"\n',
    "src/calendar/cron.cpp": '#include "calendar/cron.hpp"\n',
    "src/calendar/cron_test.cpp": '#include "calendar/cron.hpp"\n\n#include <gtest/gtest.h>\n',
}


def module(folder: str, includes: str = "", uses: str = "") -> dict[str, str]:
    """A module of one header."""
    name = folder.replace("/", "_")
    return {
        f"src/{folder}/CMakeLists.txt": f"carillon_module({name}\n  USES {uses})\n",
        f"src/{folder}/it.hpp": "".join(f'#include "{path}"\n' for path in includes.split()),
    }


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # The name holds a space because people's folders do.
        self.root = Path(folder.name) / "a tree"

    def plant(self, *trees: dict[str, str]) -> None:
        for path, text in {path: text for tree in trees for path, text in tree.items()}.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def check(self) -> tuple[int, str]:
        command = [sys.executable, str(ROOT / "tools/check_layers"), "--root", str(self.root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout

    def assert_passes(self) -> None:
        code, output = self.check()

        self.assertEqual(0, code, output)

    def assert_finds(self, *expected: str) -> None:
        """Exactly these findings, each named by how its line begins."""
        code, output = self.check()
        lines = output.splitlines()

        self.assertEqual(1, code, output)
        self.assertEqual(len(expected), len(lines), output)
        for line, beginning in zip(lines, sorted(expected)):
            self.assertTrue(line.startswith(beginning), f"{line!r} does not begin with {beginning!r}")

    def test_the_tree_it_ships_with_is_layered(self):
        done = subprocess.run([str(ROOT / "tools/check_layers")], capture_output=True, text=True, check=False)

        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_an_upward_include_planted_in_the_tree_is_named_with_file_and_line(self):
        shutil.copytree(ROOT / "src", self.root / "src")
        shutil.copytree(ROOT / "tests", self.root / "tests")
        victim = self.root / "src/base/instant.cpp"
        text = victim.read_text(encoding="utf-8")
        victim.write_text(f'{text}#include "calendar/cron.hpp"\n', encoding="utf-8")

        code, output = self.check()

        line = text.count("\n") + 1
        self.assertEqual(1, code)
        expected = f'src/base/instant.cpp:{line}: base includes "calendar/cron.hpp", but calendar stands above'
        self.assertIn(expected, output)

    def test_modules_that_include_what_they_list_pass(self):
        self.plant(BASE, CALENDAR)

        self.assert_passes()

    def test_an_include_of_a_lower_module_must_be_listed(self):
        self.plant(BASE, CALENDAR, module("ports", includes="base/error.hpp calendar/cron.hpp", uses="calendar"))

        self.assert_finds('src/ports/it.hpp:1: ports includes "base/error.hpp", but base is not in its USES')

    def test_what_a_listed_module_lists_does_not_count_as_listed(self):
        self.plant(BASE, CALENDAR, {"src/calendar/cron.hpp": '#include "base/error.hpp"\n'})
        self.plant(module("ports", includes="calendar/cron.hpp", uses="calendar"))
        self.plant({"src/ports/other.hpp": '#include "base/error.hpp"\n'})

        self.assert_finds("src/ports/other.hpp:1: ")

    def test_a_test_is_held_to_the_uses_of_its_module(self):
        self.plant(BASE, CALENDAR, module("zones", includes="base/error.hpp", uses="base"))
        self.plant({"src/calendar/cron_test.cpp": '#include "calendar/cron.hpp"\n#include "zones/it.hpp"\n'})

        self.assert_finds('src/calendar/cron_test.cpp:2: calendar includes "zones/it.hpp", but zones stands above')

    def test_a_test_may_include_test_support(self):
        self.plant(BASE, CALENDAR, {"tests/support/builders.hpp": "#pragma once\n"})
        self.plant({"src/calendar/cron_test.cpp": '#include "support/builders.hpp"\n'})

        self.assert_passes()

    def test_the_product_may_not_include_test_support(self):
        self.plant(BASE, CALENDAR, {"tests/support/builders.hpp": "#pragma once\n"})
        self.plant({"src/calendar/cron.cpp": '#include "support/builders.hpp"\n'})

        self.assert_finds('src/calendar/cron.cpp:1: "support/builders.hpp" is below no module')

    def test_an_include_relative_to_its_own_folder_is_refused(self):
        self.plant(BASE, CALENDAR, {"src/calendar/cron.cpp": '#include "cron.hpp"\n'})

        self.assert_finds('src/calendar/cron.cpp:1: "cron.hpp" is below no module')

    def test_angle_brackets_hide_nothing(self):
        self.plant(BASE, CALENDAR, {"src/base/error.cpp": "#include <vector>\n#  include  <calendar/cron.hpp>\n"})

        self.assert_finds('src/base/error.cpp:2: base includes "calendar/cron.hpp"')

    def test_an_include_in_a_comment_is_none(self):
        self.plant(BASE, CALENDAR, {"src/base/error.cpp": '/*\n#include "calendar/cron.hpp"\n*/\n'})

        self.assert_passes()

    def test_a_uses_entry_must_be_a_module(self):
        self.plant(BASE, module("ports", includes="base/error.hpp", uses="base\n    calender"))

        self.assert_finds("src/ports/CMakeLists.txt:3: USES names calender, and there is no such module")

    def test_a_uses_entry_that_nothing_includes_is_reported(self):
        self.plant(BASE, CALENDAR, module("ports", includes="calendar/cron.hpp", uses="base calendar"))

        self.assert_finds("src/ports/CMakeLists.txt:2: ports includes nothing of base")

    def test_a_uses_entry_that_points_upward_is_reported(self):
        upward = "carillon_module(base USES calendar SOURCES error.cpp)\n"
        self.plant(BASE, CALENDAR, {"src/base/CMakeLists.txt": upward})
        self.plant({"src/base/error.cpp": '#include "calendar/cron.hpp"\n', "src/calendar/cron.hpp": "\n"})
        self.plant({"src/calendar/CMakeLists.txt": "carillon_module(calendar SOURCES cron.cpp TESTS cron_test.cpp)\n"})

        self.assert_finds("src/base/CMakeLists.txt:1: base may not use calendar, which stands above it")

    def test_a_uses_entry_that_points_sideways_is_reported(self):
        self.plant(module("service"), module("stores/sqlite", includes="service/it.hpp", uses="service"))

        self.assert_finds("src/stores/sqlite/CMakeLists.txt:2: stores/sqlite may not use service, which stands beside")

    def test_the_command_line_may_use_the_client_beside_it(self):
        self.plant(module("client"), module("cli", includes="client/it.hpp", uses="client"))

        self.assert_passes()

    def test_the_folders_of_the_command_line_point_down_too(self):
        self.plant(BASE, module("cli", includes="base/error.hpp", uses="base"))
        self.plant({"src/cli/terminal/paint.hpp": '#include "cli/connection/session.hpp"\n',
                    "src/cli/connection/session.hpp": '#include "cli/terminal/paint.hpp"\n'})

        self.assert_finds("src/cli/terminal/paint.hpp:1: terminal may not use connection")

    def test_a_circle_of_uses_is_reported(self):
        self.plant(module("service", includes="runtime/it.hpp", uses="runtime"))
        self.plant(module("runtime", includes="service/it.hpp", uses="service"))

        self.assert_finds(
            "src/runtime/CMakeLists.txt:2: runtime may not use service",
            "src/service/CMakeLists.txt:2: USES goes in a circle: runtime → service → runtime",
            "src/service/CMakeLists.txt:2: service may not use runtime",
        )

    def test_a_module_without_a_layer_is_reported(self):
        self.plant(module("elsewhere"))

        self.assert_finds("src/elsewhere/CMakeLists.txt:1: elsewhere has no layer")

    def test_a_module_is_called_like_its_folder(self):
        self.plant(module("stores/sqlite"))
        self.plant({"src/stores/sqlite/CMakeLists.txt": "carillon_module(sqlite)\n"})

        self.assert_finds("src/stores/sqlite/CMakeLists.txt:1: the module of stores/sqlite/ is called sqlite")

    def test_a_source_file_that_is_not_built_is_reported(self):
        self.plant(BASE, CALENDAR, {"src/calendar/lint_test.cpp": "\n"})

        self.assert_finds("src/calendar/lint_test.cpp:1: is not built: list it in src/calendar/CMakeLists.txt")

    def test_a_folder_without_module_is_reported(self):
        self.plant(BASE, {"src/loose/it.hpp": "\n"})

        self.assert_finds("src/loose/it.hpp:1: belongs to no module")

    def test_the_top_may_hold_a_program_that_includes_everything(self):
        self.plant(BASE, CALENDAR, {"src/main/CMakeLists.txt": "add_executable(carillon main.cpp)\n"})
        self.plant({"src/main/main.cpp": '#include "base/error.hpp"\n#include "calendar/cron.hpp"\n'})

        self.assert_passes()

    def test_the_pure_modules_have_no_clock_thread_chance_or_file(self):
        for header in ("thread", "mutex", "random", "fstream", "iostream", "ctime"):
            with self.subTest(header=header):
                self.plant(BASE, CALENDAR, {"src/calendar/cron.cpp": f"#include <vector>\n#include <{header}>\n"})

                self.assert_finds(f"src/calendar/cron.cpp:2: calendar is pure: no <{header}> here")

    def test_other_modules_may_have_them(self):
        self.plant(BASE, {"src/base/error.cpp": "#include <thread>\nauto t = std::chrono::system_clock::now();\n"})

        self.assert_passes()

    def test_the_pure_modules_ask_no_clock(self):
        self.plant(BASE, CALENDAR, {"src/calendar/cron.cpp": "\nauto t = std::chrono::system_clock::now();\n"})

        self.assert_finds("src/calendar/cron.cpp:2: calendar is pure: take `now` as an argument")

    def test_a_clock_in_a_comment_or_a_text_is_none(self):
        lines = (
            "// Clock::now() is not ours",
            'auto a = "Clock::now()";',
            'auto b = R"x(Clock::now() " )x";',
            "int c = 1'000'000;",
        )
        self.plant(BASE, CALENDAR, {"src/calendar/cron.cpp": "\n".join(lines)})

        self.assert_passes()


if __name__ == "__main__":
    unittest.main()
