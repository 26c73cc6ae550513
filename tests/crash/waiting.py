"""Waiting for something to become true, instead of for a time to pass."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

PATIENCE_SECONDS = 240.0
LOOK_SECONDS = 0.05


class NeverHappened(AssertionError):
    """What was waited for did not come."""


def await_value(look: Callable[[], Value | None], what: str, patience: float = PATIENCE_SECONDS) -> Value:
    """The first value that is not none or false. The patience is long, so that only a fault is ever too slow."""
    end = time.monotonic() + patience
    while True:
        value = look()
        if value:
            return value
        if time.monotonic() > end:
            raise NeverHappened(f"not within {patience:.0f} s: {what}")
        time.sleep(LOOK_SECONDS)


def pass_time(seconds: float) -> None:
    """Lets a server miss occurrences: here time itself is what is wanted."""
    time.sleep(seconds)
