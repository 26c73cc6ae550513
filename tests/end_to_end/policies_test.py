#!/usr/bin/env python3
"""Every policy on real processes and a real store. Usage: policies_test.py FOLDER_OF_BINARIES [unittest options]

Schedules of a test case run side by side in one server, so that the time they need passes once. Only order, counts and
lower bounds are asserted: a slow machine is late, never wrong.
"""

import sys
import unittest
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

import instants  # noqa: E402
from ledger import Ledger, Line, span  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Driver  # noqa: E402
from waiting import await_value, pass_time  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
ONCE = {"maxAttempts": 1}


def overlaps(attempts: list[Line]) -> bool:
    """Whether any two were at work together."""
    spans = sorted(span(attempt) for attempt in attempts if attempt["endedAt"])
    return any(later[0] < earlier[1] for earlier, later in zip(spans, spans[1:]))


def delays(attempts: list[Line]) -> list[float]:
    """From the end of each attempt to the claim of the next, in seconds."""
    return [
        (instants.parse(later["claimedAt"]) - instants.parse(earlier["endedAt"])).total_seconds()
        for earlier, later in zip(attempts, attempts[1:])
    ]


class PolicyCase(unittest.TestCase):
    """One server, in which every test finds its schedule already at work."""

    worker_count: ClassVar[int] = 64
    scene: ClassVar[Scene]
    server: ClassVar[Driver]

    @classmethod
    def setUpClass(cls) -> None:
        cls.scene = Scene(BINARIES)
        cls.addClassCleanup(cls.scene.close)
        cls.server = cls.scene.driver(worker_count=cls.worker_count)
        cls.addClassCleanup(lambda: cls.server.close())
        cls.make_schedules()

    @classmethod
    def make_schedules(cls) -> None:
        """What the tests of the case look at."""

    @classmethod
    def make(cls, name: str, *arguments: Any, **members: Any) -> None:
        """Creates a schedule."""
        cls.server.demand(op="create", document=cls.scene.writer.document(name, *arguments, **members))

    @classmethod
    def make_single(cls, name: str, *arguments: Any, **policies: Any) -> None:
        """Creates a schedule with one occurrence, in a moment."""
        cls.make(name, *arguments, spec={"times": [instants.text_of(instants.seconds_ago(-1))]}, **policies)

    def await_ledger(self, look: Any, what: str) -> Any:
        """Reads the ledger until it has what is looked for."""
        return self.scene.await_ledger(look, what)

    def await_run_end(self, name: str) -> tuple[Ledger, list[Line]]:
        """The attempts of a schedule's first run once it has ended for good."""
        ledger = self.await_ledger(
            lambda ledger: ledger if any("endedAt" in line for line in ledger.decisions(name)) else None,
            f"the end of a run of {name}",
        )
        return ledger, ledger.attempts(name)

    def await_status(self, name: str, status: str) -> None:
        """Asks the server until the schedule has a status."""
        await_value(lambda: self.server.demand(op="state", schedule=name)["status"] == status, f"{name} is {status}")


class Overlap(PolicyCase):
    """Runs of two and a half seconds, due each second."""

    @classmethod
    def make_schedules(cls) -> None:
        for policy in ("skip", "buffer_one", "buffer_latest", "allow_all"):
            cls.make(policy, "sleep", 2.5, overlap=policy, retry=ONCE)
        cls.make("cancel_other", "sleep", 5, overlap="cancel_other", retry=ONCE)
        cls.make("buffer_all", "sleep", 2.5, overlap="buffer_all", bufferLimit=2, retry=ONCE)
        cls.make("terminate_other", "stubborn", 30, overlap="terminate_other", grace="30s", retry=ONCE)

    def await_ended(self, name: str, count: int) -> Ledger:
        """The ledger once so many attempts have ended."""

        def look(ledger: Ledger) -> Ledger | None:
            ended = [line for line in ledger.attempts(name) if line["endedAt"]]
            return ledger if len(ended) >= count else None

        return self.await_ledger(look, f"{count} ended attempts of {name}")

    def test_skip_lets_occurrences_pass_while_a_run_is_at_work(self) -> None:
        ledger = self.await_ended("skip", 2)

        self.assertFalse(overlaps(ledger.attempts("skip")))
        first = ledger.decisions("skip")[:3]
        self.assertEqual([line["outcome"] for line in first], ["started", "skipped", "skipped"])
        self.assertEqual({line["reason"] for line in first[1:]}, {"overlap"})

    def test_buffer_one_keeps_the_first_that_has_to_wait(self) -> None:
        ledger = self.await_ended("buffer_one", 2)

        self.assertFalse(overlaps(ledger.attempts("buffer_one")))
        first = ledger.decisions("buffer_one")[:3]
        self.assertEqual([line["outcome"] for line in first], ["started", "started", "skipped"])
        self.assertIn("waitedFrom", first[1])

    def test_buffer_latest_keeps_the_newest_that_has_to_wait(self) -> None:
        ledger = self.await_ended("buffer_latest", 2)

        self.assertFalse(overlaps(ledger.attempts("buffer_latest")))
        decisions = ledger.decisions("buffer_latest")
        second = next(index for index, line in enumerate(decisions[1:], start=1) if line["outcome"] == "started")
        self.assertEqual(decisions[0]["outcome"], "started")
        self.assertEqual({line["reason"] for line in decisions[1:second]}, {"superseded"})

    def test_buffer_all_keeps_as_many_as_it_may_in_their_order(self) -> None:
        ledger = self.await_ended("buffer_all", 3)

        attempts = ledger.attempts("buffer_all")
        self.assertFalse(overlaps(attempts))
        first = ledger.decisions("buffer_all")[:3]
        self.assertEqual([line["run"] for line in first], [line["run"] for line in attempts[:3]])
        full = self.await_ledger(lambda ledger: ledger.decisions("buffer_all", reason="buffer_full"), "a full buffer")
        self.assertEqual({line["outcome"] for line in full}, {"skipped"})

    def test_cancel_other_asks_the_one_at_work_to_end_and_takes_its_place(self) -> None:
        ledger = self.await_ended("cancel_other", 2)

        attempts = ledger.attempts("cancel_other")
        self.assertFalse(overlaps(attempts))
        self.assertEqual([line["state"] for line in attempts[:2]], ["cancelled", "cancelled"])

    def test_terminate_other_ends_one_that_does_not_listen(self) -> None:
        ledger = self.await_ended("terminate_other", 2)

        attempts = ledger.attempts("terminate_other")
        self.assertFalse(overlaps(attempts))
        self.assertEqual([line["state"] for line in attempts[:2]], ["cancelled", "cancelled"])

    def test_allow_all_lets_runs_work_side_by_side(self) -> None:
        ledger = self.await_ended("allow_all", 3)

        self.assertTrue(overlaps(ledger.attempts("allow_all")))
        self.assertEqual(ledger.decisions("allow_all", outcome="skipped"), [])


class Retries(PolicyCase):
    """One occurrence each, so that every attempt belongs to the same run."""

    @classmethod
    def make_schedules(cls) -> None:
        for backoff in ("fixed", "linear", "exponential"):
            cls.make_single(backoff, "fail", retry={"maxAttempts": 3, "backoff": backoff, "initial": "1s", "factor": 3})
        cls.make_single("helps", "fail_first", retry={"maxAttempts": 5, "initial": "1s"})
        cls.make_single("capped", "fail", retry={"maxAttempts": 3, "initial": "1s", "factor": 1000, "maxDelay": "1s"})
        cls.make_single("single", "fail", retry=ONCE)
        cls.make_single("timeout", "stubborn", 30, timeout="1s", grace="1s", retry=ONCE)
        cls.make_single("timeouts", "sleep", 30, timeout="1s", retry={"maxAttempts": 2, "initial": "1s"})

    def assert_delays(self, name: str, least: list[float]) -> None:
        """As many attempts as allowed, all failed, each after its back-off."""
        _, attempts = self.await_run_end(name)
        self.assertEqual([line["attempt"] for line in attempts], list(range(1, len(least) + 2)))
        self.assertEqual({(line["state"], line["exitCode"]) for line in attempts}, {("failed", 3)})
        for delay, bound in zip(delays(attempts), least):
            self.assertGreaterEqual(delay, bound)

    def test_a_fixed_back_off_is_always_the_same(self) -> None:
        self.assert_delays("fixed", [1, 1])

    def test_a_linear_back_off_grows_by_its_first(self) -> None:
        self.assert_delays("linear", [1, 2])

    def test_an_exponential_back_off_grows_by_its_factor(self) -> None:
        self.assert_delays("exponential", [1, 3])

    def test_a_back_off_is_capped(self) -> None:
        self.assert_delays("capped", [1, 1])

    def test_one_attempt_is_one_attempt(self) -> None:
        self.assert_delays("single", [])

    def test_no_attempt_follows_one_that_succeeded(self) -> None:
        _, attempts = self.await_run_end("helps")

        self.assertEqual([line["state"] for line in attempts], ["failed", "succeeded"])

    def test_an_attempt_that_takes_too_long_is_ended_even_if_it_does_not_listen(self) -> None:
        _, attempts = self.await_run_end("timeout")

        self.assertEqual([line["state"] for line in attempts], ["timed_out"])
        # From the claim: under load it is heard late that something was launched.
        begin, end = instants.parse(attempts[0]["claimedAt"]), span(attempts[0])[1]
        self.assertGreaterEqual(end - begin, timedelta(seconds=1.9))
        run = attempts[0]["run"]
        self.assertEqual([process for process in self.scene.living() if process.run == run], [])

    def test_a_timeout_is_tried_again(self) -> None:
        _, attempts = self.await_run_end("timeouts")

        self.assertEqual([line["state"] for line in attempts], ["timed_out", "timed_out"])


class Limits(PolicyCase):
    """Schedules that stop by themselves."""

    @classmethod
    def make_schedules(cls) -> None:
        cls.make("repeats", totalRepeats=3)
        cls.make("repeats-in-flight", "sleep", 2, totalRepeats=2, overlap="allow_all")
        cls.make("dies", "fail", maxConsecutiveFailures=2, retry=ONCE)
        cls.make("recovers", "fail_first", maxConsecutiveFailures=1, retry={"maxAttempts": 2, "initial": "1s"})
        cls.make("pauses", "fail", pauseOnFailure=True, retry=ONCE)

    def test_total_repeats_is_how_often_it_succeeds(self) -> None:
        for name, count in (("repeats", 3), ("repeats-in-flight", 2)):
            with self.subTest(name=name):
                self.await_status(name, "done")

                attempts = self.scene.ledger().attempts(name)
                self.assertEqual([line["state"] for line in attempts], ["succeeded"] * count)

    def test_a_schedule_dies_of_failures_in_a_row(self) -> None:
        self.await_status("dies", "dead")

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("dies")], ["failed"] * 2)

    def test_a_failed_attempt_is_no_failed_run(self) -> None:
        self.await_ledger(lambda ledger: len(ledger.attempts("recovers", state="succeeded")) >= 2, "two successes")

        self.assertEqual(self.server.demand(op="state", schedule="recovers")["status"], "active")

    def test_a_failure_pauses_a_schedule_that_wants_it(self) -> None:
        self.await_status("pauses", "paused")

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("pauses")], ["failed"])


class Pausing(PolicyCase):
    """All are paused together for three seconds."""

    paused_at: ClassVar[datetime]
    resumed_at: ClassVar[datetime]

    @classmethod
    def make_schedules(cls) -> None:
        cls.make("skip")
        cls.make("buffer", pause={"missed": "buffer"}, overlap="allow_all")
        cls.make("until")
        cls.make("running", "sleep", 1)
        names = ("skip", "buffer", "until", "running")
        cls.scene.await_ledger(lambda ledger: all(ledger.attempts(name) for name in names), "a run of each")
        cls.resumed_at = instants.seconds_ago(-3)
        cls.server.demand(op="pause", schedule="until", until=instants.text_of(cls.resumed_at))
        for name in ("skip", "buffer", "running"):
            cls.server.demand(op="pause", schedule=name)
        cls.paused_at = instants.now()
        pass_time((cls.resumed_at - instants.now()).total_seconds())
        for name in ("skip", "buffer", "running"):
            cls.server.demand(op="resume", schedule=name)

    def await_one_after(self, name: str) -> Ledger:
        """The ledger once the schedule has gone on."""

        def look(ledger: Ledger) -> Ledger | None:
            return ledger if any(map(self.is_later, ledger.decisions(name, outcome="started"))) else None

        return self.await_ledger(look, f"{name} goes on")

    def is_later(self, decision: Line) -> bool:
        """Whether it belongs to the time after the pause."""
        return instants.parse(decision["nominal"]) > self.resumed_at + timedelta(seconds=1)

    def claimed_in_pause(self, ledger: Ledger, name: str) -> list[Line]:
        """Must be none."""
        claims = [instants.parse(line["claimedAt"]) for line in ledger.attempts(name)]
        return [claim for claim in claims if self.paused_at < claim < self.resumed_at]

    def test_what_becomes_due_in_a_pause_is_skipped(self) -> None:
        ledger = self.await_one_after("skip")

        self.assertGreaterEqual(ledger.skip_count("skip", "paused"), 2)
        self.assertEqual(self.claimed_in_pause(ledger, "skip"), [])

    def test_a_pause_ends_by_itself_when_it_was_told_to(self) -> None:
        ledger = self.await_one_after("until")

        self.assertGreaterEqual(ledger.skip_count("until", "paused"), 2)
        self.assertEqual(self.claimed_in_pause(ledger, "until"), [])

    def test_what_becomes_due_in_a_pause_is_kept_if_wanted(self) -> None:
        ledger = self.await_one_after("buffer")

        nominals = [instants.parse(line["nominal"]) for line in ledger.decisions("buffer", outcome="started")]
        kept = [nominal for nominal in nominals if self.paused_at < nominal < self.resumed_at]
        self.assertGreaterEqual(len(kept), 2)
        self.assertEqual(ledger.skip_count("buffer", "paused"), 0)
        self.assertEqual(self.claimed_in_pause(ledger, "buffer"), [])

    def test_what_is_at_work_when_a_pause_begins_goes_on(self) -> None:
        ledger = self.await_one_after("running")

        self.assertEqual({line["state"] for line in ledger.attempts("running") if line["endedAt"]}, {"succeeded"})


class Deadline(PolicyCase):
    """One worker, which is busy for long."""

    worker_count = 1

    @classmethod
    def make_schedules(cls) -> None:
        cls.make_single("busy", "sleep", 3.5)
        cls.scene.await_ledger(lambda ledger: ledger.attempts("busy"), "the worker is busy")
        cls.make_single("expires", startDeadline="1s")
        cls.make_single("patient")

    def test_a_run_that_nobody_claims_in_time_expires(self) -> None:
        ledger, attempts = self.await_run_end("expires")

        self.assertEqual(attempts, [])
        self.assertEqual([line["outcome"] for line in ledger.decisions("expires")], ["started"])

    def test_a_run_without_a_deadline_waits(self) -> None:
        _, attempts = self.await_run_end("patient")

        self.assertEqual([line["state"] for line in attempts], ["succeeded"])


class CatchingUp(PolicyCase):
    """The server is killed, and another one starts when occurrences have been missed."""

    killed_at: ClassVar[datetime]
    started_at: ClassVar[datetime]
    names: ClassVar[tuple[str, ...]] = ("latest", "all", "none", "window", "few", "in-grace")

    @classmethod
    def make_schedules(cls) -> None:
        anyway = {"overlap": "allow_all"}
        cls.make("latest", catchup={"policy": "latest", "grace": "1s"}, **anyway)
        cls.make("all", catchup={"policy": "all", "grace": "1s"}, **anyway)
        cls.make("none", catchup={"policy": "none", "grace": "1s"}, **anyway)
        cls.make("window", catchup={"policy": "all", "grace": "1s", "window": "2s"}, **anyway)
        cls.make("few", catchup={"policy": "all", "grace": "1s", "maxRuns": 2}, **anyway)
        cls.make("in-grace", **anyway)
        cls.make_single("lost-again", "hang_first", retry={"maxAttempts": 2, "initial": "1s", "onLost": True})
        cls.make_single("lost-for-good", "hang_first", retry={"maxAttempts": 2, "initial": "1s", "onLost": False})
        cls.make_single("lost-by-default", "hang_first", retry={"maxAttempts": 2, "initial": "1s"})
        cls.make_single("lost-last", "hang_first", retry={"maxAttempts": 1, "onLost": True})
        names = (*cls.names, "lost-again", "lost-for-good", "lost-by-default", "lost-last")
        cls.scene.await_ledger(lambda ledger: all(ledger.attempts(name) for name in names), "a run of each")
        cls.server.kill()
        cls.killed_at = instants.now()
        cls.server.close()
        pass_time(4.5)
        cls.started_at = instants.now()
        cls.server = cls.scene.driver()

    def await_gap(self, name: str) -> Ledger:
        """The ledger once the time after the gap has been decided."""
        return self.await_ledger(
            lambda ledger: ledger
            if any(instants.parse(line["nominal"]) > self.started_at for line in ledger.decisions(name))
            else None,
            f"{name} has caught up",
        )

    def missed(self, ledger: Ledger, name: str, **members: Any) -> list[Line]:
        """Decisions about what was more than the grace late when the server came back."""
        found = ledger.decisions(name, **members)
        begin, end = self.killed_at, self.started_at - timedelta(seconds=1)
        return [line for line in found if begin < instants.parse(line["nominal"]) < end]

    def first_caught_up(self, ledger: Ledger, name: str) -> list[Line]:
        """What was started late when the server came back; a machine that stalls later may catch up once more."""
        late = ledger.decisions(name, outcome="started", source="catchup")
        return [line for line in late if line["at"] == late[0]["at"]]

    def lateness(self, line: Line) -> timedelta:
        """When it was decided, after it was due."""
        return instants.parse(line["at"]) - instants.parse(line["due"])

    def test_latest_starts_the_newest_of_the_gap_alone(self) -> None:
        ledger = self.await_gap("latest")

        self.assertLessEqual(len(self.missed(ledger, "latest", outcome="started")), 1)
        self.assertGreaterEqual(ledger.skip_count("latest", "superseded"), 2)
        self.assertEqual(len(self.first_caught_up(ledger, "latest")), 1)

    def test_all_starts_each(self) -> None:
        ledger = self.await_gap("all")

        nominals = [instants.parse(line["nominal"]) for line in ledger.decisions("all", outcome="started")]
        steps = {later - earlier for earlier, later in zip(nominals, nominals[1:])}
        self.assertEqual(steps, {timedelta(seconds=1)})
        self.assertGreaterEqual(len(self.missed(ledger, "all", outcome="started")), 3)

    def test_none_skips_what_is_late(self) -> None:
        ledger = self.await_gap("none")

        self.assertEqual(self.missed(ledger, "none", outcome="started"), [])
        self.assertGreaterEqual(ledger.skip_count("none", "missed"), 3)

    def test_a_window_bounds_how_late_one_may_start(self) -> None:
        ledger = self.await_gap("window")

        self.assertGreaterEqual(ledger.skip_count("window", "missed"), 1)
        started = ledger.decisions("window", outcome="started")
        self.assertLessEqual(max(self.lateness(line) for line in started), timedelta(seconds=2))

    def test_no_more_than_max_runs_are_caught_up(self) -> None:
        ledger = self.await_gap("few")

        self.assertEqual(len(self.first_caught_up(ledger, "few")), 2)
        self.assertGreaterEqual(ledger.skip_count("few", "quota"), 1)

    def test_within_the_grace_nothing_is_missed(self) -> None:
        ledger = self.await_gap("in-grace")

        self.assertEqual({line["outcome"] for line in ledger.decisions("in-grace")}, {"started"})
        self.assertEqual(ledger.select("range", "in-grace"), [])

    def test_a_lost_attempt_is_tried_again_only_if_that_is_wanted(self) -> None:
        for name, states in (
            ("lost-again", ["lost", "succeeded"]),
            ("lost-for-good", ["lost"]),
            ("lost-by-default", ["lost"]),
            ("lost-last", ["lost"]),
        ):
            with self.subTest(name=name):
                _, attempts = self.await_run_end(name)

                self.assertEqual([line["state"] for line in attempts], states)


if __name__ == "__main__":
    unittest.main()
