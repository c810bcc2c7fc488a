# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel stacks seen from outside are those that the guest's own /proc tells; a vmcore holds the same."""

import json
import os
import shutil
import subprocess
import tempfile

import machine
import switching
import tap
from shell_guest import ShellGuest, inspect_source

CPUS = 2
SCRIPT = """
sleep 100000 & sleeper=$!
while :; do :; done & spinner=$!
dd if=/dev/zero of=/dev/null bs=64M & copier=$!
sleep 1
echo $sleeper $spinner $copier
for task in /proc/[0-9]*; do
    echo task ${task#/proc/} $(cat $task/comm)
    cat $task/stack
done
"""


def stacks(source, *arguments):
    """Every stack of `ktstr inspect … stack --json` by the number of its task; idle tasks in a list."""
    told = json.loads(inspect_source(source, "stack", "--json", *arguments))["stacks"]
    return {s["pid"]: s for s in told if s["pid"]}, [s for s in told if not s["pid"]]


def names(stack):
    """As /proc prints them."""
    lines = []
    for frame in stack["frames"]:
        module = f" [{frame['module']}]" if "module" in frame else ""
        lines.append(f"{frame['symbol']}+{frame['offset']:#x}/{frame['size']:#x}{module}")
    return lines


class Stacks(machine.GuestTest):
    """One guest for all."""

    machine_options = ()

    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if machine.guest.missing():
            return
        cls.guest = ShellGuest("-t", f"1n1l{CPUS}c1t", "-i", f"{switching.PROGRAM}:/ping_pong", *cls.machine_options)
        cls.addClassCleanup(cls.guest.close)
        first, *lines = cls.guest.ask(SCRIPT)
        cls.sleeper, cls.spinner, cls.copier = map(int, first.split())
        cls.told, cls.comm = {}, {}
        for line in lines:
            words = line.split()
            if words[0] == "task":
                cls.told[pid := int(words[1])] = []
                cls.comm[pid] = " ".join(words[2:])
            else:
                cls.told[pid].append(line.removeprefix("[<0>] ").rstrip())
        cls.vm = cls.guest.source()

    def assert_same(self, stack, told):
        """/proc leaves out the scheduler's own functions, which are innermost."""
        ours = names(stack)
        self.assertTrue(told)
        self.assertIn(told[0], ours)
        inner = ours.index(told[0])
        self.assertEqual(ours[inner:], told)
        self.assertTrue(ours[0].startswith("__schedule+"), ours)
        self.assertTrue(all(frame["reliable"] for frame in stack["frames"]), stack)

    def test_a_task_that_sleeps_in_a_system_call_names_its_path(self):
        for freeze in ([], ["--freeze"]):
            with self.subTest(freeze):
                stack = stacks(self.vm, *freeze)[0][self.sleeper]
                self.assertEqual(stack["comm"], "sleep")
                self.assertEqual(stack["state"], "asleep")
                self.assertNotIn("incomplete", stack)
                self.assert_same(stack, self.told[self.sleeper])
                symbols = [frame["symbol"] for frame in stack["frames"]]
                self.assertIn("hrtimer_nanosleep", symbols)
                self.assertEqual(symbols[-1], "entry_SYSCALL_64_after_hwframe")

    def test_stack_text_agrees_with_the_json(self):
        text = inspect_source(self.vm, "stack", str(self.sleeper)).splitlines()
        self.assertEqual(text[0], f"{self.sleeper} sleep")
        self.assertEqual([line.strip() for line in text[-len(self.told[self.sleeper]):]], self.told[self.sleeper])

    def test_kernel_threads_agree(self):
        seen, _ = stacks(self.vm, "--freeze")
        # Those that wait until memory runs out have not moved meanwhile.
        still = [pid for pid, comm in self.comm.items() if comm.startswith("kworker/R-")]
        self.assertGreater(len(still), 5)
        for pid in [2, *still]:
            with self.subTest(self.comm[pid]):
                self.assert_same(seen[pid], self.told[pid])
                self.assertNotIn("incomplete", seen[pid])

    def test_no_stack_has_to_be_guessed(self):
        seen, idle = stacks(self.vm, "--freeze")
        self.assertEqual({s["idle_of_cpu"] for s in idle}, set(range(CPUS)))
        for stack in [*seen.values(), *idle]:
            with self.subTest(stack["comm"]):
                self.assertNotIn("unavailable", stack, stack)
                # A CPU may stand where not even the kernel can unwind itself.
                if stack["state"] == "asleep":
                    self.assertNotIn("incomplete", stack, stack)
                    self.assertTrue(stack["frames"], stack)

    def test_a_task_that_runs_is_seen_through_its_cpu(self):
        states = {}
        for _ in range(20):
            seen, _ = stacks(self.vm, "--freeze")
            for pid in (self.spinner, self.copier):
                if "incomplete" not in seen[pid]:
                    states.setdefault((pid, seen[pid]["state"]), seen[pid])
            if (self.spinner, "user") in states and (self.copier, "on-cpu") in states:
                break
        self.assertEqual(states[self.spinner, "user"]["frames"], [])
        copier = states[self.copier, "on-cpu"]
        self.assertIn(copier["cpu"], range(CPUS))
        self.assertEqual(copier["frames"][-1]["symbol"], "entry_SYSCALL_64_after_hwframe")
        self.assertIn("ksys_read", [frame["symbol"] for frame in copier["frames"]])

    def test_a_cpu_in_the_middle_of_a_switch_is_on_the_stack_of_one_task(self):
        """As tests/soak/soak_switching.py, which looks more often and at more kernels."""
        self.guest.ask(f"kill -STOP {self.spinner} {self.copier}; /ping_pong 4 {CPUS} >/tmp/players & players=$!\n"
                       "while [ ! -s /tmp/players ]; do sleep 0.1; done")
        judge = switching.Judge(CPUS)
        try:
            while judge.switching < 3 and judge.looks < 30:
                seen, idle = stacks(self.vm, "--freeze")
                self.assertEqual(judge.judge([*seen.values(), *idle]), [])
        finally:
            # Until the last of them has been reaped: other tests do not expect tasks without a stack.
            self.guest.ask("kill $players; wait $players; while grep -qsx ping_pong /proc/[0-9]*/comm; do sleep 0.1; done;"
                           f"kill -CONT {self.spinner} {self.copier}")
        self.assertGreater(judge.switching, 0)

    def test_without_registers_a_task_that_runs_says_so(self):
        seen, idle = stacks(self.vm)
        told = [s["unavailable"] for s in [*seen.values(), *idle] if "unavailable" in s]
        # It goes on: more than run at once may have run meanwhile.
        self.assertTrue(told)
        for why in told:
            self.assertIn("registers are unknown", why)

    def test_stacks_from_a_vmcore_are_the_same(self):
        with tempfile.TemporaryDirectory() as directory:
            core = os.path.join(directory, "core")
            self.assertIn("bytes", inspect_source(self.vm, "--freeze", "--vmcore", core))
            self.assertEqual(os.listdir(directory), ["core"])
            self.assert_same(stacks(core)[0][self.sleeper], self.told[self.sleeper])
            self.assertEqual([s["pid"] for s in json.loads(inspect_source(core, "stack", "sleep", "--json"))["stacks"]], [self.sleeper])
            told = os.stat(core)
            self.assertLess(told.st_blocks * 512, told.st_size)
            self.assert_cut_is_told(core, told.st_size)
            if not shutil.which("readelf"):
                self.skipTest("readelf is not installed")
            text = subprocess.run(["readelf", "-l", "-n", core], capture_output=True, text=True, check=True)
            self.assertEqual(text.stderr, "")
            self.assertIn("CORE (Core file)", text.stdout)
            self.assertEqual(text.stdout.count("NT_PRSTATUS"), CPUS)
            self.assertEqual(text.stdout.count("VMCOREINFO"), 1)
            self.assertIn("LOAD", text.stdout)

    def assert_cut_is_told(self, core, size):
        """Its last page is gone, which no task's number is in, and then nearly all of it."""
        cut = core + ".cut"
        for left, status, begins in ((size - 4096, 0, "note: "), (65536, 1, "error: ")):
            subprocess.run(["cp", "--sparse=always", core, cut], check=True)
            os.truncate(cut, left)
            done = subprocess.run([machine.KTSTR, "inspect", cut, "uname"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status, done)
            self.assertTrue(done.stderr.startswith(f"{begins}{cut} is truncated: "), done)

    def test_a_task_that_ran_is_seen_through_the_notes_of_a_vmcore(self):
        states = {}
        with tempfile.TemporaryDirectory() as directory:
            core = os.path.join(directory, "core")
            for _ in range(20):
                inspect_source(self.vm, "--freeze", "--vmcore", core)
                seen, idle = stacks(core)
                for stack in [*seen.values(), *idle]:
                    self.assertNotIn("unavailable", stack, stack)
                for pid in (self.spinner, self.copier):
                    if "incomplete" not in seen[pid]:
                        states.setdefault((pid, seen[pid]["state"]), seen[pid])
                if (self.spinner, "user") in states and (self.copier, "on-cpu") in states:
                    break
            # A vmcore of a vmcore has them as well; the last that was written is the one looked at.
            again = os.path.join(directory, "again")
            inspect_source(core, "--vmcore", again)
            self.assertEqual(stacks(again), (seen, idle))
        self.assertEqual(states[self.spinner, "user"]["frames"], [])
        self.assertEqual(states[self.copier, "on-cpu"]["frames"][-1]["symbol"], "entry_SYSCALL_64_after_hwframe")
        self.assertIn("ksys_read", [frame["symbol"] for frame in states[self.copier, "on-cpu"]["frames"]])


class StacksWith5Levels(Stacks):
    machine_options = ("--cpu", "max,vendor=GenuineIntel,level=32")
    # Twenty vmcores and thirty looks are enough once.
    test_a_cpu_in_the_middle_of_a_switch_is_on_the_stack_of_one_task = None
    test_a_task_that_ran_is_seen_through_the_notes_of_a_vmcore = None


if __name__ == "__main__":
    tap.main(__name__)
