#!/usr/bin/env python3
"""Pipelines that ask programs and services, run by hand and by a server. Usage: pipeline_run_test.py FOLDER_OF_BINARIES"""

import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from launchers import end_launcher  # noqa: E402
from servers import environment  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

PIPELINE = """\
name: rows
input: {items: [{n: one}, {n: two}, {n: three}]}
map: {prompt: "{{n}}", parallel: 1}
reduce: {type: text}
"""


class RunCase(unittest.TestCase):
    """A package that is run."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        temporary = tempfile.TemporaryDirectory(prefix="carillon-run-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "pipelines/rows").mkdir(parents=True)
        (self.folder / "pipelines/rows/pipeline.yaml").write_text(PIPELINE, encoding="utf-8")

    def answer_with(self, script: str) -> None:
        """Says what the provider does with the prompt in $prompt."""
        argv = ["sh", "-c", f'prompt=$(cat); echo "$prompt" >> {self.folder}/asked; {script}']
        provider = {"type": "command", "argv": argv, "env": {"KEY": "${env:OWN_KEY}"}}
        (self.folder / "providers.json").write_text(json.dumps({"providers": {"p": provider}}), encoding="utf-8")

    def carillon(self, *words: str) -> "subprocess.Popen[str]":
        """A command, under way."""
        variables = {"XDG_STATE_HOME": str(self.folder / "state"), "OWN_KEY": "sk-very-secret"}
        # pylint: disable-next=consider-using-with
        child = subprocess.Popen(
            [str(BINARIES / "carillon"), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder, env=environment() | variables,
        )
        self.addCleanup(child.kill)
        return child

    def start(self, *more: str) -> "subprocess.Popen[str]":
        """A run of the package, under way."""
        return self.carillon("pipeline", "run", "pipelines/rows", "--providers", "providers.json", *more)

    def asked(self) -> list[str]:
        """The prompts, in order."""
        file = self.folder / "asked"
        return file.read_text(encoding="utf-8").split() if file.exists() else []


class AskedProgram(RunCase):
    """Answers of a program."""

    def test_a_program_answers_and_its_key_is_shown_nowhere(self) -> None:
        self.answer_with('echo "re $prompt $KEY"; echo "$KEY" >&2')

        child = self.start("-o", "json")
        output, errors = child.communicate(timeout=120)

        self.assertEqual(0, child.returncode, errors)
        self.assertIn("re one ***", json.loads(output)["formatted"])
        self.assertEqual(["one", "two", "three"], self.asked())
        for file in [*(self.folder / "pipelines").rglob("*"), *(self.folder / "state").rglob("*")]:
            if file.is_file():
                self.assertNotIn("sk-very-secret", file.read_text(encoding="utf-8"), file)

    def test_ctrl_c_keeps_what_was_answered_and_ends_the_programs(self) -> None:
        self.answer_with(f'[ "$prompt" != two ] || {{ echo $$ > {self.folder}/pid; exec sleep 1000; }}; echo "re $prompt"')
        child = self.start()
        asked = self.folder / "pid"
        await_value(lambda: asked.exists() and asked.read_text(encoding="utf-8").strip(), "the second question")

        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=120)

        self.assertEqual(130, child.returncode, errors)
        self.assertIn("run it again to go on", errors)
        self.assertFalse(os.path.exists(f"/proc/{asked.read_text(encoding='utf-8').strip()}"))
        self.answer_with('echo "new $prompt"')
        again = self.start()
        output, errors = again.communicate(timeout=120)
        self.assertEqual(0, again.returncode, errors)
        self.assertEqual("--- Item 1 ---\nre one\n\n\n--- Item 2 ---\nnew two\n\n\n--- Item 3 ---\nnew three\n\n", output)
        self.assertEqual(["one", "two", "two", "three"], self.asked())
        self.assertEqual([], list((self.folder / "state/carillon/pipeline-runs").iterdir()))

    def test_programs_end_with_a_command_that_is_killed(self) -> None:
        self.answer_with(f"sleep 1000 & echo $! > {self.folder}/pid; wait")
        child = self.start()
        file = self.folder / "pid"
        pid = await_value(lambda: file.exists() and file.read_text(encoding="utf-8").strip(), "the first question")

        child.kill()
        child.communicate(timeout=120)

        await_value(lambda: not os.path.exists(f"/proc/{pid}"), "the end of what the program had started")


class Service(http.server.BaseHTTPRequestHandler):
    """Speaks as most services do; is too busy for the first question."""

    def do_POST(self) -> None:
        """Answers with the question."""
        server = self.server
        assert isinstance(server, AskedServer)
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append((self.headers["Authorization"], question["messages"][0]["content"]))
        if len(server.asked) == 1:
            self.send_response(429)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        prompt = server.asked[-1][1]
        answer = {"choices": [{"message": {"content": f"re {prompt}"}, "finish_reason": "stop"}],
                  "usage": {"prompt_tokens": 1000, "completion_tokens": 2000}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:  # pylint: disable=arguments-differ
        """The test says what is wrong."""


class AskedServer(http.server.ThreadingHTTPServer):
    """Remembers what it was asked, with which key."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Service)
        self.asked: list[tuple[str | None, str]] = []


class AskedService(RunCase):
    """The same package, asked of a service on this machine."""

    def test_a_service_is_asked_with_the_key_of_a_file_and_the_cost_is_told(self) -> None:
        server = AskedServer()
        self.addCleanup(server.server_close)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        (self.folder / "keys").mkdir(mode=0o700)
        (self.folder / "keys/ai").write_text("sk-very-secret\n", encoding="utf-8")
        (self.folder / "keys/ai").chmod(0o600)
        provider = {"type": "http", "url": f"http://127.0.0.1:{server.server_port}/v1/chat/completions", "model": "m",
                    "key": "${secret:ai}", "prices": {"m": {"input": 1, "output": 2}}}
        (self.folder / "providers.json").write_text(json.dumps({"providers": {"p": provider}}), encoding="utf-8")

        child = self.start("--secret-dir", "keys")
        output, errors = child.communicate(timeout=120)

        self.assertEqual(0, child.returncode, errors)
        self.assertEqual("--- Item 1 ---\nre one\n\n--- Item 2 ---\nre two\n\n--- Item 3 ---\nre three\n", output)
        self.assertIn("✔ 3 items, 0 failed, 4 questions asked, 9000 tokens, cost 0.0150", errors)
        self.assertEqual({"Bearer sk-very-secret"}, {key for key, _ in server.asked})
        self.assertEqual(["one", "one", "two", "three"], [prompt for _, prompt in server.asked])


class AskedByServer(RunCase):
    """The same package on the schedule of a server."""

    def serve(self) -> "subprocess.Popen[str]":
        """A server that watches the folder and is ready."""
        file = self.folder / "pipelines/rows/pipeline.yaml"
        file.write_text(PIPELINE + 'schedule: {cron: "0 0 1 1 *"}\n', encoding="utf-8")
        server = self.carillon("scheduler", "start", "pipelines", "--providers", "providers.json", "--secret-env", "OWN_KEY",
                               "--listen", "127.0.0.1:0")
        self.addCleanup(end_launcher, self.folder / "pipelines/.carillon")
        assert server.stdout is not None
        while "Ctrl-C" not in (line := server.stdout.readline()):
            self.assertTrue(line, "the server has ended")
        return server

    def schedule(self) -> str:
        """The id of the package's schedule."""
        output, errors = self.carillon("scheduler", "list", "-o", "json").communicate(timeout=120)
        documents = json.loads(output)
        items = documents["items"] if isinstance(documents, dict) else documents
        self.assertEqual(1, len(items), errors)
        return str(items[0]["id"])

    def test_programs_cannot_gain_privileges_and_their_key_is_masked(self) -> None:
        self.answer_with("grep NoNewPrivs /proc/self/status; echo $KEY")
        server = self.serve()

        trigger = self.carillon("scheduler", "trigger", self.schedule(), "--wait")
        _, errors = trigger.communicate(timeout=120)

        self.assertEqual(0, trigger.returncode, errors)
        result = json.loads(next((self.folder / "pipelines/rows/.results").iterdir()).read_text(encoding="utf-8"))
        self.assertEqual(["one", "three", "two"], sorted(self.asked()))
        for item in result["items"]:
            self.assertEqual("NoNewPrivs:\t1\n***\n", item["rawText"])
        server.terminate()
        server.communicate(timeout=120)
        self.assertEqual(0, server.returncode)

    def test_programs_end_with_a_server_that_is_killed(self) -> None:
        self.answer_with(f"sleep 1000 & echo $! > {self.folder}/pid; wait")
        server = self.serve()
        trigger = self.carillon("scheduler", "trigger", self.schedule())
        trigger.communicate(timeout=120)
        file = self.folder / "pid"
        pid = await_value(lambda: file.exists() and file.read_text(encoding="utf-8").strip(), "the first question")

        server.kill()
        server.communicate(timeout=120)

        await_value(lambda: not os.path.exists(f"/proc/{pid}"), "the end of what the program had started")


if __name__ == "__main__":
    unittest.main()
