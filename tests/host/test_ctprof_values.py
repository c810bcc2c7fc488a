# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of a capture against what threads know about themselves, raw files, and ps."""

import os
import re
import shutil
import subprocess
import unittest

import tap
from ctprof import KTSTR, CtprofTest, frames, known, wait_until

KNOWN_WORK = os.environ["KTSTR_KNOWN_WORK"]
# known_work.c
SLEEPS, PAGES, WRITES, WRITE_BYTES, RUN_NS = 500, 3000, 300, 1000, 120 * 10**6
# Names of schedstat's, io's and status' values in a snapshot.
IO = ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes")
STAT = {"minflt": 10, "majflt": 12, "utime_clock_ticks": 14, "stime_clock_ticks": 15, "priority": 18, "nice": 19,
        "start_time_clock_ticks": 22, "processor": 39, "rt_priority": 40}
SCHED = ("nr_wakeups nr_wakeups_local nr_wakeups_remote nr_wakeups_sync nr_wakeups_migrate nr_wakeups_affine "
         "nr_wakeups_affine_attempts nr_migrations nr_forced_migrations nr_failed_migrations_affine "
         "nr_failed_migrations_running nr_failed_migrations_hot wait_sum wait_count wait_max sleep_max block_max "
         "iowait_sum iowait_count exec_max slice_max core_forceidle_sum").split()
OTHER_KEYS = {"block_sum": "sum_block_runtime", "fair_slice_ns": "slice"}
POLICIES = {"SCHED_OTHER": "TS", "SCHED_BATCH": "B", "SCHED_FIFO": "FF", "SCHED_RR": "RR", "SCHED_IDLE": "IDL",
            "SCHED_DEADLINE": "DLN"}


def text(tgid, tid, name):
    with open(f"/proc/{tgid}/task/{tid}/{name}", encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def stat_fields(tgid, tid):
    """proc(5)'s number: value."""
    rest = text(tgid, tid, "stat").rpartition(")")[2].split()
    return {number: word for number, word in enumerate(rest, 3)}


def pairs(tgid, tid, name):
    rows = (line.split(":", 1) for line in text(tgid, tid, name).splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in rows}


def nanoseconds(value):
    """Of a time in /proc/PID/sched."""
    whole, _, part = value.partition(".")
    return int(whole) * 10**6 + int(part)


def expected(tgid, tid):
    """The thread's values as its files have them now, read without any of our code."""
    stat = stat_fields(tgid, tid)
    values = {name: int(stat[number]) for name, number in STAT.items()}
    status = pairs(tgid, tid, "status")
    values["state"] = status["State"][0]
    values["voluntary_csw"] = int(status["voluntary_ctxt_switches"])
    values["nonvoluntary_csw"] = int(status["nonvoluntary_ctxt_switches"])
    if tid == tgid:
        values["nr_threads"] = int(status["Threads"])
    values["run_time_ns"], values["wait_time_ns"], values["timeslices"] = map(int, text(tgid, tid, "schedstat").split())
    io = pairs(tgid, tid, "io")
    values.update((key, int(io[key])) for key in IO)
    sched = {key.rpartition(".")[2]: value for key, value in pairs(tgid, tid, "sched").items()}
    for name in [*SCHED, *OTHER_KEYS]:
        value = sched.get(OTHER_KEYS.get(name, name))
        if value is not None:
            values[name] = nanoseconds(value) if "." in value else int(value)
    values["comm"] = text(tgid, tid, "comm").strip()
    return values


def need_files(*names):
    for name in names:
        if not os.path.exists(f"/proc/self/{name}"):
            raise unittest.SkipTest(f"this kernel is configured without /proc/PID/{name}")


class Values(CtprofTest):
    def setUp(self):
        super().setUp()
        self.process = self.spawn([KNOWN_WORK, self.path("written")], stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.told = {}
        for line in self.process.stdout:
            if line == "ready\n":
                break
            words = dict(re.findall(r"(\w+)=(\S+)", line))
            kind = words.pop("does")
            self.told[kind] = {key: int(value) for key, value in words.items()}
        self.tids = sorted(int(tid) for tid in os.listdir(f"/proc/{self.pid}/task"))
        wait_until(lambda: all(stat_fields(self.pid, tid)[3] == "S" for tid in self.tids), "every thread sleeps")

    def threads(self, *options):
        snapshot, _ = self.capture("--pid", self.pid, "--no-heap", "--no-taskstats", *options)
        return snapshot, {thread["tid"]: thread for thread in snapshot["threads"]}

    def by_name(self, threads):
        return {thread["comm"]: thread for thread in threads.values()}

    def check_known_work(self, *options):
        need_files("schedstat", "io")
        _, threads = self.threads(*options)
        names = self.by_name(threads)
        self.assertEqual(sorted(threads), self.tids)
        for kind, told in self.told.items():
            thread = threads[told["tid"]]
            # Telling and going to sleep came afterwards.
            self.assertIn(thread["voluntary_csw"] - told["voluntary"], range(0, 20), kind)
            self.assertIn(thread["nonvoluntary_csw"] - told["involuntary"], range(0, 20), kind)
            self.assertIn(thread["minflt"] - told["minflt"], range(0, 20), kind)
            self.assertGreaterEqual(thread["run_time_ns"], told["cpu_ns"], kind)
        self.assertGreaterEqual(names["sleep"]["voluntary_csw"], SLEEPS)
        self.assertIn(names["fault"]["minflt"], range(PAGES, PAGES + 200))
        self.assertEqual((names["write"]["wchar"], names["write"]["syscw"]), (WRITES * WRITE_BYTES, WRITES))
        self.assertGreaterEqual(names["run"]["run_time_ns"], RUN_NS)
        hz = os.sysconf("SC_CLK_TCK")
        ticks = names["run"]["utime_clock_ticks"] + names["run"]["stime_clock_ticks"]
        # Scaled to the time it ran, or counted by ticks: either way not far from it.
        self.assertGreater(ticks, RUN_NS * hz // 10**9 // 2)
        odd = names["a) b (0"]
        self.assertEqual((odd["nice"], odd["policy"], len(odd["cpu_affinity"])), (7, "SCHED_BATCH", 1))
        self.assertEqual({thread["pcomm"] for thread in threads.values()}, {names["known-work"]["comm"]})

    def test_known_work_is_seen_in_values_from_proc(self):
        self.check_known_work("--no-bpf")

    def test_known_work_is_seen_in_values_from_bpf(self):
        self.check_known_work("--bpf")

    def check_raw_files(self, *options):
        need_files("schedstat", "io", "sched")
        before = {tid: expected(self.pid, tid) for tid in self.tids}
        snapshot, threads = self.threads(*options)
        self.assertEqual(before, {tid: expected(self.pid, tid) for tid in self.tids}, "a thread did not sleep")
        for tid, values in before.items():
            sources, absent, _ = known(snapshot, threads[tid])
            self.assertLessEqual({"stat", "status", "schedstat", "io", "sched", "comm"}, sources)
            got = {name: threads[tid][name] for name in values if name not in absent}
            self.assertEqual(got, {name: value for name, value in values.items() if name in got})
            # What is absent is absent in the file too.
            self.assertFalse(absent & values.keys())

    def test_sleeping_threads_have_the_numbers_of_their_files(self):
        self.check_raw_files("--no-bpf")

    def test_the_quick_path_has_the_numbers_of_the_files(self):
        self.check_raw_files("--bpf")

    def test_three_metrics_open_the_files_they_need(self):
        need_files("io", "sched")
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        trace, path = self.path("trace"), self.path("few.ctprof.zst")
        done = subprocess.run(["strace", "-f", "-e", "trace=openat,open", "-o", trace, KTSTR, "ctprof", "capture", "-q", "--no-bpf",
                               "-o", path, "--pid", str(self.pid), "--metrics", "rchar,wchar,nr_migrations"],
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, capture_output=True, text=True, check=False)
        if "PTRACE" in done.stderr:
            self.skipTest(f"nothing can be traced here: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(trace, encoding="utf-8") as f:
            opened = re.findall(r'"(\d+)/(\w+)"', f.read())
        # Besides those of the metrics the name and the start of each thread, and the name of the process.
        files = [(str(tid), name) for tid in self.tids for name in ("comm", "stat", "io", "sched")]
        self.assertEqual(sorted(opened), sorted([*files, (str(self.pid), "task"), (str(self.pid), "comm")]))
        (snapshot,), _ = frames(path)
        self.assert_honest(snapshot)
        for thread in snapshot["threads"]:
            self.assertEqual(known(snapshot, thread)[0], {"comm", "stat", "io", "sched"})

    def test_values_agree_with_ps(self):
        _, threads = self.threads("--no-bpf")
        done = subprocess.run(["ps", "-L", "-p", str(self.pid), "-o", "lwp=,ni=,cls=,psr=,min_flt=,nlwp=,ucmd="],
                              text=True, capture_output=True, check=True)
        rows = {int(row[0]): row[1:] for row in (line.split(None, 6) for line in done.stdout.splitlines())}
        self.assertEqual(sorted(rows), sorted(threads))
        for tid, (nice, policy, processor, minflt, n, name) in rows.items():
            thread = threads[tid]
            self.assertEqual((int(nice), policy, int(processor)),
                             (thread["nice"], POLICIES[thread["policy"]], thread["processor"]))
            self.assertEqual(int(n), threads[self.pid]["nr_threads"])
            self.assertEqual(name.strip(), thread["comm"])
            # Some versions show the faults of the process.
            self.assertGreaterEqual(int(minflt), thread["minflt"])

    def test_memory_by_kind_is_that_of_the_file(self):
        need_files("smaps_rollup")
        _, threads = self.threads("--no-bpf")
        raw = {key: int(value.split()[0]) for key, value in pairs(self.pid, self.pid, "smaps_rollup").items()
               if value.endswith(" kB")}
        got = threads[self.pid]["smaps_rollup_kib"]
        self.assertEqual(got.keys(), raw.keys())
        # Shared pages have fewer sharers or more from one moment to the next.
        for key in ("Rss", "Anonymous", "Private_Dirty", "Swap"):
            self.assertEqual(got[key], raw[key])
        self.assertTrue(all(thread["smaps_rollup_kib"] == {} for tid, thread in threads.items() if tid != self.pid))


class Totals(CtprofTest):
    def test_all_threads_of_the_host_are_there(self):
        def listed():
            done = subprocess.run(["ps", "-eLo", "pid=,lwp=,lstart="], text=True, capture_output=True, check=True)
            return {(int(pid), int(tid)) for pid, tid, _ in (line.split(None, 2) for line in done.stdout.splitlines())}

        for options in (["--no-bpf"], ["--bpf"]):
            before = listed()
            snapshot, _ = self.capture("--no-heap", "--no-smaps", *options)
            after = listed()
            got = {(thread["tgid"], thread["tid"]) for thread in snapshot["threads"]}
            # Who was there before and after was there in between.
            self.assertEqual((before & after) - got, set())
            self.assertGreater(len(before & after), 10)

    def test_run_time_of_all_lies_between_two_readings(self):
        need_files("schedstat")

        def reading(threads):
            total = {}
            for tgid, tid in threads:
                try:
                    total[tgid, tid] = int(text(tgid, tid, "schedstat").split()[0])
                except OSError:
                    pass
            return total

        names = [(int(p), int(t)) for p in os.listdir("/proc") if p.isdigit() for t in self.tasks(p)]
        before = reading(names)
        snapshot, _ = self.capture("--no-heap", "--no-smaps", "--no-bpf")
        after = reading(names)
        checked = 0
        for thread in snapshot["threads"]:
            key = thread["tgid"], thread["tid"]
            if key in before and key in after and before[key] <= after[key]:
                self.assertIn(thread["run_time_ns"], range(before[key], after[key] + 1), thread["comm"])
                checked += 1
        self.assertGreater(checked, 10)

    @staticmethod
    def tasks(pid):
        try:
            return [tid for tid in os.listdir(f"/proc/{pid}/task")]
        except OSError:
            return []


if __name__ == "__main__":
    tap.main(__name__)
