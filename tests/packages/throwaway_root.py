"""The machine's own system to change at will: a view of it whose changes are kept in memory and forgotten.

Needs root and a mount namespace of its own; `enter_namespace` restarts the program in one, and everything that is
mounted or started there ends with it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MARK = "CARILLON_TEST_NAMESPACE"


def enter_namespace() -> None:
    """Returns inside, or outside where there cannot be one."""
    if MARK in os.environ or os.geteuid() != 0 or shutil.which("unshare") is None:
        return
    options = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run(["unshare", *options, "true"], capture_output=True, check=False).returncode != 0:
        return
    os.environ[MARK] = "inside"
    os.execvp("unshare", ["unshare", *options, sys.executable, "-B", *sys.argv])


def why_not() -> str | None:
    """Why there can be no such root here, if so."""
    if os.geteuid() != 0:
        return "installing packages needs root"
    if MARK not in os.environ:
        return "namespaces for mounts and processes are not to be had here"
    with tempfile.TemporaryDirectory(prefix="carillon-root-") as folder:
        try:
            ThrowawayRoot(Path(folder)).close()
        except OSError as error:
            return f"the system cannot be overlaid here: {error}"
    return None


def _mount(*arguments: object) -> None:
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(done.stderr.strip())


class ThrowawayRoot:
    """To be closed before its folder is removed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "root"
        self._memory = folder / "memory"
        self.changed = self._memory / "changed"
        self._mounted: list[Path] = []
        for made in (self.path, self._memory):
            made.mkdir()
        try:
            self._attach(self._memory, "-t", "tmpfs", "tmpfs")
            for made in (self.changed, self._memory / "work"):
                made.mkdir()
            layers = f"lowerdir=/,upperdir={self.changed},workdir={self._memory / 'work'}"
            self._attach(self.path, "-t", "overlay", "overlay", "-o", layers)
            self._attach(self.path / "proc", "-t", "proc", "proc")
            self._attach(self.path / "dev", "--bind", "/dev")
            self._attach(self.path / "run", "-t", "tmpfs", "tmpfs")
            self._attach(self.path / "tmp", "-t", "tmpfs", "tmpfs")
        except OSError:
            self.close()
            raise

    def _attach(self, place: Path, *arguments: object) -> None:
        _mount(*arguments, place)
        self._mounted.append(place)

    def command(self, *words: object, user: str | None = None) -> list[str]:
        """What runs a program in there; as a user, without any rights of root."""
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs",
                  "--inh-caps=-all", "--bounding-set=-all"] if user else []
        return ["chroot", str(self.path), *become, *map(str, words)]

    def run(self, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Waits for it."""
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=300, check=False,
                              stdin=subprocess.DEVNULL, env=variables)
        if check and done.returncode != 0:
            raise AssertionError(f"{words} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def inside(self, path: str) -> Path:
        """A path of there, seen from here."""
        return self.path / path.lstrip("/")

    def close(self) -> None:
        """Forgets all changes."""
        while self._mounted:
            subprocess.run(["umount", "--lazy", str(self._mounted.pop())], capture_output=True, check=False)
