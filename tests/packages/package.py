"""Debian's package, made of a build folder in which everything has been built."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path


def missing_tool() -> str | None:
    """What is needed to make one, and is not there."""
    return next((tool for tool in ("dpkg-deb", "dpkg-shlibdeps") if shutil.which(tool) is None), None)


def run(*command: object, timeout: float = 300) -> str:
    """What a command that has to succeed prints."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_package(arguments: argparse.Namespace, folder: Path) -> Path:
    """The package, in this folder."""
    run(arguments.cpack, "-G", "DEB", "-B", folder, "--config", arguments.build / "CPackConfig.cmake")
    (package,) = folder.glob("*.deb")
    return package


def with_version(package: Path, version: str) -> Path:
    """A package with the same contents that calls itself newer."""
    tree = package.parent / f"tree-{version}"
    run("dpkg-deb", "--raw-extract", package, tree)
    control = tree / "DEBIAN" / "control"
    lines = control.read_text(encoding="utf-8").splitlines()
    lines = [f"Version: {version}" if line.startswith("Version:") else line for line in lines]
    control.write_text("\n".join(lines) + "\n", encoding="utf-8")
    newer = package.parent / f"newer-{version}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, newer)
    return newer


def parse_arguments(description: str | None) -> tuple[argparse.Namespace, list[str]]:
    """Ours, and those that are for unittest."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cpack", required=True)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    arguments, rest = parser.parse_known_args()
    return arguments, [sys.argv[0], *rest]
