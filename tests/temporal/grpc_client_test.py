"""A gRPC client that is not ours calls every method of a running server, plainly and over TLS.

grpc_client_test.py CARILLON PROTOC: the messages are made of contracts/temporal when the test runs. Debian's python3-grpcio is the client.
"""

import base64
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import uuid
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays as it is

import grpc  # noqa: E402
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CARILLON = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build/dev/bin/carillon"
PROTOC = sys.argv.pop(1) if len(sys.argv) > 1 else "protoc"
SETTINGS = """\
workflows: {"*": {job: {}}}
searchAttributes: {Team: Keyword}
"""
HOUR = 3600


class Messages:
    """The messages and methods of contracts/temporal."""

    def __init__(self, folder: str):
        described = Path(folder) / "messages"
        protos = sorted(str(p.relative_to(ROOT / "contracts")) for p in (ROOT / "contracts/temporal").glob("*.proto"))
        subprocess.run(
            [PROTOC, "-I", ROOT / "contracts", "--include_imports", f"--descriptor_set_out={described}", *protos],
            check=True,
        )
        self.pool = descriptor_pool.DescriptorPool()
        files = descriptor_pb2.FileDescriptorSet.FromString(described.read_bytes())
        for file in files.file:
            self.pool.Add(file)
        self.factory = message_factory.MessageFactory(self.pool)
        self.methods = {}
        for file in files.file:
            for service in file.service:
                for method in service.method:
                    self.methods[method.name] = (
                        f"/{file.package}.{service.name}/{method.name}",
                        self.of(method.input_type.lstrip(".")),
                        self.of(method.output_type.lstrip(".")),
                    )

    def of(self, name: str):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))


class Server:
    """A server on an empty folder, at ports of its own."""

    def __init__(self, folder: Path, *flags: str, listen: tuple[str, ...] = ("--grpc-listen", "127.0.0.1:0")):
        self.data = folder / "data"
        settings = folder / "temporal.yaml"
        settings.write_text(SETTINGS)
        environment = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
        self.process = subprocess.Popen(
            [CARILLON, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *listen,
             "--temporal", settings, "--log", "json", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )
        self.log: list[dict] = []
        self.address: str | None = None
        for line in self.process.stderr:
            event = json.loads(line) if line.startswith("{") else {"message": line}
            self.log.append(event)
            if "server started" in json.dumps(event):
                self.address = event["grpc"]
                break
        assert self.address is not None, self.log
        self.url = self.process.stdout.readline().rpartition(" at ")[2].strip()
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()
        self.token = (self.data / "admin.token").read_text().strip()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.reader.join(60)
        self.process.stdout.close()
        self.process.stderr.close()

    def rest(self, path: str):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


class Client:
    def __init__(self, messages: Messages, channel, token: str):
        self.messages = messages
        self.channel = channel
        self.metadata = (("authorization", f"Bearer {token}"), ("client-name", "temporal-test")) if token else ()

    def call(self, method: str, request: dict | None = None, **options):
        path, input_type, output_type = self.messages.methods[method]
        stub = self.channel.unary_unary(
            path, request_serializer=input_type.SerializeToString, response_deserializer=output_type.FromString
        )
        message = json_format.ParseDict(request or {}, input_type())
        return stub(message, metadata=self.metadata, timeout=30, **options)


def schedule(**members) -> dict:
    return {
        "spec": {"interval": [{"interval": f"{HOUR}s"}]},
        "action": {"start_workflow": {"workflow_id": "wf", "workflow_type": {"name": "Report"},
                                      "task_queue": {"name": "reports"}}},
        **members,
    }


def named(schedule_id: str, **members) -> dict:
    return {"namespace": "default", "schedule_id": schedule_id, **members}


def new(schedule_id: str, **members) -> dict:
    return named(schedule_id, request_id=str(uuid.uuid4()), schedule=schedule(), **members)


class GrpcTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="carillon-grpc-")
        cls.messages = Messages(cls.folder.name)
        cls.server = Server(Path(cls.folder.name))
        cls.channel = grpc.insecure_channel(cls.server.address)
        cls.client = Client(cls.messages, cls.channel, cls.server.token)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.channel.close()
        cls.server.stop()
        cls.folder.cleanup()

    def refused(self, code: grpc.StatusCode, method: str, request: dict | None = None, client: Client | None = None):
        with self.assertRaises(grpc.RpcError) as caught:
            (client or self.client).call(method, request)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception

    def test_every_method_answers(self) -> None:
        call = self.client.call
        called = set()

        def ask(method: str, request: dict | None = None):
            called.add(method)
            return call(method, request)

        self.assertTrue(ask("GetSystemInfo").capabilities.supports_schedules)
        self.assertEqual(ask("GetClusterInfo").cluster_name, "carillon")
        self.assertEqual(ask("DescribeNamespace", {"namespace": "default"}).namespace_info.name, "default")
        self.assertEqual(len(ask("ListNamespaces").namespaces), 1)
        self.assertEqual(ask("ListSearchAttributes", {"namespace": "default"}).custom_attributes["Team"], 2)
        self.assertEqual(ask("Check", {"service": "temporal.api.workflowservice.v1.WorkflowService"}).status, 1)

        word = base64.b64encode(b'"data"').decode()
        attributes = {"indexed_fields": {"Team": {"metadata": {"encoding": base64.b64encode(b"json/plain").decode()},
                                                  "data": word}}}
        token = ask("CreateSchedule", new("every/method", search_attributes=attributes)).conflict_token
        self.assertEqual(len(token), 8)
        described = ask("DescribeSchedule", named("every/method"))
        self.assertEqual(described.conflict_token, token)
        self.assertEqual(described.schedule.spec.interval[0].interval.seconds, HOUR)
        self.assertEqual(len(described.info.future_action_times), 10)

        ask("PatchSchedule", named("every/method", patch={"trigger_immediately": {}}))
        self.assertEqual(call("DescribeSchedule", named("every/method")).info.action_count, 1)
        ask("UpdateSchedule", named("every/method", schedule=schedule(state={"notes": "updated"})))
        self.assertEqual(call("DescribeSchedule", named("every/method")).schedule.state.notes, "updated")

        times = ask("ListScheduleMatchingTimes",
                    named("every/method", start_time="2026-11-02T10:00:00Z", end_time="2026-11-02T12:00:00Z"))
        self.assertEqual([t.ToJsonString() for t in times.start_time], ["2026-11-02T11:00:00Z", "2026-11-02T12:00:00Z"])
        query = {"namespace": "default", "query": "Team = 'data'"}
        self.assertEqual([s.schedule_id for s in ask("ListSchedules", query).schedules], ["every/method"])
        self.assertEqual(ask("CountSchedules", query).count, 1)
        ask("DeleteSchedule", named("every/method"))
        self.refused(grpc.StatusCode.NOT_FOUND, "DescribeSchedule", named("every/method"))

        self.assertEqual(called, set(self.messages.methods), "a method that was not called")
        print(f"{len(called)} methods called")

    def test_what_is_made_here_is_seen_by_rest(self) -> None:
        self.client.call("CreateSchedule", new("seen"))

        document = self.server.rest("/api/v1/schedules/seen")

        self.assertEqual(document["action"]["job"]["type"], "Report")
        self.assertEqual(document["spec"]["intervals"][0]["every"], "1h")

    def test_errors_have_their_details(self) -> None:
        self.client.call("CreateSchedule", new("twice"))

        error = self.refused(grpc.StatusCode.ALREADY_EXISTS, "CreateSchedule", new("twice"))

        self.assertEqual(error.details(), 'schedule "twice" is already registered')
        details = dict(error.trailing_metadata())["grpc-status-details-bin"]
        status = self.messages.of("google.rpc.Status").FromString(details)
        self.assertEqual(status.message, error.details())
        self.assertTrue(status.details[0].type_url.endswith("WorkflowExecutionAlreadyStartedFailure"))

    def test_without_a_token_nothing_is_told_but_health(self) -> None:
        for token in ("", "carillon_wrong"):
            nobody = Client(self.messages, self.channel, token)
            error = self.refused(grpc.StatusCode.UNAUTHENTICATED, "GetSystemInfo", client=nobody)
            self.assertTrue(error.details())
            self.assertEqual(nobody.call("Check").status, 1)

    def test_unknown_methods_say_so(self) -> None:
        stub = self.channel.unary_unary("/temporal.api.workflowservice.v1.WorkflowService/Nonsense")
        with self.assertRaises(grpc.RpcError) as caught:
            stub(b"", metadata=self.client.metadata)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertIn("unknown method Nonsense", caught.exception.details())

    def test_compressed_requests_are_read(self) -> None:
        self.client.call("CreateSchedule", new("packed"), compression=grpc.Compression.Gzip)
        self.client.call("GetSystemInfo", compression=grpc.Compression.Gzip)
        self.assertEqual(self.client.call("DescribeSchedule", named("packed")).info.action_count, 0)

    def test_large_messages_come_and_go_and_too_large_ones_are_refused(self) -> None:
        def with_memo(size: int) -> dict:
            memo = {"fields": {"m": {"data": base64.b64encode(b"x" * size).decode()}}}
            return new(f"large{size}", memo=memo)

        self.client.call("CreateSchedule", with_memo(1_000_000))
        self.assertEqual(len(self.client.call("DescribeSchedule", named("large1000000")).memo.fields["m"].data), 1_000_000)
        self.assertEqual(
            self.refused(grpc.StatusCode.INVALID_ARGUMENT, "CreateSchedule", with_memo(2_100_000)).details(),
            "Memo size exceeds limit.")
        self.assertIn("larger than max",
                      self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "CreateSchedule", with_memo(4_300_000)).details())

    def test_many_calls_share_a_connection(self) -> None:
        self.client.call("CreateSchedule", new("shared"))
        path, input_type, output_type = self.messages.methods["DescribeSchedule"]
        stub = self.channel.unary_unary(path, request_serializer=input_type.SerializeToString,
                                        response_deserializer=output_type.FromString)
        message = json_format.ParseDict(named("shared"), input_type())

        calls = [stub.future(message, metadata=self.client.metadata, timeout=60) for _ in range(300)]

        self.assertTrue(all(len(call.result().info.future_action_times) == 10 for call in calls))

    def test_a_deadline_is_kept(self) -> None:
        path, _, _ = self.messages.methods["GetSystemInfo"]
        with self.assertRaises(grpc.RpcError) as caught:
            self.channel.unary_unary(path)(b"", metadata=self.client.metadata, timeout=1e-6)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)


class LifeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="carillon-grpc-")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def test_over_tls(self) -> None:
        certificate, key = self.path / "cert.pem", self.path / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
            check=True, capture_output=True)
        key.chmod(0o600)
        server = Server(self.path, "--tls-cert", str(certificate), "--tls-key", str(key))
        self.addCleanup(server.stop)
        credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
        with grpc.secure_channel(server.address, credentials) as channel:
            client = Client(Messages(self.folder.name), channel, server.token)
            self.assertTrue(client.call("GetSystemInfo").capabilities.supports_schedules)

    def test_a_stop_ends_connections_in_peace(self) -> None:
        server = Server(self.path)
        with grpc.insecure_channel(server.address) as channel:
            client = Client(Messages(self.folder.name), channel, server.token)
            client.call("GetSystemInfo")
            started = time.monotonic()
            server.stop()
            self.assertEqual(server.process.returncode, 0)
            self.assertLess(time.monotonic() - started, 30)

    def server_beside_another_on_the_usual_port(self) -> Server:
        """A server that was started while another program had port 7233: this one, or a server of another test. That one
        may end at any moment: then it is tried again."""
        while True:
            with socket.socket() as other:
                try:
                    other.bind(("127.0.0.1", 7233))
                    other.listen()
                    is_held = True
                except OSError:
                    is_held = False
                server = Server(self.path, listen=())
            if is_held or server.address == "":
                return server
            server.stop()

    def test_the_usual_port_is_done_without_if_another_program_has_it(self) -> None:
        server = self.server_beside_another_on_the_usual_port()
        self.addCleanup(server.stop)

        self.assertEqual(server.address, "")
        self.assertIn("cannot listen on 127.0.0.1:7233", json.dumps(server.log))

    def test_it_can_be_turned_off(self) -> None:
        server = Server(self.path, listen=("--no-grpc",))
        self.addCleanup(server.stop)

        self.assertEqual(server.address, "")
        self.assertNotIn("7233", json.dumps(server.log))

    def test_a_port_that_is_taken_stops_only_a_server_that_was_told_to_have_it(self) -> None:
        first = Server(self.path)
        self.addCleanup(first.stop)
        second = subprocess.run(
            [CARILLON, "serve", "--data", self.path / "second", "--listen", "127.0.0.1:0", "--grpc-listen", first.address],
            capture_output=True, text=True, timeout=60, env={**os.environ, "HOME": self.folder.name})
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("cannot listen on " + first.address, second.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
