# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr rerun`: the same variant again, and what is said when it cannot be the same."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))

import guest
import tap
from machine import KTSTR, GuestTest

AGAIN = os.path.join(guest.BUILD, "tests", "suites", "again")


class Rerun(GuestTest):
    """Works in a directory whose name a shell would take apart."""

    def setUp(self):
        super().setUp()
        self.top = tempfile.TemporaryDirectory(prefix="ktstr rerun's $(false) ")
        self.addCleanup(self.top.cleanup)
        self.suite = self.copy("one")

    def path(self, *parts):
        return os.path.join(self.top.name, *parts)

    def copy(self, directory):
        os.makedirs(self.path(directory))
        self.write("good\n", directory, "again.data")
        return shutil.copy(AGAIN, self.path(directory, "again"))

    def write(self, text, *parts):
        with open(self.path(*parts), "w", encoding="utf-8") as f:
            f.write(text)

    def ktstr(self, *arguments, **kwargs):
        return subprocess.run([KTSTR, *arguments], capture_output=True, text=True, check=False, cwd=self.top.name,
                              timeout=600, **kwargs)

    def records(self, directory):
        """Path and content of each record below a directory, by the test's name."""
        found = []
        for base, _, names in os.walk(self.path(directory)):
            for name in sorted(names):
                if name.endswith(".ktstr.json"):
                    with open(os.path.join(base, name), encoding="utf-8") as f:
                        found.append((os.path.join(base, name), json.load(f)))
        return sorted(found, key=lambda pair: pair[1]["test_name"])

    def seen(self, first, changes="nothing changed"):
        """What is said of a run that was the same again; of one in real time there is nothing to compare."""
        said = f"same variant: {first['variant_id']}, {changes}\n"
        return said + f"identical to the bit: digest {first['digest']}, {first['verdict']}\n" if first["clock"] == "virtual" else said

    def test_a_failure_is_the_same_failure_again(self):
        done = self.ktstr("test", self.suite, "-k", "again_fails", "-o", "it's here")
        self.assertEqual((done.returncode, done.stderr), (1, ""), done)
        [(_, first)] = self.records("it's here")
        # The line as it is printed, by a shell that knows nothing else.
        line = re.search(r"again: +ktstr (rerun .*)", done.stdout)[1]
        again = subprocess.run(["bash", "-c", f'"$KTSTR" {line} -o again'], capture_output=True, text=True, check=False,
                               cwd=self.top.name, timeout=600, env=dict(os.environ, KTSTR=KTSTR))
        self.assertEqual((again.returncode, again.stderr), (1, self.seen(first)), again)
        [(_, second)] = self.records("again")
        for member in ("test_name", "variant_id", "suite", "topology", "verdict", "reason", "why", "kernel"):
            self.assertEqual(second[member], first[member], member)
        self.assertEqual(second["rerun"], first["rerun"])
        self.assertNotEqual(second["run_id"], first["run_id"])

    def test_rerun_keeps_topology_and_suite_name_of_the_record(self):
        """What the command line of the first run said is in the record alone."""
        other = self.copy("two")
        done = self.ktstr("test", self.suite, other, "-k", "two/again:again_1", "--topology", "1n2l1c1t", "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual([(r["test_name"], r["suite"], r["topology"]) for _, r in self.records("out")],
                         [("again_1", "two/again", "1n2l1c1t"), ("again_10", "two/again", "1n2l1c1t")])
        for path, first in self.records("out"):
            name = first["test_name"]
            again = self.ktstr("rerun", path, "-o", name, "--exact", "--format", "json")
            self.assertEqual((again.returncode, again.stderr), (0, self.seen(first)))
            [(_, second)] = self.records(name)
            for member in ("test_name", "variant_id", "name", "suite", "topology", "sysctls", "kargs", "rerun"):
                self.assertEqual(second[member], first[member], member)
            # The line in the record means this test and no other.
            line = first["rerun"]["command"].removeprefix("ktstr ")
            listed = subprocess.run(["bash", "-c", f'"$KTSTR" {line} --list'], capture_output=True, text=True, check=True,
                                    cwd="/", timeout=60, env=dict(os.environ, KTSTR=KTSTR))
            self.assertEqual(listed.stdout, f"again:{name}@1n2l1c1t\n")
            # Standard output is the report and nothing else.
            for row in again.stdout.splitlines():
                json.loads(row)

    def test_rerun_reports_changes_and_runs(self):
        done = self.ktstr("test", self.suite, "-k", "again_reads", "-o", "out")
        self.assertEqual(done.returncode, 0, done)
        [(path, first)] = self.records("out")
        self.write("bad\n", "one", "again.data")
        # Bytes behind an ELF file belong to nobody: another hash, the same program.
        with open(self.suite, "ab") as f:
            f.write(b"x")
        again = self.ktstr("rerun", path, "-o", "again")
        self.assertEqual(again.returncode, 1, again)
        self.assertIn("it says bad", again.stdout)
        self.assertRegex(again.stderr, r"\Achanged: again: hash [0-9a-f]{16} is now [0-9a-f]{16}\n"
                                       r"changed: again.data: hash [0-9a-f]{16} is now [0-9a-f]{16}\n"
                                       rf"same variant: {first['variant_id']}\n"
                                       r"(not identical: fail, was pass; (.*\n)+.*the run differs because something has changed.*\n)?\Z")
        exact = self.ktstr("rerun", path, "--exact", "-o", "exact")
        self.assertEqual((exact.returncode, exact.stdout), (2, ""), exact)
        self.assertIn("--exact", exact.stderr)
        self.assertFalse(os.path.exists(self.path("exact")))

    def test_rerun_finds_a_moved_file_with_an_option(self):
        done = self.ktstr("test", self.suite, "-k", "again_reads", "-o", "out")
        self.assertEqual(done.returncode, 0, done)
        [(path, first)] = self.records("out")
        os.mkdir(self.path("moved"))
        os.rename(self.path("one", "again.data"), self.path("moved", "again.data"))
        gone = self.ktstr("rerun", path)
        self.assertEqual((gone.returncode, gone.stdout), (2, ""), gone)
        self.assertIn(f"missing: {self.path('one', 'again.data')};", gone.stderr)
        # A record that was never finished knows enough.
        for member in ("verdict", "reason", "why", "digest"):
            first.pop(member, None)
        first["state"] = "started"
        self.write(json.dumps(first), "started.json")
        again = self.ktstr("rerun", "started.json", "--files", "moved", "--bisect")
        self.assertEqual(again.returncode, 0, again)
        self.assertRegex(again.stderr, r"\Amoved: again.data: .* is now .*\nsame variant: \w+(, nothing changed)?\n"
                                       r"(cannot be compared: the record has no digest\n)?\Z")

    def test_a_run_in_virtual_time_says_where_it_parts_from_its_record(self):
        done = self.ktstr("test", self.suite, "-k", "*:again_1", "--clock", "virtual", "--seed", "3", "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("  virtual, seed 3\n", done.stdout)
        [(path, first)] = self.records("out")
        again = self.ktstr("rerun", path, "--repeat", "2", "-o", "again")
        self.assertEqual(again.returncode, 0, again)
        self.assertEqual(len(re.findall(rf",seed=3,run=[12]: identical to the bit: digest {first['digest']}, pass\n", again.stderr)), 2, again)
        self.assertEqual([(r["clock"], r["seed"], r["total_mips"], r["digest"]) for _, r in self.records("again")],
                         [("virtual", 3, first["total_mips"], first["digest"])] * 2)
        # As if another frame had come then.
        frames = os.path.join(self.path("out"), first["frames_file"])
        with open(frames, encoding="utf-8") as f:
            lines = f.readlines()
        self.assertTrue(lines[4].startswith("3 "), lines)
        lines[4] = lines[4][:-17] + "0" * 16 + "\n"
        self.write("".join(lines), "out", first["frames_file"])
        first["digest"] = "0" * 16
        self.write(json.dumps(first), "out", "other.ktstr.json")
        other = self.ktstr("rerun", self.path("out", "other.ktstr.json"), "-o", "other")
        self.assertEqual(other.returncode, 4, other)
        self.assertRegex(other.stderr, r"not identical: digest \w{16}, was 0{16}; frame 3 is the first that differs\n"
                                       r"  was: \w+ on channel \d at [\d.]+ s, \d+ bytes, hash 0{16}\n"
                                       r"  is:  \w+ on channel \d at [\d.]+ s, \d+ bytes, hash \w{16}\n")
        first["qemu_version"] = "0.1"
        self.write(json.dumps(first), "out", "other.ktstr.json")
        older = self.ktstr("rerun", self.path("out", "other.ktstr.json"), "-o", "older")
        self.assertEqual(older.returncode, 0, older)
        self.assertIn("changed: QEMU 0.1 is now ", older.stderr)
        self.assertIn("the run differs because something has changed", older.stderr)

    def test_a_kernel_is_known_by_its_build_id(self):
        done = self.ktstr("test", self.suite, "-k", "again:again_1", "-k", "again_fails", "-o", "out")
        self.assertEqual(done.returncode, 1, done)
        path, first = self.records("out")[0]
        nothing = self.ktstr("rerun", path, env=dict(os.environ, KTSTR_CACHE_DIR=self.path("empty")))
        self.assertEqual(nothing.returncode, 2, nothing)
        self.assertRegex(nothing.stderr, rf"missing: kernel {re.escape(first['kernel']['id'])} .*: run 'ktstr kernel fetch [0-9.]+'")
        first["rerun"]["kernel_id"] = "another-name"
        self.write(json.dumps(first), "renamed.json")
        again = self.ktstr("rerun", "renamed.json", "-o", "renamed")
        self.assertEqual(again.returncode, 0, again)
        self.assertIn("moved: kernel another-name is now", again.stderr)
        [(_, second)] = self.records("renamed")
        self.assertEqual(second["variant_id"], first["variant_id"])
        first["rerun"].update(kernel_id=first["kernel"]["id"], kernel_build_id="00")
        self.write(json.dumps(first), "changed.json")
        changed = self.ktstr("rerun", "changed.json", "--exact")
        self.assertEqual((changed.returncode, changed.stdout), (2, ""), changed)
        self.assertIn(f"changed: kernel {first['kernel']['id']}: build-id 00 is now {first['kernel']['build_id']}\n", changed.stderr)


if __name__ == "__main__":
    tap.main(__name__)
