"""Threads of another process that stand still for a while, as behind a lock or a disk that does not answer."""

import ctypes
import os
from pathlib import Path

PTRACE_SEIZE = 0x4206
PTRACE_INTERRUPT = 0x4207
PTRACE_DETACH = 17
WAIT_ALL = 0x40000000

_ptrace = ctypes.CDLL(None, use_errno=True).ptrace
_ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_ptrace.restype = ctypes.c_long


def _ask(request: int, thread: int) -> None:
    if _ptrace(request, thread, None, None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def threads_of(process: int) -> dict[int, str]:
    """Their numbers and names."""
    folder = Path(f"/proc/{process}/task")
    return {int(thread.name): (thread / "comm").read_text().strip() for thread in folder.iterdir()}


class HaltedThreads:
    """Stand still until this is left. PermissionError where one may not do that to a process."""

    def __init__(self, threads: list[int]) -> None:
        self._threads = threads
        self._halted: list[int] = []

    def __enter__(self) -> "HaltedThreads":
        try:
            for thread in self._threads:
                _ask(PTRACE_SEIZE, thread)
                _ask(PTRACE_INTERRUPT, thread)
                os.waitpid(thread, WAIT_ALL)
                self._halted.append(thread)
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._halted:
            _ask(PTRACE_DETACH, thread)
        self._halted = []
