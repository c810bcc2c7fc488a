# SPDX-License-Identifier: GPL-2.0-or-later
"""A scheduler that starves the whole guest: the kernel ends it after 30 s, and the guest lives to tell why."""

import judged
import tap


class Starved(judged.Judged):
    SUITE = "schedulers"
    OPTIONS = ("-k", "unserved")

    def test_a_starved_guest_is_reported_with_the_kernels_reason(self):
        record = self.judged("unserved", "fail", "scheduler-exited", r"the kernel says: (runnable task stall|watchdog failed)",
                             kept=["console.log", "kernel.log", "sched_ext.dump"])
        self.assertTrue(record["scheduler_run"]["attached"])
        self.assertIn("sched_ext", self.kept_text("unserved", "console.log"))


if __name__ == "__main__":
    tap.main(__name__)
