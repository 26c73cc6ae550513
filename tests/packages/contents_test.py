#!/usr/bin/env python3
"""What is in Debian's package."""

import gzip
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from package import make_package, missing_tool, parse_arguments, run

ARGUMENTS, REST = parse_arguments(__doc__)

FILES = {
    "/etc/carillon/carillon.conf": "-rw-r-----",
    "/etc/carillon/schedules/": "drwxr-xr-x",
    "/usr/bin/carillon": "-rwxr-xr-x",
    "/usr/lib/systemd/system/carillon.service": "-rw-r--r--",
    "/usr/lib/sysusers.d/carillon.conf": "-rw-r--r--",
    "/usr/lib/tmpfiles.d/carillon.conf": "-rw-r--r--",
    "/usr/share/bash-completion/completions/carillon": "-rw-r--r--",
    "/usr/share/zsh/vendor-completions/_carillon": "-rw-r--r--",
    "/usr/share/fish/vendor_completions.d/carillon.fish": "-rw-r--r--",
    "/usr/share/man/man1/carillon.1.gz": "-rw-r--r--",
    "/usr/share/doc/carillon/copyright": "-rw-r--r--",
    "/usr/share/doc/carillon/SECURITY.md": "-rw-r--r--",
    "/usr/share/doc/carillon/carillon.spdx.json": "-rw-r--r--",
    "/usr/share/doc/carillon/changelog.gz": "-rw-r--r--",
    "/usr/share/doc/carillon/changelog.Debian.gz": "-rw-r--r--",
    "/usr/share/doc/carillon/examples/run-as.conf": "-rw-r--r--",
    "/usr/share/doc/carillon/examples/schedules/hello.yaml": "-rw-r--r--",
}
PLACES = ("/etc/carillon/", "/usr/bin/", "/usr/lib/", "/usr/share/")
LISTED = re.compile(r"(?P<mode>\S{10}) (?P<owner>\S+) +\d+ \S+ \S+ \.(?P<path>/\S*)")


@unittest.skipIf(missing_tool(), f"there is no {missing_tool()}")
class Contents(unittest.TestCase):
    package: Path
    tree: Path
    modes: dict[str, str]
    owners: set[str]

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-package-")
        cls.addClassCleanup(temporary.cleanup)
        cls.package = make_package(ARGUMENTS, Path(temporary.name))
        cls.tree = Path(temporary.name) / "tree"
        run("dpkg-deb", "--raw-extract", cls.package, cls.tree)
        listed = [LISTED.fullmatch(line) for line in run("dpkg-deb", "--contents", cls.package).splitlines()]
        cls.modes = {entry["path"]: entry["mode"] for entry in listed if entry}
        cls.owners = {entry["owner"] for entry in listed if entry}
        assert len(cls.modes) == len(listed)

    def field(self, name: str) -> str:
        return run("dpkg-deb", "--field", self.package, name).strip()

    def test_files_are_where_debian_has_them_and_as_private_as_they_should_be(self) -> None:
        self.assertEqual({path: self.modes.get(path) for path in FILES}, FILES)
        self.assertEqual(self.owners, {"root/root"})

    def test_nothing_lies_elsewhere(self) -> None:
        files = [path for path in self.modes if not path.endswith("/")]
        self.assertEqual([path for path in files if not path.startswith(PLACES)], [])
        writable = [path for path, mode in self.modes.items() if "w" in mode[4:]]
        self.assertEqual(writable, [])

    def test_the_library_is_not_in_it(self) -> None:
        self.assertEqual([path for path in self.modes if path.endswith((".a", ".hpp", ".cmake"))], [])

    def test_control_fields_say_what_it_is_and_needs(self) -> None:
        self.assertEqual(self.field("Package"), "carillon")
        self.assertRegex(self.field("Version"), r"\A\d+\.\d+\.\d+-\d+\Z")
        self.assertEqual(self.field("Architecture"), run("dpkg", "--print-architecture").strip())
        self.assertRegex(self.field("Maintainer"), r"\A[^<>]+ <[^<>@]+@[^<>@]+>\Z")
        self.assertLess(len(self.field("Description").splitlines()[0]), 80)
        needed = {part.split()[0] for part in self.field("Depends").split(",")}
        self.assertLessEqual({"tzdata", "libc6", "libsqlite3-0", "libstdc++6"}, needed)

    def test_all_configuration_is_kept_when_an_administrator_has_changed_it(self) -> None:
        conffiles = (self.tree / "DEBIAN" / "conffiles").read_text(encoding="utf-8").split()
        self.assertEqual(conffiles, [path for path in self.modes if path.startswith("/etc/") and path[-1] != "/"])

    def test_the_changelog_is_about_this_version(self) -> None:
        with gzip.open(self.tree / "usr/share/doc/carillon/changelog.Debian.gz", "rt", encoding="utf-8") as file:
            self.assertTrue(file.readline().startswith(f"carillon ({self.field('Version')}) "))

    def test_nothing_names_a_folder_of_the_machine_it_was_built_on(self) -> None:
        folders = [str(folder.resolve()).encode() for folder in (ARGUMENTS.build, ARGUMENTS.source)]
        for file in self.tree.rglob("*"):
            if not file.is_file():
                continue
            content = file.read_bytes()
            if file.suffix == ".gz":
                content = gzip.decompress(content)
            for folder in folders:
                self.assertNotIn(folder, content, file)

    def test_the_program_has_no_debug_information_and_no_path_to_libraries(self) -> None:
        program = self.tree / "usr/bin/carillon"
        self.assertNotIn(".debug_info", run("readelf", "--section-headers", "--wide", program))
        self.assertNotRegex(run("readelf", "--dynamic", "--wide", program), r"R(UN)?PATH")

    def test_the_bill_of_materials_has_every_library_the_package_needs(self) -> None:
        document = json.loads((self.tree / "usr/share/doc/carillon/carillon.spdx.json").read_text(encoding="utf-8"))
        self.assertEqual((document["spdxVersion"], document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        packages = {each["name"]: each for each in document["packages"]}
        self.assertEqual(packages["carillon"]["versionInfo"], self.field("Version").partition("-")[0])
        needed = {part.split()[0] for part in self.field("Depends").split(",")}
        libraries = {name for name in needed if name.startswith("lib")}
        self.assertLessEqual(libraries, set(packages))
        self.assertIn("libcli11-dev", packages, "what is made of headers alone is a part of it, too")
        for name in libraries:
            self.assertTrue(packages[name]["versionInfo"], name)
            locator = packages[name]["externalRefs"][0]["referenceLocator"]
            self.assertTrue(locator.startswith(f"pkg:deb/debian/{name.replace('+', '%2B')}@"), locator)
        known = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual(len(known), len(packages) + 1)
        for relation in document["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)

    def test_completions_know_the_verbs(self) -> None:
        for name in ("bash-completion/completions/carillon", "zsh/vendor-completions/_carillon",
                     "fish/vendor_completions.d/carillon.fish"):
            text = (self.tree / "usr/share" / name).read_text(encoding="utf-8")
            self.assertRegex(text, r"\bserve\b", name)

    def test_maintainer_scripts_are_plain_shell(self) -> None:
        for name in ("postinst", "prerm", "postrm"):
            script = self.tree / "DEBIAN" / name
            self.assertEqual(script.stat().st_mode & 0o777, 0o755)
            run("sh", "-n", script)

    def test_the_manual_page_has_every_verb_and_option(self) -> None:
        with gzip.open(self.tree / "usr/share/man/man1/carillon.1.gz", "rt", encoding="utf-8") as file:
            text = file.read().replace("\\-", "-")
        program = ARGUMENTS.build / "bin" / "carillon"
        verbs = re.findall(r"^  ([a-z]+)  ", run(program, "help").partition("Topics")[0], re.MULTILINE)
        self.assertIn("serve", verbs)
        for verb in verbs:
            self.assertIn(f".SS carillon {verb}\n", text)
            for option in re.findall(r"^ +((?:-\w,)?--[a-z-]+)", run(program, verb, "--help"), re.MULTILINE):
                self.assertIn(option, text, verb)

    @unittest.skipIf(shutil.which("groff") is None, "there is no groff")
    def test_the_manual_page_is_formatted_without_a_warning(self) -> None:
        with gzip.open(self.tree / "usr/share/man/man1/carillon.1.gz", "rb") as file:
            done = subprocess.run(["groff", "-K", "utf8", "-man", "-ww", "-Tutf8", "-z"], input=file.read(),
                                  capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=REST)
