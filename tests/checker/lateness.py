"""I16: nothing starts before it is due; how late things start is measured."""

from evidence import Evidence
from moments import seconds_text
from records import Decision
from report import Report


def check(evidence: Evidence, report: Report) -> None:
    """Judges decisions and starts, and measures what was in time by its source."""
    witnessed = {
        (entry.run, entry.attempt): entry.at for entry in evidence.inputs.witness or [] if entry.event == "start"
    }
    latenesses = []
    for life in evidence.lives.values():
        for decision in evidence.automatic(life):
            check_due(evidence, decision, report)
            began = check_early(evidence, decision, witnessed, report)
            if began is not None and decision.source == "schedule" and not decision.has_waited:
                latenesses.append((began - decision.due, decision))
        for range_ in evidence.ranges_of(life):
            report.fact("I16")
            if range_.at < range_.last:
                message = "a range ends after it was written"
                report.violation("I16", life.schedule, message, nominal=range_.last, seqs=(range_.seq,))
    measure(evidence, latenesses, report)


def check_due(evidence: Evidence, decision: Decision, report: Report) -> None:
    """Due is nominal plus a jitter below its bound."""
    document = evidence.life_of(decision).document_of(decision.revision)
    if document is None or decision.has_waited:
        return
    report.fact("I16")
    if not decision.nominal <= decision.due <= document.latest_due(decision.nominal):
        offset, jitter = seconds_text(decision.due - decision.nominal), seconds_text(document.jitter)
        message = f"due {offset} after its nominal time, the jitter is {jitter}"
        report.violation("I16", decision.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def check_early(
    evidence: Evidence, decision: Decision, witnessed: dict[tuple[str, int], int], report: Report
) -> int | None:
    """Neither decided nor claimed, launched or begun before it was due; answers when it began."""
    report.fact("I16")
    attempts = evidence.attempts.get(decision.run or "", [])
    first = attempts[0] if attempts else None
    began = witnessed.get((decision.run or "", 1))
    times = {"decided": decision.first_at, "begun": began}
    times |= {"claimed": first.claimed_at, "launched": first.launched_at} if first else {}
    for what, at in times.items():
        if at is not None and at + evidence.settings.skew < decision.due and evidence.clock.is_clear(at):
            message = f"{what} {seconds_text(decision.due - at)} before it was due"
            seqs = (decision.seq,)
            report.violation("I16", decision.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)
    return began if began is not None else first.launched_at if first else None


def measure(evidence: Evidence, latenesses: list[tuple[int, Decision]], report: Report) -> None:
    """Percentiles for people; a bound only if the command line gives one."""
    if not latenesses:
        return
    latenesses.sort(key=lambda pair: pair[0])
    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        value, _ = latenesses[min(len(latenesses) - 1, int(len(latenesses) * share))]
        report.measures[f"lateness {name} (ms)"] = f"{value / 1000:.1f}"
    bound = evidence.settings.lateness_max
    for value, decision in latenesses if bound is not None else []:
        report.fact("I16")
        if value > bound:
            message = f"began {seconds_text(value)} late, more than {seconds_text(bound)}"
            seqs = (decision.seq,)
            report.violation("I16", decision.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)
