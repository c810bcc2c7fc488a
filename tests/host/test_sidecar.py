# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers appended to the record of a test run: all of them, or the file as it was."""

import fcntl
import json
import os
import shutil
import subprocess
import time

import tap
from support import MIB, PROBE, HostTest, Target, need_root, probe, wait_until

# Unknown members, integers no double can hold and a number's spelling must survive.
RECORD = """{
  "name": "a test",
  "huge": 18446744073709551615,
  "negative": -9223372036854775808,
  "exact": 1.50,
  "later": {"unknown": [1, "two", null, true]},
  "metrics": [
    {"payload_index": 0, "metrics": [{"name": "ops", "value": 12345.0, "polarity": "HigherBetter", "unit": "ops",
     "source": "Json", "stream": "Stdout"}], "exit_code": 0}
  ]
}
"""


class Sidecar(HostTest):
    def setUp(self):
        super().setUp()
        self.records = self.path("records")
        os.mkdir(self.records)

    def record(self, text=RECORD, name="run.ktstr.json"):
        path = os.path.join(self.records, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def content(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    def assert_untouched(self, path, text=RECORD):
        self.assertEqual(self.content(path), text)
        self.assert_nothing_left(path)

    def assert_nothing_left(self, path):
        name = os.path.basename(path)
        self.assertLessEqual(set(os.listdir(os.path.dirname(path))), {name, name + ".lock"})


class Append(Sidecar):
    def test_every_number_arrives_under_its_name(self):
        target = self.start_target("pie", threads=1)
        path = self.record()
        answer = probe("--pid", target.pid, "--json", "--sidecar", path)
        self.assertEqual((answer.code, answer.stderr), (0, ""), answer)
        entry = json.loads(self.content(path))["metrics"][1]
        self.assertEqual(list(entry), ["payload_index", "metrics", "exit_code"])
        self.assertEqual((entry["payload_index"], entry["exit_code"]), (1, 0))
        by_name = {m["name"]: m for m in entry["metrics"]}
        document = answer.document
        for i, thread in enumerate(document["snapshots"][0]["threads"]):
            for member in ("allocated_bytes", "deallocated_bytes"):
                self.assertEqual(by_name[f"jemalloc_probe.snapshots.0.threads.{i}.{member}"], {
                    "name": f"jemalloc_probe.snapshots.0.threads.{i}.{member}",
                    "value": thread[member], "polarity": "LowerBetter", "unit": "bytes",
                    "source": "Json", "stream": "Stdout"})
            tid = by_name[f"jemalloc_probe.snapshots.0.threads.{i}.tid"]
            self.assertEqual((tid["value"], tid["polarity"], tid["unit"]), (thread["tid"], "Unknown", ""))
        self.assertEqual(set(by_name), set(self.numbers(document, "jemalloc_probe")))
        self.assert_nothing_left(path)

    def numbers(self, value, name):
        if isinstance(value, dict):
            return [n for k, v in value.items() for n in self.numbers(v, f"{name}.{k}")]
        if isinstance(value, list):
            return [n for i, v in enumerate(value) for n in self.numbers(v, f"{name}.{i}")]
        return [name] if isinstance(value, (int, float)) and not isinstance(value, bool) else []

    def test_appending_keeps_every_other_member(self):
        worker = self.start_worker(MIB)
        path = self.record()
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)
        text = self.content(path)
        for spelling in ("18446744073709551615", "-9223372036854775808", "1.50", "12345.0"):
            self.assertIn(spelling, text)
        before, after = json.loads(RECORD), json.loads(text)
        self.assertEqual(list(after), list(before))
        self.assertEqual({k: v for k, v in after.items() if k != "metrics"},
                         {k: v for k, v in before.items() if k != "metrics"})
        self.assertEqual(after["metrics"][0], before["metrics"][0])

    def test_repeated_runs_append_entries(self):
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        for _ in range(3):
            self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)
        self.assertEqual([e["payload_index"] for e in json.loads(self.content(path))["metrics"]], [0, 1, 2])

    def test_runs_at_the_same_time_lose_nothing(self):
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        runs = [subprocess.Popen([PROBE, "--pid", str(worker.pid), "--sidecar", path], stdout=subprocess.DEVNULL)
                for _ in range(8)]
        for run in runs:
            self.addCleanup(Target(run).end)
        self.assertEqual([run.wait(timeout=60) for run in runs], [0] * 8)
        self.assertEqual([e["payload_index"] for e in json.loads(self.content(path))["metrics"]], list(range(8)))
        self.assert_nothing_left(path)

    def test_a_run_in_which_all_failed_is_recorded_as_such(self):
        target = self.start_target("pie", threads=1)
        tracer = self.spawn([os.path.join(os.environ["KTSTR_TARGETS"], "tracer"), str(target.pid)])
        self.assertEqual(tracer.process.stdout.readline(), "ready\n")
        path = self.record()
        answer = probe("--pid", target.pid, "--json", "--ptrace", "--sidecar", path)
        self.assertEqual(answer.code, 1, answer)
        self.assertIn("ktstr-probe-all-failed: single", answer.stderr)
        entry = json.loads(self.content(path))["metrics"][1]
        self.assertEqual(entry["exit_code"], 1)
        names = [m["name"] for m in entry["metrics"]]
        self.assertTrue(any(n.endswith(".tid") for n in names))
        self.assertFalse([n for n in names if n.endswith("_bytes")])

    def test_a_link_is_followed_and_stays_a_link(self):
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        link = self.path("link.json")
        os.symlink(path, link)
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", link).code, 0)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(len(json.loads(self.content(path))["metrics"]), 1)

    def test_the_mode_of_the_file_is_kept(self):
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        os.chmod(path, 0o640)
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)

    def test_the_lock_file_has_the_owner_of_the_record(self):
        """A run of root must not lock out the owner."""
        need_root("to make a file that belongs to somebody else")
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        os.chown(path, 12345, 54321)
        os.chmod(path, 0o664)
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)
        for name, mode in ((path, 0o664), (path + ".lock", 0o660)):
            st = os.stat(name)
            self.assertEqual((st.st_uid, st.st_gid, st.st_mode & 0o777), (12345, 54321, mode), name)

    def test_a_writer_killed_in_the_middle_leaves_nothing_for_good(self):
        strace = shutil.which("strace")
        if not strace:
            self.skipTest("strace is not installed")
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        names = [os.path.basename(path), os.path.basename(path) + ".lock"]
        for _ in range(2):
            killed = probe("--pid", worker.pid, "--sidecar", path,
                           prefix=[strace, "-o", "/dev/null", "-e", "trace=rename", "-e", "inject=rename:signal=KILL"])
            self.assertNotEqual(killed.code, 0, killed)
            self.assertEqual(json.loads(self.content(path)), {"metrics": []})
        self.assertEqual(len(os.listdir(os.path.dirname(path))), 3)
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), sorted(names))


class Refused(Sidecar):
    def run_refused(self, path, *words, target=None):
        """Exit 3, and the numbers were printed all the same."""
        pid = target.pid if target else self.start_worker(MIB).pid
        answer = probe("--pid", pid, "--json", "--sidecar", path)
        self.assertEqual(answer.code, 3, answer)
        self.assertEqual(answer.document["pid"], pid)
        self.assertIn("sidecar append failed (exit 3): " + path, answer.stderr)
        for word in words:
            self.assertIn(word, answer.stderr)

    def test_a_missing_file_is_found_before_anything_is_read(self):
        path = os.path.join(self.records, "missing.json")
        answer = probe("--pid", 999999999, "--sidecar", path)
        self.assert_usage(answer, path, "--sidecar")
        self.assertEqual(os.listdir(self.records), [])

    def test_malformed_records_are_refused_and_unchanged(self):
        target = self.start_worker(MIB)
        for text in ("", "{ this is not valid json }", "[]", "{}", '{"metrics": 1}', '{"metrics": {}}', '{"metrics": null}',
                     '{"metrics": []} trailing', '{"metrics": [', "\0", '"metrics"', '{"metrics": [NaN]}'):
            with self.subTest(text=text):
                path = self.record(text)
                self.run_refused(path, "regenerate", target=target)
                self.assert_untouched(path, text)

    def test_a_directory_as_sidecar_is_refused(self):
        path = os.path.join(self.records, "directory")
        os.mkdir(path)
        self.run_refused(path)
        self.assertEqual(os.listdir(path), [])

    def test_a_pipe_does_not_block(self):
        path = os.path.join(self.records, "pipe")
        os.mkfifo(path)
        self.run_refused(path)

    def test_an_unreadable_file(self):
        path = self.record()
        os.chmod(path, 0)
        if os.geteuid() != 0:
            self.run_refused(path, "Permission denied")
            os.chmod(path, 0o600)
        else:
            uid = 65534
            os.chmod(self.dir, 0o755)
            os.chmod(self.records, 0o777)
            program = self.path("probe")
            shutil.copy(PROBE, program)
            user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
            sleeper = self.path("worker")
            shutil.copy(os.environ["KTSTR_WORKER"], sleeper)
            worker = self.spawn([*user, sleeper, "4096"],
                                env=dict(os.environ, KTSTR_WORKER_READY_MARKER_OVERRIDE="/dev/null"))
            worker.process.stdout.readline()
            answer = probe("--pid", worker.pid, "--json", "--sidecar", path, program=program, prefix=user)
            self.assertEqual(answer.code, 3, answer)
            self.assertIn("Permission denied", answer.stderr)
        self.assert_untouched(path)

    def test_a_full_disk(self):
        need_root("to mount a small file system")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.records], capture_output=True,
                                 check=False)
        if mounted.returncode:
            self.skipTest("this system does not let root mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", self.records], check=True)
        path = self.record()
        with open(os.path.join(self.records, "ballast"), "wb", buffering=0) as f:
            try:
                while True:
                    f.write(b"x" * 4096)
            except OSError:
                pass
        self.run_refused(path, "No space left on device")
        self.assertEqual(self.content(path), RECORD)
        self.assertLessEqual(set(os.listdir(self.records)), {"run.ktstr.json", "run.ktstr.json.lock", "ballast"})

    def test_an_unwritable_directory_leaves_the_record(self):
        """The new file cannot be made beside the old one."""
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere; the full disk shows the same")
        path = self.record()
        os.chmod(self.records, 0o500)
        self.addCleanup(os.chmod, self.records, 0o700)
        self.run_refused(path)
        self.assert_untouched(path)

    def test_a_lock_that_somebody_holds_is_waited_for(self):
        worker = self.start_worker(MIB)
        path = self.record('{"metrics": []}')
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = subprocess.Popen([PROBE, "--pid", str(worker.pid), "--sidecar", path], stdout=subprocess.DEVNULL)
            self.addCleanup(Target(run).end)
            time.sleep(0.5)
            self.assertIsNone(run.poll(), "it waits")
            self.assertEqual(self.content(path), '{"metrics": []}')
        self.assertEqual(run.wait(timeout=40), 0)
        self.assertEqual(len(json.loads(self.content(path))["metrics"]), 1)

    def test_a_lock_that_is_never_given_ends_at_the_deadline(self):
        worker = self.start_worker(MIB)
        path = self.record()
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            answer = probe("--pid", worker.pid, "--json", "--sidecar", path, "--abort-after-ms", "1500")
        self.assertEqual(answer.code, 3, answer)
        self.assertIn("ktstr-probe-deadline: abort after 1500ms", answer.stderr)
        self.assertIn(".lock", answer.stderr)
        self.assert_untouched(path)

    def test_output_that_cannot_be_written_is_not_recorded(self):
        worker = self.start_worker(MIB)
        path = self.record()
        with open("/dev/full", "w", encoding="utf-8") as full:
            answer = probe("--pid", worker.pid, "--json", "--sidecar", path, stdout=full)
        self.assertEqual(answer.code, 1, answer)
        self.assert_untouched(path)

    def test_a_fatal_end_is_not_recorded(self):
        path = self.record()
        self.assert_fatal(probe("--pid", os.getpid(), "--json", "--sidecar", path), "jemalloc-not-found")
        self.assert_untouched(path)

    def test_a_probe_killed_while_it_waits_leaves_the_file(self):
        worker = self.start_worker(MIB)
        path = self.record()
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = subprocess.Popen([PROBE, "--pid", str(worker.pid), "--json", "--sidecar", path],
                                   stdout=subprocess.PIPE, text=True)
            self.addCleanup(Target(run).end)
            wait_until(lambda: run.stdout.readline() == "}\n", "the numbers are printed")
            run.kill()
            run.wait()
        self.assert_untouched(path)
        self.assertEqual(probe("--pid", worker.pid, "--sidecar", path).code, 0)


if __name__ == "__main__":
    tap.main(__name__)
