"""I15: the reported next run lies ahead, is an occurrence, and goes back only for a reason."""

from bisect import bisect_left
from collections import defaultdict

from evidence import Evidence
from moments import FOREVER, instant_text
from records import Sample
from report import Report
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Judges the samples of each schedule in the order they were taken."""
    samples_of: dict[str, list[Sample]] = defaultdict(list)
    for sample in evidence.inputs.samples or []:
        samples_of[sample.schedule].append(sample)
    for samples in samples_of.values():
        samples.sort(key=lambda sample: sample.time)
        for sample in samples:
            check_sample(evidence, sample, report)
        for earlier, later in zip(samples, samples[1:]):
            check_pair(evidence, earlier, later, report)


def life_at(evidence: Evidence, sample: Sample) -> Life | None:
    """The incarnation that lived when a sample was taken."""
    mine = [life for life in evidence.lives.values() if life.schedule == sample.schedule and life.created]
    born = [life for life in mine if life.created.at <= sample.time]
    return max(born, key=lambda life: life.incarnation, default=None)


def broken(sample: Sample, message: str, report: Report) -> None:
    """Reports a sample."""
    message = f"{message} (line {sample.line} of the samples)"
    report.violation("I15", sample.schedule, message, nominal=sample.next_run_at)


def check_sample(evidence: Evidence, sample: Sample, report: Report) -> None:
    """Active schedules alone have a next run; it is one of their occurrences, after the last decided one."""
    life = life_at(evidence, sample)
    if life is None or not evidence.clock.is_clear(sample.time):
        report.not_judged["samples of the next run"] += 1
        return
    report.fact("I15")
    if sample.next_run_at is None:
        return
    if sample.status not in (None, "active"):
        broken(sample, f"a next run though the schedule is {sample.status}", report)
    documents = [segment.document for segment in life.segments_at(sample.time) if segment.document]
    if documents and not any(life.occurrences(document).contains(sample.next_run_at) for document in documents):
        broken(sample, "the next run is not an occurrence", report)
    decided = last_decided(evidence, life, sample.time)
    if sample.next_run_at <= decided:
        broken(sample, f"the next run is not after {instant_text(decided)}, which was decided before", report)


def last_decided(evidence: Evidence, life: Life, time: int) -> int:
    """The newest nominal time decided before an instant."""
    singles = [row.nominal for row in evidence.automatic(life) if row.first_at < time]
    ranges = [row.last for row in evidence.ranges_of(life) if row.at < time and not evidence.range_voids[row.seq]]
    return max((*singles, *ranges), default=-FOREVER)


def check_pair(evidence: Evidence, earlier: Sample, later: Sample, report: Report) -> None:
    """Between two samples nothing goes back, unless a change or a void lies between."""
    if earlier.next_run_at is None or later.next_run_at is None:
        return
    report.fact("I15")
    if later.next_run_at < earlier.next_run_at and not has_reason(evidence, earlier, later):
        broken(later, f"the next run went back from {instant_text(earlier.next_run_at)}", report)


def has_reason(evidence: Evidence, earlier: Sample, later: Sample) -> bool:
    """A change, a void, or a clock that went back."""
    ledger = evidence.inputs.ledger
    times = sorted(row.at for row in (*ledger.changes, *ledger.voids) if row.schedule == later.schedule)
    index = bisect_left(times, earlier.time)
    lies_between = index < len(times) and times[index] <= later.time
    return lies_between or not evidence.clock.is_clear(earlier.time, later.time)
