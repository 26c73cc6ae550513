"""The schedulers that ours is compared with: how they are fetched, started and measured."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("redis-server", "redis-tools", "python3-apscheduler", "python3-sqlalchemy")
NPM_PACKAGES = ("bullmq", "ioredis")


def install(home):
    """Debian's packages are unpacked, not installed: no service starts, and nothing of the system changes."""
    shutil.rmtree(home, ignore_errors=True)
    archives = home / "archives" / "partial"
    archives.mkdir(parents=True)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--reinstall", "--download-only", "--no-install-recommends",
                    "-o", f"Dir::Cache::archives={archives.parent}", "-o", "Debug::NoLocking=1", *PACKAGES],
                   check=True, stdout=sys.stderr)
    for package in sorted(archives.parent.glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, home / "root"], check=True)
    subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", home, *NPM_PACKAGES],
                   check=True, stdout=sys.stderr)


def environment(home):
    """So that programs find the libraries that were unpacked beside them."""
    libraries = home / "root" / "usr" / "lib"
    return {**os.environ, "LD_LIBRARY_PATH": str(next(libraries.glob("*-linux-gnu"), libraries)),
            "PYTHONPATH": str(libraries / "python3" / "dist-packages")}


def answer_of(command, home):
    out = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment(home)).stdout
    return json.loads(out.splitlines()[-1])


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Redis:
    """A private server with an append-only file, for as long as the `with` lasts."""

    def __init__(self, home, folder, fsync):
        self.home, self.folder, self.fsync = home, folder, fsync

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory(dir=self.folder)
        port = free_port()
        self.process = subprocess.Popen(
            [self.home / "root" / "usr" / "bin" / "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir",
             self.place.name, "--appendonly", "yes", "--appendfsync", self.fsync, "--save", ""],
            stdout=subprocess.DEVNULL, env=environment(self.home))
        while True:
            if self.process.poll() is not None:
                sys.exit("redis-server has ended at once")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return port
            except OSError:
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.place.cleanup()


def bullmq(home, folder, fsync, *words):
    script = home / "measure.mjs"
    shutil.copy(HERE / "bullmq" / "measure.mjs", script)
    with Redis(home, folder, fsync) as port:
        return answer_of(["node", script, words[0], str(port), *map(str, words[1:])], home)


def apscheduler(home, folder, *words):
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return answer_of(["/usr/bin/python3", HERE / "apscheduler" / "measure.py", words[0], f"{place}/jobs.db",
                          *map(str, words[1:])], home)


def cases(home, folder, size, make_case):
    """Each with its kind, what it survives, and how many jobs a burst has."""
    made = []

    def add(name, kind, durability, measure, count=None):
        case = make_case(name, measure)
        case.kind, case.durability, case.count = kind, durability, count
        made.append(case)

    seconds = size["peer_seconds"]
    for fsync, durability in (("everysec", "may lose 1 s"), ("always", "every write synced")):
        add(f"BullMQ, fsync {fsync}", "sustained", f"BullMQ: {durability}",
            lambda fsync=fsync: bullmq(home, folder, fsync, "sustained", 10_000, seconds))
    add("APScheduler", "sustained", "APScheduler: next time synced, ends not recorded",
        lambda: apscheduler(home, folder, "sustained", 1_000, seconds))
    for count in size["burst"]:
        add(f"BullMQ, fsync everysec, {count:,}", "burst", "BullMQ: may lose 1 s",
            lambda count=count: bullmq(home, folder, "everysec", "burst", count), count)
    return made
