# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr ctprof capture` in a guest: through /proc and through BPF it says the same, and what programs really did."""

import io
import json
import os
import subprocess
import tarfile
import unittest

import guest
import machine
import tap

HERE = os.path.dirname(os.path.abspath(__file__))
FIFO = os.path.join(guest.BUILD, "bpf", "scx_ktfifo")
PROFILED = os.environ.get("KTSTR_PROFILED") or os.path.join(guest.BUILD, "tests", "vm", "profiled")
# Where one of the two ways may look a moment later, or has an opinion of its own.
NOT_COMPARED = {"presence", "read_at_ns"}
CGROUP = "/kt a (x)"
# Sources that come through BPF where nothing forbids it.
BY_BPF = ("stat", "schedstat", "io", "status", "sched", "affinity", "taskstats-cpu", "taskstats-delay",
          "taskstats-xacct")


def metrics(kind):
    """Names of thread metrics of a kind, from the registry itself."""
    with open(os.path.join(guest.ROOT, "src", "metric", "metrics.def"), encoding="utf-8") as f:
        rows = [line[len("METRIC("):].split(", ") for line in f if line.startswith("METRIC(")]
    return [row[1].strip('"') for row in rows if row[2] == kind]


class Snapshot:
    """A file as the command wrote it, with the presence of each thread beside it."""

    def __init__(self, data):
        done = subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True)
        self.all = json.loads(done.stdout)
        self.threads = {t["tid"]: t for t in self.all["threads"]}
        self.sets = self.all["presence"]["sets"]

    def of(self, tgid):
        return {tid: t for tid, t in self.threads.items() if t["tgid"] == tgid}

    def known(self, thread):
        return self.sets[thread["presence"]]

    def by_name(self, tgid, comm):
        return next(t for t in self.of(tgid).values() if t["comm"] == comm)


class Ctprof(unittest.TestCase):
    """One guest for all: what it saw is looked at from many sides."""

    @classmethod
    def setUpClass(cls):
        cls.why = guest.missing()
        if not cls.why and not machine.have("zstd"):
            cls.why = "zstd is not installed"
        if cls.why:
            return
        with open(os.path.join(HERE, "ctprof.sh"), encoding="utf-8") as f:
            done = machine.shell(f.read(), "-t", "1n1l2c1t", "-m", "512M", "-i", machine.KTSTR, "-i", PROFILED, "-i", FIFO)
        cls.said = done.stderr.decode(errors="replace")
        cls.seen = {}
        if done.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
                cls.seen = {os.path.basename(m.name): archive.extractfile(m).read() for m in archive if m.isfile()}
        cls.snapshots = {n: Snapshot(cls.seen[n]) for n in ("slow-1", "fast", "slow-2", "ext", "ext-slow")
                         if cls.seen.get(n + ".rc") == b"0\n"}
        cls.facts = json.loads(cls.seen["facts"]) if cls.seen.get("facts") else None
        cls.spin = json.loads(cls.seen["spin"]) if cls.seen.get("spin") else None

    def setUp(self):
        if self.why:
            self.skipTest(self.why)
        self.maxDiff = None
        told = "\n".join(self.seen[n].decode(errors="replace") for n in sorted(self.seen) if n.endswith((".out", "kernel")))
        for name in ("slow-1", "fast", "slow-2"):
            self.assertIn(name, self.snapshots, self.said + told)
        self.assertTrue(self.facts and self.spin, self.said + told)
        self.slow, self.fast, self.later = (self.snapshots[n] for n in ("slow-1", "fast", "slow-2"))

    def thread(self, name, snapshot=None):
        return (snapshot or self.fast).by_name(self.facts["pid"], name)

    def test_bpf_and_proc_agree_in_every_field_of_parked_threads(self):
        threads = self.fast.of(self.facts["pid"])
        self.assertEqual(sorted(threads), sorted(self.slow.of(self.facts["pid"])))
        self.assertEqual(len(threads), len(self.facts["threads"]) + 1)
        different = []
        for tid, fast in threads.items():
            slow = self.slow.threads[tid]
            self.assertEqual(set(fast), set(slow))
            different += [(fast["comm"], key, fast[key], slow[key]) for key in fast
                          if key not in NOT_COMPARED and fast[key] != slow[key]]
            self.assertEqual(sorted(self.fast.known(fast)["sources"]), sorted(self.slow.known(slow)["sources"]))
            self.assertEqual(sorted(self.fast.known(fast)["absent"]), sorted(self.slow.known(slow)["absent"]))
        self.assertEqual(different, [])

    def test_the_snapshot_records_the_path_of_each_source(self):
        self.assertEqual({s: self.fast.all["presence"]["paths"][s] for s in BY_BPF}, {s: "bpf" for s in BY_BPF})
        slow = self.slow.all["presence"]["paths"]
        self.assertEqual({slow[s] for s in ("stat", "schedstat", "io", "status", "sched")}, {"procfs"})
        self.assertEqual({slow[s] for s in ("taskstats-cpu", "taskstats-delay", "taskstats-xacct")}, {"netlink"})
        self.assertEqual(slow["affinity"], "syscall")

    def test_counters_by_bpf_lie_between_two_proc_snapshots(self):
        """Every thread that was there in all three, kernel threads too; counters never go back."""
        rising = [m for m in metrics("SUM") + metrics("PEAK")
                  if m not in ("utime_clock_ticks", "stime_clock_ticks", "allocated_bytes", "deallocated_bytes")]
        bad, compared = [], 0
        for tid, fast in self.fast.threads.items():
            before, after = self.slow.threads.get(tid), self.later.threads.get(tid)
            if not before or not after or before["start_time_clock_ticks"] != after["start_time_clock_ticks"]:
                continue
            compared += 1
            self.assertEqual(before["start_time_clock_ticks"], fast["start_time_clock_ticks"])
            for m in rising:
                if not before[m] <= fast[m] <= after[m]:
                    bad.append((fast["comm"], m, before[m], fast[m], after[m]))
            total = [t["utime_clock_ticks"] + t["stime_clock_ticks"] for t in (before, fast, after)]
            # Both are rounded down by themselves.
            if not total[0] - 1 <= total[1] <= total[2] + 1:
                bad.append((fast["comm"], "ticks", *total))
            same = [m for m in ("pcomm", "comm", "cgroup", "policy", "nice", "rt_priority", "nr_threads")
                    if before[m] == after[m] != fast[m]]
            bad += [(fast["comm"], m, before[m], fast[m]) for m in same if not fast["comm"].startswith("kworker")]
        self.assertEqual(bad, [])
        self.assertGreater(compared, 30)
        spinner = self.fast.by_name(self.spin["pid"], "kt-spinner")
        self.assertLess(self.slow.threads[spinner["tid"]]["voluntary_csw"], spinner["voluntary_csw"])
        self.assertLess(spinner["voluntary_csw"], self.later.threads[spinner["tid"]]["voluntary_csw"])

    def test_no_thread_is_missing(self):
        both = set(self.slow.threads) & set(self.later.threads)
        self.assertEqual(both - set(self.fast.threads), set())

    def test_context_switches_and_faults_are_those_the_kernel_told_the_thread(self):
        for name, told in self.facts["threads"].items():
            with self.subTest(name):
                thread = self.thread(name)
                self.assertEqual(thread["tid"], told["tid"])
                # It stood still by one switch after it had asked, and may have been pushed away before.
                self.assertEqual(thread["voluntary_csw"], told["nvcsw"] + 1)
                self.assertIn(thread["nonvoluntary_csw"] - told["nivcsw"], range(0, 20))
                self.assertIn(thread["minflt"] - told["minflt"], range(0, 5))
                self.assertEqual(thread["majflt"], told["majflt"])
        sleeper = self.thread("kt-sleeper")
        # A time may be over before the thread sleeps, on a slow host more often.
        self.assertIn(sleeper["voluntary_csw"], range(self.facts["sleeps"] // 2, self.facts["sleeps"] + 10))
        self.assertIn(self.thread("kt-faulter")["minflt"], range(self.facts["faults"], self.facts["faults"] + 50))
        # It woke up from every sleep but the one it is in.
        self.assertGreaterEqual(sleeper["nr_wakeups"], sleeper["voluntary_csw"] - 1)

    def test_bytes_and_calls_are_exact(self):
        thread, facts = self.thread("kt-writer"), self.facts
        self.assertEqual((thread["wchar"], thread["syscw"], thread["rchar"], thread["syscr"]),
                         (facts["write_bytes"], facts["writes"], facts["read_bytes"], facts["reads"]))

    def test_run_time_is_what_the_thread_measured(self):
        for name, told in self.facts["threads"].items():
            with self.subTest(name):
                thread = self.thread(name)
                self.assertGreaterEqual(thread["run_time_ns"], told["ran_ns"])
                ticks = thread["utime_clock_ticks"] + thread["stime_clock_ticks"]
                exact = thread["run_time_ns"] * self.fast.all["user_hz"] / 1e9
                self.assertTrue(exact - 2 < ticks <= exact, (ticks, exact))
        self.assertGreaterEqual(self.thread("kt-runner")["run_time_ns"], self.facts["run_ms"] * 1000000)

    def test_threads_sharing_a_cpu_have_wait_time(self):
        for name in ("kt-rival-1", "kt-rival-2"):
            thread = self.thread(name)
            self.assertGreater(thread["wait_time_ns"], 0)
            self.assertGreater(thread["wait_sum"], 0)
            self.assertGreater(thread["nonvoluntary_csw"], 0)
            self.assertEqual(thread["cpu_affinity"], [0])
            self.assertEqual(thread["processor"], 0)
        # Two books of the same thing, kept by the kernel in one place.
        for thread in self.fast.of(self.facts["pid"]).values():
            self.assertEqual((thread["cpu_delay_count"], thread["cpu_delay_total_ns"]),
                             (thread["timeslices"], thread["wait_time_ns"]))

    def test_copy_on_write_counts_as_wpcopy_delay(self):
        thread = self.thread("kt-copier")
        self.assertGreaterEqual(thread["wpcopy_delay_count"], self.facts["copies"])
        self.assertLess(thread["wpcopy_delay_count"], self.facts["copies"] + 50)
        self.assertGreater(thread["wpcopy_delay_total_ns"], 0)
        if "wpcopy_delay_max_ns" not in self.fast.known(thread)["absent"]:
            self.assertGreaterEqual(thread["wpcopy_delay_max_ns"] * thread["wpcopy_delay_count"],
                                    thread["wpcopy_delay_total_ns"])
            self.assertLessEqual(thread["wpcopy_delay_min_ns"] * thread["wpcopy_delay_count"],
                                 thread["wpcopy_delay_total_ns"])
        self.assertEqual(self.thread("kt-sleeper")["blkio_delay_count"], 0)

    def test_delays_of_threads_older_than_the_switch_are_unknown(self):
        older = self.fast.threads[int(self.seen["older"])]
        known = self.fast.known(older)["sources"]
        self.assertIn("taskstats-cpu", known)
        self.assertNotIn("taskstats-delay", known)
        self.assertFalse(older["delay_block_active"])
        self.assertGreater(self.fast.all["presence"]["reasons"]["taskstats-delay"]["switched-off"], 0)
        self.assertEqual(self.fast.all["taskstats_summary"]["ok_count"],
                         sum("taskstats-cpu" in self.fast.known(t)["sources"]
                             for t in self.fast.all["threads"]))
        self.assertTrue(older["taskstats_measured"])

    def test_policies_and_priorities(self):
        wanted = {
            "kt-fifo": ("SCHED_FIFO", -4, 0, 3), "kt-batch": ("SCHED_BATCH", 20, 0, 0),
            "kt (nice) 7": ("SCHED_OTHER", 27, 7, 0), "kt-idle": ("SCHED_IDLE", 20, 0, 0),
            "kt-runner": ("SCHED_OTHER", 20, 0, 0),
        }
        for name, row in wanted.items():
            thread = self.thread(name)
            self.assertEqual((thread["policy"], thread["priority"], thread["nice"], thread["rt_priority"]), row)
            self.assertEqual("fair_slice_ns" in self.fast.known(thread)["absent"], name in ("kt-fifo", "kt-idle"), name)
            self.assertEqual(thread["state"], "S")
        self.assertEqual(self.thread("kt-idle")["cpu_affinity"], [1])
        self.assertEqual(self.thread("kt-runner")["cpu_affinity"], [0, 1])
        leader = self.thread("kt-leader")
        self.assertEqual((leader["tid"], leader["nr_threads"]), (leader["tgid"], len(self.facts["threads"]) + 1))
        self.assertEqual({t["pcomm"] for t in self.fast.of(self.facts["pid"]).values()}, {"kt-leader"})

    def test_cgroups_their_limits_and_counters(self):
        self.assertEqual({t["cgroup"] for t in self.fast.of(self.facts["pid"]).values()}, {CGROUP})
        self.assertEqual({t["cgroup"] for t in self.fast.of(self.spin["pid"]).values()}, {"/kt-b"})
        stats = self.fast.all["cgroup_stats"]
        first, second = stats[CGROUP], stats["/kt-b"]
        self.assertEqual((first["cpu"]["max_quota_us"], first["cpu"]["max_period_us"]), (30000, 100000))
        self.assertEqual((first["memory"]["max"], first["pids"]["max"]), (268435456, 77))
        self.assertEqual((second["cpu"]["weight"], second["cpu"]["max_quota_us"], second["pids"]["max"]), (50, None, None))
        after = dict(line.split() for line in self.seen["cgroup.cpu.stat"].decode().splitlines())
        # It asked for more than its share and stands still now.
        self.assertGreater(first["cpu"]["nr_throttled"], 0)
        self.assertEqual(first["cpu"]["nr_throttled"], int(after["nr_throttled"]))
        self.assertEqual(first["cpu"]["usage_usec"], int(after["usage_usec"]))
        self.assertEqual(first["pids"]["current"], int(self.seen["cgroup.pids.current"]))

    def test_pressure_is_that_of_the_kernel(self):
        def total(text):
            return int(text.decode().splitlines()[0].split("total=")[1])

        waited = self.fast.all["cgroup_stats"][CGROUP]["psi"]["cpu"]["some"]["total_usec"]
        self.assertGreater(waited, 0)
        self.assertEqual(waited, total(self.seen["cgroup.cpu.pressure"]))
        host = self.fast.all["psi"]["cpu"]["some"]["total_usec"]
        self.assertGreater(host, 0)
        self.assertLessEqual(host, total(self.seen["pressure.cpu"]))

    def test_sched_ext_is_seen_while_it_runs(self):
        if "scx.out" not in self.seen:
            self.skipTest("the kernel has no sched_ext")
        self.assertEqual(self.seen["scx.out"], b"scx_ktfifo: attached\n", self.seen["scx.err"])
        ext = self.snapshots["ext"]
        self.assertEqual(self.fast.all["sched_ext"]["state"], "disabled")
        self.assertEqual(ext.all["sched_ext"]["state"], "enabled")
        self.assertIn("ktfifo", ext.all["sched_ext"]["ops"])
        self.assertEqual({t["ext_enabled"] for t in self.fast.threads.values()}, {False})
        for tid, thread in ext.of(self.facts["pid"]).items():
            self.assertEqual(thread["ext_enabled"], thread["policy"] != "SCHED_FIFO", thread["comm"])
            slow = self.snapshots["ext-slow"].threads[tid]
            self.assertEqual([k for k in thread if k not in NOT_COMPARED and thread[k] != slow[k]], [])


if __name__ == "__main__":
    tap.main(__name__)
