"""One shell for one page, in a folder of its own, with `carillon` on its path."""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

LISTEN = "127.0.0.1:7070"
# Time questions are asked at this moment; a server has the clock of the machine.
QUESTION_TIME = "2026-11-15T12:00:00Z"
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 0.05

# A reader has one shell and takes a second terminal for what goes on until Ctrl-C.
SERVE = re.compile(r"^\s*(?:[A-Z_]+=\S+\s+)*(?:\S*/)?carillon (?:scheduler )?(?:serve|start)\b(?!.*--help)")
FOLLOWS = re.compile(
    r"\bcurl\b.* -N\b|\bcarillon (?:events|watch|top)\b(?!.*--(?:once|limit))|\blogs\b.* (?:-f|--follow)\b"
)

WRAPPER = """\
#!/bin/sh
case "$1 $2" in
  "serve "*|"start "*|"scheduler start")
    case " $* " in *" --help "*|*" --listen "*) ;; *) set -- "$@" --listen {listen} ;; esac ;;
esac
exec {binary} "$@"
"""


class Trouble(AssertionError):
    """A command did not do what its page says."""


def free_port() -> int:
    """A port that nobody listens on now, and that the kernel gives nobody by itself: it is used again after a stop."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def await_true(look, what: str, patience: float = PATIENCE_SECONDS) -> None:
    """Returns when `look` is true; the patience is long, so that only a fault is ever too slow."""
    end = time.monotonic() + patience
    while not look():
        if time.monotonic() > end:
            raise Trouble(f"not within {patience:.0f} s: {what}")
        time.sleep(LOOK_SECONDS)


class Shell:
    """Runs commands one after the other; closes everything that it started."""

    def __init__(self, binary: Path, root: Path) -> None:
        # pylint: disable-next=consider-using-with
        self._temporary = tempfile.TemporaryDirectory(prefix="carillon-docs-")
        self.top = Path(self._temporary.name).resolve()
        self.folder = self.top / "work"
        self._own = self.top / "own"
        self._binary = binary
        self.address = f"127.0.0.1:{free_port()}"
        self._count = 0
        self.servers: list[int] = []
        self.has_had_server = False
        for folder in (self.folder, self._own, self.top / "bin", self.top / "home"):
            folder.mkdir()
        wrapper = self.top / "bin" / "carillon"
        wrapper.write_text(WRAPPER.format(listen=self.address, binary=binary), encoding="utf-8")
        wrapper.chmod(0o755)
        shutil.copytree(root / "examples", self.folder / "examples")
        # pylint: disable-next=consider-using-with
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=self._environment(),
            text=True,
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        home = str(self.top / "home")
        return {
            "PATH": f"{self.top / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin",
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_RUNTIME_DIR": str(self.top / "home"),
            "TMPDIR": str(self.top),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "CARILLON_NOW": QUESTION_TIME,
        } | {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}

    def _tell(self, line: str) -> None:
        assert self._bash.stdin
        self._bash.stdin.write(line + "\n")
        self._bash.stdin.flush()

    def _files(self, command: str) -> tuple[Path, Path, Path]:
        self._count += 1
        script, output, end = (self._own / f"{self._count}.{kind}" for kind in ("sh", "out", "end"))
        script.write_text(command.replace(LISTEN, self.address) + "\n", encoding="utf-8")
        return script, output, end

    def _text(self, output: Path) -> str:
        text = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
        for path in (str(self.top / "bin" / "carillon"), str(self._binary)):
            text = text.replace(path, "carillon")
        return text.replace(self.address, LISTEN).replace(f"{self.folder}/", "").replace(f"{self.top}/home", "~")

    def run(self, command: str) -> tuple[int, str]:
        """The exit code, and what it printed on both streams."""
        if SERVE.search(command):
            return 0, self._serve(command)
        if FOLLOWS.search(command):
            return 0, self._follow(command)
        script, output, end = self._files(command)
        self._tell(f". {script} >{output} 2>&1 </dev/null; echo $? >{end}.new; mv {end}.new {end}")
        await_true(lambda: end.exists() or self._bash.poll() is not None, f"{command}\n{self._text(output)}")
        if not end.exists():
            raise Trouble(f"the shell has ended at: {command}")
        return int(end.read_text(encoding="utf-8")), self._text(output)

    def _background(self, command: str, errors: str) -> tuple[int, Path]:
        script, output, end = self._files(f"exec {command.strip().removesuffix('&').strip()}")
        self._tell(f"( . {script} ) >{output} 2>{errors} </dev/null & echo $! >{end}.new; mv {end}.new {end}")
        await_true(end.exists, command)
        return int(end.read_text(encoding="utf-8")), output

    def _serve(self, command: str) -> str:
        """Starts a server and leaves it running; the one before is stopped first, as with Ctrl-C."""
        self.stop_servers()
        self._tell("unset CARILLON_NOW")
        self.has_had_server = True
        log = self._own / "server.log"
        pid, output = self._background(command, str(log))
        self.servers.append(pid)
        await_true(
            lambda: "Ctrl-C stops it" in self._text(output) or not self._is_alive(pid), f"a greeting of: {command}"
        )
        if not self._is_alive(pid):
            raise Trouble(f"the server has ended: {command}\n{self._text(output)}{self._text(log)}")
        return self._text(output)

    def _follow(self, command: str) -> str:
        """Lets it print something, and ends it as with Ctrl-C."""
        pid, output = self._background(command, "/dev/null")
        await_true(lambda: self._text(output) or not self._is_alive(pid), f"anything printed by: {command}")
        if self._is_alive(pid):
            os.kill(pid, signal.SIGTERM)
            await_true(lambda: not self._is_alive(pid), f"the end of: {command}")
        return self._text(output)

    def _is_alive(self, pid: int) -> bool:
        # A child of the shell that has ended and was not waited for yet has ended all the same.
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        except OSError:
            return False
        return state not in "ZX"

    @property
    def has_server(self) -> bool:
        """Whether a server of this page runs."""
        return any(self._is_alive(pid) for pid in self.servers)

    def stop_servers(self) -> None:
        """As with Ctrl-C."""
        for pid in self.servers:
            if self._is_alive(pid):
                os.kill(pid, signal.SIGINT)
                await_true(lambda pid=pid: not self._is_alive(pid), "the server stops")
        self.servers.clear()

    def close(self) -> None:
        """Nothing is left."""
        try:
            self.stop_servers()
        finally:
            if self._bash.stdin:
                self._bash.stdin.close()
            try:
                self._bash.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(self._bash.pid, signal.SIGKILL)
                self._bash.wait()
            self._temporary.cleanup()
