"""Debian's PgBouncer before a PostgreSQL of a test's own."""

import os
import pwd
import signal
import subprocess
import urllib.parse
from pathlib import Path

from postgres import UNPRIVILEGED, Postgres
from waiting import await_value

PORT = 6432


def program() -> Path | None:
    """Where Debian puts it."""
    found = Path("/usr/sbin/pgbouncer")
    return found if found.exists() else None


class Pooler:
    """Gives each transaction, or each statement, to whichever of a few sessions is free."""

    def __init__(self, postgres: Postgres, mode: str = "transaction", sessions: int = 4) -> None:
        self.postgres = postgres
        self.folder = postgres.folder / f"pooler-{mode}"
        self.folder.mkdir()
        settings = {
            "unix_socket_dir": self.folder,
            "listen_addr": "",
            "listen_port": PORT,
            "auth_type": "any",
            "pool_mode": mode,
            "default_pool_size": sessions,
            "max_client_conn": 200,
            "logfile": self.folder / "log",
            "pidfile": self.folder / "pid",
        }
        lines = ["[databases]", f"postgres = host={postgres.folder} user=postgres", "[pgbouncer]"]
        lines += [f"{name} = {value}" for name, value in settings.items()]
        file = self.folder / "pgbouncer.ini"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if os.geteuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            for path in (self.folder, file):
                os.chown(path, user.pw_uid, user.pw_gid)
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Returns when the database answers through it."""
        found = program()
        assert found is not None
        command = [str(found), str(self.folder / "pgbouncer.ini")]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={UNPRIVILEGED}", "--regid=nogroup", "--clear-groups", *command]
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/tmp"
        )
        await_value(self.is_ready, "PgBouncer answers")

    def is_ready(self) -> bool:
        """Whether a statement gets through."""
        command = [self.postgres.binaries / "psql", "-h", self.folder, "-p", str(PORT), "-U", "postgres", "-c", "SELECT 1"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def stop(self) -> None:
        """At once: its clients are cut off."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        self.process = None

    def url(self, schema: str) -> str:
        """In place of the database's own."""
        return f"postgres://postgres@{urllib.parse.quote(str(self.folder), safe='')}:{PORT}/postgres?schema={schema}"
