"""What the tests of security have in common."""

import re
import unittest
from typing import Any

from client import Answer, Client

SCHEDULES = "/api/v1/schedules"


def job_schedule(identifier: str, **members: Any) -> dict[str, Any]:
    """A schedule that nobody performs."""
    return {"id": identifier, "cron": "0 3 * * *", "jobType": "t", "queue": f"q-{identifier}", **members}


def status_of(response: bytes) -> int:
    """Of an answer as bytes; 0 if there is none."""
    match = re.match(rb"HTTP/1\.1 (\d{3}) ", response)
    return int(match[1]) if match else 0


def raw_request(*lines: str, body: bytes = b"", line_end: str = "\r\n") -> bytes:
    """A request byte by byte, that asks for the connection to end."""
    return line_end.join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


class Case(unittest.TestCase):
    """What all of them need."""

    def assert_refused(self, answer: Answer, *statuses: int) -> None:
        """One of these, as a problem."""
        self.assertIn(answer.status, statuses, answer.text)
        self.assertEqual([], answer.faults())

    def create(self, client: Client, document: dict[str, Any]) -> dict[str, Any]:
        """A schedule."""
        answer = client.post(SCHEDULES, document)
        self.assertEqual(201, answer.status, answer.text)
        return answer.json()

    def trigger(self, client: Client, identifier: str) -> dict[str, Any]:
        """A run of it."""
        answer = client.post(f"{SCHEDULES}/{identifier}/trigger")
        self.assertEqual(202, answer.status, answer.text)
        return answer.json()["run"]
