"""Everything the checks look at, joined: schedules' lives, their decisions, runs and attempts."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

from document import Document, read_document
from matching import Matching, match
from moments import FOREVER, SECOND
from records import (
    Attempt,
    Backfill,
    ClockStep,
    Counters,
    Decision,
    Disturbance,
    Ledger,
    Operation,
    Range,
    Row,
    Sample,
    Void,
    Witness,
)
from run_names import tell_apart
from store_clock import StoreClock
from timeline import Life, build_lives

LifeKey = tuple[str, int]


@dataclass
class Settings:
    """What the command line says. Durations and instants are microseconds."""

    until: int | None = None
    since: int = -FOREVER
    settle: int = 60 * SECOND
    healed_at: int | None = None
    progress_max: int = 15 * SECOND
    set_aside: dict[str, int] = field(default_factory=dict)
    skew: int = 0
    lateness_max: int | None = None
    first_write_max: int = 0


@dataclass
class Inputs:
    """What was read. None stands for an input that was not given."""

    ledger: Ledger
    history: list[Operation] | None = None
    witness: list[Witness] | None = None
    before: Ledger | None = None
    samples: list[Sample] | None = None
    counters: list[Counters] | None = None
    clock: list[ClockStep] | None = None
    disturbances: list[Disturbance] = field(default_factory=list)


@dataclass
class Evidence:
    """The inputs joined. Lists of rows are in the order of seq."""

    inputs: Inputs
    settings: Settings
    matching: Matching
    clock: StoreClock
    until: int
    lives: dict[LifeKey, Life]
    decisions: dict[LifeKey, list[Decision]] = field(default_factory=lambda: defaultdict(list))
    ranges: dict[LifeKey, list[Range]] = field(default_factory=lambda: defaultdict(list))
    backfills: dict[LifeKey, list[Backfill]] = field(default_factory=lambda: defaultdict(list))
    voids: dict[LifeKey, list[Void]] = field(default_factory=lambda: defaultdict(list))
    attempts: dict[str, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
    runs: dict[str, Decision] = field(default_factory=dict)
    jobs: dict[str, Decision] = field(default_factory=dict)
    job_documents: dict[str, Document] = field(default_factory=dict)
    void_of: dict[int, Void] = field(default_factory=dict)
    range_voids: dict[int, list[Void]] = field(default_factory=lambda: defaultdict(list))

    def automatic(self, life: Life) -> list[Decision]:
        """The decisions the schedule made itself and that still count."""
        mine = self.decisions[life.schedule, life.incarnation]
        return [decision for decision in mine if decision.is_automatic and decision.seq not in self.void_of]

    def ranges_of(self, life: Life) -> list[Range]:
        """The ranges of a life."""
        return self.ranges[life.schedule, life.incarnation]

    def life_of(self, row: Row) -> Life:
        """The life a row belongs to."""
        return self.lives[row.schedule, row.incarnation]

    def document_when_decided(self, decision: Decision) -> Document | None:
        """The definition a decision was made by, if there is only one that it can be."""
        documents = self.documents_when_decided(decision)
        if len(documents) > 1:
            life = self.life_of(decision)
            documents = [it for it in documents if it is None or life.occurrences(it).contains(decision.nominal)]
        return documents[0] if len(documents) == 1 else None

    def documents_when_decided(self, decision: Decision) -> list[Document | None]:
        """Those it may have been made by: a waiting start names the one it was released by, not the one it began by."""
        life = self.life_of(decision)
        if not decision.has_waited:
            return [life.document_of(decision.revision)]
        segments = life.segments_at(decision.first_at)
        # Where the clock was set back over the beginning, what was in force then may have been written at a later time.
        for low, high in self.clock.set_back_over(decision.first_at):
            segments += [it for it in life.segments_between(low, high) if it.begin_seq < decision.seq]
        return list({segment.document for segment in segments})

    def document_of_run(self, run: str) -> Document | None:
        """A run keeps the definition it started under, a job the one it was queued with."""
        decision = self.runs.get(run)
        return self.life_of(decision).document_of(decision.revision) if decision else self.job_documents.get(run)

    def is_cancelled_wait(self, decision: Decision) -> bool:
        """A waiting start that a user cancels reads as started and ended at one moment: nothing was ever launched."""
        is_over_at_once = decision.has_waited and decision.outcome == "started" and decision.run_ended_at == decision.at
        return is_over_at_once and not self.attempts.get(decision.run or "")

    def is_counted(self, range_: Range, nominal: int) -> bool:
        """Whether a range decides this occurrence, and no void took that back."""
        inside = range_.first <= nominal <= range_.last
        return inside and not any(void.first <= nominal <= void.last for void in self.range_voids[range_.seq])


def gather(inputs: Inputs, settings: Settings) -> Evidence:
    """Joins the inputs."""
    ledger = inputs.ledger
    tell_apart(ledger, inputs.witness or [])
    if inputs.before:
        tell_apart(inputs.before, [])
    matching = match(ledger, inputs.history or [])
    evidence = Evidence(
        inputs=inputs,
        settings=settings,
        matching=matching,
        clock=StoreClock(ledger, inputs.clock),
        until=settings.until if settings.until is not None else ledger.last_at,
        lives=build_lives(ledger, matching),
    )
    group(evidence, ledger)
    read_job_documents(evidence, inputs.history or [])
    apply_voids(evidence)
    for life in evidence.lives.values():
        choose_anchor(evidence, life)
    return evidence


def group(evidence: Evidence, ledger: Ledger) -> None:
    """Puts every row where it belongs."""
    for rows, groups in (
        (ledger.decisions, evidence.decisions),
        (ledger.ranges, evidence.ranges),
        (ledger.backfills, evidence.backfills),
        (ledger.voids, evidence.voids),
    ):
        for row in sorted(rows, key=lambda row: row.seq):
            row.incarnation = row.incarnation or incarnation_at(evidence, row)
            evidence.lives.setdefault((row.schedule, row.incarnation), Life(row.schedule, row.incarnation))
            groups[row.schedule, row.incarnation].append(row)
    for decision in sorted(ledger.decisions, key=lambda decision: decision.seq):
        if decision.run is not None:
            evidence.runs.setdefault(decision.run, decision)
    for job in sorted(ledger.jobs, key=lambda job: job.seq):
        evidence.jobs.setdefault(job.run or "", job)
    for attempt in sorted(ledger.attempts, key=lambda attempt: (attempt.attempt, attempt.seq)):
        evidence.attempts[attempt.run].append(attempt)


def read_job_documents(evidence: Evidence, history: list[Operation]) -> None:
    """By the calls that queued them."""
    for operation in history:
        if operation.op == "submit" and operation.run is not None:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                evidence.job_documents[operation.run] = read_document(operation.arguments)


def incarnation_at(evidence: Evidence, row: Row) -> int:
    """The incarnation that lived when a row was written."""
    mine = [life for (schedule, _), life in evidence.lives.items() if schedule == row.schedule and life.changes]
    born = [life for life in mine if life.changes[0].seq <= row.seq]
    newest = max(born or mine, key=lambda life: life.incarnation, default=None)
    return newest.incarnation if newest else 1


def apply_voids(evidence: Evidence) -> None:
    """Finds what each void takes back: skips before it, single or in a range. Starts are never taken back."""
    for key, voids in evidence.voids.items():
        for void in voids:
            for decision in evidence.decisions[key]:
                is_earlier_skip = decision.seq < void.seq and decision.outcome == "skipped" and decision.is_automatic
                if is_earlier_skip and void.first <= decision.nominal <= void.last:
                    evidence.void_of.setdefault(decision.seq, void)
            for range_ in evidence.ranges[key]:
                if range_.seq < void.seq and range_.first <= void.last and void.first <= range_.last:
                    evidence.range_voids[range_.seq].append(void)


def choose_anchor(evidence: Evidence, life: Life) -> None:
    """A restored schedule may count its intervals from its first or its second creation: the one its rows follow."""
    if life.restored_from is None:
        return
    documents = [document for document in life.documents.values() if document and "creation" in document.anchors]
    nominals = [decision.nominal for decision in evidence.automatic(life)]

    def agreement(anchor: int) -> int:
        return sum(document.occurrences(anchor).contains(nominal) for document in documents for nominal in nominals)

    life.anchor = max((life.restored_from.anchor, life.anchor), key=agreement)
