# SPDX-License-Identifier: GPL-2.0-or-later
"""Every row of src/kmem/fields.def is read by somebody."""

import re
import unittest

import tap
import tree

ROW = re.compile(r"^KMEM_FIELD\(\w+, (\w+),", re.M)
# As an enum constant, or as the last argument of a column that is read from the kernel.
READ = re.compile(r"\bKMEM_F_(\w+)|\bDUMP_FIELD\w*\(\s*\w+,\s*[\w.]+,\s*(\w+)\s*\)")


def unread(table, sources):
    read = {a or b for text in sources for a, b in READ.findall(text)}
    return [row for row in ROW.findall(table) if row not in read]


class Fields(unittest.TestCase):
    def test_every_row_is_read(self):
        sources = [tree.text(f) or "" for f in tree.files() if re.match(r"(src|bench)/.*\.[ch]$", f)]
        table = tree.text("src/kmem/fields.def")
        self.assertGreater(len(ROW.findall(table)), 100)
        self.assertEqual(unread(table, sources), [])

    def test_a_row_that_nobody_reads_is_found(self):
        table = 'KMEM_FIELD(RQ, A, "rq", "a", NEEDED)\nKMEM_FIELD(RQ, B, "rq", "b", NEEDED)\nKMEM_FIELD(RQ, C, "rq", "c", NEEDED)\n'
        self.assertEqual(unread(table, ["x = KMEM_F_A;", "DUMP_FIELD_SIGNED(row, inner.b,\n\t\tB)"]), ["C"])
        self.assertEqual(unread(table, ["KMEM_F_A2 KMEM_F_B KMEM_F_C"]), ["A"])


if __name__ == "__main__":
    tap.main(__name__)
