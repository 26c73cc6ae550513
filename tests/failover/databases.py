"""The databases of a failover test: one that servers use, and one that follows it and can take its place."""

import os
import pwd
import shutil
import tempfile
from pathlib import Path

from postgres import UNPRIVILEGED, Postgres, programs
from waiting import await_value

SOCKET = ".s.PGSQL.5432"


class Primary(Postgres):
    """With room for a herd of servers."""

    def start(self) -> None:
        """Returns when it answers."""
        file = self.folder / "data" / "postgresql.auto.conf"
        if "max_connections" not in file.read_text(encoding="utf-8"):
            with file.open("a", encoding="utf-8") as settings:
                settings.write("max_connections = 200\n")
        super().start()

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / SOCKET

    def end_backends(self) -> int:
        """Those of all clients, as an administrator may; how many there were."""
        sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'carillon'"
        return int(self.query(sql))


class Standby(Primary):
    """A copy of another one that follows it through a port, until it is promoted."""

    # pylint: disable-next=super-init-not-called
    def __init__(self, primary: Primary, port: int) -> None:
        binaries = programs()
        assert binaries is not None
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-pg-standby-"))
        if os.geteuid() == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        data = self.folder / "data"
        self._run("pg_basebackup", "-h", str(primary.folder), "-U", "postgres", "-D", str(data), "-c", "fast",
                  "-X", "stream", "--no-sync")
        with (data / "postgresql.auto.conf").open("a", encoding="utf-8") as settings:
            settings.write(f"primary_conninfo = 'host=127.0.0.1 port={port} user=postgres sslmode=disable "
                           "gssencmode=disable'\n")
        (data / "standby.signal").touch()
        self.process = None
        self.start()

    def await_streaming(self, primary: Primary) -> None:
        """It has all that the other one has written until now."""
        lag = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= '{}'"
        reached = primary.query("SELECT pg_current_wal_lsn()").strip()
        await_value(lambda: primary.query(lag.format(reached)).strip() == "1", "the standby follows")

    def promote(self) -> None:
        """It takes writes when this returns."""
        self._run("pg_ctl", "promote", "-D", str(self.folder / "data"), "-w")

    def close(self) -> None:
        """Removes it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
