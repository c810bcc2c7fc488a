# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots of real processes, read back by another reader and compared with raw /proc."""

import os
import re
import subprocess
import sys

import tap
from ctprof import CtprofTest, births, frames, known, wait_until

# A process whose threads do nothing at all, so that its files stand still.
PARKED = """
import os, sys, threading
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for i in range(5):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
with open("/proc/self/comm", "w") as f:
    f.write("a) (b c")
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.read()
"""

# Writes as much as it is told, in calls of 1,000 bytes, whenever it is told.
WRITER = """
import os, sys
sink = os.open("/dev/null", os.O_WRONLY)
while True:
    n = os.read(0, 1)
    if not n:
        break
    for i in range(500):
        os.write(sink, b"x" * 1000)
    os.write(1, b".")
"""

STAT = {"minflt": 7, "majflt": 9, "utime_clock_ticks": 11, "stime_clock_ticks": 12, "priority": 15, "nice": 16,
        "start_time_clock_ticks": 19, "processor": 36, "rt_priority": 37}
IO = ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes")


def read(pid, tid, name):
    with open(f"/proc/{pid}/task/{tid}/{name}", encoding="utf-8", errors="replace") as f:
        return f.read()


def raw_thread(pid, tid):
    """What the kernel's own files say, by rules of this file."""
    tail = read(pid, tid, "stat").rsplit(")", 1)[1].split()
    status = dict(line.split(":\t", 1) for line in read(pid, tid, "status").splitlines() if ":\t" in line)
    values = {name: int(tail[index]) for name, index in STAT.items()}
    values["comm"] = read(pid, tid, "comm").strip()
    values["state"] = status["State"][0]
    values["voluntary_csw"] = int(status["voluntary_ctxt_switches"])
    values["nonvoluntary_csw"] = int(status["nonvoluntary_ctxt_switches"])
    if pid == tid:
        values["nr_threads"] = int(status["Threads"])
    values["cpu_affinity"] = sorted(os.sched_getaffinity(tid))
    for line in read(pid, tid, "cgroup").splitlines():
        if line.startswith("0::"):
            values["cgroup"] = line[3:].strip()
    for name, keys in (("schedstat", ("run_time_ns", "wait_time_ns", "timeslices")),):
        try:
            values.update(zip(keys, map(int, read(pid, tid, name).split())))
        except FileNotFoundError:
            pass
    try:
        fields = dict(line.split(": ") for line in read(pid, tid, "io").splitlines())
        values.update((name, int(fields[name])) for name in IO)
    except (FileNotFoundError, PermissionError):
        pass
    return values


class OtherReaders(CtprofTest):
    def start(self, program):
        process = self.spawn([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return process

    def compare(self, *options):
        target = self.start(PARKED)
        self.assertEqual(target.stdout.readline(), b"ready\n")
        pid = target.pid

        def stand_still():
            tids = sorted(map(int, os.listdir(f"/proc/{pid}/task")))
            return {t: raw_thread(pid, t) for t in tids}

        # Until nothing moves around the capture: a parked process may still be written to by the kernel.
        for _ in range(20):
            before = stand_still()
            snapshot, said = self.capture("--pid", pid, *options)
            if stand_still() == before:
                break
        else:
            self.fail("the parked process never stood still")
        self.assertEqual([t["tid"] for t in snapshot["threads"]], sorted(before))
        for thread in snapshot["threads"]:
            for name, value in before[thread["tid"]].items():
                self.assertEqual(thread[name], value, f"{name} of {thread['tid']} of {pid}")
            sources, absent, also = known(snapshot, thread)
            self.assertLessEqual({"comm", "cgroup", "stat", "status"}, sources)
            self.assertFalse({"minflt", "nice", "voluntary_csw", "state"} & absent)
            self.assertEqual("run_time_ns" in before[thread["tid"]], "schedstat" in sources)
            self.assertEqual("rchar" in before[thread["tid"]], "io" in sources)
        self.assert_says(said, snapshot)
        leader = snapshot["threads"][0]
        self.assertEqual(leader["comm"], "a) (b c")
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
            kib = {line.split(":")[0]: int(line.split()[1]) for line in f if line.rstrip().endswith("kB")}
        self.assertEqual(list(leader["smaps_rollup_kib"]), list(kib))
        # Who else maps the same files changes the others.
        for name in ("Rss", "Anonymous", "Pss_Anon", "Private_Dirty"):
            self.assertEqual(leader["smaps_rollup_kib"][name], kib[name], name)
        self.assertEqual(snapshot["threads"][1]["smaps_rollup_kib"], {})
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as f:
            self.assertEqual(snapshot["boot_id"], f.read().strip())
        self.assertEqual(snapshot["user_hz"], os.sysconf("SC_CLK_TCK"))
        self.assertEqual(snapshot["page_size"], os.sysconf("SC_PAGE_SIZE"))

    def test_a_parked_process_is_in_the_file_as_it_is_in_proc(self):
        self.compare("--no-bpf", "--jobs", "1")

    def test_capture_by_bpf_gives_the_same_values(self):
        self.compare("--bpf")

    def test_bpf_iterator_is_not_loaded_for_few_threads(self):
        """Unless that is asked for, or there is a series. Who may not use BPF is told so."""
        pid = os.getpid()
        snapshot, said = self.capture("--pid", pid, "--no-heap", "-v")
        self.assertNotIn("bpf", snapshot["presence"]["paths"].values())
        self.assertRegex(said, r"through /proc, not BPF: there are \d+, and loading the iterator pays from 600 on\n")
        for options in (["--bpf"], ["--interval", "1ms", "--count", "2"]):
            done = self.run_ktstr("--pid", str(pid), "--no-heap", "-v", "-o", self.path("few.zst"), *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("pays from", done.stderr)
            ways = {path for snapshot in frames(self.path("few.zst"))[0] for path in snapshot["presence"]["paths"].values()}
            # Where BPF is not allowed, for that reason alone.
            way = "BPF" if "bpf" in ways else r"/proc, not BPF: \[bpf-(?:permission|no-btf)\]"
            self.assertEqual(len(re.findall("threads are read through " + way, done.stderr)), 1, done.stderr)

    def whole_host(self, *options):
        def ids():
            found = set()
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    found.update((int(pid), int(tid)) for tid in os.listdir(f"/proc/{pid}/task"))
                except (FileNotFoundError, ProcessLookupError):
                    pass
            return found

        born, before = births(), ids()
        snapshot, said = self.capture("--no-heap", *options)
        after, born = ids(), births() - born
        seen = {(t["tgid"], t["tid"]) for t in snapshot["threads"]}
        self.assertGreater(len(before & after), 10)
        # Who is in neither list was born and ended meanwhile; the kernel counts births.
        self.assertLessEqual(len(seen - before - after), born)
        self.assert_says(said, snapshot)
        self.assertGreater(snapshot["capture_end_unix_ns"], snapshot["captured_at_unix_ns"])
        # Who was there all the time.
        return (before & after) - seen

    def test_capture_from_proc_has_every_thread_of_the_host(self):
        self.assertEqual(self.whole_host("--no-bpf"), set())

    def test_capture_by_bpf_has_every_thread_of_the_host(self):
        def is_guarded(pid):
            try:
                os.readlink(f"/proc/{pid}/ns/pid")
            except PermissionError:
                return os.geteuid() == 0
            return False

        # A security module that denies root a process may hide it from an iterator too.
        self.assertEqual({t for t in self.whole_host("--bpf") if not is_guarded(t[0])}, set())

    def test_a_series_shows_what_a_process_did_between(self):
        target = self.start(WRITER)
        path = self.path("series.ctprof.zst")
        rounds = 4
        run = self.spawn([os.environ["KTSTR"], "ctprof", "capture", "-o", path, "--pid", str(target.pid), "--interval", "150ms",
                          "--count", str(rounds), "-q"])

        def taken():
            return os.path.exists(path) and len(frames(path)[0])

        for i in range(1, rounds):
            wait_until(lambda i=i: taken() >= i or run.poll() is not None, f"snapshot {i}")
            target.stdin.write(b"x")
            target.stdin.flush()
            target.stdout.read(1)
        self.assertEqual(run.wait(), 0)
        snapshots, torn = frames(path)
        self.assertEqual((len(snapshots), torn), (rounds, False))
        writes = [s["threads"][0] for s in snapshots]
        if "io" not in known(snapshots[0], writes[0])[0]:
            self.skipTest("the kernel keeps no I/O accounting")
        # Each round is 500 calls of 1,000 bytes and the one that answers; how many lie between two is chance.
        for a, b in zip(writes, writes[1:]):
            done, remainder = divmod(b["syscw"] - a["syscw"], 501)
            self.assertEqual(remainder, 0)
            self.assertEqual(b["wchar"] - a["wchar"], done * 500001)
        times = [s["captured_at_unix_ns"] for s in snapshots]
        self.assertEqual(times, sorted(times))


if __name__ == "__main__":
    tap.main(__name__)
