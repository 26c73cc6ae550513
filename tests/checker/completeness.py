"""I1: the occurrences the oracle names are exactly those that were decided."""

from bisect import bisect_right

from document import Document
from evidence import Evidence
from limits import Span, quiet_spans
from moments import FOREVER, instant_text
from occurrences import Occurrences
from records import Decision, Range
from report import Report
from timeline import Life, Segment


class Decided:
    """What the ledger decides for one life."""

    def __init__(self, evidence: Evidence, life: Life):
        self.evidence = evidence
        self.by_nominal: dict[int, Decision] = {}
        for decision in evidence.automatic(life):
            self.by_nominal.setdefault(decision.nominal, decision)
        self.ranges = sorted(evidence.ranges_of(life), key=lambda range_: range_.first)
        self.firsts = [range_.first for range_ in self.ranges]

    def single(self, nominal: int) -> Decision | None:
        """The decision of its own, if it has one."""
        return self.by_nominal.get(nominal)

    def range_of(self, nominal: int) -> Range | None:
        """The range that decides it, if one does."""
        index = bisect_right(self.firsts, nominal)
        # Ranges that overlap are a fault of their own; looking at a few neighbours is enough to not report it twice.
        near = self.ranges[max(0, index - 4) : index]
        return next((range_ for range_ in near if self.evidence.is_counted(range_, nominal)), None)

    def has(self, nominal: int) -> bool:
        """Whether it was decided at all."""
        return nominal in self.by_nominal or self.range_of(nominal) is not None


def check(evidence: Evidence, report: Report) -> None:
    """Compares the oracle with the ledger, life by life."""
    for life in evidence.lives.values():
        for change, problem in life.problems:
            message = f"the definition of revision {change.revision} cannot be read: {problem}"
            report.violation("I1", life.schedule, message, seqs=(change.seq,))
        check_expected(evidence, life, report)
        check_unexpected(evidence, life, report)


def check_expected(evidence: Evidence, life: Life, report: Report) -> None:
    """Every occurrence that must have been decided was."""
    decided = Decided(evidence, life)
    for segment, nominal in expected_slots(evidence, life):
        report.fact("I1")
        report.counts["slots"] += 1
        if not decided.has(nominal):
            message = f"no decision, though revision {segment.revision} was in force"
            report.violation("I1", life.schedule, message, nominal=nominal, seqs=(segment.begin_seq,))


def expected_slots(evidence: Evidence, life: Life) -> list[tuple[Segment, int]]:
    """The occurrences that need a decision, with what was in force when they became due."""
    quiet = quiet_spans(evidence, life)
    return [
        (segment, nominal)
        for segment in life.segments
        if segment.document and needs_decisions(evidence, life, segment, segment.document)
        for nominal in slots_of(evidence, life, segment, segment.document)
        if is_certain(evidence, segment.document, nominal, quiet) and not is_open_again(evidence, life, segment, nominal)
    ]


def needs_decisions(evidence: Evidence, life: Life, segment: Segment, document: Document) -> bool:
    """Active times do; paused ones once they have ended, kept ones only if the definition stayed the same."""
    if segment.is_active:
        return True
    if not segment.is_enabled or segment.pause is None or not segment.pause.is_resumed:
        return False
    if document.keeps_missed and segment.begin_seq != segment.pause.begin_seq:
        return False
    return segment.pause.end_at <= evidence.until - evidence.settings.settle


def slots_of(evidence: Evidence, life: Life, segment: Segment, document: Document) -> list[int]:
    """Occurrences that surely became due in a segment, whatever their jitter."""
    is_open = segment.end_at == FOREVER
    high = evidence.until - evidence.settings.settle if is_open else min(segment.end_at, evidence.until)
    low = max(segment.begin_at + 1, evidence.settings.since)
    return life.occurrences(document).within(low, high - document.latest_due(0))


def is_certain(evidence: Evidence, document: Document, nominal: int, quiet: list[Span]) -> bool:
    """Neither a limit, reached before it was surely due, nor a clock that went back excuses a missing decision."""
    is_quiet = any(begin < document.latest_due(nominal) and nominal <= end for begin, end in quiet)
    return evidence.clock.is_clear(nominal) and not is_quiet


def is_open_again(evidence: Evidence, life: Life, segment: Segment, nominal: int) -> bool:
    """Whether its skip was taken back, because the clock was set back behind its due time, when something else was in
    force: it becomes due again under that, if at all."""
    latest_due = segment.document.latest_due(nominal) if segment.document else nominal
    if not any(low <= latest_due and nominal <= high for low, high in evidence.clock.repeated):
        return False
    return any(
        void.first <= nominal <= void.last and not segment.begin_seq <= void.seq <= segment.end_seq
        for void in evidence.voids[life.schedule, life.incarnation]
    )


def check_unexpected(evidence: Evidence, life: Life, report: Report) -> None:
    """Nothing was decided that the definition does not mean."""
    for decision in evidence.automatic(life):
        documents = evidence.documents_when_decided(decision)
        known = [document for document in documents if document]
        if not known or len(known) < len(documents):
            report.not_judged["decisions without a known definition"] += 1
            continue
        report.fact("I1")
        fitting = [document for document in known if life.occurrences(document).contains(decision.nominal)]
        if not fitting:
            message = f"decided, but not an occurrence of revision {decision.revision}"
            report.violation("I1", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
        else:
            check_span(evidence, life, fitting[0], decision, report)
    for range_ in evidence.ranges_of(life):
        document = life.document_of(range_.revision)
        if document is None:
            report.not_judged["ranges without a known definition"] += 1
        else:
            check_range(evidence, life, life.occurrences(document), range_, report)


def check_span(evidence: Evidence, life: Life, document: Document, decision: Decision, report: Report) -> None:
    """A decision belongs to the time in which its definition was in force."""
    begin, end = life.definition_span(decision.revision)
    if decision.has_waited or not evidence.clock.is_clear(begin, end, decision.nominal):
        return
    if not begin < document.latest_due(decision.nominal) or decision.nominal > end:
        message = f"revision {decision.revision} was in force from {instant_text(begin)} until {instant_text(end)}"
        report.violation("I1", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def check_range(evidence: Evidence, life: Life, oracle: Occurrences, range_: Range, report: Report) -> None:
    """A range begins and ends with an occurrence and counts those between."""
    report.fact("I1")
    slots = oracle.within(range_.first, range_.last)
    if not slots or slots[0] != range_.first or slots[-1] != range_.last:
        message = f"a range until {instant_text(range_.last)} does not begin and end with an occurrence"
        report.violation("I1", life.schedule, message, nominal=range_.first, seqs=(range_.seq,))
    elif len(slots) != range_.count:
        message = f"a range until {instant_text(range_.last)} counts {range_.count}, the oracle {len(slots)}"
        report.violation("I1", life.schedule, message, nominal=range_.first, seqs=(range_.seq,))
