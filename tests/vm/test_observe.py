# SPDX-License-Identifier: GPL-2.0-or-later
"""Scheduling events as `ktstr shell --trace` sees them from outside, and as the guest's own tracefs saw them in the same run."""

import collections
import os
import re
import subprocess
import tempfile

import machine
import tap
import virtual_guest

EVENTS = ("sched_switch", "sched_wakeup_new", "sched_migrate_task")
RECORD = ("mount -t tracefs x /mnt; cd /mnt; echo 20000 >buffer_size_kb; echo local >trace_clock;"
          + "".join(f" echo 1 >events/sched/{event}/enable;" for event in EVENTS)
          + " echo 1 >tracing_on; /work.sh; echo 0 >tracing_on; cat trace")
WORK = """#!/bin/sh
for i in 1 2 3 4 5 6; do sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.01; exec true' & done; wait
"""
# By how much the ways from an instruction to its tracepoint may differ, of one kind: locks, and the guest's own writing of its trace.
APART_S = 100e-6


def fields(text):
    return dict(re.findall(r"(\w+)=(.*?)(?= \w+=| ==> |$)", text))


class Trace:
    """(kind, CPU) -> [(seconds, values)]"""

    KINDS = {"sched_switch": "switch", "sched_wakeup_new": "new", "sched_migrate_task": "migrate"}
    WANTED = {"switch": ("prev_pid", "prev_comm", "prev_prio", "next_pid", "next_comm", "next_prio"), "new": ("pid", "comm"),
              "migrate": ("pid", "comm", "orig_cpu", "dest_cpu")}

    def __init__(self, lines, pattern):
        self.events = collections.defaultdict(list)
        for line in lines:
            found = re.match(pattern, line)
            if not found:
                continue
            kind = self.KINDS.get(found["kind"], found["kind"])
            if kind not in self.WANTED:
                continue
            values = fields(found["rest"])
            self.events[kind, int(found["cpu"])].append((float(found["time"]), tuple(values[name] for name in self.WANTED[kind])))

    @classmethod
    def of_guest(cls, text):
        return cls(text.splitlines(), r".*\[(?P<cpu>\d+)\] +\S+ +(?P<time>[\d.]+): (?P<kind>\w+): (?P<rest>.*)")

    @classmethod
    def ours(cls, text):
        return cls(text.splitlines(), r" *\d+ +(?P<time>[\d.]+) \[(?P<cpu>\d+)\] (?P<kind>\w+):(?P<rest>.*)")


class Observe(machine.GuestTest):
    def setUp(self):
        super().setUp()
        self.top = tempfile.TemporaryDirectory()
        self.addCleanup(self.top.cleanup)
        self.work = os.path.join(self.top.name, "work.sh")
        with open(self.work, "w", encoding="utf-8") as f:
            f.write(WORK)
        os.chmod(self.work, 0o755)

    def run_one(self, topology, *options, script=RECORD):
        return virtual_guest.run(script, "-t", topology, "-i", f"{self.work}:/work.sh", *options)

    def printed(self, path):
        done = subprocess.run([machine.KTSTR, "trace", path], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def compare(self, guest, ours):
        """Ours have all that the guest's has, in its order, each some microseconds apart."""
        delays = collections.defaultdict(list)
        for key, seen in guest.events.items():
            values = [event[1] for event in ours.events[key]]
            at = next((i for i in range(len(values)) if values[i:i + len(seen)] == [event[1] for event in seen]), None)
            self.assertIsNotNone(at, f"{key}: {seen} are not among {values}")
            delays[key[0]] += [ours.events[key][at + i][0] - event[0] for i, event in enumerate(seen)]
        return delays

    def test_events_are_those_of_the_guests_own_tracefs(self):
        for topology in ("1n1l1c1t", "1n2l2c1t"):
            with self.subTest(topology):
                path = os.path.join(self.top.name, topology)
                ended = self.run_one(topology, "--trace", path)
                self.assertEqual(ended.status, 0, ended)
                guest, ours = Trace.of_guest(ended.stdout.decode()), Trace.ours(self.printed(path))
                self.assertGreater(sum(len(v) for k, v in guest.events.items() if k[0] == "switch"), 20)
                # Both clocks count the same nanoseconds from another zero; a function and its tracepoint are a way apart.
                for kind, delays in self.compare(guest, ours).items():
                    self.assertLess(max(delays) - min(delays), APART_S, kind)

    def test_nothing_in_the_guest_changes_and_two_traces_are_the_same(self):
        paths = [os.path.join(self.top.name, name) for name in ("one", "two")]
        script = "/work.sh; cat /proc/uptime /proc/schedstat /proc/interrupts"
        plain = self.run_one("1n2l2c1t", script=script)
        self.assertEqual(plain.status, 0, plain)
        for path in paths:
            traced = self.run_one("1n2l2c1t", "--trace", path, script=script)
            self.assertEqual((traced.status, traced.digest, traced.stdout), (0, plain.digest, plain.stdout))
        with open(paths[0], "rb") as one, open(paths[1], "rb") as two:
            self.assertEqual(one.read(), two.read())
        numbers = [int(line.split()[0]) for line in self.printed(paths[0]).splitlines()]
        self.assertEqual(numbers, list(range(len(numbers))))

    def test_more_events_than_the_ring_holds_arrive_without_a_gap(self):
        """Some 60000 events of 100 bytes; the host takes them while the guest runs."""
        path = os.path.join(self.top.name, "flood")
        owner = virtual_guest.start("/unruly naps 6000", "-t", "1n1l2c1t", "--trace", path)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        ended = virtual_guest.finish(owner)
        self.assertEqual(ended.status, 0, ended)
        numbers = [int(line.split()[0]) for line in self.printed(path).splitlines()]
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertGreater(os.path.getsize(path), 5 << 20)

    def test_what_cannot_be_traced_is_refused(self):
        done = machine.ktstr("shell", "--clock", "real", "--trace", os.path.join(self.top.name, "x"), "--exec", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"--trace", done.stderr)


if __name__ == "__main__":
    tap.main(__name__)
