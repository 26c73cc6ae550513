"""What is measured. Each function of a Site measures once and returns its numbers by name."""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time
from contextlib import closing

import clients
import servers

HERE = pathlib.Path(__file__).resolve().parent
PAGE_SIZE = 100
TRIGGER_TOKENS = 8
TRIGGERED = 1_000
EACH = 10_000
STARTS_PER_SECOND = 100
EVENTS = 5
OFFSET_MAX = 1_000  # people turn a few pages, not hundreds
FIRST_PREFIX = "r1-0"


class Starts:
    """So many starts a second, evenly spread, of jobs that nobody claims; for as long as the `with` lasts."""

    def __init__(self, carillon, number):
        self.carillon = carillon
        self.ids = [f"often-{number}-{i}" for i in range(STARTS_PER_SECOND)]

    # An interval begins when its schedule is created, so that the distance of creations is that of starts.
    def __enter__(self):
        since = time.monotonic()
        for number, schedule in enumerate(self.ids):
            time.sleep(max(0.0, since + number / STARTS_PER_SECOND - time.monotonic()))
            self.carillon.call("POST", "/schedules", {
                "id": schedule, "namespace": "often", "every": "1s", "jobType": "report",
                "policies": {"overlap": "allow_all"}})
        self.before, self.since = self.count(), time.monotonic()
        return self

    def count(self):
        page = self.carillon.call("GET", "/schedules?namespace=often&limit=500")
        return sum(item["runCount"] for item in page["items"])

    def per_second(self):
        return (self.count() - self.before) / (time.monotonic() - self.since)

    def __exit__(self, *_):
        self.carillon.request("POST", "/api/v1/schedules/batch-delete?namespace=often", {"ids": self.ids})


class Site:
    """A running server with its schedules, and the tools to measure it."""

    def __init__(self, carillon, nginx, wrk, variables, size):
        self.carillon, self.nginx, self.wrk, self.variables, self.size = carillon, nginx, wrk, variables, size
        self.round_count = self.starts_count = self.watch_count = self.first_count = self.apply_count = 0
        tokens = [carillon.token] + [self.make_token(number) for number in range(TRIGGER_TOKENS)]
        for folder, held in (("alone", tokens[:1]), ("many", tokens[1:])):
            (carillon.folder / folder).mkdir()
            (carillon.folder / folder / "tokens").write_text("\n".join(held) + "\n")

    def make_token(self, number):
        return self.carillon.call("POST", "/tokens", {"name": f"bench-{number}", "role": "operator"})["token"]

    def total(self):
        return self.carillon.call("GET", "/schedules?limit=1")["total"]

    def start_load(self, server, connections, seconds, what, *words, tokens="alone"):
        return subprocess.Popen(
            [self.wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", HERE / "load.lua",
             server.url, "--", self.carillon.folder / tokens, what, *map(str, words)],
            text=True, stdout=subprocess.PIPE, env=self.variables)

    @staticmethod
    def end_load(child):
        out = child.communicate()[0]
        if child.returncode != 0:
            sys.exit(f"wrk has failed: {out}")
        return json.loads(out.splitlines()[-1])

    def load(self, server, connections, seconds, what, *words, **options):
        """Adds what the server used of the CPU to what wrk tells."""
        cpu = server.cpu_seconds()
        answer = self.end_load(self.start_load(server, connections, seconds, what, *words, **options))
        requests = max(1, answer["requests"])
        return {**answer, "per_second": answer["requests"] / answer["seconds"],
                "cpu_us_each": 1e6 * (server.cpu_seconds() - cpu) / requests}

    def create(self):
        """Creates until there are enough, at least once; rates are of all calls, the latency is that of the longest."""
        self.round_count += 1
        parts, seconds, left = [], self.size["seconds"], self.size["create_seconds_max"]
        while True:
            prefix = f"r{self.round_count}-{len(parts)}"
            parts.append(self.load(self.carillon, 32, seconds, "create", prefix))
            self.first_count = self.first_count or parts[0]["requests"]
            left -= seconds
            missing = self.size["schedules"] - self.total()
            if missing <= 0 or left < 1:
                break
            seconds = min(left, max(1, math.ceil(missing / parts[-1]["per_second"])))
        longest = max(parts, key=lambda part: part["seconds"])
        requests = sum(part["requests"] for part in parts)
        return {**longest, "requests": requests, "schedules": self.total(),
                "seconds": sum(part["seconds"] for part in parts),
                "per_second": requests / sum(part["seconds"] for part in parts),
                "cpu_us_each": sum(part["cpu_us_each"] * part["requests"] for part in parts) / requests,
                "refused": sum(part["refused"] for part in parts)}

    def apply(self):
        """`carillon apply` of a file, when its schedules are new and when nothing of them has changed."""
        self.apply_count += 1
        schedules = [{"id": f"a{self.apply_count}-{i}", "cron": f"{i % 60} 3 * * *", "command": ["/bin/true"]}
                     for i in range(self.size["applied"])]
        file = self.carillon.folder / f"apply-{self.apply_count}.json"
        file.write_text(json.dumps({"schedules": schedules}))
        command = [self.carillon.binary, "apply", file, "--yes", "--server", self.carillon.url, "--token-file",
                   self.carillon.data / "admin.token"]
        seconds = []
        for _ in ("new", "unchanged"):
            since = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.monotonic() - since)
        return {"seconds_new": seconds[0], "seconds_unchanged": seconds[1]}

    def some(self, count_max):
        """Words for schedules that were created first of all."""
        return FIRST_PREFIX, min(count_max, self.first_count - 1)

    def get_one(self):
        return self.load(self.carillon, 32, self.size["seconds"], "path", "/api/v1/schedules/one")

    def get_file(self):
        return self.load(self.nginx, 32, self.size["seconds"], "path", "/file.json")

    def get_each(self):
        """Another one each time, so that no answer is kept."""
        return self.load(self.carillon, 32, self.size["seconds"], "each", *self.some(EACH))

    def while_starting(self, measure):
        self.starts_count += 1
        with Starts(self.carillon, self.starts_count) as starts:
            return {**measure(), "starts_per_second": starts.per_second()}

    def list_pages(self, what, *words):
        seconds = self.size["seconds"]
        creating = self.start_load(self.carillon, 4, seconds, "create", f"r{self.round_count}-{what}")
        answer = self.load(self.carillon, 32, seconds, what, PAGE_SIZE, *words)
        created = self.end_load(creating)
        return {**answer, "schedules": self.total(), "creates": created["requests"], "create_p99_ms": created["p99_ms"]}

    def list_by_offset(self):
        return self.list_pages("offset", self.total() - PAGE_SIZE)

    def list_by_token(self):
        total, pages = self.total(), []
        for offset in range(0, total - PAGE_SIZE, max(1, total // 100)):
            pages.append(self.carillon.call("GET", f"/schedules?limit=1&offset={offset}")["nextPageToken"])
        file = self.carillon.folder / "pages"
        file.write_text("\n".join(pages) + "\n")
        return self.list_pages("token", file)

    def trigger(self):
        return self.load(self.carillon, 32, self.size["seconds"], "trigger", *self.some(TRIGGERED), tokens="many")

    def mix(self):
        """Reads, pages, creations and triggers, 500 a second: what a busy day looks like, rather than a race."""
        return self.load(self.carillon, 32, self.size["seconds"], "mix", *self.some(TRIGGERED),
                         f"r{self.round_count}-mix", OFFSET_MAX)

    def watch(self):
        """Memory of clients that wait for events, and how long it takes until all have been told of one. On a server
        of its own: one that has done other things has memory left over."""
        self.watch_count += 1
        with servers.Carillon(self.carillon.binary, self.carillon.folder / f"watched-{self.watch_count}") as server:
            server.call("POST", "/schedules", {"id": "one", "cron": "0 4 1 1 *", "jobType": "report"})
            return self.watch_events(server)

    def watch_events(self, server):
        count = self.size["watchers"]
        before = server.rss_kb()
        since = time.monotonic()
        with closing(clients.Watchers(server.port, server.token, "?schedule=one", count)) as watchers:
            greeted = watchers.seconds_until_all_have(b"event: server.status", since)
            after = server.rss_kb()
            told, cpu = [], server.cpu_seconds()
            for _ in range(EVENTS):
                since = time.monotonic()
                server.call("POST", "/schedules/one/trigger", {"overlap": "allow_all"})
                told.append(watchers.seconds_until_all_have(b"event: run.queued", since))
            cpu = server.cpu_seconds() - cpu
        return {"watchers": count, "rss_before_mb": before / 1024, "rss_after_mb": after / 1024,
                "rss_kb_each": (after - before) / count, "seconds_to_greeted": greeted,
                "ms_to_told": None if None in told else 1e3 * statistics.median(told),
                "cpu_us_each": 1e6 * cpu / (EVENTS * count)}

    def read_while_triggered(self, seconds):
        """What one client waits for a schedule while two others trigger as fast as they can."""
        flow = self.start_load(self.carillon, 2, seconds, "trigger", *self.some(TRIGGERED), tokens="many")
        answer = self.load(self.carillon, 1, seconds, "path", "/api/v1/schedules/one")
        return {**answer, "events": self.end_load(flow)["requests"]}

    def resist(self):
        """The same without and with those who mean harm."""
        before = self.read_while_triggered(self.size["seconds"])
        rss, kernel = self.carillon.rss_kb(), servers.socket_memory_kb()
        with closing(clients.SlowClients(self.carillon.port, self.size["slow"])) as slow, \
                closing(clients.DeafWatchers(self.carillon.port, self.carillon.token, self.size["deaf"])):
            during = self.read_while_triggered(self.size["hostile_seconds"])
            rss, kernel = self.carillon.rss_kb() - rss, servers.socket_memory_kb() - kernel
            deaf_left = self.carillon.metric("carillon_event_streams")
        return {"before_p50_ms": before["p50_ms"], "before_p99_ms": before["p99_ms"], "before_max_ms": before["max_ms"],
                "before_events": before["events"], "p50_ms": during["p50_ms"], "p99_ms": during["p99_ms"],
                "max_ms": during["max_ms"], "refused": during["refused"], "events": during["events"],
                "rss_growth_mb": rss / 1024, "kernel_growth_mb": kernel / 1024, "slow_cut": slow.cut_count,
                "deaf_cut": self.size["deaf"] - deaf_left}
