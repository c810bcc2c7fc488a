# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest's process that uses the memory and the instructions of the agent: an error or nothing, never a hang or a crash."""

import machine
import tap
import virtual_guest

# Beside it the agent has something to send.
LATER = "sleep 1; echo end"


class Hostile(machine.GuestTest):
    def hostile(self, *arguments):
        words = "; ".join(f"/unruly {a}" for a in arguments)
        return virtual_guest.run(f"{words}; {LATER}", "--timeout", "5", "-t", "1", timeout=60)

    def test_more_output_than_there_is_room_for_is_an_error(self):
        self.assertRegex(self.hostile("lie 2 0xffffffff").error, r"\[agent\] .*the mailbox has 4294967295 bytes of output")

    def test_output_that_was_taken_back_is_an_error(self):
        self.assertRegex(self.hostile("lie 2 0").error, r"\[agent\] .*the mailbox has 0 bytes of output, but \d+ were taken")

    def test_a_request_that_means_nothing_is_an_error(self):
        self.assertRegex(self.hostile("lie 77").error, r"\[agent\] .*the mailbox has an unknown request, 77")

    def test_waiting_for_input_that_nobody_sends_is_an_error(self):
        self.assertRegex(self.hostile("lie 1").error, r"\[agent\] .*the guest waits for input, but there is none")

    def test_waiting_for_room_without_need_ends(self):
        ended = self.hostile("lie 2", "lie 2")
        self.assertTrue(ended.status == 0 or "[agent]" in ended.error, ended)

    def test_a_flood_of_signs_is_only_slow(self):
        self.assertEqual(self.hostile("tell 100000").stdout, b"done\nend\n")

    def test_random_words_in_the_mailbox_end(self):
        ended = self.hostile("crowd 100000")
        self.assertTrue(ended.status in (0, 124) or ended.error, ended)
        self.assertNotIn("Sanitizer", ended.said)

    def test_a_mailbox_that_is_taken_away_does_not_hang_the_host(self):
        ended = virtual_guest.run("for d in /sys/bus/pci/devices/*; do grep -q 0x1110 $d/device && echo 1 >$d/remove; done; "
                                  + LATER, "--timeout", "5", "-t", "1", timeout=60)
        self.assertTrue(ended.stdout == b"end\n" or ended.error, ended)


if __name__ == "__main__":
    tap.main(__name__)
