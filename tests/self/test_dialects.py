# SPDX-License-Identifier: GPL-2.0-or-later
"""Test binaries that speak the report's language wrongly."""

import judged
import tap


ROWS = (
    # test, verdict, reason, words, all parts
    ("two_ends", "broken", "report", "line 4 .*end: it comes after the end", ["report"]),
    ("two_reports", "broken", "report", "line 4 .*begin: it comes after the end", ["report"]),
    ("two_begins", "broken", "report", "line 2 .*begin: given twice", ["report"]),
    ("garbage", "broken", "report", "line 3 .*JSON", ["report"]),
    ("long_line", "broken", "report", "line 2 .*longer than 262144 bytes", ["report"]),
    ("half_a_line", "broken", "report", "ends inside its line 3", ["report"]),
    ("hosts_reason", "broken", "report", 'a test cannot know "host-busy"', ["report"]),
    ("other_name", "broken", "report", "other_name was started, but correctly reports", ["report"]),
    ("before_begin", "broken", "report", "stage: it comes before the begin", ["report"]),
    ("unknown_word", "broken", "report", "not the kind of a line", ["report"]),
    ("no_end", "broken", "report", "exited with 0 in stage work, and its report has no end", ["report"]),
    ("silence", "broken", "report", "exited with 0 before the test began", ["report"]),
    ("dies_first", "broken", "test-crashed", "signal 9 before the test began", ["test-crashed"]),
    ("dies_last", "broken", "test-crashed", "signal 11 after the test's last report", ["test-crashed"]),
    ("exits_last", "broken", "test-crashed", "exited with 6 after the test's last report", ["test-crashed"]),
    ("exits_without_end", "broken", "test-crashed", "exited with 7", ["test-crashed"]),
    ("no_work", "inconclusive", "no-evidence", "never reached its work", ["no-evidence"]),
)


class Dialects(judged.Judged):
    SUITE = "dialects"
    OPTIONS = ("--jobs", "2")

    def test_a_correct_report_passes(self):
        self.judged("correctly", "pass", "none", parts=[])

    def test_a_failure_in_a_damaged_report_stays_a_failure(self):
        self.judged("wrong_count", "fail", "expectation", "so it says", parts=["expectation", "report"])

    def test_each_malformed_report_is_refused_with_its_mistake(self):
        self.assertEqual(set(self.results), {row[0] for row in ROWS} | {"correctly", "wrong_count"})
        for test, verdict, reason, words, parts in ROWS:
            with self.subTest(test):
                self.judged(test, verdict, reason, words, parts=parts)


if __name__ == "__main__":
    tap.main(__name__)
