# SPDX-License-Identifier: GPL-2.0-or-later
"""What others do on the host while a guest with a virtual clock runs does not change what it does; or it is told."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

import machine
import repeat
import tap
import virtual_guest

# Two CPUs that talk to each other, in little memory of the host's time; then what depends on who ran when.
WORK = ("echo up; for i in 1 2 3; do sh -c 'while :; do :; done' & done; i=0; while [ $i -lt 20 ]; do sleep 0.01; i=$((i+1)); done;"
        " cat /proc/uptime /proc/schedstat /proc/interrupts")
# Some thousand times all CPUs are halted, for different whiles.
NAPS = "echo up; /unruly naps 2000; cat /proc/uptime /proc/schedstat /proc/interrupts"



class Outside(machine.GuestTest):
    def start(self, *options, work=WORK):
        owner = virtual_guest.start(work, *options)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        self.assertEqual(owner.stdout.readline(), b"up\n")
        (listed,) = [v for v in json.loads(machine.ktstr("vm", "list", "--json").stdout)["vms"]
                     if v.get("owner", {}).get("pid") == owner.pid]
        return owner, listed

    def test_looking_and_stopping_processes_changes_nothing(self):
        plain = virtual_guest.finish(self.start()[0])
        self.assertEqual(plain.status, 0, plain)
        self.assertIsNotNone(plain.digest, plain)
        owner, vm = self.start()
        self.assertTrue(vm["deterministic"])
        self.assertIn("virtual", [line for line in machine.ktstr("vm", "list").stdout.decode().splitlines() if vm["id"] in line][0])
        looked = machine.ktstr("inspect", f"vm:{vm['id']}", "tasks")
        self.assertEqual((looked.returncode, looked.stderr), (0, b""))
        with open(vm["console_log"], "rb") as f:
            f.read()
        for pid in (vm["qemu"]["pid"], owner.pid):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.2)
            os.kill(pid, signal.SIGCONT)
        other = virtual_guest.finish(owner)
        self.assertEqual((other.status, other.digest, other.guest_s), (0, plain.digest, plain.guest_s))

    def test_what_wakes_the_main_thread_of_qemu_does_not_move_the_clock(self):
        for topology in ("1n1l1c1t", "1n1l4c1t"):
            with self.subTest(topology):
                plain = virtual_guest.finish(self.start("--topology", topology, work=NAPS)[0])
                self.assertEqual(plain.status, 0, plain)
                owner, vm = self.start("--topology", topology, work=NAPS)
                # QEMU reads this signal in that thread, and does nothing about it.
                while owner.poll() is None:
                    try:
                        os.kill(vm["qemu"]["pid"], signal.SIGALRM)
                    except ProcessLookupError:
                        break
                other = virtual_guest.finish(owner)
                self.assertEqual((other.status, other.digest, other.guest_s), (0, plain.digest, plain.guest_s))

    def test_a_guest_that_is_stopped_while_it_works_is_told(self):
        owner, vm = self.start()
        machine.ktstr("inspect", f"vm:{vm['id']}", "--freeze", "tasks").check_returncode()
        ended = virtual_guest.finish(owner)
        self.assertEqual(ended.status, 0, ended)
        self.assertIn("it was stopped from outside, so another run may differ", ended.said)

    def test_a_guest_that_is_stopped_while_it_is_held_does_not_notice(self):
        for topology in ("1n1l1c1t", "1n1l2c1t"):
            with self.subTest(topology), repeat.Repeat(topology, ["cat"]) as r:
                plain, frozen = r.run("some input"), r.run("some input", "frozen")
                self.assertEqual((plain.error, plain.stdout, plain.touched), (None, b"some input", False))
                self.assertEqual(vars(frozen), vars(plain))

    def test_ktstr_that_is_killed_takes_its_guest_along(self):
        owner, vm = self.start()
        pidfd = os.pidfd_open(vm["qemu"]["pid"])
        self.addCleanup(os.close, pidfd)
        owner.kill()
        # Readable when it has ended.

        self.assertTrue(select.select([pidfd], [], [], 60)[0])

    def test_qemu_that_is_killed_is_told(self):
        owner, vm = self.start()
        os.kill(vm["qemu"]["pid"], signal.SIGKILL)
        self.assertRegex(virtual_guest.finish(owner).error, r"\[qemu-killed\] .*signal 9")


class Ends(machine.GuestTest):
    """The words are those of guests with a real clock (test_endings.py)."""

    def test_each_end_has_its_name(self):
        for script, tag in (("echo c >/proc/sysrq-trigger", "guest-panic"), ("poweroff -f", "powered-off"),
                            ("reboot -f", "rebooted")):
            with self.subTest(script):
                self.assertIn(f"[{tag}]", virtual_guest.run(script, "-t", "1").error)

    def test_a_qemu_without_plugins_is_told_before_anything_is_booted(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "qemu")
            with open(path, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nfor a; do [ "$a" = -plugin ] && { echo "-plugin: invalid option" >&2; exit 1; }; done\n'
                        'exec qemu-system-x86_64 "$@"\n')
            os.chmod(path, 0o755)
            ended = subprocess.run([machine.KTSTR, "shell", "--clock", "virtual", "--exec", "true"], capture_output=True, text=True,
                                   check=False, env={**os.environ, "KTSTR_QEMU": path}, timeout=machine.TIMEOUT)
        self.assertEqual(ended.returncode, 125)
        self.assertRegex(ended.stderr, r"cannot give a guest a virtual clock: .*-plugin: invalid option; --clock real")


if __name__ == "__main__":
    tap.main(__name__)
