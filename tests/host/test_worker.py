# SPDX-License-Identifier: GPL-2.0-or-later
"""The fixture everyone measures against: its exit codes, marker and line."""

import os
import resource
import signal
import subprocess
import time

import tap
from support import MIB, WORKER, HostTest, need_root, state, tids, wait_until


def without_settings(**more):
    """Settings of jemalloc in our own environment must not reach the worker."""
    env = {k: v for k, v in os.environ.items() if not k.endswith("MALLOC_CONF") and not k.startswith("KTSTR_WORKER")}
    return dict(env, **more)


class Exits(HostTest):
    def run_worker(self, *arguments, env=None, **how):
        done = subprocess.run([WORKER, *arguments], capture_output=True, text=True, timeout=30, check=False,
                              env=without_settings(**{"KTSTR_WORKER_READY_MARKER_OVERRIDE": self.path("marker"),
                                                      **(env or {})}),
                              **how)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("jemalloc-alloc-worker: "), done.stderr)
        self.assertFalse(os.path.exists(self.path("marker")), "it never was ready")
        return done.returncode

    def test_zero_bytes(self):
        self.assertEqual(self.run_worker("0"), 2)
        self.assertEqual(self.run_worker("--churn", "0"), 2)

    def test_more_than_one_thread(self):
        self.assertEqual(self.run_worker("4096", env={"MALLOC_CONF": "background_thread:true"}), 3)

    def test_marker_that_cannot_be_written(self):
        missing = os.path.join(self.path("no-such-directory"), "marker")
        self.assertEqual(self.run_worker("4096", env={"KTSTR_WORKER_READY_MARKER_OVERRIDE": missing}), 4)

    def test_marker_on_a_full_device(self):
        self.assertEqual(self.run_worker("4096", env={"KTSTR_WORKER_READY_MARKER_OVERRIDE": "/dev/full"}), 4)

    def test_a_marker_that_is_a_symlink_is_not_followed(self):
        precious = self.path("precious")
        with open(precious, "w", encoding="utf-8") as f:
            f.write("keep")
        link = self.path("link")
        os.symlink(precious, link)
        self.assertEqual(self.run_worker("4096", env={"KTSTR_WORKER_READY_MARKER_OVERRIDE": link}), 4)
        with open(precious, encoding="utf-8") as f:
            self.assertEqual(f.read(), "keep")

    def test_malformed_sizes_are_refused(self):
        for arguments in ([], ["--churn"], ["abc"], ["-1"], ["1.5"], ["1k"], ["99999999999999999999999"], ["1", "2"],
                          ["--frob", "1"], [""]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.run_worker(*arguments), 5)

    def test_task_list_that_cannot_be_read(self):
        need_root("to hide /proc")
        script = f'mount -t tmpfs none /proc || exit 77; exec {WORKER} 4096'
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script], capture_output=True,
                              text=True, timeout=30, check=False,
                              env=without_settings(KTSTR_WORKER_READY_MARKER_OVERRIDE=self.path("marker")))
        if done.returncode in (1, 77):
            self.skipTest(f"this system does not let root mount in a namespace of its own: {done.stderr.strip()}")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("/proc/self/task", done.stderr)

    def test_memory_that_is_refused(self):
        self.assertEqual(self.run_worker(str(1 << 62)), 101)

    def test_memory_beyond_a_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (256 * MIB, 256 * MIB))

        self.assertEqual(self.run_worker(str(1024 * MIB), preexec_fn=limit), 101)


class Ready(HostTest):
    def start(self, *arguments, **env):
        worker = self.spawn([WORKER, *arguments], env=without_settings(**env))
        return worker, worker.process.stdout.readline()

    def test_the_worker_prints_a_ready_line_and_writes_its_marker(self):
        marker = self.path("marker")
        worker, line = self.start("4096", KTSTR_WORKER_READY_MARKER_OVERRIDE=marker)
        self.assertEqual(line, f"jemalloc-alloc-worker ready pid={worker.pid} bytes=4096\n")
        with open(marker, encoding="utf-8") as f:
            self.assertEqual(f.read(), "ready\n")

    def test_the_marker_of_its_own_process_by_default(self):
        for override in ({}, {"KTSTR_WORKER_READY_MARKER_OVERRIDE": ""}):
            worker, _ = self.start("4096", **override)
            marker = f"/tmp/ktstr-worker-ready-{worker.pid}"
            try:
                with open(marker, encoding="utf-8") as f:
                    self.assertEqual(f.read(), "ready\n")
            finally:
                os.unlink(marker)

    def test_the_worker_has_one_thread_and_keeps_running(self):
        worker, _ = self.start("4096", KTSTR_WORKER_READY_MARKER_OVERRIDE=self.path("marker"))
        wait_until(lambda: state(worker.pid) == "S", "it sleeps")
        self.assertEqual(tids(worker.pid), [worker.pid])
        time.sleep(0.05)
        self.assertIsNone(worker.process.poll())
        worker.process.terminate()
        self.assertEqual(worker.process.wait(), -signal.SIGTERM)

    def test_churn_keeps_making_threads(self):
        worker, _ = self.start("--churn", "4096", KTSTR_WORKER_READY_MARKER_OVERRIDE=self.path("marker"))
        seen = set()
        wait_until(lambda: seen.update(tids(worker.pid)) or len(seen) > 20, "many different threads are seen")

    def test_the_workers_memory_is_resident(self):
        worker, _ = self.start(str(32 * MIB), KTSTR_WORKER_READY_MARKER_OVERRIDE=self.path("marker"))
        with open(f"/proc/{worker.pid}/statm", encoding="utf-8") as f:
            resident = int(f.read().split()[1]) * resource.getpagesize()
        self.assertGreaterEqual(resident, 32 * MIB)


if __name__ == "__main__":
    tap.main(__name__)
