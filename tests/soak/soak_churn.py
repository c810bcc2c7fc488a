# SPDX-License-Identifier: GPL-2.0-or-later
"""A thousand runs against a process whose threads come and go all the time."""

import tap
from share import rounds
from support import MIB, HostTest, counters, errors, probe, undisturbed

RUNS = rounds(1000)
KINDS = {"process-vm-readv", "ptrace-seize", "ptrace-interrupt", "waitpid", "get-regset"}


class Churn(HostTest):
    def run_many(self, *way):
        worker = self.start_worker(MIB, "--churn")
        threads = lost = stopped = 0
        for i in range(RUNS):
            answer = probe("--pid", worker.pid, "--json", *way)
            self.assertEqual(answer.code, 0, f"run {i}: {answer}")
            document = answer.document
            allocated, _ = counters(document)[worker.pid]
            self.assertGreaterEqual(allocated, MIB)
            self.assertLessEqual(set(errors(document).values()), KINDS, answer)
            threads += len(document["snapshots"][0]["threads"])
            lost += len(errors(document))
            stopped += document["stopped_threads"]
        self.assertGreater(threads, RUNS, "no run saw a second thread")
        self.assertEqual(undisturbed(worker.pid), [])
        print(f"# {RUNS} runs {' '.join(way)}: {threads} threads seen, {lost} lost, {stopped} stopped")

    def test_a_thousand_runs(self):
        self.run_many()

    def test_a_thousand_runs_with_stops(self):
        self.run_many("--ptrace")


if __name__ == "__main__":
    tap.main(__name__)
