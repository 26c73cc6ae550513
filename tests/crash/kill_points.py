"""One server killed at one of its system calls, the next one on the same folder, and what is to be said about both."""

import tempfile
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import instants
import judging
import scripted_life
from documents import Writer
from history import History
from launchers import end_launcher
from ledger import Ledger
from scripted_life import ScriptedUser, ServerGone
from servers import Driver
from traced import (
    LAUNCHER_THREADS,
    THREADS,
    Call,
    TracedDriver,
    Tracer,
    await_end_of_tracer,
    calls_in,
    last_call_in,
    task_named,
    was_killed,
)
from waiting import NeverHappened, await_value, pass_time

# first: a server starts in an empty folder. again: in that of one that was killed. life: from then to its stop.
SCENES = ("first", "again", "life")
# How long the server before `again` lives: some runs have begun, some wait.
SHORT_LIFE_SECONDS = 0.4
KILLED = -9


@dataclass(frozen=True)
class Series:
    """The calls of one name that one thread makes in one scene: killed at the first, the second, …"""

    scene: str
    who: str
    call: str

    def __str__(self) -> str:
        return f"{self.scene}/{self.who}/{self.call}"


@dataclass
class Verdict:
    """Of one point."""

    series: Series
    number: int
    is_hit: bool = False
    last_call: str = ""
    problems: list[str] = field(default_factory=list)
    attempts: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return f"{self.series} {self.number}: {self.last_call}"


class Stage:
    """A folder for one point, and all servers in it."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries = binaries
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "server.log"
        self.trace = folder / "trace"
        self.writer = Writer(folder / "witness.jsonl", uuid.uuid4().hex)
        self.writer.witness.touch()
        self.history = History(folder / "history.jsonl", scripted_life.NAME)
        self.user = ScriptedUser(self.writer, self.history)
        self.decided_until = instants.now()

    def perform(self, scene: str, who: str, options: list[str]) -> int:
        """The scene with strace beside one thread; the exit code of its server."""
        if scene == "life":
            return self._live(who, options)
        if scene == "again":
            self._leave_unfinished()
        with TracedDriver(self.binaries, self.data, self.log, self.trace, options) as driver:
            code = driver.stop() if driver.wait_until_ready() else driver.wait()
            await_end_of_tracer(self.trace)
            return code

    def problems_of_end(self, code: int, series: Series, is_hit: bool) -> list[str]:
        """Whether the server has ended as it should. One whose launcher was killed has to say so."""
        log = self.log.read_text(encoding="utf-8")
        if is_hit and series.who in LAUNCHER_THREADS:
            return [] if "launcher" in log else [f"nothing is said about the launcher: {log[-1000:]}"]
        expected = KILLED if is_hit else 0
        return [] if code == expected else [f"the server ended with {code}, not {expected}: {log[-1000:]}"]

    def _live(self, who: str, options: list[str]) -> int:
        with self._driver() as driver:
            assert driver.wait_until_ready(), driver.logged()[-2000:]
            tracer = Tracer(task_named(driver, who), self.trace, options)
            try:
                self.user.live(driver)
                return driver.stop()
            except ServerGone:
                return driver.wait()
            finally:
                tracer.close()

    def _leave_unfinished(self) -> None:
        with self._driver() as driver:
            assert driver.wait_until_ready(), driver.logged()[-2000:]
            self.user.begin(driver)
            pass_time(SHORT_LIFE_SECONDS)
            driver.kill()

    def recover(self) -> list[str]:
        """The next server must start, decide for every schedule and stop in order."""
        with self._driver() as driver:
            if not driver.wait_until_ready():
                return [f"the next server does not start: {driver.logged()[-1000:]}"]
            try:
                self.user.go_on(driver)
                self.decided_until = instants.now()
                self._await_decisions()
                code = driver.stop()
            except (ServerGone, NeverHappened) as problem:
                return [f"the next server does not work: {problem!r} {driver.logged()[-1000:]}"]
        return [] if code == 0 else [f"the next server ends with {code}: {self.log.read_text()[-1000:]}"]

    def _await_decisions(self) -> None:
        """A schedule is decided in the order of its times: one decision beyond means that none before it is missing."""
        names = {document["id"] for document in self.user.documents}

        def all_have_decided() -> bool:
            lines = Ledger.of(self.binaries, self.data).select("decision")
            timed = [line for line in lines if line["source"] not in ("trigger", "backfill")]
            return names <= {
                line["schedule"] for line in timed if instants.parse(line["nominal"]) >= self.decided_until
            }

        await_value(all_have_decided, "a decision for every schedule")

    def _driver(self) -> Driver:
        return Driver(self.binaries, self.data, self.log)


def try_point(binaries: Path, folder: Path, series: Series, number: int) -> Verdict:
    """Kills at one call, goes on, and judges. Not hit if the life was over before the call came."""
    stage = Stage(binaries, folder)
    verdict = Verdict(series, number)
    try:
        code = stage.perform(series.scene, series.who, Call(series.call, number).options())
        verdict.is_hit = was_killed(stage.trace)
        verdict.last_call = last_call_in(stage.trace)
        verdict.problems += stage.problems_of_end(code, series, verdict.is_hit)
        verdict.problems += stage.recover()
        verdict.problems += judging.problems_of(binaries, folder, stage.data, stage.writer, stage.decided_until)
        verdict.attempts = Counter(
            line["state"] for line in Ledger((folder / "ledger.jsonl").read_text(encoding="utf-8")).select("attempt")
        )
    except (AssertionError, OSError) as problem:
        verdict.problems.append(f"{type(problem).__name__}: {problem}")
    finally:
        stage.history.close()
        end_launcher(stage.data)
    return verdict


def count_calls(binaries: Path, scene: str, calls: list[str]) -> dict[Series, int]:
    """How many points there are, by one undisturbed performance for each thread."""
    counts: dict[Series, int] = {}
    for who in (*THREADS, *LAUNCHER_THREADS) if scene == "life" else THREADS[:1]:
        with tempfile.TemporaryDirectory(prefix="carillon-count-") as temporary:
            stage = Stage(binaries, Path(temporary))
            code = stage.perform(scene, who, ["-e", f"trace={','.join(calls)}"])
            assert code == 0, f"a server that nobody disturbed ended with {code}: {stage.log.read_text()[-1000:]}"
            stage.history.close()
            counts |= {Series(scene, who, call): count for call, count in calls_in(stage.trace).items()}
    return counts
