# SPDX-License-Identifier: GPL-2.0-or-later
"""`make demo`, with what is already built and fetched."""

import json
import os
import re
import subprocess
import tempfile

import guest
import tap
from machine import KTSTR, GuestTest, decided


class Demo(GuestTest):
    def show(self, directory):
        env = {**os.environ, "KTSTR": KTSTR, "KTSTR_BUILD_DIR": guest.BUILD, "KTSTR_DEMO_DIR": directory}
        done = subprocess.run([os.path.join(guest.ROOT, "tools", "demo")], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done)
        found = {}
        for name in os.listdir(os.path.join(directory, "results")):
            if name.endswith(".ktstr.json"):
                with open(os.path.join(directory, "results", name), encoding="utf-8") as f:
                    record = json.load(f)
                found[record["test_name"]] = (record["verdict"], record["reason"], record["scheduler"])
        return done, found

    def test_it_shows_two_schedulers_and_a_bug_that_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            done, found = decided(lambda n: self.show(os.path.join(scratch, f"demo{n}")),
                                  lambda answer: any(reason == "host-busy" for _, reason, _ in answer[1].values()))
        failed = found.pop("forgotten_tasks")
        self.assertEqual(failed, ("fail", "scheduler-exited", "scx_ktfifo --fault stall --timeout-ms 8000"))
        self.assertEqual({name: scheduler for name, (_, _, scheduler) in found.items()},
                         {"fair_under_the_kernel": "", "fair_under_fifo": "scx_ktfifo"})
        self.assertEqual({(verdict, reason) for verdict, reason, _ in found.values()}, {("pass", "none")})
        self.assertIn("the kernel says: runnable task stall", done.stdout)
        self.assertTrue(re.search(r"^  R schedulers\[\d+\] -\d{4,}ms$", done.stdout, re.M), done.stdout)
        # Only commands and paths may be wider than a terminal.
        wide = [line for line in done.stdout.splitlines() if len(line) > 80 and not line.startswith(("$ ", " " * 8))]
        self.assertEqual(wide, [])
        self.assertIn("/sys/bus/cpu/devices/cpu3/cache/index3/shared_cpu_list:2-3", done.stdout)


if __name__ == "__main__":
    tap.main(__name__)
