# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests with a virtual clock that hang or take too long: noticed by the guest's own time, at the same instruction in each run."""

import os
import re

import guest
import machine
import tap
import virtual_guest

STARVE = "exec /unruly starve"
FIFO = os.path.join(guest.BUILD, "bpf", "scx_ktfifo")
HANG = r"\[guest-hang\] .*no sign of life for 20 s of the guest's time"


class Hang(machine.GuestTest):
    def kept(self, script, *options):
        """A guest that hangs and is kept: what inspect finds in it, and how it ended."""
        owner = virtual_guest.start(script, "--keep-guest", "1000", *options)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        said = b""
        while b"ktstr vm kill" not in said:
            line = owner.stderr.readline()
            self.assertTrue(line, said)
            said += line
        vm = re.search(rb"ktstr vm kill (\w+)", said)[1].decode()
        inspected = machine.ktstr("inspect", f"vm:{vm}", "all", "--json")
        self.assertEqual((inspected.returncode, inspected.stderr), (0, b""))
        self.assertEqual(machine.ktstr("vm", "kill", vm).returncode, 0)
        ended = virtual_guest.finish(owner)
        ended.said = said.decode() + ended.said
        return inspected.stdout.replace(vm.encode(), b"ID"), virtual_guest.Ended(ended.status, ended.stdout, ended.said.encode())

    def test_a_starved_agent_is_a_hang_at_the_same_instruction_in_two_runs(self):
        first, other = self.kept(STARVE), self.kept(STARVE)
        self.assertRegex(first[1].error, HANG)
        self.assertEqual(first[1].status, 125)
        self.assertIsNotNone(first[1].digest, first[1])
        self.assertEqual((first[1].digest, first[1].guest_s), (other[1].digest, other[1].guest_s))
        # All that can be read of the kernel: clocks, queues, stacks.
        self.assertIn(b"unruly", first[0])
        self.assertEqual(first[0], other[0])

    def test_one_cpu_with_turns_of_qemu_is_held_as_well(self):
        first, other = self.kept(STARVE, "-t", "1", "--seed", "0"), self.kept(STARVE, "-t", "1", "--seed", "0")
        self.assertRegex(first[1].error, HANG)
        self.assertEqual(first[1].digest, other[1].digest)
        self.assertEqual(first[0], other[0])

    def test_cpus_that_are_halted_with_interrupts_off_are_a_hang(self):
        self.assertRegex(virtual_guest.run("halt -f").error, HANG)

    def test_a_kernel_that_spins_with_interrupts_off_is_a_hang(self):
        ended = virtual_guest.run("./scx_ktfifo --fault spin --after-ms 0", "-t", "1", "-i", FIFO)
        self.assertRegex(ended.error, HANG)
        self.assertEqual((ended.status, ended.stdout), (125, b"scx_ktfifo: attached\n"), ended)

    def test_an_agent_that_is_frozen_is_a_hang(self):
        ended = virtual_guest.run("mkdir /sys/fs/cgroup/f; echo 1 >/sys/fs/cgroup/f/cgroup.procs;"
                                  " echo 1 >/sys/fs/cgroup/f/cgroup.freeze; sleep 1000")
        self.assertRegex(ended.error, HANG)

    def test_a_command_may_sleep_longer_than_the_agent_may_be_silent(self):
        ended = virtual_guest.run("sleep 100; echo awake")
        self.assertEqual((ended.status, ended.stdout), (0, b"awake\n"), ended)

    def test_a_limit_is_of_the_guests_time_and_ends_the_command_at_the_same_instruction(self):
        first, other = (virtual_guest.run("cat /proc/uptime; exec /unruly spin", "--timeout", "2") for _ in range(2))
        self.assertEqual(first.status, 124, first)
        self.assertIn("the command was killed after 2 s", first.said)
        self.assertIsNotNone(first.digest, first)
        self.assertEqual((first.digest, first.guest_s), (other.digest, other.guest_s))
        began = float(first.stdout.split()[0])
        self.assertTrue(1.9 <= first.guest_s - began < 2.3, first)


if __name__ == "__main__":
    tap.main(__name__)
