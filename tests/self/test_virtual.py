# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests in virtual time repeat to the bit beside a busy host, and limits and races decide alike. tests/soak has the long form."""

import json
import os
import subprocess
import tempfile
import unittest

import guest
import judged
import tap
import virtual
from load import Load

BUSY_LOOPS = 2
# About half of the seeds have the race; which ones depends on the binaries and the kernel.
SEEDS, SEEDS_AT_ONCE = 40, 4


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
        seen = virtual.find_race(self, virtual.RACE_OFTEN, SEEDS, SEEDS_AT_ONCE)
        for seed, *_ in virtual.by_verdict(seen).values():
            virtual.check_same(self, seen[seed], virtual.run_one(virtual.suite("races"), virtual.RACE_OFTEN, "--seed", str(seed)))

    def test_a_limit_of_time_is_the_guests_and_ends_at_the_same_instruction(self):
        first, other = (virtual.run_one(virtual.suite("self_clock"), "waits") for _ in range(2))
        self.assertEqual((first[0]["verdict"], first[0]["reason"]), ("fail", "timeout"), first[0])
        # The limit is longer on a slow machine, by a factor that the speed of its CPUs decides.
        self.assertRegex(first[0]["why"], r"^in stage work after (\d+) s; the last report of the test came \1\.\d s before, .*heartbeats came until the end")
        virtual.check_same(self, first, other)
        self.assertEqual(first[1]["guest_end_ns"], other[1]["guest_end_ns"])
        self.assertLess(min(first[1]["wall_ms"], other[1]["wall_ms"]), 200000)


class Stopped(judged.Case):
    NOTE = "the guest was stopped from outside while it ran: another run may differ"

    def freeze(self, owner):
        """Whether the guest of a process was there and could be stopped for a moment."""
        listed = json.loads(judged.ktstr("vm", "list", "--json").stdout)["vms"]
        ours = [vm["id"] for vm in listed if vm.get("owner", {}).get("pid") == owner.pid]
        return bool(ours) and judged.ktstr("inspect", f"vm:{ours[0]}", "--freeze", "tasks").returncode == 0

    def test_a_guest_that_was_stopped_while_it_worked_has_a_note(self):
        runner = subprocess.Popen([judged.KTSTR, "test", judged.suite("clock"), "-k", "*:computes", "--clock", "virtual", "-o", self.directory],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (runner.poll() is None and runner.kill(), runner.communicate()))
        stopped = 0
        while runner.poll() is None:
            stopped += self.freeze(runner)
        said, _ = runner.communicate(timeout=judged.TIMEOUT)
        self.assertGreater(stopped, 0, said)
        (path,) = judged.record_paths(self.directory)
        record = judged.load(path)
        self.assertEqual((record["verdict"], self.NOTE in record["notes"]), ("pass", True), record["notes"])
        _, plain = virtual.run_one(virtual.suite("self_clock"), "computes")
        self.assertNotIn(self.NOTE, plain["notes"])


if __name__ == "__main__":
    tap.main(__name__)
