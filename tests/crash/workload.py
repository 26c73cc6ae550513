"""The schedules of the kill loop: every policy, on commands that end, fail, hang and leave children behind."""

import random

from documents import Document, Writer

OVERLAPS = ("skip", "buffer_one", "buffer_latest", "buffer_all", "cancel_other", "terminate_other", "allow_all")


def overlapping(writer: Writer) -> list[Document]:
    """One for each overlap policy, with runs longer than the interval."""
    return [
        writer.document(f"overlap-{policy}", "sleep", 1.4, overlap=policy, bufferLimit=5, retry={"maxAttempts": 1})
        for policy in OVERLAPS
    ]


def catching_up(writer: Writer) -> list[Document]:
    """A grace as short as the interval, so that the time between two servers counts as missed."""
    return [
        writer.document("catchup-latest", catchup={"policy": "latest", "grace": "1s"}),
        writer.document("catchup-all", catchup={"policy": "all", "grace": "1s"}, overlap="buffer_all"),
        writer.document("catchup-few", catchup={"policy": "all", "grace": "1s", "maxRuns": 2}, overlap="allow_all"),
        writer.document("catchup-none", catchup={"policy": "none", "grace": "1s"}),
        writer.document("catchup-window", catchup={"policy": "all", "grace": "1s", "window": "2s"}),
    ]


def trying_again(writer: Writer) -> list[Document]:
    """Failures, losses, time-outs."""
    soon = {"initial": "1s", "backoff": "fixed"}
    return [
        writer.document("retry-fails", "fail", every="2s", retry=soon | {"maxAttempts": 3}),
        writer.document("retry-helps", "fail_first", every="2s", retry=soon | {"maxAttempts": 3}),
        writer.document("lost-again", "beat", 1, every="2s", retry=soon | {"maxAttempts": 9, "onLost": True}),
        writer.document("lost-for-good", "beat", 1, every="2s", retry=soon | {"maxAttempts": 9, "onLost": False}),
        writer.document("timeout", "sleep", 30, every="2s", timeout="1s", grace="1s", retry={"maxAttempts": 1}),
        writer.document("stubborn", "stubborn", 30, every="11s", timeout="1s", grace="1s", retry={"maxAttempts": 1}),
        writer.document("brood", "brood", 0.3, every="2s", retry=soon | {"maxAttempts": 3, "onLost": True}),
    ]


def limited(writer: Writer) -> list[Document]:
    """Limits, pauses, jitter, seconds of the wall clock."""
    return [
        writer.document("repeats", totalRepeats=5),
        writer.document("dies", "fail", maxConsecutiveFailures=3, retry={"maxAttempts": 1}),
        writer.document("pause-buffer", pause={"missed": "buffer"}, overlap="buffer_all", bufferLimit=10),
        writer.document("deadline", startDeadline="5s", overlap="allow_all"),
        writer.document("jitter", spec={"intervals": [{"every": "2s"}], "jitter": "1s"}),
        writer.document("cron", spec={"cron": "*/2 * * * * *", "timezone": "Europe/Berlin"}),
    ]


def commanded(writer: Writer) -> list[Document]:
    """Those that the client creates and changes through the driver."""
    return overlapping(writer) + catching_up(writer) + trying_again(writer) + limited(writer)


def edited(document: Document, dice: random.Random) -> Document:
    """The same schedule with another interval, overlap or catch-up."""
    spec, policies = dict(document["spec"]), dict(document["policies"])
    if "intervals" in spec:
        spec["intervals"] = [{"every": dice.choice(("1s", "2s"))}]
    if dice.random() < 0.5:
        policies["overlap"] = dice.choice(OVERLAPS)
    if dice.random() < 0.3:
        policies["catchup"] = {"policy": dice.choice(("latest", "all", "none")), "grace": dice.choice(("1s", "5s"))}
    return document | {"spec": spec, "policies": policies}


def filed(writer: Writer, round_number: int) -> list[Document]:
    """Those that `carillon serve --apply` reads; one of them is another at each start."""
    every = "1s" if round_number % 4 < 2 else "2s"
    return [
        writer.document("file-steady", overlap="buffer_all"),
        writer.document("file-edited", "sleep", 0.5, every=every, catchup={"policy": "all", "grace": "1s"}),
        writer.document("file-lost", "beat", 2, every="3s", retry={"maxAttempts": 5, "initial": "1s", "onLost": True}),
    ]
