# SPDX-License-Identifier: GPL-2.0-or-later
"""The host takes its part: full disks, directories that go away, killed QEMUs, Ctrl-C."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time

import judged
import tap
from judged import KTSTR, json_tests, load, record_paths, suite
from machine import children

# Far more than anything here takes, so that a bug is told and not waited for.
LONG_S = 120


def until(process, condition):
    """What the condition gives in the end, as long as the process lives."""
    end = time.monotonic() + LONG_S
    while not (found := condition()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


class Clock(threading.Thread):
    """Seconds that a thread that wanted to compute all the time could compute: on a busy host fewer than went by."""

    def __enter__(self):
        self.over, self.seconds = False, 0.0
        self.start()
        return self

    def run(self):
        while not self.over:
            self.seconds = time.thread_time()

    def __exit__(self, *_):
        self.over = True
        self.join()


def heed_interrupts():
    """Whoever started us in the background may have us ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Running(judged.Case):
    """A run that something is done to."""

    def start(self, *options, test="lasts_3_s", wrapper=(), out="out", **kwargs):
        self.out = os.path.join(self.directory, out)
        process = subprocess.Popen([*wrapper, KTSTR, "test", suite("slow"), "-k", test, "--format", "json", "-o", self.out,
                                    *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts, **kwargs)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate()))
        return process

    def started(self, process):
        """Waits for the first record and the first guest."""
        path = until(process, lambda: record_paths(self.out))[0]
        self.assertEqual(load(path)["state"], "started")
        return path, until(process, lambda: children(process.pid))[0]

    def in_its_test(self, process):
        """Waits until the guest's console says that the test's function has begun; the guest's QEMU."""
        def found():
            for vm in json.loads(judged.ktstr("vm", "list", "--json").stdout)["vms"]:
                if vm.get("owner", {}).get("pid") == process.pid and os.path.exists(vm["console_log"]):
                    with open(vm["console_log"], "rb") as f:
                        if b"the test begins" in f.read():
                            return vm["qemu"]["pid"]
            return None
        return until(process, found)

    def ended(self, process, limit_s=LONG_S):
        """(exit code, results, what it said on standard error)."""
        out, err = process.communicate(timeout=limit_s)
        self.assertEqual(children(process.pid), [])
        return process.returncode, json_tests(out)[0], err


class Disturbed(Running):
    def test_qemu_is_killed(self):
        process = self.start(test="lasts_60_s")
        path, _ = self.started(process)
        os.kill(self.in_its_test(process), signal.SIGKILL)
        code, (told,), _ = self.ended(process)
        self.assertEqual((code, told["verdict"], told["reason"]), (3, "broken", "qemu"), told)
        self.assertIn("QEMU was ended by signal 9", told["why"])
        self.assertEqual((load(path)["state"], load(path)["reason"]), ("finished", "qemu"))

    def test_a_removed_results_directory_does_not_lose_the_result(self):
        process = self.start()
        path, _ = self.started(process)
        shutil.rmtree(self.out)
        code, (told,), _ = self.ended(process)
        # The result is not lost: it is written again, and that something was wrong is told.
        self.assertEqual((code, told["verdict"], told["reason"]), (0, "pass", "none"), told)
        self.assertEqual(record_paths(self.out), [told["record"]])
        record = load(told["record"])
        self.assertEqual((record["state"], record["verdict"], record["test_name"]), ("finished", "pass", "lasts_3_s"))
        self.assertTrue(told["notes"], "nobody says that the record was gone")

    def test_an_output_directory_that_cannot_be_created_is_one_error(self):
        with open(os.path.join(self.directory, "out"), "w", encoding="utf-8"):
            pass
        # One mistake, told once: not a broken test for each that would have run.
        for out in ("out", "out/below"):
            process = self.start(out=out)
            told, err = process.communicate(timeout=LONG_S)
            self.assertEqual((process.returncode, told), (2, ""))
            self.assertRegex(err, r"^error: --output .*Not a directory\n$")

    def interrupted(self, process, send):
        self.started(process)
        self.in_its_test(process)
        with Clock() as clock:
            send()
            code, tests, err = self.ended(process)
        # Two seconds are promised to who has a CPU for them.
        self.assertLess(clock.seconds, 2)
        self.assertEqual((code, err), (130, ""))
        self.assertTrue(tests)
        for told in tests:
            self.assertEqual((told["verdict"], told["reason"]), ("inconclusive", "interrupted"), told)
        # Also those whose guest was only being prepared: no record says "started" for ever.
        self.assertEqual(sorted(t["record"] for t in tests), record_paths(self.out))
        for record in map(load, record_paths(self.out)):
            self.assertEqual((record["state"], record["verdict"], record["reason"]), ("finished", "inconclusive", "interrupted"))
        return tests

    def test_terminated(self):
        process = self.start("--repeat", "4", test="lasts_60_s")
        self.assertLess(len(self.interrupted(process, process.terminate)), 4, "what was not begun is not told of")

    def test_interrupted_from_a_terminal(self):
        # As the terminal's driver does it: to the whole foreground group, QEMU and all.
        process = self.start(test="lasts_60_s", start_new_session=True)
        self.interrupted(process, lambda: os.killpg(process.pid, signal.SIGINT))


class Repeats(Running):
    def test_each_repeat_has_its_record(self):
        process = self.start("--clock", "real", "--repeat", "3")
        code, tests, _ = self.ended(process)
        self.assertEqual(code, 0)
        self.assertEqual(sorted(t["record"] for t in tests), record_paths(self.out))
        self.assertEqual(len(tests), 3)
        self.assertEqual(sorted(t["name"][-6:] for t in tests), [",run=1", ",run=2", ",run=3"])
        self.assertEqual(len({t["id"] for t in tests}), 1, "repeats are one variant")
        for t in tests:
            record = load(t["record"])
            self.assertEqual((record["name"], record["state"], record["verdict"]), (t["name"], "finished", "pass"))

    def test_repeats_in_virtual_time_are_seeds(self):
        process = self.start("--clock", "virtual", "--repeat", "3")
        code, tests, _ = self.ended(process)
        self.assertEqual(code, 0)
        self.assertEqual(sorted(t["name"][-7:] for t in tests), [",seed=1", ",seed=2", ",seed=3"])
        self.assertEqual(len({t["id"] for t in tests}), 3, "each seed is a variant")
        self.assertEqual(len({load(t["record"])["digest"] for t in tests}), 3, "each seed is another run")


class FullDisk(Running):
    """Records on a file system of their own that has no room."""

    def namespace(self, script):
        able = subprocess.run(["unshare", "-m", "--", "sh", "-ec", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
        if able.returncode:
            self.skipTest("a mount namespace is not allowed here")
        out = os.path.join(self.directory, "out")
        os.mkdir(out)
        return ["unshare", "-m", "--", "sh", "-ec", f"mount -t tmpfs -o size=64k none {out}\n{script}", "sh"]

    def test_a_disk_that_is_full_from_the_start(self):
        fill = f'dd if=/dev/zero of={self.directory}/out/filler bs=4k 2>/dev/null || true\nexec "$@"'
        os.makedirs(self.directory, exist_ok=True)
        code, (told,), _ = self.ended(self.start(wrapper=self.namespace(fill)))
        self.assertEqual((code, told["verdict"], told["reason"]), (3, "broken", "host"), told)
        self.assertIn("No space left on device", told["why"])
        self.assertNotIn("record", told)

    def test_a_disk_that_fills_during_the_test(self):
        # It is full once the record says "started"; what is left of it afterwards comes out on standard error.
        fill = ('"$@" & runner=$!\n'
                f'until ls {self.directory}/out/*.ktstr.json >/dev/null 2>&1; do kill -0 $runner; sleep 0.05; done\n'
                f'dd if=/dev/zero of={self.directory}/out/filler bs=4k 2>/dev/null || true\n'
                f'status=0; wait $runner || status=$?\n'
                f'rm {self.directory}/out/filler; ls -A {self.directory}/out >&2; grep -h \'"state"\' {self.directory}/out/*.json >&2\n'
                'exit $status')
        code, (told,), err = self.ended(self.start(wrapper=self.namespace(fill)))
        self.assertEqual((code, told["verdict"], told["reason"]), (3, "broken", "host"), told)
        self.assertIn("No space left on device", told["why"])
        # The record is whole and still says that nobody knows; no half of another lies beside it.
        self.assertRegex(err, r'\Alasts_3_s-[0-9a-f]{16}\.ktstr\.json\n *"state": *"started",\n\Z')


if __name__ == "__main__":
    tap.main(__name__)
