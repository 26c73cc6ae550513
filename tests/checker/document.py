"""A schedule document with its defaults filled in, as far as the checks need it."""

import json
import re
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from moments import parse_duration
from occurrences import Occurrences


@dataclass(frozen=True)
class Retry:
    """How a run is tried again. `repeats_lost` is none when the action does not say."""

    attempt_count_max: int
    backoff: str
    initial: int
    factor: float
    delay_max: int
    jitter: float
    repeats_lost: bool | None

    def delay_after(self, attempt: int) -> int:
        """The least delay after an attempt, before jitter."""
        if self.backoff == "fixed":
            delay = self.initial
        elif self.backoff == "linear":
            delay = self.initial * attempt
        else:
            delay = int(self.initial * self.factor ** min(attempt - 1, 200)) if self.initial else 0
        return min(delay, self.delay_max)


@dataclass(frozen=True)
class Document:
    """One definition of a schedule; the spec is kept as JSON text so that equal ones compare equal."""

    spec_text: str
    enabled: bool
    jitter: int
    overlap: str
    buffer_limit: int
    catchup: str
    window: int | None
    grace: int
    catchup_count_max: int
    retry: Retry
    total_repeats: int
    consecutive_failures_max: int
    keeps_missed: bool
    starts_max: int | None
    starts_on_create: bool

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The spec as written."""
        return json.loads(self.spec_text)

    @property
    def is_exclusive(self) -> bool:
        """At most one run at a time."""
        return self.overlap != "allow_all"

    def latest_due(self, nominal: int) -> int:
        """Jitter is less than its bound, so this is when an occurrence is due at the latest."""
        return nominal + max(self.jitter - 1, 0)

    def occurrences(self, creation: int) -> Occurrences:
        """The oracle of this spec."""
        return shared_occurrences(self.spec_text, creation if "creation" in self.anchors else 0)

    @cached_property
    def anchors(self) -> set[str]:
        """Where its intervals are anchored."""
        return {part.get("anchor") or "creation" for part in self.spec.get("intervals") or []}


@lru_cache(maxsize=1 << 12)
def shared_occurrences(spec_text: str, creation: int) -> Occurrences:
    """One oracle for all schedules with the same spec."""
    return Occurrences(json.loads(spec_text), creation)


def merged(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A JSON merge patch applied: null removes, objects merge, all else replaces."""
    result = deepcopy(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = deepcopy(value)
    return result


# A grace or window below this is raised to it; a grace above the window is cut to it.
LATENESS_MIN = parse_duration("1s")


def read_document(written: dict[str, Any]) -> Document:
    """Raises ValueError, KeyError or TypeError when the document is not one."""
    written = canonical({camel_case(key): value for key, value in written.items()})
    spec = written.get("spec") or {}
    policies = written.get("policies") or {}
    catchup = policies.get("catchup") or {}
    window = None if catchup.get("window") is None else max(duration(catchup["window"], 0), LATENESS_MIN)
    grace = max(duration(catchup.get("grace"), parse_duration("60s")), LATENESS_MIN)
    document = Document(
        spec_text=json.dumps(without_defaults(spec), sort_keys=True),
        enabled=written.get("enabled") is not False,
        jitter=duration(spec.get("jitter"), 0),
        overlap=policies.get("overlap") or "skip",
        buffer_limit=number(policies.get("bufferLimit"), 1_000),
        catchup=catchup.get("policy") or "latest",
        window=window,
        grace=grace if window is None else min(grace, window),
        catchup_count_max=number(catchup.get("maxRuns"), 1_000),
        retry=read_retry(policies.get("retry") or {}, written.get("action") or {}),
        total_repeats=number(policies.get("totalRepeats"), 0),
        consecutive_failures_max=number(policies.get("maxConsecutiveFailures"), 0),
        keeps_missed=(policies.get("pause") or {}).get("missed") == "buffer",
        starts_max=None if policies.get("maxStarts") is None else int(policies["maxStarts"]),
        starts_on_create=(written.get("onCreate") or {}).get("trigger") is not None,
    )
    document.occurrences(0)  # a spec that cannot be read is found here
    return document


def read_retry(retry: dict[str, Any], action: dict[str, Any]) -> Retry:
    """Retries with defaults; whether a lost attempt is repeated depends on the action unless it is said."""
    initial = duration(retry.get("initial"), parse_duration("1m"))
    by_action = {"command": False, "http": True, "job": True}
    kind = next((key for key in by_action if key in action), None)
    repeats_lost = by_action[kind] if kind else None
    return Retry(
        attempt_count_max=number(retry.get("maxAttempts"), 4),
        backoff=retry.get("backoff") or "exponential",
        initial=initial,
        factor=float(retry["factor"]) if retry.get("factor") is not None else 2.0,
        delay_max=duration(retry.get("maxDelay"), 10 * initial),
        jitter=float(retry.get("jitter") or 0),
        repeats_lost=repeats_lost if retry.get("onLost") is None else bool(retry["onLost"]),
    )


def canonical(written: dict[str, Any]) -> dict[str, Any]:
    """The short form's members moved to where the canonical form has them."""
    result = deepcopy(written)
    spec = result.setdefault("spec", {}) or {}
    policies = result.setdefault("policies", {}) or {}
    result["spec"], result["policies"] = spec, policies
    for short in ("cron", "cronExpr"):
        if result.get(short) is not None:
            spec["cron"] = result[short]
    if result.get("every") is not None:
        spec["intervals"] = [{"every": result["every"]}]
    if result.get("intervalSeconds") is not None:
        apply_interval_seconds(result)
    if result.get("timezone") is not None:
        spec["timezone"] = result["timezone"]
    if result.get("totalRepeats") is not None:
        policies["totalRepeats"] = result["totalRepeats"]
    if result.get("maxRetries") is not None:
        policies.setdefault("retry", {})["maxAttempts"] = result["maxRetries"] + 1
    result["action"] = result.get("action") or short_action(result)
    return result


SPEC_DEFAULTS: dict[str, Any] = {"timezone": "UTC", "jitter": "0s", "dst": "cron"}
INTERVAL_DEFAULTS: dict[str, Any] = {"offset": "0s", "anchor": "creation"}


def without_defaults(spec: dict[str, Any]) -> dict[str, Any]:
    """What is said and not only meant: a spec that leaves something out is equal to one that spells it out."""
    said = {key: value for key, value in spec.items() if value not in (None, [], SPEC_DEFAULTS.get(key))}
    if isinstance(said.get("cron"), str):
        said["cron"] = [said["cron"]]
    if "intervals" in said:
        said["intervals"] = [
            {key: value for key, value in part.items() if value not in (None, INTERVAL_DEFAULTS.get(key))}
            for part in said["intervals"]
        ]
    return said


def apply_interval_seconds(written: dict[str, Any]) -> None:
    """`intervalSeconds` brings defaults of its own."""
    every = f"{written['intervalSeconds']}s"
    written["spec"]["intervals"] = [{"every": every}]
    retry = {"maxAttempts": 4, "initial": every, "factor": 2, "maxDelay": f"{10 * written['intervalSeconds']}s"}
    written["policies"]["retry"] = {**retry, **(written["policies"].get("retry") or {})}
    written["policies"].setdefault("maxConsecutiveFailures", 1)


def short_action(written: dict[str, Any]) -> dict[str, Any]:
    """Only which kind of action it is."""
    kinds = {"jobType": "job", "workflowId": "job", "command": "command", "url": "http"}
    return {kind: {} for key, kind in kinds.items() if written.get(key) is not None}


def camel_case(key: str) -> str:
    """`cron_expr` is `cronExpr`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), key)


def duration(text: Any, default: int) -> int:
    """A duration, or the default when nothing is written."""
    return default if text is None else parse_duration(text)


def number(value: Any, default: int) -> int:
    """A whole number, or the default when nothing is written."""
    return default if value is None else int(value)
