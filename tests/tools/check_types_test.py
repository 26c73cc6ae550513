"""Tests of tools/check_types, on small trees planted for each case and on the tree it ships with."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class CheckTypesTest(unittest.TestCase):
    def findings(self, **files: str) -> list[str]:
        """What is found in a tree of src/a.hpp, src/b.cpp, …"""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "a tree"
            (root / "src").mkdir(parents=True)
            for name, text in files.items():
                stem, _, ending = name.rpartition("_")
                (root / "src" / f"{stem}.{ending}").write_text(text, encoding="utf-8")
            command = [sys.executable, str(ROOT / "tools/check_types"), "--root", str(root)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0 if lines[-1].startswith("check_types:") else 1)
        return [line for line in lines if not line.startswith("check_types:")]

    def test_finds_an_enum_and_a_class_of_one_name(self) -> None:
        self.assertEqual(
            [
                "src/a.hpp:2: carillon::Transfer is also defined at src/b.hpp:5",
                "src/b.hpp:5: carillon::Transfer is also defined at src/a.hpp:2",
            ],
            self.findings(
                a_hpp="namespace carillon {\nenum class Transfer { done };\n}\n",
                b_hpp="#pragma once\nnamespace carillon {\n/// {\n\nclass Transfer final : public Base<int> {\n};\n}\n",
            ),
        )

    def test_finds_every_kind_however_its_namespace_is_written(self) -> None:
        second = "namespace a { namespace b { struct X {}; } }"
        for first in (
            "struct X {};",
            "union X {};",
            "enum X { a };",
            "class [[nodiscard]] X {};",
            "struct alignas(8) X {};",
            "template <typename T> class X {};",
            "class Y; struct X : Y { int a = f({1}); };",
        ):
            with self.subTest(first):
                found = self.findings(a_hpp=f"namespace a::b {{ {first} }}", b_cpp=second)
                self.assertEqual(2, len(found), found)

    def test_passes_types_that_cannot_clash(self) -> None:
        self.assertEqual(
            [],
            self.findings(
                a_hpp="namespace a { struct X {}; struct Y { struct Z {}; }; class W; template <> struct T<int> {}; }",
                b_cpp="namespace a { class W {}; struct Z {}; template <> struct T<long> {}; namespace { struct X {}; }"
                ' const char* s = "struct X {"; struct X f() { return {}; } }'
                "\n#define M \\\n  struct X {}\nnamespace b { struct X {}; }",
                c_test_cpp="namespace a { struct X {}; }",
            ),
        )

    def test_of_one_name_in_one_file_behind_conditions_is_told_too(self) -> None:
        self.assertEqual(2, len(self.findings(a_hpp="namespace a {\nstruct X {};\nstruct X { int a; };\n}\n")))

    def test_this_tree_passes(self) -> None:
        done = subprocess.run([str(ROOT / "tools/check_types")], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
