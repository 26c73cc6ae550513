"""What was checked, what was counted, and what was found broken."""

import json
from collections import Counter
from dataclasses import dataclass, field

from moments import instant_text

INVARIANTS = {
    "I1": "completeness",
    "I2": "uniqueness",
    "I3": "no double launch",
    "I4": "no phantom",
    "I5": "no fork",
    "I7": "durability",
    "I9": "overlap",
    "I10": "pause",
    "I11": "catch-up",
    "I12": "backfill",
    "I13": "retries",
    "I14": "terminal stability",
    "I15": "next run",
    "I16": "lateness",
    "I17": "progress",
    "I21": "no silent loss",
}


@dataclass
class Violation:
    """One broken promise, with everything needed to find it in the inputs."""

    invariant: str
    schedule: str
    message: str
    nominal: int | None = None
    run: str | None = None
    seqs: tuple[int, ...] = ()

    def text(self) -> str:
        """One line for people."""
        where = [self.schedule or "-"]
        where += [instant_text(self.nominal)] if self.nominal is not None else []
        where += [f"run {self.run}"] if self.run else []
        seqs = f" (seq {', '.join(map(str, self.seqs))})" if self.seqs else ""
        return f"{self.invariant} {INVARIANTS[self.invariant]}: {' '.join(where)}: {self.message}{seqs}"

    def document(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "invariant": self.invariant,
            "name": INVARIANTS[self.invariant],
            "schedule": self.schedule,
            "nominal": None if self.nominal is None else instant_text(self.nominal),
            "run": self.run,
            "seqs": list(self.seqs),
            "message": self.message,
        }


@dataclass
class Report:
    """Collects facts, counts and violations of all checks."""

    facts: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    not_judged: Counter[str] = field(default_factory=Counter)
    measures: dict[str, str] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)

    def fact(self, invariant: str, count: int = 1) -> None:
        """Notes that something was looked at, whatever was found."""
        self.facts[invariant] += count

    def violation(
        self,
        invariant: str,
        schedule: str,
        message: str,
        *,
        nominal: int | None = None,
        run: str | None = None,
        seqs: tuple[int, ...] = (),
    ) -> None:
        """Notes something broken."""
        self.violations.append(Violation(invariant, schedule, message, nominal, run, seqs))

    def of(self, invariant: str) -> list[Violation]:
        """The violations of one invariant."""
        return [violation for violation in self.violations if violation.invariant == invariant]

    def text(self) -> str:
        """Counts, facts by invariant, then every violation."""
        lines = [f"{name:<34} {count:>10}" for name, count in sorted(self.counts.items())]
        lines += [f"{name:<34} {value:>10}" for name, value in self.measures.items()]
        lines += [f"{'not judged: ' + why:<34} {count:>10}" for why, count in sorted(self.not_judged.items())]
        lines += ["", f"{'invariant':<26} {'facts':>10} {'violations':>10}"]
        for invariant, name in INVARIANTS.items():
            lines.append(f"{invariant:<4} {name:<21} {self.facts[invariant]:>10} {len(self.of(invariant)):>10}")
        lines += [""] + [violation.text() for violation in self.violations]
        lines.append(f"{sum(self.facts.values())} facts checked, {len(self.violations)} violations")
        return "\n".join(lines)

    def json(self) -> str:
        """The same as one JSON document."""
        document = {
            "counts": dict(sorted(self.counts.items())),
            "measures": self.measures,
            "notJudged": dict(sorted(self.not_judged.items())),
            "facts": {invariant: self.facts[invariant] for invariant in INVARIANTS},
            "violations": [violation.document() for violation in self.violations],
        }
        return json.dumps(document, indent=2, ensure_ascii=False)
