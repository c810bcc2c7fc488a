# SPDX-License-Identifier: GPL-2.0-or-later
"""Runners that are killed leave nothing behind; runners at the same time do not meet."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import time

import judged
import tap
from judged import KTSTR, SUITES, json_tests, load, record_paths
from private_cache import PrivateCache

TRIVIAL = os.path.join(SUITES, "trivial")
# Small and always the same: four tests of one machine, one guest ahead of the other.
TESTS = ("-k", "*:trivial_0[1-4]")
LONG_S = 300


def start(out, env, *options):
    return subprocess.Popen([KTSTR, "test", TRIVIAL, *(options or TESTS), "--format", "json", "-o", out], env=env,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def processes_with(mark):
    """Whoever inherited our environment and still runs; a zombie has none."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as f:
                if mark in f.read() + b"\0":
                    with open(f"/proc/{entry}/cmdline", "rb") as g:
                        found.append((int(entry), g.read()[:100]))
        except OSError:
            continue
    return found


def cgroups():
    return {os.path.join(base, name) for base, names, _ in os.walk("/sys/fs/cgroup") for name in names if "ktstr" in name}


class Killed(judged.Case):
    """kill -9, ROUNDS times: now and then while the machine is booted that the others are cloned from."""

    ROUNDS = 6
    BOOT_EVERY = 10

    def setUp(self):
        super().setUp()
        self.home = PrivateCache()
        self.addCleanup(self.home.close)
        self.out = os.path.join(self.folder, "out")
        self.mark = f"KTSTR_CACHE_DIR={self.home.cache}\0".encode()
        self.cgroups = cgroups()

    def whole_run(self, words):
        """Seconds of a run that nobody kills; afterwards the folder is as if nobody ever had."""
        before = len(record_paths(self.out))
        begun = time.monotonic()
        with start(self.out, self.home.env) as process:
            out, err = process.communicate(timeout=LONG_S)
        self.assertEqual((process.returncode, err), (0, ""), (words, out))
        self.assertEqual(len(json_tests(out)[0]), 4)
        self.assertEqual(len(record_paths(self.out)), before + 4, words)
        self.assertEqual([n for n in os.listdir(self.out) if not n.endswith((".ktstr.json", ".kept"))], [], words)
        self.assertEqual(self.home.run_folders(), [], words)
        return time.monotonic() - begun

    def kill_after(self, seconds):
        """False if it was faster."""
        with start(self.out, self.home.env) as process:
            try:
                process.wait(seconds)
                return False
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                return True
            finally:
                process.communicate()

    def check_nothing_is_left(self, words):
        end = time.monotonic() + 60
        while (left := processes_with(self.mark)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(left, [], words)
        self.assertEqual(self.home.shared_memory() - self.home.shm, set(), words)
        self.assertEqual(self.home.halves(), [], words)
        self.assertEqual(cgroups() - self.cgroups, set(), words)
        for path in record_paths(self.out):
            self.assertIn(load(path)["state"], ("started", "finished"), (words, path))
        # A lock file may lie there until somebody comes by, but nobody holds it.
        for name in os.listdir(self.out) if os.path.isdir(self.out) else ():
            if name.endswith(".lock"):
                with open(os.path.join(self.out, name), "rb") as f:
                    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_nothing_is_left_by_a_killed_runner(self):
        seed = int(os.environ.get("KTSTR_TEST_SEED") or random.randrange(1 << 32))
        rng = random.Random(seed)
        boot_s = self.whole_run("first")
        clone_s = self.whole_run("second")
        hits = 0
        for i in range(self.ROUNDS):
            words = f"seed {seed}, round {i}"
            boots = i % self.BOOT_EVERY == self.BOOT_EVERY - 1
            if boots:
                for name in self.home.whole_templates():
                    shutil.rmtree(os.path.join(self.home.templates, name))
            hits += self.kill_after(rng.uniform(0, boot_s if boots else clone_s))
            self.check_nothing_is_left(words)
        self.assertGreater(hits, self.ROUNDS // 2, "killed hardly any")
        self.whole_run(f"seed {seed}, last")
        states = [load(path)["state"] for path in record_paths(self.out)]
        self.assertGreater(states.count("started"), 0, "no round hit a test")
        self.check_nothing_is_left("last")


class AtOnce(judged.Case):
    """Four runners with the same binary, one folder of records, one cache."""

    RUNNERS = 4
    TIMES = 1

    def test_every_record_is_of_its_own_runner(self):
        for _ in range(self.TIMES):
            out = os.path.join(self.folder, "out")
            processes = [start(out, os.environ, "-k", "*:trivial_0[12]", "--repeat", "2") for _ in range(self.RUNNERS)]
            self.addCleanup(lambda all_=processes: [p.kill() for p in all_ if p.poll() is None])
            told = {}
            for process in processes:
                stdout, err = process.communicate(timeout=LONG_S)
                self.assertEqual((process.returncode, err), (0, ""), stdout)
                told[process.pid] = json_tests(stdout)[0]
            self.check_records(out, told)
            shutil.rmtree(out)

    def check_records(self, out, told):
        paths = [t["record"] for tests in told.values() for t in tests]
        self.assertEqual(len(paths), self.RUNNERS * 4)
        self.assertEqual(sorted(paths), record_paths(out), "each record is one runner's")
        self.assertEqual(sorted(os.listdir(out)), sorted(os.path.basename(p) for p in paths), "nothing else is there")
        ids = {}
        for pid, tests in told.items():
            self.assertEqual(sorted(t["name"] for t in tests),
                             [f"trivial:trivial_0{i}@1n1l1c1t,run={r}" for i in (1, 2) for r in (1, 2)])
            for t in tests:
                record = load(t["record"])
                self.assertEqual(record["runner"]["pid"], pid, t["record"])
                self.assertEqual((record["name"], record["test_name"], record["variant_id"], record["state"], record["verdict"]),
                                 (t["name"], t["test"], t["id"], "finished", "pass"))
                self.assertTrue(os.path.basename(t["record"]).startswith(f"{t['test']}-{t['id']}"), json.dumps(t))
                ids.setdefault(t["test"], set()).add(t["id"])
        self.assertEqual([len(ids[test]) for test in sorted(ids)], [1, 1], "one variant has one id, whoever runs it")
        self.assertEqual(len(set.union(*ids.values())), 2)


if __name__ == "__main__":
    tap.main(__name__)
