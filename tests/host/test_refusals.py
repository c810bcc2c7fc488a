# SPDX-License-Identifier: GPL-2.0-or-later
"""What cannot be done is said: the right word, the right exit code, a way out."""

import os
import pwd
import shutil
import subprocess
import time

import elf32
import tap
from support import MIB, PROBE, WORKER, HostTest, errors, need_root, probe, target_path, tids, undisturbed, wait_until

MISSING_PID = 999999999


def nobody():
    try:
        return pwd.getpwnam("nobody").pw_uid
    except KeyError:
        return 65534


class Arguments(HostTest):
    def test_malformed_pids_are_refused(self):
        for text in ("0", "-1", "-2147483648", "2147483648", "99999999999999999999", "abc", "", " 1", "1 ", "1x", "0x10",
                     "1.5", "+1"):
            with self.subTest(pid=text):
                self.assert_usage(probe("--pid", text), "--pid")
                self.assert_usage(probe(f"--pid={text}"), "--pid")

    def test_the_process_must_be_named(self):
        self.assert_usage(probe(), "--pid")
        self.assert_usage(probe("--json"), "--pid")
        self.assert_usage(probe("--pid"), "--pid")

    def test_ranges_and_combinations(self):
        pid = str(os.getpid())
        for arguments, words in (
            (["--snapshots", "0"], ["--snapshots"]),
            (["--snapshots", "100001", "--interval-ms", "1"], ["--snapshots", "100000"]),
            (["--snapshots", "2"], ["--interval-ms"]),
            (["--interval-ms", "5"], ["--snapshots"]),
            (["--snapshots", "1", "--interval-ms", "5"], ["--snapshots"]),
            (["--snapshots", "2", "--interval-ms", "0"], ["--interval-ms"]),
            (["--snapshots", "2", "--interval-ms", "3600001"], ["--interval-ms", "3600000"]),
            (["--abort-after-ms", "0"], ["--abort-after-ms"]),
            (["--abort-after-ms", "3600001"], ["--abort-after-ms", "3600000"]),
            (["--ptrace", "--no-ptrace"], ["--ptrace", "--no-ptrace"]),
            (["--frobnicate"], ["--frobnicate"]),
            (["extra"], ["extra"]),
        ):
            with self.subTest(arguments=arguments):
                self.assert_usage(probe("--pid", pid, *arguments), *words)

    def test_help_and_version_need_no_process(self):
        for word in ("-h", "--help", "-V", "--version"):
            answer = probe(word)
            self.assertEqual((answer.code, answer.stderr), (0, ""), answer)
            self.assertTrue(answer.stdout.startswith("Usage") or answer.stdout.startswith("ktstr-jemalloc-probe"), answer)


class Processes(HostTest):
    def test_a_process_that_does_not_exist(self):
        answer = probe("--pid", MISSING_PID, "--json")
        self.assert_fatal(answer, "pid-missing")
        self.assertIn(str(MISSING_PID), answer.stderr)
        ended = self.spawn(["true"])
        ended.process.wait()
        self.assert_fatal(probe("--pid", ended.pid, "--json"), "pid-missing")

    def test_itself(self):
        """A shell that becomes the probe knows the number beforehand."""
        done = subprocess.run(["sh", "-c", 'exec "$0" --pid $$ --json', PROBE], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.splitlines()[0], "ktstr-probe-fatal: self-probe-rejected")

    def test_a_kernel_thread(self):
        if not os.path.exists("/proc/2/comm") or os.path.exists("/proc/2/exe") and self.has_exe(2):
            self.skipTest("no kernel thread is visible here")
        answer = probe("--pid", 2, "--json")
        self.assert_fatal(answer, "readlink-failure")
        if os.geteuid() == 0:
            self.assertRegex(answer.stderr, r"hint: .*kernel thread")

    def has_exe(self, pid):
        try:
            return bool(os.readlink(f"/proc/{pid}/exe"))
        except OSError:
            return False

    def test_a_zombie(self):
        child = os.fork()
        if child == 0:
            os._exit(0)
        try:
            wait_until(lambda: ") Z " in open(f"/proc/{child}/stat", encoding="utf-8").read(), "the child ends")
            answer = probe("--pid", child, "--json")
        finally:
            os.waitpid(child, 0)
        self.assert_fatal(answer, "readlink-failure")
        self.assertRegex(answer.stderr, r"hint: .*zombie")

    def test_a_32_bit_process(self):
        path = self.path("elf32")
        with open(path, "wb") as f:
            f.write(elf32.program())
        os.chmod(path, 0o755)
        try:
            target = self.spawn([path])
        except OSError as e:
            self.skipTest(f"this kernel runs no 32-bit programs: {e.strerror}")
        time.sleep(0.1)
        if target.process.poll() is not None:
            self.skipTest(f"this kernel runs no 32-bit programs: ended with {target.process.returncode}")
        for way in ([], ["--ptrace"]):
            answer = probe("--pid", target.pid, "--json", *way)
            self.assert_fatal(answer, "arch-mismatch")
        self.assertIsNone(target.process.poll())

    def test_a_process_without_jemalloc_is_refused(self):
        answer = probe("--pid", os.getpid(), "--json")
        self.assert_fatal(answer, "jemalloc-not-found")

    def test_ktstr_itself_is_not_taken_for_jemalloc(self):
        """Its table of layouts names them; a reader of standard input waits long enough to be looked at."""
        ktstr = subprocess.Popen([os.path.join(os.path.dirname(PROBE), "ktstr"), "ctprof", "show", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(ktstr.communicate)
        wait_until(lambda: os.readlink(f"/proc/{ktstr.pid}/exe").endswith("ktstr"), "ktstr runs")
        self.assert_fatal(probe("--pid", ktstr.pid, "--json"), "jemalloc-not-found")

    def test_a_thread_id_is_not_a_process(self):
        """/proc knows threads by number too; whatever the answer, it must not be a wrong number."""
        target = self.start_target("pie", threads=1)
        tid = next(t for t in tids(target.pid) if t != target.pid)
        answer = probe("--pid", tid, "--json")
        if answer.code == 0:
            for thread in answer.document["snapshots"][0]["threads"]:
                self.assertEqual((thread["allocated_bytes"], thread["deallocated_bytes"]), target.threads[thread["tid"]])
        else:
            self.assertIn("ktstr-probe-fatal: ", answer.stderr)
        self.assertEqual(undisturbed(target.pid), [])


class Permissions(HostTest):
    """What another user may not read."""

    def public_probe(self):
        """A copy that everybody can run, wherever the tree stands."""
        os.chmod(self.dir, 0o755)
        path = self.path("probe")
        shutil.copy(PROBE, path)
        os.chmod(path, 0o755)
        return path

    def as_user(self, *options):
        if not shutil.which("setpriv"):
            self.skipTest("setpriv is not installed")
        return ["setpriv", *options, "--clear-groups", "--inh-caps=-all"]

    def test_the_process_of_somebody_else(self):
        if os.geteuid() != 0:
            answer = probe("--pid", 1, "--json")
        else:
            worker = self.start_worker(MIB)
            uid = str(nobody())
            answer = probe("--pid", worker.pid, "--json", program=self.public_probe(),
                           prefix=self.as_user(f"--reuid={uid}", f"--regid={uid}"))
        self.assert_fatal(answer, "readlink-failure")
        self.assertIn("Permission denied", answer.stderr)
        self.assertRegex(answer.stderr, r"\nhint: .*CAP_SYS_PTRACE")

    def test_a_readable_program_that_may_not_be_traced(self):
        """Looking at files goes by the effective user, tracing by the real one."""
        need_root("to run as two users")
        uid, other = nobody(), 65533
        program = self.path("worker")
        os.chmod(self.dir, 0o755)
        shutil.copy(WORKER, program)
        os.chmod(program, 0o755)
        target = self.spawn(
            [*self.as_user(f"--reuid={uid}", f"--regid={uid}"), program, str(MIB)],
            env=dict(os.environ, KTSTR_WORKER_READY_MARKER_OVERRIDE="/dev/null"))
        self.assertIn("ready", target.process.stdout.readline())
        # The sanitizers' leak check cannot run in such a process and ends it with 1 as well; the
        # exit code is proved where another tracer is in the way.
        copy = self.public_probe()
        prefix = self.as_user(f"--ruid={other}", f"--euid={uid}", f"--regid={uid}")
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                answer = probe("--pid", target.pid, "--json", *way, program=copy, prefix=prefix)
                self.assertEqual(answer.code, 1, answer)
                self.assertEqual(errors(answer.document), {target.pid: "ptrace-seize"})
                self.assertIn("ktstr-probe-all-failed: single\n", answer.stderr)
                self.assertRegex(answer.stderr, r"\nhint: .*CAP_SYS_PTRACE")
        answer = probe("--pid", target.pid, "--json", "--no-ptrace", program=copy, prefix=prefix)
        self.assertEqual(answer.code, 1, answer)
        self.assertEqual(len(errors(answer.document)), 1)
        self.assertIn("ktstr-probe-all-failed: single\n", answer.stderr)
        self.assertRegex(answer.stderr, r"\nhint: .*CAP_SYS_PTRACE")

    def test_a_refusal_by_yama_names_its_ptrace_scope(self):
        try:
            with open("/proc/sys/kernel/yama/ptrace_scope", encoding="utf-8") as f:
                scope = int(f.read())
        except OSError:
            self.skipTest("this kernel has no Yama")
        if scope == 0:
            self.skipTest("kernel.yama.ptrace_scope is 0: it restricts nothing")
        need_root("to become a user")
        uid = str(nobody())
        answer = probe("--pid", self.start_worker(MIB).pid, "--json", program=self.public_probe(),
                       prefix=self.as_user(f"--reuid={uid}", f"--regid={uid}"))
        self.assertIn(f"kernel.yama.ptrace_scope is {scope}", answer.stderr)

    def test_own_processes_of_an_ordinary_user_are_read(self):
        need_root("to become a user")
        uid = str(nobody())
        os.chmod(self.dir, 0o755)
        program = self.path("target")
        shutil.copy(target_path("pie"), program)
        os.chmod(program, 0o755)
        user = self.as_user(f"--reuid={uid}", f"--regid={uid}")
        target = self.spawn([*user, program, "--threads", "2"])
        target.read_report()
        answer = probe("--pid", target.pid, "--json", program=self.public_probe(), prefix=user)
        if "kernel.yama" in answer.stderr:
            self.skipTest("Yama forbids it here")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual({t["tid"]: (t["allocated_bytes"], t["deallocated_bytes"])
                          for t in answer.document["snapshots"][0]["threads"]}, target.threads)


if __name__ == "__main__":
    tap.main(__name__)
