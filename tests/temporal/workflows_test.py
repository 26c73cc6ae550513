"""Schedules that start workflows on a cluster, with a real server and a cluster that fails in every way.

workflows_test.py CARILLON PROTOC: Debian's python3-grpcio serves the cluster.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays as it is
TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / folder) for folder in ("temporal", "crash", "end_to_end")]

import grpc  # noqa: E402
from fake_cluster import FakeCluster, Messages, Run  # noqa: E402
from postgres import Postgres, programs  # noqa: E402
from waiting import await_value  # noqa: E402

CARILLON = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path("build/dev/bin/carillon")
PROTOC = sys.argv.pop(1) if len(sys.argv) > 1 else "protoc"
TOGETHER = {"overlap": "allow_all"}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def script(cluster: FakeCluster, run: Run) -> None:
    """What workflows do, by their type; others wait."""
    kind = run.request.workflow_type.name
    if kind == "Quick":
        cluster.close(run, "completed", result={"rows": 3})
    if kind == "Broken":
        cluster.close(run, "failed", message="no such table")
    if kind == "Late":
        cluster.close(run, "timed_out")
    if kind == "Chain":
        second, third = Run(run.request, run.id), Run(run.request, run.id)
        cluster.close(run, "failed", message="first", next_run=second)
        cluster.close(second, "continued", next_run=third)
        cluster.close(third, "completed", result="done")


class Server:
    def __init__(self, folder: Path, cluster: str, *more: str, listen: str = "127.0.0.1:0"):
        self.folder, self.data, self.listen, self.more = folder, folder / "data", listen, more
        (folder / "temporal.yaml").write_text(cluster)
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"), "KEY": "k"}
        self.log = open(self.folder / "log", "a", encoding="utf8")
        self.process = subprocess.Popen(
            [CARILLON, "serve", "--data", self.data, "--listen", self.listen, "--no-grpc", "--temporal",
             self.folder / "temporal.yaml", "--secret-env", "KEY", *self.more],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment,
        )
        line = self.process.stdout.readline()
        assert " at " in line, (self.folder / "log").read_text()
        self.url = line.rpartition(" at ")[2].strip()
        self.token = (self.data / "admin.token").read_text().strip()

    def end(self, how: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(120)
        self.process.stdout.close()
        self.log.close()

    def call(self, method: str, path: str, body=None):
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error.code} {error.read().decode()}") from error

    def run(self, run_id: str) -> dict:
        return self.call("GET", f"/runs/{run_id}")


class WorkflowCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="workflows-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cluster = self.make_cluster()
        self.addCleanup(lambda: self.cluster.server.stop(None))
        self.server = Server(self.folder, self.settings(), *self.more(), listen=self.listen())
        first = self.server
        self.addCleanup(lambda: first.end(signal.SIGKILL))

    def make_cluster(self) -> FakeCluster:
        return FakeCluster(Messages(self.folder, PROTOC), script)

    def listen(self) -> str:
        return "127.0.0.1:0"

    def more(self) -> list[str]:
        """Further arguments of the server."""
        return []

    def settings(self) -> str:
        return f"clusters: {{default: {{address: '127.0.0.1:{self.cluster.port}'}}}}\n"

    def create(self, kind: str, policies: dict | None = None, **workflow) -> str:
        name = f"a-{kind.lower()}"
        action = {"workflow": {"type": kind, "taskQueue": "work", **workflow}}
        self.server.call("PUT", f"/schedules/{name}",
                         {"spec": {}, "action": action, "policies": {**TOGETHER, **(policies or {})}})
        return name

    def trigger(self, schedule: str, **body) -> str:
        return self.server.call("POST", f"/schedules/{schedule}/trigger", body)["run"]["id"]

    def await_state(self, run: str, *states: str) -> dict:
        def look():
            answer = self.server.run(run)
            return answer if answer["state"] in states else None

        return await_value(look, f"run {run} is {' or '.join(states)}: {self.server.run(run)}", 120)

    def await_started(self, count: int = 1) -> None:
        self.cluster.wait(lambda: sum(self.cluster.start_count.values()) >= count, "the workflow was started")

    def assert_started_once(self, count: int = 1) -> None:
        self.assertEqual([1] * count, list(self.cluster.start_count.values()))


class Workflows(WorkflowCase):
    def test_a_run_starts_one_and_has_its_result(self) -> None:
        schedule = self.create("Quick", input=[{"day": "monday"}, 7], memo={"why": "report"},
                               searchAttributes={"Team": "data"}, executionTimeout="1h", retry={"maxAttempts": 3})

        first = self.await_state(self.trigger(schedule), "succeeded")
        second = self.await_state(self.trigger(schedule, payload=["own"]), "succeeded")

        self.assertEqual({"rows": 3}, first["result"])
        request = self.cluster.newest(schedule).request
        self.assertEqual([b'"own"'], [p.data for p in request.input.payloads])
        self.assertEqual(b'{"rows":3}', request.last_completion_result.payloads[0].data)
        self.assertEqual(b'"a-quick"', request.search_attributes.indexed_fields["TemporalScheduledById"].data)
        self.assertTrue(request.request_id.startswith(second["name"]), request.request_id)
        self.assertTrue(request.workflow_id.endswith(second["id"]), request.workflow_id)
        self.assertEqual(3600, request.workflow_execution_timeout.seconds)
        self.assertEqual(3, request.retry_policy.maximum_attempts)
        self.assertEqual("follows-next-run-id", self.cluster.metadata["supported-features"])
        self.assert_started_once(2)

    def test_the_run_knows_what_it_is_called_on_the_cluster(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()
        first = self.cluster.newest().id
        named = lambda: self.server.run(run)["attempts"][-1].get("knownAs")  # noqa: E731

        self.assertEqual(first, await_value(named, "the name is recorded"))

        self.cluster.close(self.cluster.newest(), "completed")
        self.await_state(run, "succeeded")
        self.assertEqual(first, named())

    def test_its_end_is_the_end_of_the_run(self) -> None:
        failed = self.await_state(self.trigger(self.create("Broken")), "failed")
        late = self.await_state(self.trigger(self.create("Late")), "timed_out")
        chain = self.await_state(self.trigger(self.create("Chain")), "succeeded")

        self.assertEqual("Broken: no such table", failed["error"])
        self.assertEqual(1, failed["attempt"])
        self.assertIn("timed out on its cluster", late["error"])
        self.assertEqual("done", chain["result"])
        self.assert_started_once(3)

    def test_it_can_be_cancelled_and_is_terminated_if_that_does_not_help(self) -> None:
        schedule, stubborn = self.create("Wait"), self.create("Stubborn", {"grace": "1s"})
        runs = [self.trigger(schedule), self.trigger(stubborn)]
        self.await_started(2)

        for run in runs:
            self.server.call("POST", f"/runs/{run}/cancel", {})

        for run in runs:
            self.await_state(run, "cancelled")
        self.assertEqual("canceled", self.cluster.newest(schedule).status)
        self.assertEqual("terminated", self.cluster.newest(stubborn).status)

    def test_its_time_runs_out(self) -> None:
        run = self.trigger(self.create("Stubborn", {"timeout": "1s", "grace": "1s"}))

        self.assertIn("took longer than 1s", self.await_state(run, "timed_out")["error"])
        self.assertEqual("terminated", self.cluster.newest().status)

    def test_one_that_is_ended_by_others_has_failed(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()

        self.cluster.close(self.cluster.newest(), "terminated")

        self.assertIn("was terminated on its cluster", self.await_state(run, "failed")["error"])


class Faults(WorkflowCase):
    def test_a_lost_answer_is_asked_for_again_and_starts_nothing_twice(self) -> None:
        self.cluster.lose_next("StartWorkflowExecution", 2)

        self.await_state(self.trigger(self.create("Quick")), "succeeded")

        self.assert_started_once()
        self.assertEqual(3, self.cluster.calls["StartWorkflowExecution"])

    def test_a_lost_answer_of_a_chain_is_known_by_its_memo(self) -> None:
        self.cluster.lose_next("StartWorkflowExecution")

        run = self.trigger(self.create("Chain", idReuse="reject_duplicate"))

        self.assertEqual("done", self.await_state(run, "succeeded")["result"])
        self.assert_started_once()

    def test_a_busy_cluster_is_asked_again(self) -> None:
        self.cluster.fail_next("StartWorkflowExecution", grpc.StatusCode.RESOURCE_EXHAUSTED, "namespace rate limit")
        self.cluster.fail_next("GetWorkflowExecutionHistory", grpc.StatusCode.INTERNAL, count=2)

        self.await_state(self.trigger(self.create("Quick")), "succeeded")

        self.assert_started_once()

    def test_what_cannot_be_started_fails_with_the_words_of_the_cluster(self) -> None:
        self.cluster.fail_next("StartWorkflowExecution", grpc.StatusCode.INVALID_ARGUMENT, "Blob data size exceeds limit.")
        schedule = self.create("Quick")

        failed = self.await_state(self.trigger(schedule), "failed")

        self.assertEqual("INVALID_ARGUMENT: Blob data size exceeds limit.", failed["error"])
        self.cluster.namespace = "elsewhere"
        self.assertIn("Namespace default is not found.", self.await_state(self.trigger(schedule), "failed")["error"])
        self.assert_started_once(0)

    def test_an_id_that_somebody_else_has_is_no_start(self) -> None:
        schedule = self.create("Wait", id="fixed-{{source}}")
        self.trigger(schedule)
        self.await_started()

        second = self.await_state(self.trigger(schedule), "failed")

        self.assertIn("already_started", second["error"])
        self.assert_started_once()

    def test_a_history_that_is_gone_is_lost(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()

        self.cluster.forget(self.cluster.newest().request.workflow_id)

        self.assertIn("no longer knows", self.await_state(run, "lost")["error"])

    def test_a_cluster_that_is_down_is_waited_for(self) -> None:
        schedule = self.create("Wait")
        before = self.trigger(schedule)
        self.await_started()
        self.cluster.down()

        during = self.trigger(schedule)
        refused = self.trigger(schedule)
        self.await_state(refused, "running")
        self.server.call("POST", f"/runs/{refused}/cancel", {})
        self.await_state(refused, "cancelled")
        self.cluster.up()

        self.await_started(2)
        for runs in list(self.cluster.runs.values()):
            self.cluster.close(runs[-1], "completed")
        self.await_state(before, "succeeded")
        self.await_state(during, "succeeded")
        self.assert_started_once(2)


class Restarts(WorkflowCase):
    def restart(self, how: int = signal.SIGKILL) -> None:
        self.server.end(how)
        self.server.start()

    def test_a_killed_server_goes_on_with_what_it_has_started(self) -> None:
        for how in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(how=how):
                run = self.trigger(self.create("Wait"))
                self.await_started()
                self.await_state(run, "running")

                self.restart(how)
                self.cluster.close(self.cluster.newest(), "completed", result=how)

                ended = self.await_state(run, "succeeded")
                self.assertEqual((1, how), (ended["attempt"], ended["result"]))
                self.assert_started_once()
                self.cluster.start_count.clear()

    def test_an_end_while_nobody_serves_is_recorded(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()
        self.server.end(signal.SIGKILL)
        self.cluster.close(self.cluster.newest(), "completed", result="meanwhile")

        self.server.start()

        self.assertEqual("meanwhile", self.await_state(run, "succeeded")["result"])
        self.assert_started_once()

    def test_killed_between_the_start_and_its_record_it_starts_nothing_twice(self) -> None:
        self.cluster.lose_next("StartWorkflowExecution", 1000)
        run = self.trigger(self.create("Wait"))
        self.await_started()
        self.server.end(signal.SIGKILL)
        self.cluster.faults.clear()

        self.server.start()
        self.await_state(run, "running")
        self.cluster.close(self.cluster.newest(), "completed")

        self.assertEqual(1, self.await_state(run, "succeeded")["attempt"])
        self.assert_started_once()

    def test_killed_before_the_start_it_starts_it(self) -> None:
        self.cluster.down()
        run = self.trigger(self.create("Quick"))
        self.await_state(run, "running")
        self.restart()

        self.cluster.up()

        self.assertEqual(1, self.await_state(run, "succeeded")["attempt"])
        self.assert_started_once()

    def test_a_history_that_went_while_nobody_served_is_lost_and_not_started_again(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()
        await_value(lambda: (self.server.run(run)["attempts"] or [{}])[0].get("state") == "launched", "it is recorded")
        self.server.end(signal.SIGKILL)
        self.cluster.forget(self.cluster.newest().request.workflow_id)

        self.server.start()

        self.await_state(run, "lost")
        self.assert_started_once()

    def test_cancelled_while_nobody_can_be_asked_it_is_cancelled_by_the_next_server(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()
        self.cluster.down()
        self.server.call("POST", f"/runs/{run}/cancel", {})
        self.restart()

        self.cluster.up()

        self.await_state(run, "cancelled")
        self.assertEqual("canceled", self.cluster.newest().status)


class CallsBack(WorkflowCase):
    """A cluster that tells of ends by HTTP."""

    def settings(self) -> str:
        self.port = free_port()
        return (f"clusters: {{default: {{address: '127.0.0.1:{self.cluster.port}', "
                f"callbackUrl: 'http://127.0.0.1:{self.port}/'}}}}\n")

    def listen(self) -> str:
        return f"127.0.0.1:{self.port}"

    def test_what_it_tells_is_asked_for(self) -> None:
        run = self.trigger(self.create("Wait"))
        self.await_started()
        workflow = self.cluster.newest()
        self.assertEqual([200], self.cluster.call_back(workflow))
        self.assertEqual("running", self.server.run(run)["state"])

        self.cluster.close(workflow, "completed", result="done")
        self.assertEqual([200], self.cluster.call_back(workflow))

        self.assertEqual("done", self.await_state(run, "succeeded")["result"])
        self.assertEqual([200], self.cluster.call_back(workflow), "it may tell again")

    def test_others_cannot_tell_it_anything(self) -> None:
        self.trigger(self.create("Wait"))
        self.await_started()
        workflow = self.cluster.newest()

        workflow.request.completion_callbacks[0].nexus.header["carillon-key"] = "0" * 64

        self.assertEqual([401], self.cluster.call_back(workflow))

    def test_one_that_may_not_is_followed_as_before(self) -> None:
        self.cluster.may_call_back = False

        self.await_state(self.trigger(self.create("Quick")), "succeeded")

        self.assert_started_once()
        self.assertIn("does not call back", (self.folder / "log").read_text())


class OverTls(WorkflowCase):
    """A cluster that wants certificates, and shows one."""

    def make_cluster(self) -> FakeCluster:
        for name, days in (("cluster", 2), ("expired", -1), ("server", 2)):
            self.make_certificate(name, days)
        return FakeCluster(Messages(self.folder, PROTOC), script, credentials=self.credentials("cluster"))

    def credentials(self, name: str):
        key, certificate = ((self.folder / f"{name}.{kind}").read_bytes() for kind in ("key", "crt"))
        return grpc.ssl_server_credentials([(key, certificate)], (self.folder / "server.crt").read_bytes(), True)

    def make_certificate(self, name: str, days: int) -> None:
        now = datetime.now(timezone.utc)
        begin, end = (f"{now + timedelta(days=offset):%Y%m%d%H%M%SZ}" for offset in (-2, days))
        subprocess.run(
            ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / f"{name}.key", "-out", self.folder / "request"],
            check=True, capture_output=True)
        # Unlike `openssl req`, this signs for a time that may be over.
        (self.folder / "ca.conf").write_text(
            f"[ca]\ndefault_ca=own\n[own]\ndatabase={self.folder}/index\nnew_certs_dir={self.folder}\nrand_serial=yes\n"
            "default_md=sha256\npolicy=any\nunique_subject=no\ncopy_extensions=copyall\n[any]\ncommonName=supplied\n")
        (self.folder / "index").write_text("")
        subprocess.run(
            ["openssl", "ca", "-batch", "-selfsign", "-config", self.folder / "ca.conf", "-in", self.folder / "request",
             "-keyfile", self.folder / f"{name}.key", "-notext", "-startdate", begin, "-enddate", end,
             "-out", self.folder / f"{name}.crt"], check=True, capture_output=True)

    def settings(self, trusted: str = "cluster") -> str:
        tls = f"ca: {self.folder}/{trusted}.crt, certificate: {self.folder}/server.crt, key: {self.folder}/server.key"
        return f"clusters: {{default: {{address: '127.0.0.1:{self.cluster.port}', tls: {{{tls}}}}}}}\n"

    def test_it_is_spoken_to_with_our_certificate(self) -> None:
        self.await_state(self.trigger(self.create("Quick")), "succeeded")

        self.assert_started_once()

    def test_an_expired_certificate_is_told_and_waited_for(self) -> None:
        self.cluster.down()
        self.cluster.credentials = self.credentials("expired")
        self.cluster.up()
        self.server.end(signal.SIGTERM)
        (self.folder / "temporal.yaml").write_text(self.settings("expired"))
        self.server.start()

        run = self.trigger(self.create("Quick"))
        await_value(lambda: "certificate has expired" in (self.folder / "log").read_text(), "the reason is told")
        self.assertEqual("running", self.server.run(run)["state"])
        self.assert_started_once(0)

        self.cluster.down()
        self.cluster.credentials = self.credentials("cluster")
        self.cluster.up()
        self.server.end(signal.SIGTERM)
        (self.folder / "temporal.yaml").write_text(self.settings())
        self.server.start()
        self.await_state(run, "succeeded")
        self.assert_started_once()


class SharedStore(WorkflowCase):
    """Several servers on one PostgreSQL."""

    def setUp(self) -> None:
        assert programs(), "PostgreSQL is not installed; ./test installs it"
        self.postgres = Postgres()
        self.addCleanup(self.postgres.close)
        url = self.postgres.url()
        subprocess.run([CARILLON, "store", "migrate", "--store", url], check=True, capture_output=True)
        self.store = url
        super().setUp()

    def more(self) -> list[str]:
        return ["--store", self.store, "--lease", "5s"]

    def test_when_one_dies_the_other_goes_on_with_its_workflows(self) -> None:
        schedule = self.create("Wait")
        runs = [self.trigger(schedule) for _ in range(20)]
        self.await_started(20)
        for run in runs:
            self.await_state(run, "running")
        first = self.server
        (self.folder / "second").mkdir()
        self.server = Server(self.folder / "second", self.settings(), *self.more())
        self.addCleanup(lambda: self.server.end(signal.SIGKILL))

        first.end(signal.SIGKILL)
        for all_runs in list(self.cluster.runs.values()):
            self.cluster.close(all_runs[-1], "completed", result="done")

        for run in runs:
            self.assertEqual((1, "done"), tuple(self.await_state(run, "succeeded")[member] for member in ("attempt", "result")))
        self.assert_started_once(20)


class Definitions(WorkflowCase):
    def test_without_a_cluster_such_a_schedule_is_refused(self) -> None:
        (self.folder / "temporal.yaml").write_text("{}")
        self.server.end(signal.SIGTERM)
        self.server.start()

        with self.assertRaisesRegex(AssertionError, "422 .*no Temporal cluster"):
            self.create("Quick")

    def test_a_cluster_that_is_not_there_is_refused(self) -> None:
        with self.assertRaisesRegex(AssertionError, "422 .*no Temporal cluster .*blue"):
            self.create("Quick", cluster="blue")


class Keys(WorkflowCase):
    def settings(self) -> str:
        return ("clusters: {default: {address: '127.0.0.1:%d', apiKey: '${env:KEY}', tls: false}}\n" % self.cluster.port)

    def test_the_key_of_the_cluster_is_sent_with_every_call(self) -> None:
        self.await_state(self.trigger(self.create("Quick")), "succeeded")

        self.assertEqual("Bearer k", self.cluster.metadata["authorization"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
