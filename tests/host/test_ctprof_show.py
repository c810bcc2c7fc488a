# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr ctprof show` on snapshots written here: as texts that were written by hand, and against sums made in Python.

The files are zstd frames of raw blocks, made without any library; JSON and CSV are read by Python's own parsers.
"""

import collections
import csv
import io
import json
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest

import tap

KTSTR = os.environ["KTSTR"]
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "ctprof")
PATIENCE_S = 60
U64_MAX = 2**64 - 1
BLOCK_BYTES = 1 << 17

DELAYS = ("cpu", "blkio", "swapin", "freepages", "thrashing", "compact", "wpcopy", "irq")
SUMS = (
    "run_time_ns wait_time_ns timeslices voluntary_csw nonvoluntary_csw nr_wakeups nr_migrations wait_sum wait_count "
    "block_sum iowait_sum minflt majflt utime_clock_ticks rchar wchar syscr read_bytes"
).split()
LARGEST = "wait_max sleep_max block_max exec_max slice_max fair_slice_ns".split()
RANGES = "nice priority rt_priority processor".split()
LABELS = "policy state ext_enabled".split()


def frame(data):
    """A zstd frame that stores the bytes as they are: single segment, size in 8 bytes, raw blocks."""
    out = [struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))]
    blocks = [data[i:i + BLOCK_BYTES] for i in range(0, len(data), BLOCK_BYTES)] or [b""]
    for i, block in enumerate(blocks):
        header = len(block) << 3 | (i == len(blocks) - 1)
        out += [struct.pack("<I", header)[:3], block]
    return b"".join(out)


def small():
    with open(os.path.join(DATA, "small.json"), encoding="utf-8") as f:
        return json.load(f)


def random_thread(rng, tgid, tid, name):
    leader = tid == tgid
    thread = {
        "tid": tid, "tgid": tgid, "pcomm": name, "comm": name if leader else f"pool-{tid % 7}",
        "cgroup": f"/jobs/job-{tgid % 5}.scope", "start_time_clock_ticks": tid,
        "policy": rng.choice(["SCHED_OTHER", "SCHED_BATCH", "SCHED_FIFO", "SCHED_UNKNOWN(42)"]),
        "state": rng.choice("SRDI"), "ext_enabled": rng.random() < 0.5,
        "cpu_affinity": rng.choice([[0], [0, 1], [1, 2, 3, 9]]),
        "nr_threads": rng.randrange(1, 9) if leader else 0,
        "taskstats_measured": rng.random() < 0.7, "cpu_delay_active": True,
        "delay_block_active": tgid % 2 == 0, "xacct_active": True, "jemalloc_measured": rng.random() < 0.5,
    }
    for key in SUMS + LARGEST + ["allocated_bytes", "deallocated_bytes", "hiwater_rss_bytes"]:
        thread[key] = rng.choice([0, rng.randrange(1000), rng.randrange(2**40), rng.randrange(2**64)])
    for key in RANGES:
        thread[key] = rng.randrange(0, 40) if key != "nice" else rng.randrange(-20, 20)
    for what in DELAYS:
        for key in ("count", "total_ns", "max_ns", "min_ns"):
            thread[f"{what}_delay_{key}"] = rng.choice([0, rng.randrange(10**6)])
    return thread


def random_snapshot(seed):
    rng = random.Random(seed)
    threads = []
    for process in range(40):
        tgid = 1000 + 20 * process
        name = rng.choice(["web-", "db", "worker_", "x"]) + str(process % 9)
        for tid in range(tgid, tgid + rng.randrange(1, 6)):
            threads.append(random_thread(rng, tgid, tid, name))
    return {"captured_at_unix_ns": 1, "threads": threads, "cgroup_stats": {}, "psi": {}, "sched_ext": None}


def is_measured(thread, key):
    """By the rule for files that do not say what was measured."""
    if key in ("allocated_bytes", "deallocated_bytes"):
        return thread["jemalloc_measured"]
    if key.startswith("hiwater_"):
        return thread["taskstats_measured"] and thread["xacct_active"]
    if key.startswith("cpu_delay_"):
        return thread["taskstats_measured"] and thread["cpu_delay_active"]
    if "_delay_" in key:
        return thread["taskstats_measured"] and thread["delay_block_active"]
    return True


def mode(labels):
    counts = collections.Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))


def ranges(cpus):
    """0-1,9"""
    parts = []
    for cpu in cpus:
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


class ShowTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ktstr-show-")
        self.addCleanup(directory.cleanup)
        self.dir = directory.name

    def write(self, *snapshots, name="a.ctprof.zst"):
        with open(os.path.join(self.dir, name), "wb") as f:
            for snapshot in snapshots:
                f.write(frame(json.dumps(snapshot).encode()))
        return name

    def run_show(self, *arguments):
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        return subprocess.run([KTSTR, "ctprof", "show", *arguments], cwd=self.dir, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False, env=env)

    def show(self, *arguments):
        done = self.run_show(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def groups(self, *arguments):
        return {g["group"]: g for g in json.loads(self.show(*arguments, "--json"))["groups"]}


class Texts(ShowTest):
    def assert_text(self, name, *arguments):
        with open(os.path.join(DATA, name), encoding="utf-8") as f:
            self.assertEqual(self.show(self.write(small()), *arguments), f.read())

    def test_show_of_a_small_host_matches_its_golden_text(self):
        self.assert_text("show.txt")

    def test_cgroups_of_a_small_host(self):
        self.assert_text("show-cgroup.txt", "--group-by", "cgroup", "--sections",
                         "cgroup-stats,cgroup-limits,memory-stat,memory-events,pressure")

    def test_columns_sorted_by_a_derived_metric(self):
        self.assert_text("show-columns.txt", "--group-by", "process", "--metrics",
                         "cpu_efficiency,run_time_ns,allocated_bytes,policy", "--sort-by", "cpu_efficiency:asc", "--all")

    def test_single_threads(self):
        self.assert_text("show-threads.txt", "--threads", "web-1", "--metrics", "state,nice,run_time_ns,cpu_delay_count")

    def test_a_tree_of_everything(self):
        self.assert_text("show-all.txt", "--group-by", "all", "--sections", "derived")


class Values(ShowTest):
    def check_metric(self, key, threads, value):
        measured = [t for t in threads if is_measured(t, key)]
        if key == "nr_threads":
            measured = [t for t in threads if t["tid"] == t["tgid"]]
            threads = measured
        self.assertEqual((value["measured"], value["of"]), (len(measured), len(threads)), key)
        if not measured:
            self.assertIsNone(value["value"], key)
            return
        numbers = [t[key] for t in measured]
        if key in RANGES:
            self.assertEqual((value["least"], value["most"]), (min(numbers), max(numbers)), key)
        elif key in LABELS:
            labels = [str(n).lower() if isinstance(n, bool) else n for n in numbers]
            self.assertEqual(value["value"], mode(labels), key)
            self.assertEqual(value["counts"], dict(collections.Counter(labels)), key)
        elif key == "cpu_affinity":
            sizes = [len(n) for n in numbers]
            self.assertEqual((value["least"], value["most"]), (min(sizes), max(sizes)))
            self.assertEqual(value["cpus"], ranges(numbers[0]) if all(n == numbers[0] for n in numbers) else None)
        elif key.endswith("_min_ns"):
            self.assertEqual(value["value"], min((n for n in numbers if n), default=0), key)
        elif key in LARGEST or key.endswith("_max_ns") or key in ("nr_threads", "hiwater_rss_bytes"):
            self.assertEqual(value["value"], max(numbers), key)
        else:
            self.assertEqual(value["value"], min(sum(numbers), U64_MAX), key)

    def test_every_value_of_random_hosts_is_what_python_makes_of_it(self):
        keys = set(SUMS + LARGEST + RANGES + LABELS + ["cpu_affinity", "nr_threads", "allocated_bytes", "hiwater_rss_bytes"])
        keys |= {f"{what}_delay_{k}" for what in DELAYS for k in ("count", "total_ns", "max_ns", "min_ns")}
        for seed in range(3):
            snapshot = random_snapshot(seed)
            shown = self.groups(self.write(snapshot), "--group-by", "process")
            expected = collections.defaultdict(list)
            for thread in snapshot["threads"]:
                expected[f"{thread['pcomm']}[{thread['tgid']}]"].append(thread)
            self.assertEqual(set(shown), set(expected))
            for group, threads in expected.items():
                self.assertEqual(shown[group]["threads"], len(threads))
                for key in keys:
                    with self.subTest(seed=seed, group=group, metric=key):
                        self.check_metric(key, threads, shown[group]["metrics"][key])

    def test_derived_values_follow_from_what_is_shown_beside_them(self):
        listed = json.loads(subprocess.run([KTSTR, "ctprof", "metric-list", "--json"], capture_output=True, text=True,
                                           timeout=PATIENCE_S, check=True).stdout)
        self.assertEqual(len(listed["derived"]), 17)
        seen = 0
        for group in self.groups(self.write(random_snapshot(7)), "--group-by", "process").values():
            values = {name: m.get("value") for name, m in group["metrics"].items()}
            for row in listed["derived"]:
                formula = re.sub(r"\b[a-z_]+_[a-z_]+\b|\brchar\b|\btimeslices\b", lambda m: f"v['{m[0]}']", row["formula"])
                try:
                    # The formulas are our own and hold names, + - / ( ) and max.
                    expected = eval(formula, {"v": values, "max": max})  # pylint: disable=eval-used
                except (TypeError, ZeroDivisionError):
                    expected = None
                with self.subTest(group["group"], metric=row["name"]):
                    got = values[row["name"]]
                    if expected is None:
                        self.assertIsNone(got)
                    else:
                        seen += 1
                        self.assertAlmostEqual(got, expected, delta=abs(expected) * 1e-12)
        self.assertGreater(seen, 200)

    def test_groups_partition_the_threads_on_every_axis(self):
        snapshot = random_snapshot(11)
        name = self.write(snapshot)
        total = sum(t["timeslices"] for t in snapshot["threads"])
        for axis in ("pcomm", "cgroup", "comm", "comm-exact", "all", "process"):
            groups = self.groups(name, "--group-by", axis)
            self.assertEqual(sum(g["threads"] for g in groups.values()), len(snapshot["threads"]), axis)
            self.assertEqual(min(sum(g["metrics"]["timeslices"]["value"] for g in groups.values()), U64_MAX),
                             min(total, U64_MAX), axis)

    def test_csv_says_the_same_as_json(self):
        name = self.write(small())
        rows = list(csv.DictReader(io.StringIO(self.show(name, "--group-by", "cgroup", "--csv"))))
        whole = json.loads(self.show(name, "--group-by", "cgroup", "--json"))
        self.assertEqual({r["section"] for r in rows} >= {"primary", "derived", "taskstats-delay", "pressure", "sched-ext"}, True)
        metrics = {(r["cgroup"], r["metric"]): r for r in rows if r["measured"]}
        self.assertEqual(len(metrics), sum(len(g["metrics"]) for g in whole["groups"]))
        for group in whole["groups"]:
            for metric, value in group["metrics"].items():
                row = metrics[group["cgroup"], metric]
                self.assertEqual((int(row["measured"]), int(row["of"])), (value["measured"], value["of"]))
                if isinstance(value.get("value"), (int, float)):
                    self.assertEqual(float(row["value"]), float(value["value"]))
                else:
                    self.assertEqual(row["value"], value.get("value") or value.get("cpus") or "")
                self.assertEqual((row["least"], row["most"]), tuple(str(value[k]) if k in value else "" for k in ("least", "most")))
        others = {(r["section"], r["cgroup"] or r["process"], r["metric"]): r["value"] for r in rows if not r["measured"]}
        count = 0
        for section, groups in whole["sections"].items():
            for group in groups:
                for key, value in group["values"].items():
                    count += 1
                    cell = others[section, group["group"], key]
                    if isinstance(value, (int, float)):
                        self.assertEqual(float(cell), value)
                    else:
                        self.assertEqual(cell, value or "")
        self.assertEqual(count, len(others))

    def test_hostile_names_stay_in_their_csv_and_json_field(self):
        snapshot = small()
        evil = 'a,"b\nc\u001b[2J'
        snapshot["threads"][0]["pcomm"] = evil
        name = self.write(snapshot)
        rows = list(csv.DictReader(io.StringIO(self.show(name, "--csv", "--metrics", "thread_count"), newline="")))
        self.assertIn(evil, {r["process"] for r in rows})
        self.assertIn(evil, self.groups(name))
        self.assertNotIn("\u001b", self.show(name))


class Files(ShowTest):
    def test_a_series_has_its_numbers(self):
        first, second = small(), small()
        second["threads"] = second["threads"][:1]
        name = self.write(first, second)
        self.assertEqual(json.loads(self.show(name, "--json"))["threads"], 4)
        whole = json.loads(self.show(f"{name}@2", "--json"))
        self.assertEqual((whole["threads"], whole["snapshot"], whole["snapshots"]), (1, 2, 2))
        self.assertIn("2 of 2 snapshots", self.show(f"{name}@2"))
        done = self.run_show(f"{name}@3")
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_an_incomplete_last_snapshot_is_reported_and_ignored(self):
        name = self.write(small())
        with open(os.path.join(self.dir, name), "ab") as f:
            f.write(frame(json.dumps(small()).encode())[:-100])
        done = self.run_show(name)
        self.assertEqual(done.returncode, 0)
        self.assertIn("incomplete snapshot", done.stderr)
        self.assertIn("web-{N}  3 threads", done.stdout)

    def test_a_snapshot_without_threads_is_one(self):
        snapshot = small()
        snapshot["threads"] = []
        name = self.write(snapshot)
        self.assertIn("threads   0 in 0 processes", self.show(name, "--sections", "primary"))
        self.assertEqual(self.groups(name), {})

    def test_a_file_that_is_not_a_snapshot_is_named_in_the_error(self):
        with open(os.path.join(self.dir, "b"), "wb") as f:
            f.write(b"not a snapshot at all")
        for name in ("b", "missing.ctprof.zst"):
            done = self.run_show(name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(name, done.stderr)


if __name__ == "__main__":
    tap.main(__name__)
