# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest whose CPUs do little else than switch tasks, frozen and looked at a hundred times, on several kernels.

Environment: KTSTR_SOAK_LOOKS (100). Figures go to standard error.
"""

import json
import os
import sys

import machine
import share
import switching
import tap
from shell_guest import ShellGuest, ktstr

LOOKS = int(os.environ.get("KTSTR_SOAK_LOOKS", "0")) or share.rounds(100, least=20)
CPUS = 4
PAIRS = 8
SERIES = ("6.12", "6.18", "7.2")


class Switching(machine.GuestTest):
    def look_at(self, kernel):
        guest = ShellGuest("-t", f"1n1l{CPUS}c1t", "--kernel", kernel, "-i", f"{switching.PROGRAM}:/ping_pong")
        try:
            players = guest.ask(f"/ping_pong {PAIRS} {CPUS} >/tmp/players & while [ ! -s /tmp/players ]; do sleep 0.1; done; cat /tmp/players")
            self.assertEqual(len(players[0].split()), 2 * PAIRS)
            judge, wrong = switching.Judge(CPUS), []
            for _ in range(LOOKS):
                text = guest.inspect("--freeze", "stack", "--json", "--max-entries", "0")
                wrong.append(judge.judge(json.loads(text)["stacks"]))
            bad = sum(bool(w) for w in wrong)
            print(f"{kernel}: {judge.looks} looks, {judge.switching} in the middle of a switch, {judge.excused} CPUs "
                  f"where the kernel cannot unwind itself, {bad} looks wrong", file=sys.stderr)
            self.assertEqual(bad, 0, [w for w in wrong if w])
            # Else nothing was tried.
            self.assertGreater(judge.switching, LOOKS // 20)
        finally:
            guest.process.terminate()
            guest.close()

    def test_no_stack_is_wrong_in_the_middle_of_a_switch(self):
        listed = [k["id"] for k in json.loads(ktstr("kernel", "list", "--json").stdout)["kernels"]]
        for series in SERIES:
            with self.subTest(series):
                kernel = next((k for k in listed if k.startswith(series + ".") and "cloud" in k), None)
                if not kernel:
                    self.skipTest(f"no kernel {series} is in the cache: ktstr kernel fetch {series}")
                self.look_at(kernel)


if __name__ == "__main__":
    tap.main(__name__)
