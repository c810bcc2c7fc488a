# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers are right: known allocations, jemalloc asked in the target, real programs."""

import json

import tap
from support import (
    MIB, PROBE, HostTest, ask_with_gdb, counters, errors, methods, probe, redis_server, state, tids, undisturbed,
)

KNOWN = 16 * MIB
SLOP = 4 * MIB
FREED_CAP = MIB


class Worker(HostTest):
    def test_allocated_bytes_are_within_the_known_range(self):
        worker = self.start_worker(KNOWN)
        for way in ([], ["--no-ptrace"], ["--ptrace"]):
            with self.subTest(way=way):
                document = self.read(worker.pid, *way)
                self.assertEqual(list(counters(document)), [worker.pid])
                allocated, deallocated = counters(document)[worker.pid]
                self.assertGreaterEqual(allocated, KNOWN)
                self.assertLessEqual(allocated, KNOWN + SLOP)
                self.assertLess(deallocated, FREED_CAP)

    def test_reading_with_and_without_stops_agrees(self):
        worker = self.start_worker(KNOWN)
        quiet = self.read(worker.pid)
        stopped = self.read(worker.pid, "--ptrace")
        self.assertEqual(counters(quiet), counters(stopped))
        self.assertEqual((methods(quiet), quiet["stopped_threads"], quiet["stopped_ns_total"]),
                         ({"glibc-thread-list"}, 0, 0))
        self.assertEqual((methods(stopped), stopped["stopped_threads"]), ({"ptrace"}, 1))
        self.assertGreater(stopped["stopped_ns_total"], 0)

    def test_a_larger_allocation_differs_by_its_rounded_size(self):
        """Two workers that differ in size differ by what jemalloc rounds the size to."""
        small, large = self.start_worker(KNOWN), self.start_worker(KNOWN + 4 * MIB)
        difference = counters(self.read(large.pid))[large.pid][0] - counters(self.read(small.pid))[small.pid][0]
        self.assertEqual(difference, 4 * MIB)

    def test_jemalloc_asked_in_the_worker_says_the_same(self):
        worker = self.start_worker(KNOWN)
        held, asked = ask_with_gdb(self.dir, worker.pid, [PROBE, "--pid", str(worker.pid), "--json"])
        self.assertEqual(list(asked), [worker.pid])
        self.assertEqual(counters(json.loads(held)), asked)

    def test_snapshots_are_monotone_and_dated(self):
        worker = self.start_worker(KNOWN)
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                document = self.read(worker.pid, "--snapshots", "3", "--interval-ms", "50", *way)
                snapshots = document["snapshots"]
                self.assertEqual(len(snapshots), 3)
                times = [s["timestamp_unix_sec"] for s in snapshots]
                self.assertEqual(times, sorted(times))
                self.assertLessEqual(document["started_at_unix_sec"], times[0])
                elapsed = [s["elapsed_since_start_ns"] for s in snapshots]
                for earlier, later in zip(elapsed, elapsed[1:]):
                    self.assertGreaterEqual(later - earlier, 50_000_000)
                values = [counters(document, i)[worker.pid] for i in range(3)]
                self.assertEqual(values, sorted(values))
                self.assertTrue(all(KNOWN <= a <= KNOWN + SLOP for a, _ in values))

    def test_churn_never_breaks_a_run(self):
        worker = self.start_worker(MIB, "--churn")
        most = 0
        for i in range(10):
            answer = probe("--pid", worker.pid, "--json")
            self.assertEqual(answer.code, 0, answer)
            document = answer.document
            most = max(most, len(document["snapshots"][0]["threads"]))
            allocated, _ = counters(document)[worker.pid]
            self.assertGreaterEqual(allocated, MIB)
            self.assertLessEqual(set(errors(document).values()), {"process-vm-readv", "ptrace-seize",
                                                                  "ptrace-interrupt", "waitpid"})
        self.assertGreater(most, 1, "no run saw more than one thread: the churn was not there")


class ManyThreads(HostTest):
    def test_each_thread_has_its_own_number(self):
        target = self.start_target("pie", threads=7, idle=0)
        self.assertEqual(len(set(target.threads.values())), 8, "each thread allocated another amount")
        for way in ([], ["--no-ptrace"], ["--ptrace"]):
            with self.subTest(way=way):
                document = self.read(target.pid, *way)
                self.assertEqual(counters(document), target.threads)
                self.assertEqual([t["tid"] for t in document["snapshots"][0]["threads"]], tids(target.pid))

    def test_a_thousand_threads(self):
        target = self.start_target("pie", "--step", "100", threads=1000)
        for way in ([], ["--no-ptrace"], ["--ptrace"]):
            with self.subTest(way=way):
                document = self.read(target.pid, *way)
                self.assertEqual(counters(document), target.threads)
                self.assertEqual(document["stopped_threads"], 1001 if way == ["--ptrace"] else 0)
        self.assertEqual(undisturbed(target.pid), [])

    def test_jemalloc_asked_in_each_thread_says_the_same(self):
        target = self.start_target("pie", threads=5)
        held, asked = ask_with_gdb(self.dir, target.pid, [PROBE, "--pid", str(target.pid), "--json"])
        self.assertEqual(sorted(asked), tids(target.pid))
        self.assertEqual(counters(json.loads(held)), asked)

    def test_a_thread_that_never_allocated_has_zero(self):
        target = self.start_target("pie", threads=1, idle=3)
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                read = counters(self.read(target.pid, *way))
                self.assertEqual({tid: read[tid] for tid in target.idle}, dict.fromkeys(target.idle, (0, 0)))
                self.assertEqual({tid: read[tid] for tid in target.threads}, target.threads)

    def test_names_and_start_times_are_those_of_the_kernel(self):
        target = self.start_target("pie", threads=2, idle=1)
        for thread in self.read(target.pid)["snapshots"][0]["threads"]:
            with open(f"/proc/{target.pid}/task/{thread['tid']}/stat", encoding="utf-8") as f:
                name, fields = f.read().split("(", 1)[1].rsplit(") ", 1)
            self.assertEqual(thread["comm"], name)
            self.assertEqual(thread["start_time_jiffies"], int(fields.split()[19]))


class Redis(HostTest):
    def test_every_thread_is_read_without_a_stop(self):
        with redis_server(self.dir) as (pid, _):
            before = tids(pid)
            document = self.read(pid, "--no-ptrace")
            # jemalloc's own threads may be born meanwhile; nobody may be missing.
            self.assertLessEqual(set(before), set(counters(document)))
            self.assertLessEqual(set(counters(document)), set(tids(pid)))
            self.assertGreaterEqual(len(counters(document)), 5)
            self.assertEqual(document["evidence"], "layout-table")
            self.assertEqual((document["stopped_threads"], document["stopped_ns_total"]), (0, 0))
            self.assertEqual(methods(document), {"glibc-thread-list"})
            self.assertNotIn(state(pid), "tT")

    def test_jemalloc_asked_in_each_thread_says_the_same(self):
        with redis_server(self.dir) as (pid, _):
            held, asked = ask_with_gdb(self.dir, pid, [PROBE, "--pid", str(pid), "--json"])
            self.assertGreaterEqual(len(asked), 5)
            self.assertEqual(counters(json.loads(held)), asked)

    def test_load_grows_the_counters(self):
        with redis_server(self.dir) as (pid, client):
            before = counters(self.read(pid))[pid]
            client("redis-benchmark", "-n", "2000", "-d", "1000", "-r", "10000", "-q", "-t", "set")
            after = counters(self.read(pid))[pid]
            self.assertGreater(after[0] - before[0], MIB)
            self.assertGreaterEqual(after[1], before[1])
            self.assertEqual(client("redis-cli", "ping"), "PONG")


if __name__ == "__main__":
    tap.main(__name__)
