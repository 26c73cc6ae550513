"""APScheduler with jobs in an SQLite file and functions that do nothing.

usage: measure.py sustained|burst FILE COUNT [SECONDS]

`sustained`: COUNT jobs that want to start every second, more than it can; calls per second over SECONDS.
`burst`: COUNT jobs, all due at one instant; seconds from there until the last was called.
"""
import datetime
import json
import logging
import sys
import time

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler

CALLS = []


def nothing():
    CALLS.append(None)


def make_scheduler(file):
    return BackgroundScheduler(
        jobstores={"default": SQLAlchemyJobStore(url=f"sqlite:///{file}")},
        executors={"default": ThreadPoolExecutor(10)},
        job_defaults={"coalesce": True, "max_instances": 10, "misfire_grace_time": None},
        timezone=datetime.timezone.utc)


def sustained(scheduler, count, seconds):
    # Added before it starts: they are then written as they begin.
    scheduler.start(paused=True)
    for number in range(count):
        scheduler.add_job(nothing, "interval", seconds=1, id=str(number))
    scheduler.resume()
    given = time.monotonic() + 60
    while len(CALLS) < count and time.monotonic() < given:
        time.sleep(0.005)
    if len(CALLS) < count:
        return {"schedules": count, "per_second": None}
    before, begun = len(CALLS), time.monotonic()
    time.sleep(seconds)
    return {"schedules": count, "per_second": round((len(CALLS) - before) / (time.monotonic() - begun))}


def burst(scheduler, count):
    scheduler.start(paused=True)
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3 + count * 0.02)
    for number in range(count):
        scheduler.add_job(nothing, "date", run_date=due, id=str(number))
    is_late = datetime.datetime.now(datetime.timezone.utc) > due
    scheduler.resume()
    while len(CALLS) < count and time.time() < due.timestamp() + 60:
        time.sleep(0.005)
    seconds = round(time.time() - due.timestamp(), 2)
    return {"jobs": count, "seconds_to_finished": None if is_late or len(CALLS) < count else seconds}


def main():
    logging.disable(logging.CRITICAL)
    what, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    scheduler = make_scheduler(file)
    if what == "burst":
        numbers = burst(scheduler, count)
    else:
        numbers = sustained(scheduler, count, float(sys.argv[4]) if len(sys.argv) > 4 else 10)
    print(json.dumps({"what": what, **numbers}), flush=True)
    scheduler.shutdown(wait=False)


if __name__ == "__main__":
    main()
