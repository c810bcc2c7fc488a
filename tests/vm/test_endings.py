# SPDX-License-Identifier: GPL-2.0-or-later
"""However a guest ends, the reason is named; whoever ends, nothing is left."""

import json
import os
import re
import signal
import subprocess
import time

import guest
import machine
import tap


class Endings(machine.GuestTest):
    def ending(self, script, *options, **kwargs):
        done = machine.shell(script, *options, **kwargs)
        self.assertNotEqual(done.returncode, 0, done)
        return done.stderr.decode(errors="replace")

    def test_panic_in_a_guest_that_is_kept_until_it_is_killed(self):
        owner = subprocess.Popen([machine.KTSTR, "shell", "--keep-guest", "1000", "--exec", "echo c >/proc/sysrq-trigger"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        said = []
        while not (said and "ktstr vm kill" in said[-1]):
            said.append(owner.stderr.readline())
            self.assertTrue(said[-1], said)
        self.assertIn("Kernel panic - not syncing: sysrq triggered crash", said[0])
        vm = re.search(r"ktstr vm kill (\w+)", said[-1])[1]

        def ktstr(*arguments):
            return subprocess.run([machine.KTSTR, *arguments], capture_output=True, text=True, check=False, timeout=60)

        (listed,) = [v for v in json.loads(ktstr("vm", "list", "--json").stdout)["vms"] if v["id"] == vm]
        self.assertEqual((listed["state"], listed["owner"]["pid"]), ("paused", owner.pid))
        self.assertIn("Kernel panic - not syncing: sysrq triggered crash", ktstr("inspect", f"vm:{vm}", "log").stdout)
        # Who panicked is where it panicked.
        self.assertRegex(ktstr("inspect", f"vm:{vm}", "--freeze", "stack").stdout,
                         r"\d+ sh\n  on CPU \d\n(  .*\n)*  (v?panic|sysrq_handle_crash)\+")
        refused = ktstr("vm", "resume", vm)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertEqual(ktstr("vm", "kill", vm).returncode, 0)
        owner.wait(60)
        self.assertEqual(owner.returncode, 125)

    def test_power_off(self):
        self.assertIn("switched itself off", self.ending("poweroff -f"))

    def test_commands_of_the_guest_end_it(self):
        for command, words in (("poweroff", "switched itself off"), ("halt", "switched itself off"),
                               ("reboot", "restarted itself"), ("reboot -f", "restarted itself")):
            with self.subTest(command):
                self.assertIn(words, self.ending(f"{command}; sleep 1000"))

    def test_a_silent_reset_is_reported(self):
        self.assertIn("reset itself", self.ending("echo b >/proc/sysrq-trigger"))

    def test_out_of_memory_names_the_victim(self):
        done = machine.shell("tail /dev/zero", "-m", "192")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL, done)
        self.assertRegex(done.stderr.decode(), r"Out of memory: Killed process \d+ \(tail\)")

    def test_out_of_memory_with_nothing_to_kill_is_told_apart_from_a_panic(self):
        text = self.ending("echo 2 >/proc/sys/vm/panic_on_oom; tail /dev/zero", "-m", "192")
        self.assertRegex(text, r"Kernel panic - not syncing: Out of memory")

    def test_hang(self):
        # The agent itself is frozen: the guest idles and says nothing.
        text = self.ending("mkdir /sys/fs/cgroup/f; echo 1 >/sys/fs/cgroup/f/cgroup.procs; sleep 1;"
                           " echo 1 >/sys/fs/cgroup/f/cgroup.freeze; sleep 1000", "--keep-guest", "1")
        self.assertRegex(text, r"no sign of life for \d+ s")
        self.assertIn("the guest is kept for 1 s", text)

    def start(self, script, *options):
        owner = subprocess.Popen([machine.KTSTR, "shell", *options, "--exec", script],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        self.assertEqual(owner.stdout.readline(), b"up\n")
        qemus = machine.children(owner.pid)
        self.assertEqual(len(qemus), 1)
        return owner, qemus[0]

    def test_killed_qemu(self):
        owner, qemu = self.start("echo up; sleep 1000")
        os.kill(qemu, signal.SIGKILL)
        _, err = owner.communicate(timeout=60)
        self.assertIn(b"QEMU was ended by signal 9", err)
        self.assertNotEqual(owner.returncode, 0)

    def test_a_stopped_qemu_is_not_reported_as_a_guest_hang(self):
        owner, qemu = self.start("echo up; sleep 1000")
        os.kill(qemu, signal.SIGSTOP)
        err = owner.communicate(timeout=machine.TIMEOUT)[1]
        self.assertIn(b"QEMU is stopped", err)
        self.assertNotEqual(owner.returncode, 0)

    def test_qemu_dies_with_a_killed_owner(self):
        owner, qemu = self.start("echo up; sleep 1000")
        owner.kill()
        owner.wait()
        deadline = time.monotonic() + 30
        while os.path.exists(f"/proc/{qemu}") and time.monotonic() < deadline:
            if open(f"/proc/{qemu}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0] == "Z":
                break
            time.sleep(0.05)
        else:
            self.assertFalse(os.path.exists(f"/proc/{qemu}"), "QEMU outlived its owner")
        listed = subprocess.run([machine.KTSTR, "vm", "list", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn(str(qemu), listed)

    def test_terminated_owner_leaves_nothing(self):
        owner, qemu = self.start("echo up; sleep 1000")
        owner.send_signal(signal.SIGTERM)
        owner.communicate(timeout=60)
        self.assertNotEqual(owner.returncode, 0)
        self.assertFalse(machine.children(owner.pid))
        self.assertFalse(os.path.exists(f"/proc/{qemu}"))

    def test_vm_list_shows_a_running_guest(self):
        owner, qemu = self.start("echo up; sleep 1000")
        listed = subprocess.run([machine.KTSTR, "vm", "list", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f'"pid": {qemu}', listed)
        owner.kill()
        owner.wait()


if __name__ == "__main__":
    assert guest.BUILD
    tap.main(__name__)
