# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures while threads come and go, without rights, into full disks, and killed at any moment."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import tap
from ctprof import KTSTR, NOBODY, CtprofTest, births, frames, known, wait_until

SHORT_LIVED = os.environ["KTSTR_SHORT_LIVED"]


def need_root(why):
    if os.geteuid() != 0:
        raise unittest.SkipTest(f"needs root {why}")


def need_namespaces():
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise unittest.SkipTest(f"no mount and pid namespaces here: {done.stderr.strip()}")


class Churn(CtprofTest):
    def test_threads_that_come_and_go_are_counted_honestly(self):
        churn = self.spawn([SHORT_LIVED], stdout=subprocess.PIPE)
        self.assertEqual(churn.stdout.readline(), b"ready\n")
        path = self.path("churn.ctprof.zst")
        before = births()
        done = self.run_ktstr("-o", path, "--interval", "100ms", "--count", "4", "--no-heap", "--json")
        born = births() - before
        self.assertEqual(done.returncode, 0, done.stderr)
        snapshots, torn = frames(path)
        self.assertEqual((len(snapshots), torn), (4, False))
        for snapshot in snapshots:
            self.assert_honest(snapshot)
        report = json.loads(done.stdout)
        self.assertEqual([s["threads"] for s in report["snapshots"]], [len(s["threads"]) for s in snapshots])
        # As many were born meanwhile as the file could hold: else nothing was shown here.
        self.assertGreater(born, 400)
        seen = [{t["tid"] for t in s["threads"] if t["tgid"] == churn.pid} for s in snapshots]
        self.assertTrue(all(seen))
        self.assertTrue(any(a != b for a, b in zip(seen, seen[1:])))


class LittleRights(CtprofTest):
    def nobodys_ktstr(self):
        need_root("to become another user")
        program = self.path("ktstr")
        shutil.copy(KTSTR, program)
        os.chmod(program, 0o755)
        os.makedirs(self.path("out"))
        os.chown(self.path("out"), NOBODY, NOBODY)
        return program

    def test_capture_without_privilege_reports_what_is_missing(self):
        program, path = self.nobodys_ktstr(), self.path("out/n.ctprof.zst")
        done = self.run_ktstr("-o", path, program=program, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        (snapshot,), torn = frames(path)
        self.assertFalse(torn)
        self.assert_honest(snapshot)
        self.assert_says(done.stderr, snapshot)
        reasons = snapshot["presence"]["reasons"]
        for source in ("io", "smaps_rollup"):
            self.assertGreater(reasons[source]["no-permission"], 0)
        # Refusals say nothing about how the kernel was built, whatever the flag of the file says.
        if os.path.exists("/proc/self/io") and os.path.exists("/proc/self/schedstat"):
            self.assertTrue(snapshot["parse_summary"]["kernel_config_dominant"], snapshot["parse_summary"])
            shown = subprocess.run([KTSTR, "ctprof", "show", path], capture_output=True, text=True, check=True)
            for text in (done.stderr, " ".join(shown.stdout.split())):
                self.assertIn("rights are missing: re-run as root", text)
                self.assertNotIn("kernel may be built without CONFIG_SCHED_INFO", text)
        foreign = [t for t in snapshot["threads"] if t["tid"] == 1][0]
        sources, _, _ = known(snapshot, foreign)
        self.assertIn("stat", sources)
        self.assertFalse({"io", "smaps_rollup", "heap"} & sources)
        self.assertEqual((foreign["rchar"], foreign["smaps_rollup_kib"], foreign["jemalloc_measured"]), (0, {}, False))
        ours = [t for t in snapshot["threads"] if t["comm"].startswith("ktstr")]
        self.assertTrue(any("io" in known(snapshot, t)[0] for t in ours))
        self.assertEqual(os.stat(path).st_uid, NOBODY)

    def test_a_process_hidden_by_hidepid_is_not_in_the_snapshot(self):
        program, path = self.nobodys_ktstr(), self.path("out/h.ctprof.zst")
        need_namespaces()
        # A pid namespace of its own: before Linux 5.8 the option holds for all mounts of one.
        script = f"""
            mount -t proc -o hidepid=2 proc /proc || exit 77
            sleep 1000 & hidden=$!
            nobody() {{ setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "$@"; }}
            nobody {program} ctprof capture --no-heap -o {path} || exit 1
            nobody {program} ctprof capture --no-heap -o {path}.2 --pid $hidden; echo "exit $?"
            kill $hidden
        """
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "bash", "-c", script], capture_output=True, text=True,
                              cwd="/", check=False)
        if done.returncode == 77:
            self.skipTest(f"proc cannot be mounted with hidepid: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        (snapshot,), _ = frames(path)
        self.assert_honest(snapshot)
        self.assertEqual({t["pcomm"] for t in snapshot["threads"]}, {"ktstr"})
        self.assertIn("exit 1\n", done.stdout)
        self.assertIn("error: process", done.stderr)
        self.assertFalse(os.path.exists(path + ".2"))


    def test_processes_with_unreadable_threads_are_counted(self):
        program, path = self.nobodys_ktstr(), self.path("out/c.ctprof.zst")
        need_namespaces()
        # Their directories are there, but nothing of them can be opened: the shell that waits, and a sleeper.
        script = f"""
            mount -t proc -o hidepid=1 proc /proc || exit 77
            sleep 1000 & closed=$!
            setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups {program} ctprof capture --no-heap -o {path}; code=$?
            kill $closed
            exit $code
        """
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "bash", "-c", script], capture_output=True, text=True,
                              cwd="/", check=False)
        if done.returncode == 77:
            self.skipTest(f"proc cannot be mounted with hidepid: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        (snapshot,), _ = frames(path)
        self.assert_honest(snapshot)
        self.assertEqual(snapshot["presence"]["closed_processes"], 2)
        self.assertIn("ctprof parse: 1 tids walked, 0 read failures, 2 processes that do not show their threads\n", done.stderr)
        shown = subprocess.run([KTSTR, "ctprof", "show", path], capture_output=True, text=True, check=False)
        self.assertIn("2 processes that do not show their threads\n", shown.stdout)


class FullDisks(CtprofTest):
    def test_a_full_device_is_an_error(self):
        for target in ("/dev/full", "-"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([KTSTR, "ctprof", "capture", "-o", target, "--pid", str(os.getpid())], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"(?m)^error: write .*: No space left on device$")
        self.assertFalse(os.path.isfile("/dev/full"))

    def test_a_disk_that_fills_up_leaves_what_was_whole(self):
        need_root("to mount a small filesystem")
        need_namespaces()
        kept = self.path("kept")
        os.makedirs(kept)
        # The first does not fit beside the old one; then a series runs until there is no room.
        script = f"""
            mount -t tmpfs -o size=24k tmpfs {self.dir}/small || exit 77
            cd {self.dir}/small && echo old >old.ctprof.zst && head -c 16384 /dev/zero >ballast
            {KTSTR} ctprof capture -q -o old.ctprof.zst --no-heap; echo "exit $?"
            ls -A; cat old.ctprof.zst; rm ballast
            {KTSTR} ctprof capture -o series.ctprof.zst --no-heap --pid $PPID --interval 1ms --count 100000; echo "exit $?"
            ls -A; cp series.ctprof.zst {kept}/
        """
        os.makedirs(self.path("small"))
        done = subprocess.run(["unshare", "--mount", "bash", "-c", script], capture_output=True, text=True, check=False,
                              timeout=120)
        if done.returncode == 77:
            self.skipTest(f"no tmpfs here: {done.stderr.strip()}")
        self.assertEqual(done.stdout, "exit 1\nballast\nold.ctprof.zst\nold\nexit 1\nold.ctprof.zst\nseries.ctprof.zst\n", done.stderr)
        self.assertEqual(done.stderr.count("No space left on device"), 2, done.stderr)
        snapshots, torn = frames(os.path.join(kept, "series.ctprof.zst"))
        self.assertFalse(torn)
        self.assertGreater(len(snapshots), 1)
        self.assertIn(f"{len(snapshots)} snapshots written to series.ctprof.zst\n", done.stderr)


class Killed(CtprofTest):
    ROUNDS = 15

    def series(self, path, *more):
        return self.spawn([KTSTR, "ctprof", "capture", "-o", path, "--pid", str(os.getpid()), "--no-heap", "--interval", "1ms",
                           "--count", "100000", *more], stderr=subprocess.PIPE, text=True)

    def test_a_capture_killed_at_any_moment_leaves_no_torn_file(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        with self.subTest(seed=seed):
            for i in range(self.ROUNDS):
                path = self.path(f"{i}.ctprof.zst")
                old = i % 2 == 0
                if old:
                    with open(path, "w", encoding="utf-8") as f:
                        f.write("old")
                run = self.series(path, "-q")
                # Often before or in the first, often in the middle of one that is appended.
                if i % 3:
                    wait_until(lambda p=path: os.path.exists(p) and os.path.getsize(p) > 3, "the first snapshot")
                time.sleep(chance.random() * 0.05)
                run.send_signal(signal.SIGKILL)
                run.wait()
                if not os.path.exists(path):
                    self.assertFalse(old, "the old file is gone")
                    continue
                with open(path, "rb") as f:
                    if f.read(4) == b"old":
                        self.assertTrue(old)
                        continue
                snapshots, torn = frames(path)
                # The first came by a rename: it is whole, whatever stands behind it.
                self.assertGreaterEqual(len(snapshots), 1)
                for snapshot in snapshots:
                    self.assert_honest(snapshot)
                shown = subprocess.run([KTSTR, "ctprof", "show", f"{path}@{len(snapshots)}", "--metrics", "minflt"],
                                       capture_output=True, text=True, check=False)
                self.assertEqual((shown.returncode, "incomplete snapshot" in shown.stderr), (0, torn), shown.stderr)
        left = [name for name in os.listdir(self.dir) if not name.endswith(".ctprof.zst")]
        self.assertLessEqual(len(left), 1, f"temporary files stay behind: {left}")

    def test_an_interrupted_series_keeps_its_whole_snapshots(self):
        path = self.path("s.ctprof.zst")
        run = self.series(path)
        wait_until(lambda: os.path.exists(path) and len(frames(path)[0]) >= 2, "two snapshots")
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, said)
        snapshots, torn = frames(path)
        self.assertFalse(torn)
        self.assertIn(f"{len(snapshots)} snapshots written to {path}\n", said)


if __name__ == "__main__":
    tap.main(__name__)
