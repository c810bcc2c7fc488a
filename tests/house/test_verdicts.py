# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/VERDICTS.md says about verdicts and reasons what the code does."""

import re
import unittest

import tap
import tree


def rows_of_reasons():
    return re.findall(r'^KTSTR_REASON\((\w+),\s*"([\w-]+)",\s*(\w+),\s*"([^"]*)"\)', tree.text("include/ktstr/reasons.def"), re.M)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.text = tree.text("docs/VERDICTS.md")
        rows = [cells(line) for line in self.text.splitlines() if re.match(r"\| `[\w-]+` \|", line)]
        self.verdicts = {row[0].strip("`") for row in rows if len(row) == 3}
        self.reasons = [row for row in rows if len(row) == 6]

    def test_verdicts_lists_every_reason_with_constant_verdict_and_meaning(self):
        told = [(row[0].strip("`"), row[1].strip("`"), row[2], row[3]) for row in self.reasons]
        self.assertEqual(told, [(word, f"KTSTR_REASON_{name}", verdict.lower(), meaning) for name, word, verdict, meaning in rows_of_reasons()])
        self.assertGreater(len(told), 20)

    def test_every_row_says_when_and_what_to_do(self):
        for row in self.reasons:
            with self.subTest(row[0]):
                self.assertTrue(row[4] and row[5])

    def test_verdicts_are_weighed_as_the_code_does(self):
        found = re.findall(r"\[KTSTR_(\w+)\] = (\d)", tree.text("src/result/outcome.c"))
        weights = [(name.lower(), weight) for name, weight in found]
        self.assertEqual({word for word, _ in weights}, self.verdicts)
        heaviest_first = [word for word, _ in sorted(weights, key=lambda w: -int(w[1]))]
        self.assertIn(" > ".join(heaviest_first), self.text)

    def test_reasons_reserved_for_the_host_are_documented(self):
        code = tree.text("src/harness/test_report.c").partition("bool harness_reason_allowed_from_guest")[2].partition("return true;")[0]
        hosts = {word for name, word, _, _ in rows_of_reasons() if f"KTSTR_REASON_{name}:" not in code}
        told = self.text.partition("only what it can know.")[2].partition("are the host's")[0]
        self.assertEqual(set(re.findall(r"`([\w-]+)`", told)), hosts)

    def test_the_turn_of_a_vcpu_is_that_of_the_code(self):
        turn = re.search(r"CHECKS_ERROR_BAR_TCG_TURN_MS = (\d+)", tree.text("src/checks/check.h"))
        self.assertIn(f"vCPUs x {int(turn[1]) / 1000} s", self.text)

    def test_every_check_has_its_row_in_the_guide(self):
        rows = re.findall(r'^KTSTR_CHECK\((\w+),\s*(\w+),\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\)', tree.text("include/ktstr/checks.def"), re.M)
        told = [cells(line) for line in tree.text("docs/WRITING_TESTS.md").splitlines() if re.match(r"\| `\.\w+` \|", line)]
        takes = {True: "`REQUIRED`, `OFF`", False: "`{}(n)`, in {}"}
        expected = [[f"`.{name}`", takes[form == "DEMAND"].format(form, unit), default, meaning] for name, form, unit, default, meaning in rows]
        self.assertEqual(told, expected)
        self.assertGreater(len(told), 4)


if __name__ == "__main__":
    tap.main(__name__)
