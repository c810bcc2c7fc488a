# SPDX-License-Identifier: GPL-2.0-or-later
"""What a seed decides in virtual time: the same again with the same seed, another schedule with another."""

import json
import os
import re
import subprocess
import tempfile

import guest
import tap
from machine import KTSTR, GuestTest

SUITE = os.path.join(guest.BUILD, "tests", "suites", "seeds")
ORDER = re.compile(r"(\d+) switches, order ([0-9a-f]{16})")


class Seeds(GuestTest):
    def records(self, test, *options):
        """Text of each record, by the order of the plan."""
        with tempfile.TemporaryDirectory(prefix="ktstr-seeds-") as out:
            done = subprocess.run([KTSTR, "test", SUITE, "-k", f"*:{test}", "--format", "json", "-o", out, *options],
                                  capture_output=True, text=True, check=False, timeout=600)
            told = [line for line in map(json.loads, done.stdout.splitlines()) if line["report"] == "test"]
            self.assertEqual([t["verdict"] for t in told], ["pass"] * len(told), done)
            texts = []
            for one in sorted(told, key=lambda t: t["index"]):
                with open(one["record"], encoding="utf-8") as f:
                    texts.append(f.read())
            return texts

    def test_another_seed_is_another_schedule_and_the_same_seed_the_same(self):
        first, other = self.records("mix_of_wakers", "--clock", "virtual", "--seeds", "1..2")
        (again,) = self.records("mix_of_wakers", "--clock", "virtual", "--seed", "1")
        digests = [json.loads(text)["digest"] for text in (first, other, again)]
        orders = [ORDER.search(text)[2] for text in (first, other, again)]
        self.assertEqual((digests[0], orders[0]), (digests[2], orders[2]))
        self.assertNotEqual(digests[0], digests[1])
        self.assertNotEqual(orders[0], orders[1])

    def test_workers_start_by_the_seed_in_virtual_time_only(self):
        for options, seed in (("--clock", "virtual", "--seed", "7"), "7"), (("--clock", "virtual", "--seed", "0"), "0"), (("--clock", "real"), "nothing"):
            (record,) = self.records("seed_of_starts", *options)
            self.assertIn(f"starts are decided by {seed}", record)


if __name__ == "__main__":
    tap.main(__name__)
