# SPDX-License-Identifier: GPL-2.0-or-later
"""A scheduler under test, in every way it can go: what the record says, and what is kept."""

import json
import os
import subprocess
import tempfile
import unittest

import guest
import tap
from machine import KTSTR

SUITE = os.path.join(guest.BUILD, "tests", "suites", "schedulers")
SCHEDULERS = os.path.join(guest.BUILD, "bpf")


class Schedulers(unittest.TestCase):
    """One run for all."""

    @classmethod
    def setUpClass(cls):
        cls.why = guest.missing()
        if cls.why:
            return
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        command = [KTSTR, "test", SUITE, "--files", SCHEDULERS, "-o", cls.directory.name]
        cls.done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
        cls.records = {}
        for name in os.listdir(cls.directory.name):
            if name.endswith(".ktstr.json"):
                with open(os.path.join(cls.directory.name, name), encoding="utf-8") as f:
                    record = json.load(f)
                cls.records[record["test_name"]] = record

    def setUp(self):
        if self.why:
            self.skipTest(self.why)
        self.assertTrue(self.records, self.done)
        if any(r["reason"] == "needs-sched-ext" for r in self.records.values()):
            self.skipTest("the kernel has no sched_ext")

    def record(self, name, verdict, reason, why=""):
        record = self.records[name]
        self.assertEqual((record["verdict"], record["reason"]), (verdict, reason), record["parts"])
        self.assertIn(why, record["why"])
        return record

    def kept(self, record, name):
        self.assertIn(name, record["kept_files"])
        with open(os.path.join(record["kept_dir"], name), encoding="utf-8") as f:
            return f.read()

    def test_a_test_under_a_working_scheduler_passes(self):
        record = self.record("lives", "pass", "none")
        self.assertEqual(record["parts"], [])

    def test_a_scheduler_that_exits_before_attaching_fails(self):
        self.record("ends_before", "fail", "scheduler-load", "scx_ktfifo ended with exit code 3 before it was attached")

    def test_a_verifier_refusal_keeps_the_log(self):
        record = self.record("refused", "fail", "scheduler-verifier")
        self.assertIn("BEGIN PROG LOAD LOG", self.kept(record, "scheduler.stderr"))

    def test_a_scheduler_that_never_attaches_fails(self):
        self.record("never_attached", "fail", "scheduler-attach", "was not attached within")

    def test_a_scheduler_ejected_by_the_kernel_fails_with_its_reason(self):
        record = self.record("thrown_out", "fail", "scheduler-exited", "the kernel says: scx_bpf_error: error on purpose")
        self.assertIn('"ktfifo" disabled (scx_bpf_error)', self.kept(record, "kernel.log"))
        self.assertIn("error on purpose", self.kept(record, "sched_ext.dump"))
        self.assertIn("exit kind 1025", self.kept(record, "scheduler.stderr"))

    def test_an_ejection_by_the_kernel_can_be_expected(self):
        self.record("thrown_out_as_expected", "pass", "failed-as-expected")

    def test_a_scheduler_killed_by_a_signal_fails(self):
        self.record("killed", "fail", "scheduler-exited", "was ended by signal 11 (SIGSEGV)")

    def test_a_test_may_end_its_scheduler_itself(self):
        self.record("killed_on_purpose", "pass", "none")

    def test_a_process_that_outlives_its_test_is_found(self):
        self.record("hides_a_process", "fail", "leftover", "processes outlived the test (1)")


if __name__ == "__main__":
    tap.main(__name__)
