# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests with a virtual clock, 10 of 10, with 1, 4 and 8 CPUs, on a quiet host and beside busy processes.

KTSTR_RUNS is another number of runs. Figures go to standard error.
"""

import os
import sys
import time
import unittest

import guest
import repeat
import tap
from load import Load
from share import rounds

RUNS = int(os.environ.get("KTSTR_RUNS", rounds(10, least=2)))
TOPOLOGIES = ("1n1l1c1t", "1n2l2c1t", "1n2l2c2t")


@unittest.skipIf(guest.missing(), guest.missing())
class Soak(unittest.TestCase):
    def soak(self, topology, load, mips=0, runs=RUNS):
        with Load(load), repeat.Repeat(topology, ["sh", "-c", repeat.BUSY], mips) as r:
            first, times = None, []
            for _ in range(runs):
                start = time.monotonic()
                run = r.run("input")
                times.append(time.monotonic() - start)
                self.assertIsNone(run.error)
                first = first or run
                repeat.check_same(self, r, first, run)
        times.sort()
        print(f"{topology} mips={mips} load={load}: {runs} of {runs} the same, RAM {first.ram[0][:16]}, "
              f"guest {first.guest_ns / 1e9:.3f} s, wall median {times[len(times) // 2]:.1f} s, least {times[0]:.1f} s",
              file=sys.stderr, flush=True)
        return first

    def test_runs_beside_load_are_those_on_a_quiet_host(self):
        for topology in TOPOLOGIES:
            with self.subTest(topology):
                quiet, loaded = self.soak(topology, 0), self.soak(topology, 3)
                self.assertEqual(loaded.console, quiet.console)
                self.assertEqual(loaded.frames, quiet.frames)
                self.assertEqual(loaded.ram, quiet.ram)

    def test_another_speed_is_another_run_that_repeats(self):
        seen = set()
        for mips in (250, 125, 31):
            first = self.soak("1n2l2c1t", 0, mips, 3)
            seen.add(tuple(first.ram))
        self.assertEqual(len(seen), 3)


if __name__ == "__main__":
    tap.main(__name__)
