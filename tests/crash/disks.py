"""A disk that is soon full."""

import subprocess
from pathlib import Path

SIZE = 8 * 1024 * 1024
CHUNK = 64 * 1024


class SmallDisk:
    """A file system in memory, if this machine lets us mount one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "carillon-test", str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.is_mounted, self.why_not = done.returncode == 0, done.stderr.strip()
        except FileNotFoundError as problem:
            self.is_mounted, self.why_not = False, str(problem)

    @property
    def ballast(self) -> Path:
        """What fills it."""
        return self.folder / "ballast"

    def fill(self) -> None:
        """Takes all the space there is."""
        with self.ballast.open("ab", buffering=0) as file:
            for size in (CHUNK, 512):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    continue

    def free(self) -> None:
        """Gives it back."""
        self.ballast.unlink()

    def close(self) -> None:
        """Nothing of it remains."""
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=False)
