#!/usr/bin/env python3
"""Commands that outlive their server. Usage: adoption_test.py FOLDER_OF_BINARIES [unittest options]"""

import contextlib
import json
import os
import signal
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

import instants  # noqa: E402
from ledger import Ledger, Line  # noqa: E402
from marked import MARK  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Driver, Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

# Says in one file that it runs, prints, and waits for another file.
SCRIPT = 'echo "$CARILLON_RUN_NAME" >> begun; echo before; until [ -e go ]; do sleep 0.05; done; echo after; exit 7'


class AdoptionCase(unittest.TestCase):
    """A folder with a server that is going to be killed."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        # A launcher goes when its last command has gone.
        self.addCleanup(self.end_commands)
        self.files = self.scene.folder / "schedules"
        self.files.mkdir()

    def end_commands(self) -> None:
        """However the test went."""
        for process in self.scene.living():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    def document(self, name: str, *, on_owner_loss: str = "adopt", once: bool = False, **policies: Any) -> dict[str, Any]:
        """Waits in the test's folder."""
        times = {"times": [instants.text_of(instants.seconds_ago(-1))]}
        command = {
            "argv": ["/bin/sh", "-c", SCRIPT],
            "cwd": str(self.scene.folder),
            "env": {MARK: self.scene.writer.mark},
            "onOwnerLoss": on_owner_loss,
        }
        return {
            "id": name,
            "spec": times if once else {"intervals": [{"every": "1s"}]},
            "action": {"command": command},
            "policies": {"retry": {"maxAttempts": 1}, **policies},
        }

    def apply(self, document: dict[str, Any]) -> None:
        """With the next server."""
        (self.files / f"{document['id']}.json").write_text(json.dumps(document), encoding="utf-8")

    def serve(self, *arguments: str) -> Served:
        """A server that is ready."""
        server = self.scene.served("--apply", str(self.files), *arguments)
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def driver(self) -> Driver:
        """The same, as a driver that takes commands."""
        driver = self.scene.driver()
        self.addCleanup(driver.close)
        return driver

    def await_begun(self, name: str) -> Line:
        """The first attempt, once its command is at work and the ledger says so."""
        await_value(lambda: (self.scene.folder / "begun").exists(), "the command runs")
        return self.await_attempt(name, "launched")

    def await_attempt(self, name: str, state: str) -> Line:
        """The first attempt of a schedule when it is in a state."""

        def look(ledger: Ledger) -> Line | None:
            first = ledger.attempts(name)[:1]
            return first[0] if first and first[0]["state"] == state else None

        return self.scene.await_ledger(look, f"the first attempt of {name} is {state}")

    def let_go(self) -> None:
        """The command may end."""
        (self.scene.folder / "go").touch()

    def begun_count(self, run: str) -> int:
        """How often a run has been performed."""
        return (self.scene.folder / "begun").read_text(encoding="utf-8").splitlines().count(run)

    def first_run(self) -> str:
        """Its name."""
        return (self.scene.folder / "begun").read_text(encoding="utf-8").splitlines()[0]

    def first_log(self) -> str:
        """The output of the first run that was kept."""
        logs = (self.scene.data / "logs").glob("*/*-1.log")
        first = min(logs, key=lambda path: int(path.name.partition("-")[0]))
        return first.read_text(encoding="utf-8").rstrip("\0.")

    def await_nothing_kept(self) -> None:
        """Whoever kept it clears up by himself, a moment after it was fetched."""
        await_value(lambda: not self.kept(), "nothing is kept any more")

    def kept(self, kind: str = "*") -> list[str]:
        """What is kept for the next server."""
        return [path.name for path in (self.scene.data / "adopted").glob(kind)]


class ServerIsKilled(AdoptionCase):
    """kill -9, with a command at work."""

    def test_the_next_server_records_its_real_end_and_the_slot_was_taken_all_the_time(self) -> None:
        self.apply(self.document("long", overlap="skip"))
        first = self.serve()
        begun = self.await_begun("long")
        first.kill()

        second = self.serve()

        await_value(lambda: "attempt taken over" in second.logged(), "the server says that it goes on with it")
        ready_at = instants.now()

        def skipped_since(ledger: Ledger) -> bool:
            skips = ledger.decisions("long", reason="overlap")
            return any(instants.parse(line["nominal"]) > ready_at for line in skips)

        self.scene.await_ledger(skipped_since, "an occurrence passes while the adopted command runs")
        self.assertEqual(len(self.scene.ledger().attempts("long")), 1)
        run = self.first_run()
        self.let_go()
        ended = self.await_attempt("long", "failed")
        self.assertEqual((ended["attempt"], ended["exitCode"]), (1, 7))
        self.assertEqual(ended["launchedAt"], begun["launchedAt"])
        self.assertEqual(self.begun_count(run), 1)
        self.assertEqual(self.first_log(), "before\nafter\n")
        second.stop()
        self.await_nothing_kept()
        self.assertEqual(self.scene.ledger().attempts("long", state="lost"), [])

    def test_an_end_while_nobody_serves_is_recorded_by_the_next_server(self) -> None:
        self.apply(self.document("late", once=True))
        first = self.serve()
        self.await_begun("late")
        first.kill()
        self.let_go()
        await_value(lambda: self.kept("*.end") and not self.kept("*.socket"), "the end is kept, and the launcher gone")

        second = self.serve()

        ended = self.await_attempt("late", "failed")
        self.assertEqual(ended["exitCode"], 7)
        self.assertEqual(self.first_log(), "before\nafter\n")
        second.stop()
        self.await_nothing_kept()
        self.assertEqual(len(self.scene.ledger().attempts("late")), 1)

    def test_it_outlives_two_servers(self) -> None:
        self.apply(self.document("long", once=True))
        for _ in range(2):
            server = self.serve()
            self.await_begun("long")
            server.kill()

        self.serve()

        self.let_go()
        self.assertEqual(self.await_attempt("long", "failed")["exitCode"], 7)
        self.assertEqual(self.begun_count(self.first_run()), 1)

    def test_a_command_beside_it_that_is_not_to_be_adopted_dies_and_is_lost(self) -> None:
        self.apply(self.document("immortal", once=True))
        self.apply(self.document("mortal", once=True, on_owner_loss="kill"))
        first = self.serve()
        self.await_begun("immortal")
        self.await_begun("mortal")
        first.kill()

        self.serve()

        self.await_attempt("mortal", "lost")
        self.await_attempt("immortal", "launched")
        self.assertEqual(len({process.run for process in self.scene.living()}), 1)
        self.let_go()
        self.assertEqual(self.await_attempt("immortal", "failed")["exitCode"], 7)

    def test_it_can_be_cancelled_by_the_next_server(self) -> None:
        first = self.driver()
        first.demand(op="create", document=self.document("long", once=True))
        self.await_begun("long")
        first.kill()
        second = self.driver()

        second.demand(op="trigger", schedule="long", id="other", overlap="cancel_other")

        ended = self.await_attempt("long", "cancelled")
        self.assertIn("SIGTERM", ended["reason"])

    def test_its_time_runs_out_while_nobody_serves(self) -> None:
        self.apply(self.document("long", once=True, timeout="3s", grace="1s"))
        first = self.serve()
        self.await_begun("long")
        first.kill()
        await_value(lambda: self.scene.living() == [], "the command is ended")

        self.serve()

        self.await_attempt("long", "timed_out")


class ServerIsStopped(AdoptionCase):
    """In good order: that is no loss of an owner."""

    def test_an_adopted_command_is_cancelled_as_every_other(self) -> None:
        self.apply(self.document("long", once=True))
        first = self.serve()
        self.await_begun("long")
        first.kill()
        second = self.serve("--stop-timeout", "1s")

        self.assertEqual(second.stop(), 0)

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("long")], ["cancelled"])
        self.assertEqual(self.scene.living(), [])


if __name__ == "__main__":
    unittest.main()
