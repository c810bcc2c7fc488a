# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr test` from the binary to the record, in real guests."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))

import guest
import tap
from machine import KTSTR, GuestTest

SUITES = os.path.join(guest.BUILD, "tests", "suites")


def run(*arguments, cwd, **kwargs):
    """The finished `ktstr test`, in a directory of its own."""
    kwargs.setdefault("timeout", 600)
    return subprocess.run([KTSTR, "test", *arguments], capture_output=True, text=True, check=False, cwd=cwd, **kwargs)


def records(directory):
    found = []
    for base, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".ktstr.json"):
                with open(os.path.join(base, name), encoding="utf-8") as f:
                    found.append(json.load(f))
    return found


class Runner(GuestTest):
    def setUp(self):
        super().setUp()
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def test_tests_pass_and_leave_records(self):
        done = run(os.path.join(SUITES, "trivial"), "-k", "trivial_03", "-k", "*:trivial_1[12]", "-o", "out", cwd=self.directory.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("3 tests: 3 passed", done.stdout)
        found = records(os.path.join(self.directory.name, "out"))
        self.assertEqual(sorted((r["test_name"], r["state"], r["verdict"], r["topology"]) for r in found),
                         [(name, "finished", "pass", "1n1l1c1t") for name in ("trivial_03", "trivial_11", "trivial_12")])
        self.assertEqual(os.listdir(self.directory.name), ["out"])
        for record in found:
            self.assertEqual([stage["name"] for stage in record["stages"]], ["setup", "work", "cleanup"])
            times = [stage["at_ms"] for stage in record["stages"]]
            self.assertEqual(times, sorted(times))

    def test_every_test_begins_in_an_idle_guest(self):
        # Kept ready or not, with both clocks.
        for options in ((), ("--ahead", "0"), ("--clock", "real"), ("--clock", "real", "--ahead", "0")):
            with self.subTest(options=options):
                out = "-".join(["out", *options])
                done = run(os.path.join(SUITES, "trivial"), "-k", "trivial_03", "-o", out, *options, cwd=self.directory.name)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                (record,) = records(os.path.join(self.directory.name, out))
                idle = record["guest_idle"]
                self.assertGreaterEqual(idle["waited_ms"], idle["idle_ms"])
                self.assertGreaterEqual(idle["idle_ms"], 45)
                self.assertEqual(idle["cpu"], 0)
                self.assertLessEqual(idle["busy_pct"], 10)


if __name__ == "__main__":
    tap.main(__name__)
