"""What stands between a real cluster and carillon. A module of its own: those of workflows are imported anew for each."""

import http.server
import threading
import urllib.error
import urllib.request
from collections import Counter


class Relay(http.server.ThreadingHTTPServer):
    """Stands between a cluster that calls back and carillon, and counts what is answered. While carillon is away it says so, as a proxy
    would, and the cluster tries again."""

    daemon_threads = True

    def __init__(self, carillon):
        relay, self.counts = self, Counter()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802 (the name that is asked for)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: value for name, value in self.headers.items() if name.lower().startswith(("carillon-", "nexus-"))}
                request = urllib.request.Request(carillon.url + self.path, method="POST", data=body, headers=headers)
                try:
                    with urllib.request.urlopen(request, timeout=20) as answer:
                        status = answer.status
                except urllib.error.HTTPError as error:
                    status = error.code
                except OSError:
                    status = 503
                relay.counts[status] += 1
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
