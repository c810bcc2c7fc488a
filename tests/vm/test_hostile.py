# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest's memory is saved; then it lies in the words that are read of it (tests/vm/hostile.c)."""

import os
import re
import subprocess
import tempfile

import guest
import machine
import tap
import test_sdt
from shell_guest import ShellGuest

FILLER = os.environ.get("KTSTR_MAP_FILLER", "")
HOSTILE = os.environ.get("KTSTR_HOSTILE", "")
# Its limit on a single lie is of CPU time; all of them together may wait for other work.
LIES = int(os.environ.get("KTSTR_HOSTILE_LIES", "300"))
JOBS = 2
SANITIZERS = {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1", "ASAN_OPTIONS": "detect_stack_use_after_return=1"}

# A scheduler with an arena, tasks of which some sleep and some run, and maps of every kind.
PREPARE = """
cd /root; ./scx_ktsdt >/tmp/out 2>/tmp/err &
i=0; while ! grep -q attached /tmp/out && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; cat /tmp/err
/filler >/tmp/filled & i=0; while [ ! -s /tmp/filled ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done
i=0; while [ $i -lt 40 ]; do sleep 100000 & i=$((i+1)); done
for i in 1 2 3; do (while :; do :; done) & done
"""


def save(path):
    """A guest with a scheduler, as a vmcore."""
    vm = ShellGuest("-t", "1n1l2c1t", "-m", "512M", "-i", test_sdt.SDT, "-i", f"{FILLER}:/filler")
    try:
        said = vm.ask(PREPARE)
        assert not said, said
        vm.inspect("--freeze", "--vmcore", path)
    finally:
        vm.process.terminate()
        vm.close()


def inspect(core, cache, *arguments):
    done = subprocess.run([machine.KTSTR, "inspect", core, "all", "--json", "--max-entries", "0", *arguments], capture_output=True,
                          check=False, timeout=machine.TIMEOUT, env={**os.environ, "KTSTR_CACHE_DIR": cache})
    if done.returncode != 0 or done.stderr:
        raise AssertionError((done.returncode, done.stderr))
    return done.stdout


class Hostile(machine.GuestTest):
    @classmethod
    def setUpClass(cls):
        # pylint: disable=consider-using-with
        cls.directory = tempfile.TemporaryDirectory()
        cls.core = os.path.join(cls.directory.name, "guest.vmcore")
        if not guest.missing():
            save(cls.core)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_the_kernel_cache_does_not_change_the_output(self):
        cache = os.path.join(self.directory.name, "cache")
        kept = os.path.join(cache, "kernel-memory")
        cold = inspect(self.core, cache, "--no-cache")
        self.assertFalse(os.path.exists(kept))
        self.assertEqual(inspect(self.core, cache), cold)
        (name,) = os.listdir(kept)
        path = os.path.join(kept, name)
        with open(path, "rb") as f:
            good = f.read()
        before = os.stat(path)
        self.assertEqual(inspect(self.core, cache), cold)
        after = os.stat(path)
        # Nothing was new: it was used as it is.
        self.assertEqual((after.st_ino, after.st_mtime_ns), (before.st_ino, before.st_mtime_ns))
        for bad in (b"", good[:-1], good[:500] + b"?" + good[501:], b"\0" * len(good)):
            with open(path, "wb") as f:
                f.write(bad)
            self.assertEqual(inspect(self.core, cache), cold)
            with open(path, "rb") as f:
                self.assertEqual(f.read(), good)

    def test_corrupted_guest_memory_never_crashes_or_hangs_inspect(self):
        edges = [LIES * job // JOBS for job in range(JOBS + 1)]
        runs = [subprocess.Popen([HOSTILE, self.core, str(a), str(b)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, **SANITIZERS}) for a, b in zip(edges, edges[1:])]
        told = seen = 0
        for run in runs:
            out, err = run.communicate()
            print("\n".join(line for line in out.splitlines() if line.startswith("#")))
            counts = dict(re.findall(r"^(lies|seen|bad) (\d+)$", out, re.M))
            self.assertEqual((run.returncode, err, counts.get("bad")), (0, "", "0"), out)
            told += int(counts["lies"])
            seen += int(counts["seen"])
        self.assertEqual(told, LIES)
        self.assertGreaterEqual(2 * seen, told)


if __name__ == "__main__":
    tap.main(__name__)
