# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests with a virtual clock: the same bytes each time. tests/soak repeats it longer, with more machines and load."""

import hashlib
import re
import subprocess
import unittest

import guest
import machine
import repeat
import tap


@unittest.skipIf(guest.missing(), guest.missing())
class Virtual(unittest.TestCase):
    def check_first(self, run):
        self.assertIsNone(run.error)
        self.assertEqual(run.end, (0, 7))
        self.assertEqual(run.stderr, b"to standard error\n")
        lines = run.stdout.decode().splitlines()
        self.assertEqual(lines[0], "through standard input")
        self.assertRegex(lines[1], r"^( [0-9a-f]{2}){16}$")
        # The clock begins with a year of its own, whatever the host's says.
        self.assertRegex(lines[2], r"^Thu Jan  1 00:0\d:\d\d UTC 2026$")
        # An empty file would be equal to itself as well.
        self.assertNotIn(hashlib.sha256(bytes(512 << 20)).hexdigest(), run.ram)

    def test_console_frames_and_ram_of_three_runs_with_four_cpus_are_the_same(self):
        with repeat.Repeat("1n2l2c1t", ["sh", "-c", repeat.BUSY]) as r:
            first = r.run("through standard input")
            self.check_first(first)
            for _ in range(2):
                repeat.check_same(self, r, first, r.run("through standard input"))

    def test_a_difference_in_ram_is_reported_with_its_owner(self):
        with repeat.Repeat("1n1l1c1t", ["cat"]) as r:
            first, other = r.run("one"), r.run("two")
            self.assertEqual((first.stdout, other.stdout), (b"one", b"two"))
            self.assertNotEqual(first.ram, other.ram)
            told = r.diff()
            self.assertRegex(told, r"(?m)^pages [1-9]")
            self.assertRegex(told, r"(?m)^page 0x[0-9a-f]+: \d+ bytes from 0x[0-9a-f]+ on: System RAM: \w")
            self.assertNotIn("no owner", told)

    def test_another_seed_is_another_run(self):
        def digest(seed):
            # Who ran when, without a random byte: only turns can make a difference.
            done = subprocess.run([machine.KTSTR, "shell", "--clock", "virtual", "--seed", str(seed), "-t", "2", "-v",
                                   "--exec", "for i in 1 2 3; do (while :; do :; done) & done; sleep 0.1; cat /proc/schedstat"],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
            return done.stdout, re.search(r"seed (\d+), digest ([0-9a-f]{16})", done.stderr).groups()

        first, again, other = digest(1), digest(1), digest(2)
        self.assertEqual(first, again)
        self.assertEqual((first[1][0], other[1][0]), ("1", "2"))
        self.assertNotEqual(first[0], other[0])
        self.assertNotEqual(first[1][1], other[1][1])

    def test_a_panic_in_virtual_time_is_reported(self):
        with repeat.Repeat("1n1l1c1t", ["sh", "-c", "echo c > /proc/sysrq-trigger"]) as r:
            self.assertRegex(r.run().error, r"^\[guest-panic\] .*sysrq triggered crash")


if __name__ == "__main__":
    tap.main(__name__)
