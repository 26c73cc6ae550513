"""Servers that die at a system call of theirs: strace counts the calls of one thread and kills at one."""

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from servers import Driver, Process
from waiting import await_value

# In the order in which a server makes them; the last four come when it begins to decide.
THREADS = ("main", "checkpointer", "commands", "requests", "worker", "decider", "rescuer", "sweeper")
# Those of its launcher.
LAUNCHER_THREADS = ("launcher", "spawner")
STRACE_PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Call:
    """The `number`-th call of this name; what it would have done does not happen."""

    name: str
    number: int

    def options(self) -> list[str]:
        """For strace."""
        return ["-e", f"trace={self.name}", "-e", f"inject={self.name}:signal=SIGKILL:when={self.number}"]


class TracedDriver(Driver):
    """A driver whose first thread is traced from its first call on. Others, and the launcher, are left alone."""

    def __init__(self, binaries: Path, data: Path, log: Path, trace: Path, options: list[str]) -> None:
        # The tracer stands beside the server (-D), so that the child we have is the server.
        tracer = ["strace", "-D", "-q", "-o", str(trace), *options]
        # pylint: disable-next=super-init-not-called,non-parent-init-called
        Process.__init__(self, [*tracer, str(binaries / "carillon_driver"), str(data), "32"], log)


def tasks_of(pid: int) -> list[int]:
    """Its threads, oldest first; none if it is gone."""
    try:
        return sorted(int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return []


def task_named(server: Driver, who: str) -> int:
    """The number of a thread of a server that is ready, or of its launcher."""
    pid, names = server.pid, THREADS
    if who in LAUNCHER_THREADS:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        assert len(children) == 1, f"the server {pid} has children {children}"
        pid, names = int(children[0]), LAUNCHER_THREADS
    tasks = tasks_of(pid)
    assert len(tasks) == len(names), f"{pid} has {len(tasks)} threads, not {names}"
    return tasks[names.index(who)]


class Tracer:
    """strace on one thread that is there already."""

    def __init__(self, task: int, trace: Path, options: list[str]) -> None:
        errors = trace.with_suffix(".errors")
        with errors.open("wb") as file:
            # pylint: disable-next=consider-using-with
            self._child = subprocess.Popen(
                ["strace", "-q", "-o", str(trace), "-p", str(task), *options], stdin=subprocess.DEVNULL, stderr=file
            )
        await_value(lambda: self._child.poll() is not None or is_traced(task), f"a tracer at {task}")
        # The thread may have come to its last call at once, and the tracer ended with it.
        assert self._child.poll() is None or was_killed(trace), errors.read_text(encoding="utf-8")

    def close(self) -> None:
        """It ends with what it traces; if that goes on, it lets go of it."""
        if self._child.poll() is None:
            self._child.terminate()
        self._child.wait(timeout=STRACE_PATIENCE_SECONDS)


def is_traced(task: int) -> bool:
    """Whether somebody is attached."""
    try:
        status = Path(f"/proc/{task}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return "TracerPid:\t0\n" not in status


def calls_in(trace: Path) -> Counter[str]:
    """How often each call was begun, by what strace wrote about one thread."""
    counts: Counter[str] = Counter()
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        name, parenthesis, _ = line.partition("(")
        if parenthesis and name.isidentifier():
            counts[name] += 1
    return counts


def last_call_in(trace: Path) -> str:
    """What the thread was about to do, cut short."""
    lines = [line for line in trace.read_text(encoding="utf-8", errors="replace").splitlines() if "(" in line]
    return lines[-1][:100] if lines else "nothing"


def await_end_of_tracer(trace: Path) -> None:
    """A tracer that stands beside its server writes its last line shortly after the server's end."""
    await_value(lambda: "+++" in trace.read_text(encoding="utf-8", errors="replace"), f"the last line of {trace}")


def was_killed(trace: Path) -> bool:
    """Whether the thread came to the call that was its last."""
    return "+++ killed by SIGKILL" in trace.read_text(encoding="utf-8", errors="replace")
