# SPDX-License-Identifier: GPL-2.0-or-later
"""Test functions that hang, crash, leave early or leave something behind."""

import judged
import tap
from judged import ktstr, suite


class Functions(judged.Judged):
    SUITE = "functions"
    OPTIONS = ("--jobs", "2")

    def timed_out(self, test):
        # The stage is named, and that the guest lived.
        record = self.judged(test, "fail", "timeout", r"^in stage work after \d+ s.*heartbeats came", parts=["timeout"])
        self.assertEqual(record["stage_reached"], "work")

    def test_a_function_that_never_returns(self):
        self.timed_out("hangs")

    def test_a_function_that_spins_for_ever(self):
        self.timed_out("spins")

    def test_the_process_that_reports_is_stopped(self):
        self.timed_out("parent_stopped")

    def test_a_function_that_crashes(self):
        record = self.judged("segfaults", "broken", "test-crashed", r"function was ended by signal 11 \(SIGSEGV\)", parts=["test-crashed"])
        # With the address, for addr2line.
        self.assertRegex(" ".join(record["notes"]), r"the kernel says: \S+\[\d+\]: segfault at \S+ ip [0-9a-f]+")

    def test_a_function_that_exits_with_0(self):
        self.judged("exits", "broken", "test-crashed", "ended the process with exit code 0", parts=["test-crashed"])

    def test_what_failed_before_an_early_exit_stays_failed(self):
        self.judged("fails_then_exits", "fail", "expectation", "told before the end", parts=["expectation", "test-crashed"])

    def test_the_process_that_reports_aborts(self):
        self.judged("parent_aborts", "broken", "test-crashed", "test binary was ended by signal 6 in stage work", parts=["test-crashed"])

    def test_a_daemon_that_left_session_and_cgroup(self):
        self.judged("leaves_a_daemon", "fail", "leftover", r"outlived the test \(1\): \d+ \(self_functions", parts=["leftover"])


class Listing(judged.Case):
    def test_a_binary_that_crashes_while_listing_is_an_error(self):
        done = ktstr("test", suite("constructor"), "-o", "out", cwd=self.directory)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^error: \S+self_constructor was killed by signal 11 .* while it listed its tests\n$")
        # For git bisect run that is no bad commit, but one that cannot be tested.
        done = ktstr("test", suite("constructor"), "--bisect", "-o", "out", cwd=self.directory)
        self.assertEqual((done.returncode, done.stdout), (125, ""))


if __name__ == "__main__":
    tap.main(__name__)
