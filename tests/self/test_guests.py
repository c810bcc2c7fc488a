# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that take their guest with them."""

import json
import re
import subprocess

import judged
import tap


class Guests(judged.Judged):
    SUITE = "guests"
    OPTIONS = ("--jobs", "2")

    def test_a_panic_is_told_with_the_consoles_line(self):
        self.judged("panics", "fail", "guest-panic", "in stage work.*Kernel panic - not syncing: sysrq triggered crash",
                    kept=["console.log"], parts=["guest-panic"])
        self.assertIn("Kernel panic - not syncing", self.kept_text("panics", "console.log"))

    def test_a_silent_reset_counts_as_a_panic(self):
        self.judged("resets", "fail", "guest-panic", "reset itself", parts=["guest-panic"])

    def test_a_reboot_on_purpose_is_the_tests_doing(self):
        self.judged("reboots", "broken", "agent-lost", "the guest restarted itself", parts=["agent-lost"])

    def test_a_machine_without_memory_is_told_apart_from_a_panic(self):
        self.judged("out_of_memory", "fail", "guest-oom", "Out of memory", kept=["console.log"], parts=["guest-oom"])

    def test_a_function_that_the_kernel_killed_for_its_memory(self):
        self.judged("function_eaten", "fail", "guest-oom", r"Out of memory: Killed process \d+ \(self_guests\)",
                    kept=["console.log"], parts=["guest-oom", "test-crashed"])

    def test_a_payload_that_the_kernel_killed_for_its_memory(self):
        record = self.judged("payload_eaten", "fail", "guest-oom", r"Out of memory: Killed process \d+ \(self_payload\)",
                             kept=["console.log"])
        self.assertEqual([p["exit_code"] for p in record["payloads"]], [-9])

    def test_an_agent_that_is_frozen_is_a_hang(self):
        self.judged("agent_frozen", "fail", "guest-hang", r"in stage work.*no sign of life for \d+ s", parts=["guest-hang"],
                    kept=["console.log"])
        self.assertIn("ktstr-agent: ./self_guests --run agent_frozen", self.kept_text("agent_frozen", "console.log"))

    def test_a_guest_that_powers_off_is_agent_lost(self):
        self.judged("powers_off", "broken", "agent-lost", "in stage work.*switched itself off", parts=["agent-lost"])


class Busy(judged.Judged):
    """What a binary leaves behind in a guest that is kept ready."""

    SUITE = "busy"
    OPTIONS = ("--clock", "real")

    def test_a_guest_that_never_becomes_idle_is_broken_with_the_name_of_who_it_was(self):
        record = self.judged("passes", "broken", "guest-busy", r"before the test began: .*not idle after \d+\.\d s: never_idle \(pid \d+\) used \d\d+ % of",
                             parts=["guest-busy"])
        self.assertNotIn("guest_idle", record)


class Kept(judged.Case):
    def test_a_guest_that_panicked_is_kept_when_its_verdict_was_told(self):
        runner = subprocess.Popen([judged.KTSTR, "test", judged.suite("guests"), "-k", "panics", "--keep-guest", "1000",
                                   "--format", "json", "-o", self.directory + "/out"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (runner.poll() is None and runner.kill(), runner.communicate()))
        told = next(line for line in runner.stdout if json.loads(line)["report"] == "test")
        self.assertEqual(json.loads(told)["reason"], "guest-panic")
        (record,) = judged.record_paths(self.directory)
        vm = re.search(r"ktstr vm kill (\w+)", json.dumps(judged.load(record)))[1]
        self.assertIn("sysrq triggered crash", judged.ktstr("inspect", "vm:" + vm, "log").stdout)
        self.assertIsNone(runner.poll())
        self.assertEqual(judged.ktstr("vm", "kill", vm).returncode, 0)
        self.assertEqual(runner.wait(judged.TIMEOUT), 1)


if __name__ == "__main__":
    tap.main(__name__)
