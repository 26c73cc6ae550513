"""What http actions call: holds the first request of each schedule back, and answers later ones at once."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import instants


class Receiver:
    """A server of its own, which writes the witness log as commands do."""

    def __init__(self, witness: Path) -> None:
        self._witness = witness
        self._lock = threading.Lock()
        self._requests: Counter[str] = Counter()
        self._may_answer = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            """One request."""

            # pylint: disable-next=invalid-name
            def do_POST(self) -> None:
                """The body is the envelope of the run."""
                envelope = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if receiver.note(envelope) == 1:
                    receiver.await_release()
                try:
                    self.send_response(204)
                    self.end_headers()
                except OSError:
                    # Whoever asked has given up.
                    pass

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        class Server(ThreadingHTTPServer):
            """Hundreds may come at the same moment, and wait."""

            request_queue_size = 1024

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def url(self) -> str:
        """For actions."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def note(self, envelope: dict[str, Any]) -> int:
        """How many requests of its schedule there are now."""
        line = {"run": envelope["runName"], "attempt": envelope["attempt"], "event": "start"}
        line["at"] = instants.text_of(instants.now())
        with self._lock:
            self._requests[envelope["scheduleId"]] += 1
            with self._witness.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            return self._requests[envelope["scheduleId"]]

    def release(self) -> None:
        """Answers all that were held back."""
        self._may_answer.set()

    def await_release(self) -> None:
        """Until `release`."""
        self._may_answer.wait()

    def close(self) -> None:
        """Ends it."""
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
