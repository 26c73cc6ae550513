"""What tests of the checks have in common."""

import unittest

from report import Report


class CheckerTest(unittest.TestCase):
    """A test of one or more invariants."""

    def assert_clean(self, report: Report, *invariants: str) -> None:
        """Nothing was found, and each of the invariants was looked at."""
        self.assertEqual([], [violation.text() for violation in report.violations])
        for invariant in invariants:
            self.assertGreater(report.facts[invariant], 0, f"{invariant} was not looked at")

    def assert_finds(self, report: Report, invariant: str, words: str, *seqs: int) -> None:
        """One violation of the invariant has these words and these lines, and nothing else was found."""
        texts = [violation.text() for violation in report.violations]
        fitting = [violation for violation in report.of(invariant) if words in violation.text()]
        self.assertEqual(1, len(fitting), texts)
        self.assertEqual(seqs, fitting[0].seqs)
        self.assertEqual(1, len(texts), texts)

    def assert_finds_among_others(self, report: Report, invariant: str, words: str) -> None:
        """A violation of the invariant has these words, whatever else it entails."""
        texts = [violation.text() for violation in report.violations]
        self.assertTrue(any(words in violation.text() for violation in report.of(invariant)), texts)
