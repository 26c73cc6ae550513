"""Runs all checks over what was read."""

import attempts
import backfills
import catching_up
import completeness
import counters
import durability
import lateness
import launches
import limits
import next_runs
import order
import overlap
import pausing
import progress
import stability
import uniqueness
import workers
from counting import count
from evidence import Inputs, Settings, gather
from report import Report

CHECKS = (
    completeness,
    uniqueness,
    launches,
    order,
    durability,
    workers,
    overlap,
    pausing,
    catching_up,
    limits,
    backfills,
    attempts,
    stability,
    next_runs,
    lateness,
    progress,
    counters,
)


def judge(inputs: Inputs, settings: Settings) -> Report:
    """Everything that was counted, checked and found."""
    evidence = gather(inputs, settings)
    report = Report()
    count(evidence, report)
    for check in CHECKS:
        check.check(evidence, report)
    return report
