# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests in virtual time repeat to the bit beside a busy host, and limits and races decide alike. tests/soak has the long form."""

import os
import tempfile
import unittest

import guest
import tap
import virtual
from load import Load

BUSY_LOOPS = 2
# About one seed in ten has the race; which ones depends on the binaries and the kernel.
SEEDS, SEEDS_AT_ONCE = 80, 4


@unittest.skipIf(guest.missing(), guest.missing())
class Virtual(unittest.TestCase):
    def test_runs_of_a_seed_are_the_same_and_those_of_another_differ(self):
        binary, test = virtual.suite("every_kind"), "every_kind_under_fifo"
        first = virtual.run_one(binary, test)
        self.assertEqual(first[0]["verdict"], "pass", first[0])
        with Load(BUSY_LOOPS):
            virtual.check_same(self, first, virtual.run_one(binary, test))
        _, other = virtual.run_one(binary, test, "--seed", "2")
        self.assertNotEqual(other["digest"], first[1]["digest"])
        self.assertNotEqual(other["notes"], first[1]["notes"])
        self.assertNotEqual(other["workers"], first[1]["workers"])

    def test_a_limit_of_ten_percent_more_or_less_decides(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "limits")
            measured = virtual.gap_ms(virtual.run_one(virtual.with_limit(100000, path), "gap")[1])
            for factor, wanted in ((1.1, ("pass", "none")), (0.9, ("fail", "check"))):
                told, record = virtual.run_one(virtual.with_limit(measured * factor, path), "gap")
                self.assertEqual((told["verdict"], told["reason"]), wanted, f"{measured} ms, now {virtual.gap_ms(record)} ms: {told}")

    def test_a_race_is_found_by_seeds_and_stays_at_its_seed(self):
        seen = virtual.find_race(self, SEEDS, SEEDS_AT_ONCE)
        for seed, *_ in virtual.by_verdict(seen).values():
            virtual.check_same(self, seen[seed], virtual.run_one(virtual.suite("races"), virtual.RACE, "--seed", str(seed)))


if __name__ == "__main__":
    tap.main(__name__)
