# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr vm list` and `ktstr doctor` as whole programs; what they must say comes from here."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

KTSTR = os.environ["KTSTR"]
PATIENCE_S = 60

# An owner that is not ours: makes its directory by the documented layout and waits.
OWNER = """
import fcntl, json, os, sys, time
top, vm = sys.argv[1], sys.argv[2]
directory = os.path.join(top, "vm", vm)
os.makedirs(directory, 0o700)
lock = open(os.path.join(directory, "lock"), "w")
fcntl.flock(lock, fcntl.LOCK_EX)
with open(os.path.join(directory, "vm.json"), "w") as f:
    json.dump({"schema": 1, "id": vm, "owner": {"pid": os.getpid()}, "qemu": {"pid": os.getpid()},
               "topology": "1n2l2c1t", "memory_bytes": 1 << 30, "accel": "tcg",
               "started_at_sec": int(time.time()) - 75, "kernel": {"release": "k-1"}}, f)
print("ready", flush=True)
time.sleep(600)
"""


def run(*arguments, run_dir, **environment):
    return subprocess.run(
        [KTSTR, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "KTSTR_RUN_DIR": run_dir, **environment})


class Machines(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="ktstr-machines-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)

    def vms(self):
        done = run("vm", "list", "--json", run_dir=self.top)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["vms"]

    def owner(self, vm):
        child = subprocess.Popen([sys.executable, "-c", OWNER, self.top, vm], stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "ready\n")
        return child

    def test_a_vm_is_listed_until_its_owner_is_killed(self):
        first, second = self.owner("aa000001"), self.owner("bb000001")
        seen = {vm["id"]: vm for vm in self.vms()}
        self.assertEqual(set(seen), {"aa000001", "bb000001"})
        self.assertEqual(seen["aa000001"]["owner"]["pid"], first.pid)
        self.assertEqual(seen["aa000001"]["state"], "running")
        self.assertEqual(seen["aa000001"]["memory_bytes"], 1 << 30)
        self.assertGreaterEqual(seen["aa000001"]["age_sec"], 75)
        first.kill()
        first.wait()
        self.assertTrue(os.path.exists(os.path.join(self.top, "vm", "aa000001")))
        self.assertEqual([vm["id"] for vm in self.vms()], ["bb000001"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.top, "vm"))), [".lock", "bb000001"])
        self.assertIsNone(second.poll())

    def test_the_table_has_a_row_for_each(self):
        child = self.owner("cc000001")
        done = run("vm", "list", run_dir=self.top)
        self.assertEqual(done.returncode, 0)
        head, row = done.stdout.splitlines()
        self.assertEqual(head.split(), ["ID", "OWNER", "KERNEL", "TOPOLOGY", "MEMORY", "ACCEL", "CLOCK", "AGE", "STATE"])
        self.assertRegex(row, rf"^cc000001 +{child.pid} +k-1 +1n2l2c1t +1\.0 GiB +tcg +real +1m \d+s +running$")

    def test_vm_list_works_while_the_guard_is_locked(self):
        self.owner("dd000001")
        with open(os.path.join(self.top, "vm", ".lock"), "w", encoding="utf-8") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            self.assertEqual([vm["id"] for vm in self.vms()], ["dd000001"])

    def test_vm_list_creates_nothing_in_an_empty_directory(self):
        self.assertEqual(self.vms(), [])
        self.assertEqual(os.listdir(self.top), [])


class Doctor(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="ktstr-doctor-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)

    def findings(self, **environment):
        done = run("doctor", "--json", run_dir=self.top, KTSTR_CACHE_DIR=self.top, **environment)
        self.assertEqual(done.stderr, "")
        answer = json.loads(done.stdout)
        missing = [c for c in answer["checks"] if c["state"] == "missing"]
        self.assertEqual(done.returncode, 1 if missing else 0)
        self.assertEqual(answer["complete"], not missing)
        return {c["name"]: c for c in answer["checks"]}

    def test_every_line_has_a_state_and_what_is_missing_a_fix(self):
        found = self.findings()
        for name in ("accelerator", "qemu", "firmware", "kernel", "busybox", "cache", "shm", "apt", "bpf",
                     "ptrace", "cgroup"):
            self.assertIn(found[name]["state"], ("ok", "limited", "missing"))
            self.assertTrue(found[name]["text"])
            if found[name]["state"] == "missing":
                self.assertTrue(found[name]["fix"], name)

    def test_an_empty_cache_has_no_kernel(self):
        self.assertEqual(self.findings()["kernel"]["state"], "missing")
        self.assertEqual(self.findings()["kernel"]["fix"], "ktstr kernel fetch")

    def test_doctor_shows_the_version_that_qemu_prints(self):
        qemu = shutil.which("qemu-system-x86_64")
        if not qemu:
            self.skipTest("no qemu-system-x86_64 in PATH")
        text = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True).stdout
        version = re.search(r"version (\S+)", text)[1]
        for _ in range(2):  # the second time from the cache
            self.assertIn(version, self.findings()["qemu"]["text"])

    def test_without_kvm_the_reason_is_given(self):
        if os.path.exists("/dev/kvm"):
            found = self.findings()["accelerator"]
            self.assertRegex(found["text"], r"^(kvm|tcg)")
        else:
            self.assertIn("there is no /dev/kvm", self.findings()["accelerator"]["text"])

    def test_doctor_leaves_only_its_caches(self):
        self.findings()
        self.assertLessEqual(set(os.listdir(self.top)), {"clock-trial.json", "kvm-trial.json", "qemu"})


if __name__ == "__main__":
    tap.main(__name__)
