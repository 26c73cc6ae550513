"""Works off a queue over HTTP. Usage: CARILLON_TOKEN=… worker.py [SERVER] [QUEUE]"""
import json
import os
import sys
import threading
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7070"
QUEUE = sys.argv[2] if len(sys.argv) > 2 else "default"

def call(method, path, body=None):
    content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    request = urllib.request.Request(SERVER + "/api/v1/workers" + path, content, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["CARILLON_TOKEN"])
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")

def handle(kind, payload):  # your work: its value is the result of the run, its exception the error
    return {"greeting": f"{kind}: hello, {payload['name']}"}

held = []  # what this worker has: what it does not list, the server takes back

def perform(worker, job):
    attempt = {"runId": job["runId"], "attempt": job["attempt"]}
    held.append(attempt)
    try:
        result = handle(job["type"], job["envelope"]["payload"])
        call("POST", f"/{worker}/logs?runId={job['runId']}&attempt={job['attempt']}", f"{result}\n".encode())
        call("POST", f"/{worker}/complete", attempt | {"result": result})
    except (KeyError, TypeError, ValueError) as error:
        call("POST", f"/{worker}/fail", attempt | {"error": repr(error)})
    finally:
        held.remove(attempt)

worker = call("POST", "", {"name": f"python-{os.getpid()}", "queues": [QUEUE], "lease": "30s"})["worker"]
ended = threading.Event()

def keep_alive():
    while not ended.wait(10):
        call("POST", f"/{worker}/heartbeat", {"holds": list(held)})

threading.Thread(target=keep_alive, daemon=True).start()
try:
    while True:
        for job in call("POST", f"/{worker}/claim", {"count": 1, "wait": "20s", "holds": list(held)})["jobs"]:
            perform(worker, job)
except KeyboardInterrupt:
    ended.set()
    call("DELETE", f"/{worker}")
