# SPDX-License-Identifier: GPL-2.0-or-later
"""Templates and their clones as people meet them: one boot, many guests, and owners that are killed at any moment."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import machine
import tap
from private_cache import PrivateCache

SMALL = ("-t", "1n1l1c1t", "-m", "192")
SAID = "booting a template"
# Boots are dear: those that fail come one after the other.
PHASES = ("booting", "saving", "booting", "saving", "booting", "cloning", "cloning", "cloning", "cloning", "cloning")
# Fresh random bytes, and what the guest takes for the time.
TELL = "head -c16 /dev/urandom | od -An -tx1 | tr -d ' \\n'; echo; date +%s"


def in_namespace(script):
    """A wrapper that runs the script in a mount namespace before it becomes the program; None where that is forbidden."""
    able = subprocess.run(["unshare", "-m", "--", "sh", "-ec", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return ["unshare", "-m", "--", "sh", "-ec", script + '\nexec "$@"', "sh"] if able.returncode == 0 else None


class Case(machine.GuestTest):
    def setUp(self):
        super().setUp()
        self.home = PrivateCache()
        self.addCleanup(self.home.close)

    def good(self, result, words=""):
        status, out, err = result
        self.assertEqual(status, 0, (words, out, err))
        return out

    def check_nothing_is_left(self, words=""):
        self.assertEqual(self.home.qemus_after_a_while(), [], words)
        self.assertEqual(self.home.shared_memory() - self.home.shm, set(), words)
        self.assertEqual(self.home.halves(), [], words)


class Clones(Case):
    SEQUENCE = 20
    AT_ONCE = 5

    def check_told(self, told, before, after):
        lines = [out.split() for out in told]
        self.assertTrue(all(len(line) == 2 and re.fullmatch(r"[0-9a-f]{32}", line[0]) for line in lines), lines)
        self.assertEqual(len({line[0] for line in lines}), len(lines), "two clones drew the same bytes")
        for line in lines:
            self.assertTrue(int(before) - 1 <= int(line[1]) <= int(after) + 1, (before, line, after))

    def test_one_boot_serves_many_private_guests(self):
        before = time.time()
        status, out, err = self.home.sh(TELL, "-v", *SMALL)
        self.assertEqual(status, 0, err)
        self.assertEqual(err.count(SAID), 1)
        (name,) = self.home.whole_templates()
        files = {f: os.stat(os.path.join(self.home.templates, name, f)) for f in ("ram.0", "state")}

        told = [out] + [self.good(self.home.sh(f"test ! -e /tmp/left && echo > /tmp/left && {TELL}", *SMALL), f"clone {i}")
                        for i in range(self.SEQUENCE)]
        processes = [self.home.start(TELL, "-v", *SMALL) for _ in range(self.AT_ONCE)]
        for process in processes:
            with process:
                out, err = process.communicate(timeout=machine.TIMEOUT)
                self.assertEqual(process.returncode, 0, err)
                self.assertNotIn(SAID.encode(), err)
                told.append(out.decode())
        self.check_told(told, before, time.time())

        # What all of them stood on was never written to.
        self.assertEqual(self.home.whole_templates(), [name])
        for f, old in files.items():
            new = os.stat(os.path.join(self.home.templates, name, f))
            self.assertEqual((new.st_ino, new.st_mtime_ns, new.st_blocks), (old.st_ino, old.st_mtime_ns, old.st_blocks), f)
        self.assertLess(files["ram.0"].st_blocks * 512, files["ram.0"].st_size)
        self.check_nothing_is_left()
        self.assertEqual(self.home.run_directories(), [])

    def test_three_at_once_boot_one_template(self):
        processes = [self.home.start("echo up", "-v", *SMALL) for _ in range(3)]
        said = 0
        for process in processes:
            with process:
                out, err = process.communicate(timeout=machine.TIMEOUT)
                self.assertEqual((process.returncode, out), (0, b"up\n"), err)
                said += err.count(SAID.encode())
        self.assertEqual(said, 1)
        self.assertEqual(len(self.home.entries()), 2, self.home.entries())
        self.check_nothing_is_left()
        self.damage_and_use_again()

    def damage_and_use_again(self):
        """RAM of the right size that is not the template's: refused once, then booted anew."""
        (name,) = self.home.whole_templates()
        directory = os.path.join(self.home.templates, name)
        with open(os.path.join(directory, "template.json"), encoding="utf-8") as f:
            place = json.load(f)["nonce_phys"]
        with open(os.path.join(directory, "ram.0"), "r+b") as f:
            f.seek(place)
            f.write(bytes(64))
        status, out, err = self.home.sh("echo up", *SMALL)
        self.assertNotEqual(status, 0)
        self.assertEqual(out, "")
        self.assertRegex(err, r"template is removed.*nonce")
        self.assertEqual(self.home.whole_templates(), [])
        self.assertEqual(self.good(self.home.sh("echo up", *SMALL)), "up\n")


class Disks(Case):
    def test_a_small_shared_memory_does_not_matter(self):
        wrapper = in_namespace("mount -t tmpfs -o size=64m none /dev/shm")
        if not wrapper:
            self.skipTest("a mount namespace is not allowed here")
        # More than it has, in the guest that boots and in its clone.
        use = "head -c 80m /dev/zero | tr '\\0' x > /tmp/file; wc -c < /tmp/file"
        for words in ("boots", "clone"):
            self.assertEqual(self.good(self.home.sh(use, "-t", "1n1l1c1t", "-m", "256", wrapper=wrapper), words).strip(),
                             str(80 << 20))
        self.check_nothing_is_left()

    def test_a_full_cache_is_told_with_a_number(self):
        cache = self.home.cache
        wrapper = in_namespace(f"kernels=$(readlink -f {cache}/kernels); mount -t tmpfs -o size=8m none {cache}; "
                               f"ln -s $kernels {cache}/kernels; "
                               f"trap '' EXIT; \"$@\" && exit 99; ls -A {cache}/templates; exit 7")
        if not wrapper:
            self.skipTest("a mount namespace is not allowed here")
        status, out, err = self.home.sh("true", *SMALL, wrapper=wrapper)
        self.assertEqual(status, 7, err)
        self.assertRegex(err, r"\d+ MiB written, \d+ MiB free|\d+ KiB are free in")
        self.assertIn(cache, err)
        self.assertEqual(out, "", "left in the cache")
        self.check_nothing_is_left()


class Killed(Case):
    """kill -9 of the owner, ROUNDS times; what comes after it works."""

    ROUNDS = 10

    def kill_at(self, seconds, until=None):
        """Starts one and kills it after this time, counted from when until() is true. False if it was faster."""
        with self.home.start("true", *SMALL) as process:
            while until and process.poll() is None and not until():
                time.sleep(0.005)
            try:
                process.wait(seconds)
                return False
            except subprocess.TimeoutExpired:
                return True
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                process.communicate()

    def saving(self):
        return any(name.endswith(".new") for name in self.home.entries())

    def use(self, words):
        self.assertEqual(self.good(self.home.sh("echo works", *SMALL), words), "works\n")
        entries = self.home.entries()
        self.assertEqual(len(entries), 2, (words, entries))

    def test_nothing_is_left_by_a_killed_owner(self):
        seed = int(os.environ.get("KTSTR_TEST_SEED") or random.randrange(1 << 32))
        rng = random.Random(seed)
        start = time.monotonic()
        self.use("first")
        boot_s = time.monotonic() - start
        start = time.monotonic()
        self.use("second")
        clone_s = time.monotonic() - start
        hits = 0
        for i in range(self.ROUNDS):
            phase = PHASES[i % len(PHASES)]
            words = f"seed {seed}, round {i}, {phase}"
            if phase == "cloning":
                hits += self.kill_at(rng.uniform(0, clone_s))
            else:
                for name in self.home.whole_templates():
                    shutil.rmtree(os.path.join(self.home.templates, name))
                after_s, until = (boot_s, None) if phase == "booting" else (0.5, self.saving)
                hits += self.kill_at(rng.uniform(0, after_s), until)
            self.check_nothing_is_left(words)
            # Clones to be killed need a template: whoever makes it finds what was left.
            if phase != "cloning" and PHASES[(i + 1) % len(PHASES)] == "cloning":
                self.use(words)
        self.assertGreater(hits, self.ROUNDS // 3, "killed hardly any")
        self.use("last")
        self.assertEqual(self.home.run_directories(), [])
        self.check_nothing_is_left("last")


if __name__ == "__main__":
    tap.main(__name__)
