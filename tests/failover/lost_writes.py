"""A standby is promoted that had not received everything: writes that were acknowledged are gone. The servers have to
notice that and say so, and may start nothing, since what was started meanwhile would start again."""

import json
import signal
from collections import Counter
from pathlib import Path

from cluster import Cluster
from databases import Standby
from documents import Writer
from proxy import Proxy
from rest import NoAnswer
from waiting import await_value
from witnessing import starts_of

SERVERS = 3
SCHEDULES = 12
# Of the log: what an operator has to read.
COMPLAINT = "behind what this server knows"


class LostWrites:
    """One story."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.cluster = Cluster(binaries, folder, SERVERS, 0)
        self.witness = folder / "witness.jsonl"
        self.witness.touch()
        self.files = folder / "schedules.json"
        writer = Writer(self.witness, folder.name)
        every = [writer.document(f"tick-{i}", overlap="allow_all") for i in range(SCHEDULES)]
        self.files.write_text(json.dumps({"schedules": every}), encoding="utf-8")
        self.late = writer.document("late")
        self.problems: list[str] = []
        self.forgotten = 0

    def tell(self) -> None:
        """From the first server to the last look."""
        self._begin()
        old = self.cluster.database
        link = Proxy(self.cluster.loop, old.socket)
        standby = Standby(old, link.port)
        try:
            standby.await_streaming(old)
            link.partition()
            self._write_what_will_be_lost()
            known = self._decided()
            old.stop(signal.SIGQUIT)
            standby.promote()
        finally:
            link.close()
            old.close()
        self.cluster.move_to(standby)
        self.forgotten = known - self._decided()
        self._expect(self.forgotten > 0, "the standby has everything: there is nothing to notice")
        self._expect_refusal()
        self._expect_going_on()

    def _begin(self) -> None:
        done = self.cluster.carillon("store", "migrate", "--store", self.cluster.direct_url)
        assert done.returncode == 0, done.stderr
        for node in self.cluster.nodes:
            node.start(*(["--apply", str(self.files)] if node is self.cluster.nodes[0] else []))
        for node in self.cluster.nodes:
            node.await_ready()
        self.cluster.await_decisions("the first occurrences are decided")

    def _write_what_will_be_lost(self) -> None:
        """Decisions of the servers, and a command that was acknowledged."""
        reply = self.cluster.rest.ask("POST", "/api/v1/schedules", self.late)
        assert reply.status == 201, reply
        seq = self.cluster.last_seq()
        await_value(lambda: self.cluster.last_seq() > seq + 3 * SCHEDULES, "decisions that nobody else has")

    def _expect_refusal(self) -> None:
        decided = self._decided()
        for node in self.cluster.nodes:
            log = node.log
            await_value(lambda log=log: COMPLAINT in log.read_text(encoding="utf-8"), f"{log} says what is wrong")
            self._expect(not self._is_ready(node), f"{node.name} says that it is ready")
        self._expect(self._decided() == decided, "somebody has decided on a database that has lost decisions")
        begun = Counter((line["run"], line["attempt"]) for line in starts_of(self.witness))
        self.problems += [f"began twice: {name}" for name, count in begun.items() if count > 1]

    def _expect_going_on(self) -> None:
        """Somebody has looked, and starts the servers anew."""
        for node in self.cluster.nodes:
            node.kill()
        for node in self.cluster.nodes:
            node.start()
        for node in self.cluster.nodes:
            node.await_ready()
        self.cluster.await_decisions("they go on")
        reply = self.cluster.rest.ask("GET", f"/api/v1/schedules/{self.late['id']}")
        self._expect(reply.status == 404, f"what was lost is there: {reply}")
        for node in self.cluster.nodes:
            node.stop()

    def _is_ready(self, node) -> bool:  # type: ignore[no-untyped-def]
        node.expect_alive()
        try:
            return self.cluster.status_of(node, "/readyz") == 200
        except NoAnswer:
            return False

    def _decided(self) -> int:
        return int(self.cluster.rows("SELECT count(*) FROM ledger WHERE uid <> 0")[0])

    def _expect(self, is_true: bool, problem: str) -> None:
        if not is_true:
            self.problems.append(problem)

    def close(self) -> None:
        """Leaves nothing behind, however it went."""
        self.cluster.close()


def problems_of_lost_writes(binaries: Path, folder: Path) -> tuple[int, list[str]]:
    """How many decisions were lost, and what was wrong."""
    story = LostWrites(binaries, folder)
    try:
        story.tell()
    finally:
        story.close()
    return story.forgotten, story.problems
