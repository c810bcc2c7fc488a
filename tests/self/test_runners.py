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
        self.out = os.path.join(self.directory, "out")
        self.mark = f"KTSTR_CACHE_DIR={self.home.cache}\0".encode()
        self.cgroups = cgroups()

    def whole_run(self, words):
        """Seconds of a run that nobody kills; afterwards the directory is as if nobody ever had."""
        before = len(record_paths(self.out))
        begun = time.monotonic()
        with start(self.out, self.home.env) as process:
            out, err = process.communicate(timeout=LONG_S)
        self.assertEqual((process.returncode, err), (0, ""), (words, out))
        self.assertEqual(len(json_tests(out)[0]), 4)
        self.assertEqual(len(record_paths(self.out)), before + 4, words)
        named = {load(path).get("frames_file") for path in record_paths(self.out)}
        self.assertEqual([n for n in os.listdir(self.out) if not n.endswith((".ktstr.json", ".kept")) and n not in named], [], words)
        self.assertEqual(self.home.run_directories(), [], words)
        return time.monotonic() - begun

    def kill_after(self, seconds):
        """None if the run was killed, else the seconds it took."""
        begun = time.monotonic()
        with start(self.out, self.home.env) as process:
            try:
                process.wait(seconds)
                return time.monotonic() - begun
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                return None
            finally:
                process.communicate()

    def kill_in_a_test(self):
        """Kill as soon as a record says that its test was started and not finished."""
        before = set(record_paths(self.out))
        with start(self.out, self.home.env) as process:
            try:
                while process.poll() is None:
                    if any(load(path)["state"] == "started" for path in set(record_paths(self.out)) - before):
                        process.send_signal(signal.SIGKILL)
                        return
                    time.sleep(0.005)
                self.fail("no record of a started test was seen")
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
        seconds = {True: self.whole_run("first"), False: self.whole_run("second")}
        self.kill_in_a_test()
        self.check_nothing_is_left("killed in a test")
        for i in range(self.ROUNDS):
            boots = i % self.BOOT_EVERY == self.BOOT_EVERY - 1
            if boots:
                for name in self.home.whole_templates():
                    shutil.rmtree(os.path.join(self.home.templates, name))
            # A run that ended before its moment was faster than the one measured: the next moments are drawn earlier.
            took = self.kill_after(rng.uniform(0, seconds[boots]))
            if took is not None:
                seconds[boots] = min(seconds[boots], took)
            self.check_nothing_is_left(f"seed {seed}, round {i}")
        self.whole_run(f"seed {seed}, last")
        states = [load(path)["state"] for path in record_paths(self.out)]
        self.assertGreater(states.count("started"), 0, "the record of a killed test is not there")
        self.check_nothing_is_left("last")


class AtOnce(judged.Case):
    """Four runners with the same binary, one directory of records, one cache."""

    RUNNERS = 4
    TIMES = 1

    def test_every_record_is_of_its_own_runner(self):
        for _ in range(self.TIMES):
            out = os.path.join(self.directory, "out")
            processes = [start(out, os.environ, "-k", "*:trivial_0[12]", "--clock", "real", "--repeat", "2") for _ in range(self.RUNNERS)]
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
