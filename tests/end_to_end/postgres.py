"""A PostgreSQL of a test's own, in a temporary folder, as an unprivileged user."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from waiting import await_value

UNPRIVILEGED = "nobody"


def programs() -> Path | None:
    """Where Debian puts the programs of the newest version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class Postgres:
    """Ends with everything that belongs to it."""

    # What a test needs to outlive is a crash of the database, not of the machine.
    fsync = "off"

    def __init__(self) -> None:
        binaries = programs()
        assert binaries is not None
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-pg-"))
        if os.geteuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._run("initdb", "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username=postgres",
                  "-D", str(self.folder / "data"))
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def _as_user(self, program: str, *arguments: str) -> list[str]:
        command = [str(self.binaries / program), *arguments]
        if os.geteuid() != 0:
            return command
        return ["setpriv", f"--reuid={UNPRIVILEGED}", "--regid=nogroup", "--clear-groups", *command]

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(self._as_user(program, *arguments), check=True, capture_output=True, cwd="/tmp")

    def start(self) -> None:
        """Returns when it answers."""
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", f"fsync={self.fsync}"]
        words = [word for setting in settings for word in ("-c", setting)]
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            self._as_user("postgres", "-D", str(self.folder / "data"), *words),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/tmp",
        )
        await_value(self.is_ready, "PostgreSQL answers")

    def is_ready(self) -> bool:
        """Whether it takes connections."""
        asked = subprocess.run([self.binaries / "pg_isready", "-h", self.folder], capture_output=True, check=False)
        return asked.returncode == 0

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """SIGQUIT: at once, as a crash."""
        if self.process is None:
            return
        self.process.send_signal(how)
        self.process.wait()
        self.process = None

    def query(self, sql: str) -> str:
        """What psql prints."""
        command = [self.binaries / "psql", "-h", self.folder, "-U", "postgres", "-At", "-c", sql]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def close(self) -> None:
        """Removes it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres") -> str:
        """Of the superuser."""
        return f"postgres://postgres@{urllib.parse.quote(str(self.folder), safe='')}/{database}"
