"""A Temporal cluster that is none: the six methods that carillon calls, in memory, with faults on demand. Python's gRPC serves them.

What it keeps outlives its server, so that the cluster can go down and come up again.
"""

import json
import subprocess
import threading
import urllib.error
import urllib.request
import uuid
from collections import Counter
from concurrent import futures
from pathlib import Path

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

ROOT = Path(__file__).resolve().parents[2]
SERVICE = "/temporal.api.workflowservice.v1.WorkflowService/"
PACKAGE = "temporal.api.workflowservice.v1."
POLL_SECONDS = 2.0
METHODS = (
    "StartWorkflowExecution", "DescribeWorkflowExecution", "GetWorkflowExecutionHistory", "ListWorkflowExecutions",
    "RequestCancelWorkflowExecution", "TerminateWorkflowExecution",
)
STATUS = {"running": 1, "completed": 2, "failed": 3, "canceled": 4, "terminated": 5, "continued": 6, "timed_out": 7}
SCHEDULED_BY = "TemporalScheduledById"


class Messages:
    def __init__(self, folder: Path, protoc: str):
        described = folder / "calls"
        protos = sorted(str(p.relative_to(ROOT / "contracts")) for p in (ROOT / "contracts/temporal").glob("*.proto"))
        subprocess.run(
            [protoc, "-I", ROOT / "contracts", "--include_imports", f"--descriptor_set_out={described}", *protos],
            check=True,
        )
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(described.read_bytes()).file:
            pool.Add(file)
        self.pool, self.factory = pool, message_factory.MessageFactory(pool)

    def of(self, name: str):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))


class Run:
    """One run of a workflow; `close` is its last event."""

    def __init__(self, request, first_run_id: str | None = None):
        self.request = request
        self.id = str(uuid.uuid4())
        self.first_run_id = first_run_id or self.id
        self.status = "running"
        self.close = None
        self.is_cancel_requested = False


class Refused(Exception):
    def __init__(self, code, text: str, detail=None):
        super().__init__(text)
        self.code, self.text, self.detail = code, text, detail


class FakeCluster:
    """`script` says what a workflow does: called with the cluster and a new run, with the lock held. `credentials` of
    gRPC: it is served over TLS."""

    def __init__(self, messages: Messages, script=None, namespace: str = "default", credentials=None):
        self.messages, self.script, self.namespace = messages, script, namespace
        self.credentials = credentials
        self.may_call_back = True
        self.condition = threading.Condition()
        self.runs: dict[str, list[Run]] = {}  # by workflow id, the newest last
        self.start_count: Counter = Counter()  # workflows that really began, by request id
        self.calls: Counter = Counter()
        self.faults: dict[str, list] = {}  # by method, used one after another
        self.metadata: dict[str, str] = {}
        self.port = 0
        self.server = None
        self.up()

    # --- the server

    def up(self) -> None:
        handlers = {}
        for method in METHODS:
            request = self.messages.of(f"{PACKAGE}{method}Request")
            response = self.messages.of(f"{PACKAGE}{method}Response")
            handlers[method] = grpc.unary_unary_rpc_method_handler(
                self._handler(method), request_deserializer=request.FromString,
                response_serializer=response.SerializeToString,
            )
        self.server = grpc.server(futures.ThreadPoolExecutor(max_workers=100), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE.strip("/"), handlers),))
        address = f"127.0.0.1:{self.port}"
        self.port = (self.server.add_secure_port(address, self.credentials) if self.credentials
                     else self.server.add_insecure_port(address))
        assert self.port, "the port of the cluster is taken"
        self.server.start()

    def down(self) -> None:
        self.server.stop(None).wait()

    def _handler(self, method: str):
        answer = getattr(self, method)
        response = self.messages.of(f"{PACKAGE}{method}Response")

        def handle(request, context):
            with self.condition:
                self.calls[method] += 1
                self.metadata = dict(context.invocation_metadata())
                fault = self.faults[method].pop(0) if self.faults.get(method) else None
                self.condition.notify_all()
            try:
                if fault is not None and fault[0] != "lost":
                    raise Refused(*fault)
                if request.namespace != self.namespace:
                    raise Refused(grpc.StatusCode.NOT_FOUND, f"Namespace {request.namespace} is not found.")
                made = answer(request, response(), context)
            except Refused as refused:
                if refused.detail is not None:
                    status = self.messages.of("google.rpc.Status")(code=refused.code.value[0], message=refused.text)
                    status.details.add().Pack(refused.detail)
                    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
                context.abort(refused.code, refused.text)
            if fault is not None:
                context.abort(grpc.StatusCode.UNAVAILABLE, "the answer is lost")
            return made

        return handle

    # --- what tests ask for and do

    def fail_next(self, method: str, code, text: str = "as asked for", count: int = 1) -> None:
        with self.condition:
            self.faults.setdefault(method, []).extend([(code, text)] * count)

    def lose_next(self, method: str, count: int = 1) -> None:
        """The call is done, but its answer does not come."""
        with self.condition:
            self.faults.setdefault(method, []).extend([("lost",)] * count)

    def newest(self, prefix: str = "") -> Run | None:
        with self.condition:
            found = [runs[-1] for id, runs in self.runs.items() if id.startswith(prefix)]
            return found[-1] if found else None

    def close(self, run: Run, status: str, *, result=None, message: str = "", next_run: Run | None = None) -> None:
        with self.condition:
            event = self.messages.of("temporal.api.history.v1.HistoryEvent")(event_id=9)
            if status == "completed":
                attributes = event.workflow_execution_completed_event_attributes
                if result is not None:
                    payload = attributes.result.payloads.add()
                    payload.metadata["encoding"] = b"json/plain"
                    payload.data = json.dumps(result).encode()
            elif status == "failed":
                attributes = event.workflow_execution_failed_event_attributes
                attributes.failure.message = message
                attributes.failure.application_failure_info.type = "Broken"
            elif status == "continued":
                attributes = event.workflow_execution_continued_as_new_event_attributes
            else:
                attributes = getattr(event, f"workflow_execution_{status}_event_attributes")
            attributes.SetInParent()
            if next_run is not None:
                attributes.new_execution_run_id = next_run.id
                self.runs[run.request.workflow_id].append(next_run)
            run.close, run.status = event, status
            self.condition.notify_all()

    def call_back(self, run: Run) -> list[int]:
        """Tells of the end, as it was asked to with the start. The statuses of the answers."""
        statuses = []
        for callback in run.request.completion_callbacks:
            headers = {**callback.nexus.header, "Nexus-Operation-State": "succeeded"}
            request = urllib.request.Request(callback.nexus.url, method="POST", data=b"{}" * 20_000, headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    statuses.append(answer.status)
            except urllib.error.HTTPError as error:
                statuses.append(error.code)
        return statuses

    def forget(self, workflow_id: str) -> None:
        """As when its retention is over."""
        with self.condition:
            self.runs.pop(workflow_id)
            self.condition.notify_all()

    def wait(self, happened, what: str, seconds: float = 120):
        with self.condition:
            if not self.condition.wait_for(happened, seconds):
                raise AssertionError(f"not within {seconds:.0f} s: {what}")

    # --- the methods

    def StartWorkflowExecution(self, request, response, context):
        with self.condition:
            if request.completion_callbacks and not self.may_call_back:
                raise Refused(grpc.StatusCode.INVALID_ARGUMENT,
                              "invalid url: url does not match any configured callback address: u")
            existing = self.runs.get(request.workflow_id, [])
            newest = existing[-1] if existing else None
            if newest is not None and newest.request.request_id == request.request_id and len(existing) == 1:
                response.run_id, response.started, response.status = newest.id, True, STATUS[newest.status]
                return response
            if newest is not None and (newest.status == "running" or request.workflow_id_reuse_policy == 3):
                detail = self.messages.of("temporal.api.errordetails.v1.WorkflowExecutionAlreadyStartedFailure")(
                    # The later runs of a chain have a request id that the cluster made up.
                    start_request_id=newest.request.request_id if len(existing) == 1 else str(uuid.uuid4()), run_id=newest.id)
                raise Refused(grpc.StatusCode.ALREADY_EXISTS, "Workflow execution is already running.", detail)
            run = Run(request)
            self.runs.setdefault(request.workflow_id, []).append(run)
            self.start_count[request.request_id] += 1
            if self.script is not None:
                self.script(self, run)
            self.condition.notify_all()
            response.run_id, response.started, response.status = run.id, True, STATUS["running"]
            return response

    def _find(self, execution) -> Run:
        for run in self.runs.get(execution.workflow_id, [])[::-1]:
            if execution.run_id in ("", run.id):
                return run
        raise Refused(grpc.StatusCode.NOT_FOUND, f"workflow not found for ID: {execution.workflow_id}")

    def _fill(self, info, run: Run) -> None:
        info.execution.workflow_id, info.execution.run_id = run.request.workflow_id, run.id
        info.status, info.first_run_id = STATUS[run.status], run.first_run_id
        info.memo.CopyFrom(run.request.memo)
        if run.close is not None:
            info.close_time.GetCurrentTime()

    def DescribeWorkflowExecution(self, request, response, context):
        with self.condition:
            self._fill(response.workflow_execution_info, self._find(request.execution))
            return response

    def GetWorkflowExecutionHistory(self, request, response, context):
        patience = min(POLL_SECONDS, max(0.1, (context.time_remaining() or 10) - 1))
        with self.condition:
            run = self._find(request.execution)
            self.condition.wait_for(lambda: run.close is not None, patience)
            self._find(request.execution)
            if run.close is None:
                response.next_page_token = b"again"
            else:
                response.history.events.add().CopyFrom(run.close)
            return response

    def ListWorkflowExecutions(self, request, response, context):
        with self.condition:
            assert SCHEDULED_BY in request.query and "CloseTime" in request.query, request.query
            for runs in self.runs.values():
                for run in runs:
                    if run.close is not None:
                        self._fill(response.executions.add(), run)
            return response

    def _chain(self, request) -> Run:
        run = self._find(request.workflow_execution)
        if request.first_execution_run_id not in ("", run.first_run_id) or run.close is not None:
            raise Refused(grpc.StatusCode.NOT_FOUND, "workflow execution already completed")
        return run

    def RequestCancelWorkflowExecution(self, request, response, context):
        with self.condition:
            run = self._chain(request)
            run.is_cancel_requested = True
        if run.request.workflow_type.name != "Stubborn":
            self.close(run, "canceled")
        return response

    def TerminateWorkflowExecution(self, request, response, context):
        self.close(self._chain(request), "terminated")
        return response
