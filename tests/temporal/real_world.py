"""A real Temporal server and a carillon that uses it, both as processes that can be killed, and workers of the real SDK."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

CARILLON = os.environ["CARILLON"]
CLUSTER = os.environ["TEMPORAL_CLUSTER"]
QUEUE = "work"


@workflow.defn(name="Quick")
class Quick:
    @workflow.run
    async def run(self, number: int) -> dict:
        return {"number": number}


@workflow.defn(name="Slow")
class Slow:
    @workflow.run
    async def run(self, number: int) -> dict:
        await asyncio.sleep(number % 7 + 3)
        return {"number": number}


@workflow.defn(name="Broken")
class Broken:
    @workflow.run
    async def run(self, number: int) -> None:
        from temporalio.exceptions import ApplicationError

        raise ApplicationError(f"broken {number}", type="Broken")


@workflow.defn(name="Chain")
class Chain:
    """Goes on as new twice."""

    @workflow.run
    async def run(self, number: int, step: int = 0) -> dict:
        if step < 2:
            workflow.continue_as_new(args=[number, step + 1])
        return {"number": number, "step": step}


@workflow.defn(name="Patient")
class Patient:
    """Ends when it is asked to."""

    @workflow.run
    async def run(self, number: int) -> None:
        await asyncio.sleep(3600)


@workflow.defn(name="Stubborn")
class Stubborn:
    """Does not end when it is asked to."""

    @workflow.run
    async def run(self, number: int) -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                pass


WORKFLOWS = [Quick, Slow, Broken, Chain, Patient, Stubborn]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Process:
    """One that is started again with the same arguments."""

    def __init__(self, name: str, folder: Path):
        self.name, self.folder, self.process = name, folder, None

    def start(self, *arguments: str, **more) -> None:
        self.log = open(self.folder / f"{self.name}.log", "ab")
        self.process = subprocess.Popen(
            [*map(str, arguments)], stderr=self.log, stdout=more.get("stdout", self.log),
            env={**os.environ, "HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state")})

    def end(self, how: int = signal.SIGKILL) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(120)
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()


class Cluster(Process):
    def __init__(self, folder: Path):
        super().__init__("cluster", folder)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"

    async def up(self) -> None:
        self.start(CLUSTER, "-port", self.port, "-database", self.folder / "temporal.db")
        for _ in range(600):
            if self.process.poll() is not None:  # somebody else took one of its ports
                self.start(CLUSTER, "-port", self.port, "-database", self.folder / "temporal.db")
            try:
                return await asyncio.wait_for(self._ask(), 5)
            except Exception:  # noqa: BLE001 (whatever it is, it is not up yet)
                await asyncio.sleep(0.5)
        raise AssertionError("the cluster does not come up")

    async def _ask(self) -> None:
        client = await Client.connect(self.address)
        async for _ in client.list_workflows(page_size=1):
            break


class Carillon(Process):
    def __init__(self, folder: Path, cluster: Cluster | None):
        super().__init__("carillon", folder)
        self.settings, self.url = folder / "temporal.yaml", "http://127.0.0.1:1"
        self.settings.write_text(
            f"clusters: {{default: {{address: '{cluster.address}'}}}}\n" if cluster else 'workflows: {"*": {job: {}}}\n')
        self.grpc = f"127.0.0.1:{free_port()}"

    def called_back(self, cluster: Cluster, port: int) -> None:
        """From the next start on the cluster tells of ends, at this port."""
        self.settings.write_text(
            f"clusters: {{default: {{address: '{cluster.address}', callbackUrl: 'http://127.0.0.1:{port}'}}}}\n")

    def up(self) -> None:
        data = self.folder / "data"
        self.start(CARILLON, "serve", "--data", data, "--listen", "127.0.0.1:0", "--grpc-listen", self.grpc,
                   "--temporal", self.settings, "--log", "json", stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        assert " at " in line, (self.folder / "carillon.log").read_text()[-3000:]
        self.url = line.rpartition(" at ")[2].strip()
        self.token = (data / "admin.token").read_text().strip()

    async def client(self) -> Client:
        return await Client.connect(self.grpc, api_key=self.token, tls=False)

    def call(self, method: str, path: str, body=None):
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error


def worker_of(client: Client) -> Worker:
    return Worker(client, task_queue=QUEUE, workflows=WORKFLOWS, max_concurrent_workflow_tasks=50)


async def await_value(look, what: str, seconds: float = 600):
    """The first value that is not none or false."""
    for _ in range(int(seconds / 0.25)):
        value = look()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return value
        await asyncio.sleep(0.25)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")


class Counts:
    """What was seen, and what was wrong."""

    def __init__(self, name: str):
        self.name, self.right, self.wrong = name, 0, []

    def check(self, is_right: bool, what: str) -> None:
        if is_right:
            self.right += 1
        else:
            self.wrong.append(what)
            print(f"WRONG: {what}", file=sys.stderr)

    def leave(self) -> None:
        print(f"{self.name}: {self.right} as expected, {len(self.wrong)} not")
        sys.exit(1 if self.wrong else 0)


HOUR = timedelta(hours=1)
