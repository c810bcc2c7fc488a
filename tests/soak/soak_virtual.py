# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual time: clones are identical to the bit, limits decide alike, and a race is found by its seed and stays there.

KTSTR_RUNS is another number of clones for each machine and kernel (20). Every second half of them is beside busy loops of the host. Figures go to standard error.
"""

import os
import sys
import tempfile
import time
import unittest

import guest
import repeat
import tap
import virtual
from load import Load
from share import rounds

RUNS = int(os.environ.get("KTSTR_RUNS", rounds(20, least=2)))
MACHINES = {1: "1n1l1c1t", 4: "1n2l2c1t", 8: "1n2l2c2t", 16: "1n2l8c1t"}
RAM_MACHINES = ("1n1l1c1t", "1n2l2c2t")
RAM_RUNS = int(os.environ.get("KTSTR_RUNS", rounds(10, least=2)))
SPEEDS = (250, 125, 31)
SERIES = ("6.12", "6.18", "7.2")
BUSY_LOOPS = 4
LIMIT_RUNS = rounds(100, least=3)
SEEDS, SEEDS_AT_ONCE = 200, 20
AGAIN = rounds(10, least=2)


def say(text):
    print(text, file=sys.stderr, flush=True)


def kernel_of(series):
    """(id, whether it takes a scheduler) of a kernel of the cache; one that does is preferred."""
    found = {k: usable for k, usable in virtual.kernels().items() if k.startswith(series + ".") and "cloud" in k}
    if not found:
        raise unittest.SkipTest(f"no kernel {series} is in the cache: ktstr kernel fetch {series}")
    return max(found.items(), key=lambda item: item[1])


class Soak(unittest.TestCase):
    def setUp(self):
        why = guest.missing()
        if why:
            self.skipTest(why)

    def same(self, binary, test, runs, *options):
        """Runs one test so many times, the second half beside busy loops; the first record, after all have had its digest."""
        first, times = None, []
        for i in range(runs):
            with Load(BUSY_LOOPS if 2 * i >= runs else 0):
                start = time.monotonic()
                told, record = virtual.run_one(binary, test, *options)
                times.append(time.monotonic() - start)
            self.assertIn(told["verdict"], ("pass", "fail"), told)
            first = first or (told, record)
            virtual.check_same(self, first, (told, record))
        times.sort()
        say(f"{test} {' '.join(options)}: {runs} of {runs} the same, digest {first[1]['digest']}, {first[0]['verdict']}, "
            f"wall median {times[len(times) // 2]:.1f} s, least {times[0]:.1f} s")
        return first

    def test_digests_of_all_clones_are_the_same(self):
        for series in SERIES:
            for cpus, topology in MACHINES.items():
                with self.subTest(kernel=series, cpus=cpus):
                    kernel, takes_scheduler = kernel_of(series)
                    test = "every_kind_under_fifo" if takes_scheduler else "every_kind"
                    told, _ = self.same(virtual.suite("every_kind"), test, RUNS, "--kernel", kernel, "-t", topology)
                    self.assertEqual(told["verdict"], "pass", told)

    def same_memory(self, topology, mips, runs):
        """The same of one command and of all that is left of its guest: console, frames and RAM. The first run."""
        with repeat.Repeat(topology, ["sh", "-c", repeat.BUSY], mips) as r:
            first = None
            for i in range(runs):
                with Load(BUSY_LOOPS if 2 * i >= runs else 0):
                    run = r.run("input")
                first = first or run
                repeat.check_same(self, r, first, run)
        say(f"{topology} mips={mips}: RAM of {runs} of {runs} the same, {first.ram[0][:16]}, guest {first.guest_ns / 1e9:.3f} s")
        return first

    def test_memory_of_all_clones_is_the_same(self):
        for topology in RAM_MACHINES:
            with self.subTest(topology):
                self.same_memory(topology, 0, RAM_RUNS)

    def test_another_speed_is_another_run_that_repeats(self):
        self.assertEqual(len({tuple(self.same_memory("1n2l2c1t", mips, 2).ram) for mips in SPEEDS}), len(SPEEDS))

    def test_another_seed_has_another_digest(self):
        digests = {record["digest"] for _, record in
                   virtual.run(virtual.suite("every_kind"), "every_kind_under_fifo", "--seeds", "1..4")}
        self.assertEqual(len(digests), 4)

    def judge(self, path, limit_ms, verdict, reason):
        virtual.with_limit(limit_ms, path)
        with Load(BUSY_LOOPS):
            for i in range(LIMIT_RUNS):
                told, record = virtual.run_one(path, "gap")
                self.assertEqual((told["verdict"], told["reason"]), (verdict, reason), f"run {i}, limit {limit_ms} ms, gap {virtual.gap_ms(record)} ms: {told}")
        say(f"limit {limit_ms:.3f} ms: {verdict} {LIMIT_RUNS} of {LIMIT_RUNS} times beside {BUSY_LOOPS} busy loops")

    def test_limits_ten_percent_above_and_below_what_is_measured(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "limits")
            # As long as the others in every byte that a guest sees: a limit is eight bytes.
            told, record = virtual.run_one(virtual.with_limit(100000, path), "gap")
            self.assertEqual(told["verdict"], "pass", told)
            measured = virtual.gap_ms(record)
            say(f"gap {measured:.6f} ms")
            self.judge(path, measured * 1.1, "pass", "none")
            self.judge(path, measured * 0.9, "fail", "check")

    def test_a_race_happens_in_some_seeds_and_always_there(self):
        # A slice of the soak stops where both verdicts have been seen.
        seen = virtual.find_race(self, virtual.RACE, SEEDS, SEEDS_AT_ONCE, wants_all=rounds(SEEDS) == SEEDS)
        found = virtual.by_verdict(seen)
        say(f"race: {len(found['fail'])} of {len(seen)} seeds fail: {found['fail']}")
        self.assertLess(2 * len(found["fail"]), len(seen))
        for verdict, (seed, *_) in found.items():
            told, record = self.same(virtual.suite("races"), virtual.RACE, AGAIN, "--seed", str(seed))
            virtual.check_same(self, seen[seed], (told, record))
            self.assertEqual(told["verdict"], verdict, told)


if __name__ == "__main__":
    tap.main(__name__)
