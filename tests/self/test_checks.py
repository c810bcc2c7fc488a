# SPDX-License-Identifier: GPL-2.0-or-later
"""Each check of the work goes red in a real guest, for what really happened there and for nothing else."""

import judged
import tap


class Timed(judged.Judged):
    """What only time shows, so that a busy host may hide it."""

    SUITE = "checks"
    OPTIONS = ("-k", "stalls", "-k", "pauses")
    ATTEMPTS = 5

    def test_a_worker_that_stops_making_progress(self):
        """Though it worked at first, and no watchdog has seen it."""
        record = self.judged("stalls", "fail", "check", r"of left made no progress at the end: it could not run for \d+ ms",
                             parts=["check"])
        stopped, = (w for w in record["workers"] if w["stall_ns"] > 2_000_000_000)
        self.assertGreater(stopped["units"], 0)

    def test_a_worker_that_waits_too_long_once(self):
        record = self.judged("pauses", "fail", "check", r"could not run for [1-9]\d\d\d ms \((\+-[0-9.]+ ms, )?limit 100 ms\)", parts=["check"])
        self.assertTrue(any("progress left: 2 of 2 workers" in n for n in record["notes"]), record["notes"])


class Checks(judged.Judged):
    SUITE = "checks"
    OPTIONS = ("-k", "healthy", "-k", "strays", "-k", "moved")

    def test_work_of_every_kind_passes(self):
        """Bursts and sleeps that are longer than the test are work, too."""
        record = self.judged("healthy", "pass", "none", parts=[])
        by_cgroup = {w["cgroup"]: w for w in record["workers"]}
        self.assertEqual({w["kind"] for w in record["workers"]}, {"bursty", "yield", "sleep"})
        # Node 0 is CPU 0 and node 1 is CPU 1 of this machine.
        self.assertEqual((by_cgroup["bursty"]["cpus"], by_cgroup["yielding"]["cpus"]), ("0", "1"))
        for name in ("long_bursts", "long_sleeps"):
            self.assertEqual(by_cgroup[name]["iterations"], 0)
            self.assertGreater(by_cgroup[name]["units"], 0)
        for line in ("progress long_sleeps: 1 of 1", "isolation bursty: 2 of 2", "gap yielding"):
            self.assertTrue(any(n.startswith(line) for n in record["notes"]), record["notes"])

    def test_a_worker_outside_its_cgroups_cpus(self):
        record = self.judged("strays", "fail", "check", r"ran on CPU 1, [\d.]+ s into its work; its cgroup left had 0 then",
                             parts=["check"])
        self.assertEqual([w["outside"] for w in record["workers"]], ["1"])

    def test_workers_that_follow_a_moved_cpu_set_pass(self):
        record = self.judged("moved", "pass", "none", parts=[])
        self.assertEqual({w["cpus"] for w in record["workers"]}, {"0-1"})
        self.assertEqual({w["outside"] for w in record["workers"]}, {""})


if __name__ == "__main__":
    tap.main(__name__)
