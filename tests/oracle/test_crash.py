# SPDX-License-Identifier: GPL-2.0-or-later
"""crash opens our vmcore with nothing but a vmlinux beside it, and its ps and runq say what we say."""

import re
import unittest

import debugged
import tap

TASK = re.compile(r"^([> ]) +(\d+) +(\d+) +(\d+) +([0-9a-f]+) +(\w\w) +[\d.]+ +\d+ +\d+ +(.*)$", re.M)
CURRENT = re.compile(r"^CPU (\d+) RUNQUEUE: [0-9a-f]+\n +CURRENT: PID: (\d+) +TASK: ([0-9a-f]+) +COMMAND: \"(.*)\"$", re.M)
STATES = {"RU": "R", "IN": "S", "UN": "D", "ST": "T", "TR": "t", "ZO": "Z", "ID": "I", "PA": "P"}


class Crash(unittest.TestCase):
    """With the newest kernel that this crash has learned about: it needs to know each by heart."""

    @classmethod
    def setUpClass(cls):
        cls.core, cls.refused, cls.agreement = None, [], debugged.Agreement("crash")
        for release in debugged.newest_of_each_series():
            debugged.kernel(release)
            guest = debugged.Guest(release)
            try:
                guest.ask(debugged.PREPARE)
                cls.core = guest.write("core-for-crash")
            finally:
                guest.close()
            status, cls.words = debugged.ask_peer("crash", "-s", "vmlinux", "core-for-crash", given="ps\nrunq\nquit\n")
            cls.agreement.say(f"crash, Linux {release}: " + ("read" if status == 0 else f"not known to it: {' '.join(cls.words.split())}"))
            if status == 0:
                cls.seen = debugged.look(cls.core)
                return
            cls.refused.append(cls.words)
        raise AssertionError(cls.refused)

    def test_it_never_says_that_kernel_and_memory_do_not_match(self):
        for words in [*self.refused, self.words]:
            self.assertNotIn("match", words)
            self.assertNotIn("cannot read", words)
        self.assertNotIn("WARNING", self.words)
        self.assertNotIn("error", self.words)

    def agree(self, what, said, seen):
        self.agreement.say(f"{what}: {sum(said.get(key) == seen[key] for key in seen)} of {len(seen)} agree; crash has {len(said)}")
        self.assertEqual(said, seen)
        self.assertTrue(seen)

    def test_tasks(self):
        said = {}
        for active, pid, _, cpu, address, state, comm in TASK.findall(self.words):
            # Names of kernel threads stand in brackets.
            comm = comm[1:-1] if comm.startswith("[") else comm
            if int(pid):
                said[int(pid)] = (int(address, 16), int(cpu), STATES[state], comm, active == ">")
        running = {rq["curr"]["pid"] for rq in self.seen["rq"]["cpus"]}
        self.agree("tasks", said, {t["pid"]: (int(t["address"], 16), t["cpu"], t["state"], t["comm"], t["pid"] in running)
                                   for t in self.seen["tasks"]["tasks"]})

    def test_runqueues(self):
        said = {int(cpu): (int(pid), int(task, 16), comm) for cpu, pid, task, comm in CURRENT.findall(self.words)}
        self.agree("runqueues", said, {rq["cpu"]: (rq["curr"]["pid"], int(rq["curr"]["address"], 16), rq["curr"]["comm"])
                                       for rq in self.seen["rq"]["cpus"]})


if __name__ == "__main__":
    tap.main(__name__)
