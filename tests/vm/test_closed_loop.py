# SPDX-License-Identifier: GPL-2.0-or-later
"""The probe against known allocations in real guests, and the proof that those tests can fail.

The verdicts are the suite's. The numbers in the records are looked at here once more, with nothing of
the suite's own code. Then programs that lie take the place of the real ones, each beside its own copy of
the suite: a file beside the binary comes before all others.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))

import guest
import tap
from machine import KTSTR, GuestTest

SUITE = os.path.join(guest.BUILD, "tests", "suites", "closed_loop")
PROGRAMS = os.path.join(guest.BUILD, "src", "cli")
PROBE = "ktstr-jemalloc-probe"
WORKER = "ktstr-jemalloc-alloc-worker"

MIB = 1 << 20
ONE_CPU, FOUR_CPUS = "1n1l1c1t", "1n1l2c2t"
KNOWN = "jemalloc_probe_external_target_observes_known_allocation"
NO_PID = "jemalloc_probe_fatal_on_nonexistent_pid"
NO_JEMALLOC = "jemalloc_probe_fatal_on_target_without_jemalloc"
SNAPSHOTS = "jemalloc_probe_multi_snapshot_monotone"
LIBRARY = "jemalloc_probe_reads_jemalloc_in_a_library"
CHURN = "jemalloc_probe_survives_thread_churn"
CHURN_PTRACE = "jemalloc_probe_survives_thread_churn_with_ptrace"
TESTS = {KNOWN: ONE_CPU, NO_PID: ONE_CPU, NO_JEMALLOC: ONE_CPU, SNAPSHOTS: ONE_CPU, LIBRARY: ONE_CPU,
         CHURN: FOUR_CPUS, CHURN_PTRACE: FOUR_CPUS}


def run(*arguments, cwd):
    """Exit status, what was said about each test, and each test's record, both by suite:test."""
    done = subprocess.run([KTSTR, "test", *arguments, "--files", PROGRAMS, "--files", os.path.dirname(SUITE), "--format", "json", "-o", "out"],
                          capture_output=True, text=True, check=False, cwd=cwd, timeout=800)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    tests = {f"{t['suite']}:{t['test']}": t for t in lines if t["report"] == "test"}
    records = {}
    for name, test in tests.items():
        with open(os.path.join(cwd, test["record"]), encoding="utf-8") as f:
            records[name] = json.load(f)
    return done, tests, records


def payloads(record, program):
    """(exit code, {metric: value}) of every time that the program ran."""
    return [(p["exit_code"], {m["name"]: m["value"] for m in p["metrics"]})
            for p in record["metrics"] if p["payload"] == program]


class Guests(GuestTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(os.path.join(PROGRAMS, WORKER)):
            self.skipTest("build/deps has no jemalloc to link the worker with")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name


class ClosedLoop(Guests):
    def test_every_test_passes_and_its_record_has_the_numbers(self):
        done, tests, records = run(SUITE, cwd=self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual({t["test"]: (t["verdict"], t["topology"]) for t in tests.values()},
                         {name: ("pass", topology) for name, topology in TESTS.items()}, tests)
        self.records = {r["test_name"]: r for r in records.values()}
        for name in (KNOWN, LIBRARY):
            with self.subTest(test=name):
                self.check_known(name)
        for name in (NO_PID, NO_JEMALLOC):
            with self.subTest(test=name):
                self.assertEqual(payloads(self.records[name], PROBE), [(1, {})])
        for name in (CHURN, CHURN_PTRACE):
            with self.subTest(test=name):
                self.check_churn(name)
        with self.subTest(test=SNAPSHOTS):
            self.check_snapshots()

    def worker_pid(self, name):
        """As the suite's side knows it, not as the probe tells it."""
        return next(p["pid"] for p in self.records[name]["payloads"] if p["name"] != PROBE)

    def check_known(self, name):
        ((code, numbers),) = payloads(self.records[name], PROBE)
        self.assertEqual((code, numbers["snapshots.0.threads.0.tid"]), (0, self.worker_pid(name)))
        self.check_band(numbers["snapshots.0.threads.0.allocated_bytes"])
        self.assertLess(numbers["snapshots.0.threads.0.deallocated_bytes"], MIB)
        self.assertIn(f"n_threads=1 for worker {self.worker_pid(name)} ", self.records[name]["notes"][0])

    def check_band(self, allocated):
        self.assertGreaterEqual(allocated, 16 * MIB)
        self.assertLessEqual(allocated, 20 * MIB)

    def check_snapshots(self):
        ((code, numbers),) = payloads(self.records[SNAPSHOTS], PROBE)
        self.assertEqual(code, 0)
        self.assertNotIn("snapshots.3.timestamp_unix_sec", numbers)
        allocated = [numbers[f"snapshots.{i}.threads.0.allocated_bytes"] for i in range(3)]
        times = [numbers["started_at_unix_sec"], *(numbers[f"snapshots.{i}.timestamp_unix_sec"] for i in range(3))]
        self.assertEqual((sorted(allocated), sorted(times)), (allocated, times))
        for value in allocated:
            self.check_band(value)
        self.assertEqual({numbers[f"snapshots.{i}.threads.0.tid"] for i in range(3)}, {self.worker_pid(SNAPSHOTS)})

    def check_churn(self, name):
        runs = payloads(self.records[name], PROBE)
        self.assertEqual(len(runs), 10)
        self.assertEqual({code for code, _ in runs}, {0})
        self.assertTrue(any(f"snapshots.{i}.threads.1.tid" in numbers for i in (0, 1) for _, numbers in runs))
        wrong = stopped = 0
        for _, numbers in runs:
            threads = [k.removesuffix(".tid") for k in numbers if k.startswith("snapshots.0.") and k.endswith(".tid")]
            wrong += any(t + ".allocated_bytes" not in numbers for t in threads)
            stopped += numbers["stopped_threads"]
        self.assertTrue(self.records[name]["notes"][0].startswith(f"{wrong} of {len(runs)} invocations observed error entries"))
        if name == CHURN_PTRACE:  # the thread that stays is stopped every time, whatever becomes of the others
            self.assertGreaterEqual(stopped, len(runs))


def thread(tid="$pid", allocated=16 * MIB, freed=0):
    return f'{{"tid":{tid},"allocated_bytes":{allocated},"deallocated_bytes":{freed}}}'


def snapshot(*threads, at=1000):
    return f'{{"timestamp_unix_sec":{at},"threads":[{",".join(threads)}]}}'


def says(*snapshots, started=1000, evidence="dwarf", stopped=0, end="exit 0"):
    head = f'"started_at_unix_sec":{started},"evidence":"{evidence}","stopped_threads":{stopped}'
    return f'cat <<.\n{{{head},"snapshots":[{",".join(snapshots)}]}}\n.\n{end}\n'


# name: the test, what stands in the probe's place, the reason ("" when it passes), and what is said.
# The first ones are true to the edges of what is allowed: it is not the disguise that fails.
PROBES = {
    "least": (KNOWN, says(snapshot(thread())), "", ""),
    "most": (KNOWN, says(snapshot(thread(tid=1), thread(allocated=20 * MIB, freed=MIB - 1))), "", ""),
    "too_little": (KNOWN, says(snapshot(thread(allocated=16 * MIB - 1))), "expectation", ": 16777215 bytes allocated, but"),
    "too_much": (KNOWN, says(snapshot(thread(allocated=20 * MIB + 1))), "expectation", ": 20971521 bytes allocated, more"),
    "freed": (KNOWN, says(snapshot(thread(freed=MIB))), "expectation", ": 1048576 bytes freed, but"),
    "other_thread": (KNOWN, says(snapshot(thread(tid="$((pid + 1))"))), "expectation", "does not have thread"),
    "error_entry": (KNOWN, says(snapshot('{"tid":$pid,"error":"gone"}')), "expectation", "an error in place of the counters"),
    "no_thread": (KNOWN, says(snapshot()), "expectation", "lists no thread"),
    "guesses": (KNOWN, says(snapshot(thread()), evidence="layout-table"), "expectation", "evidence is not the debug information"),
    "silent": (KNOWN, "exit 0\n", "expectation", "lists no thread"),
    "aborts": (KNOWN, "kill -ABRT $$\n", "payload", "killed by signal 6 (SIGABRT), not 0"),
    "gives_up": (KNOWN, says(snapshot(thread()), end="exit 1"), "payload", "exit code 1, not 0"),
    "invents": (NO_PID, says(end="echo ktstr-probe-fatal: pid-missing >&2; exit 1"), "expectation", "2 numbers without a result"),
    "finds": (NO_PID, "echo ktstr-probe-fatal: pid-missing >&2; exit 0\n", "expectation", "the exit code is 0"),
    "confuses": (NO_PID, "echo ktstr-probe-fatal: other >&2; exit 1\n", "expectation", "no 'ktstr-probe-fatal: pid-missing'"),
    "two_looks": (SNAPSHOTS, says(*[snapshot(thread())] * 2), "expectation", "2 snapshots, not 3"),
    "counts_back": (SNAPSHOTS, says(*[snapshot(thread(allocated=16 * MIB + n)) for n in (1, 1, 0)]), "expectation",
                    "16777216 bytes allocated after 16777217"),
    "time_goes_back": (SNAPSHOTS, says(*[snapshot(thread(), at=at) for at in (1001, 1001, 1000)]), "expectation",
                       "taken at 1000 s, the one before at 1001 s"),
    "starts_late": (SNAPSHOTS, says(*[snapshot(thread())] * 3, started=1001), "expectation",
                    "taken at 1000 s, but the probe started at 1001 s"),
    "sees_one_thread": (CHURN, says(snapshot(thread())), "expectation", "none saw a second thread"),
    "library_unread": (LIBRARY, says(snapshot(thread(allocated=0))), "expectation", ": 0 bytes allocated, but"),
    "library_guessed": (LIBRARY, says(snapshot(thread()), evidence="layout-table"), "expectation", "evidence is not the debug information"),
    "finds_jemalloc": (NO_JEMALLOC, says(snapshot(thread()), end="echo ktstr-probe-fatal: jemalloc-not-found >&2; exit 1"),
                       "expectation", "numbers without a result"),
    "other_reason": (NO_JEMALLOC, "echo ktstr-probe-fatal: pid-missing >&2; exit 1\n", "expectation",
                     "no 'ktstr-probe-fatal: jemalloc-not-found'"),
    "stops_nobody": (CHURN_PTRACE, says(snapshot(thread(), thread(tid=1))), "expectation", "not one thread was stopped"),
    "sees_two_threads": (CHURN, says(snapshot(thread()), snapshot(thread(), thread(tid=1))), "", ""),
    "dies_once": (CHURN, "echo >> count; [ $(wc -l < count) = 4 ] && kill -SEGV $$\n" + says(snapshot(thread(), thread(tid=1))),
                  "expectation", "invocation 3: signal 11 killed the probe"),
}
# The same for the worker.
WORKERS = {
    "worker_ends": (KNOWN, "echo one too many >&2; exit 3\n", "payload",
                    "before it was ready: exit code 3 (2: BYTES is 0; 4: no ready marker could be written; 5: wrong arguments; "
                    "101: memory refused; negative: killed by that signal; 3: it has more than one thread; "
                    "6: /proc/self/task is unreadable); stderr: one too many"),
    "worker_dies": (CHURN, "kill -ABRT $$\n", "payload", "before it was ready: killed by signal 6 (SIGABRT) (2: BYTES is 0;"),
}
LIES = {**PROBES, **WORKERS}


class Liars(Guests):
    def plant(self, name, script):
        """The suite under the lie's name, with the lie beside it; the file that is run."""
        directory = os.path.join(self.directory, name)
        os.mkdir(directory)
        program = os.path.join(directory, PROBE if name in PROBES else WORKER)
        with open(program, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\npid=$3\n{script}")
        os.chmod(program, 0o755)
        return shutil.copy(SUITE, os.path.join(directory, name))

    def test_lying_probes_and_workers_fail_their_tests(self):
        arguments = []
        for name, (test, script, _, _) in LIES.items():
            arguments += [self.plant(name, script), "-k", f"*{name}:{test}"]  # a glob is for the whole name
        done, tests, _ = run(*arguments, cwd=self.directory)
        self.assertEqual((done.returncode, done.stderr, len(tests)), (1, "", len(LIES)))
        for name, (test, _, reason, text) in LIES.items():
            with self.subTest(lie=name):
                told = tests[f"{name}:{test}"]
                self.assertEqual((told["verdict"], told["reason"]), ("fail", reason) if reason else ("pass", "none"), told)
                self.assertIn(text, told["why"])
                self.assertEqual(len(told["parts"]), bool(reason), told["parts"])


if __name__ == "__main__":
    tap.main(__name__)
