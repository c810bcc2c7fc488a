# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/PROTOCOL.md and the tables of the code say the same."""

import os
import re
import unittest

import tap
import tree

WIDTHS = {"U16": "u16", "U32": "u32", "U64": "u64", "TEXT": "text"}


def text_of(path):
    with open(os.path.join(tree.ROOT, path), encoding="utf-8") as f:
        return f.read()


def table_rows(text, first_header):
    """The cells of the one table whose first column has this header."""
    rows, inside = [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == first_header and len(cells) > 2:
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not cells[0].startswith("-"):
            rows.append(cells)
    return rows


def code_types():
    return {(m[1], int(m[2], 16), m[3].lower())
            for m in re.finditer(r'^WIRE_TYPE\((\w+),\s*(0x[0-9a-f]+), "[\w-]+",\s*(\w+)\)', text_of("src/wire/types.def"), re.M)}


def code_messages():
    limits = dict(re.findall(r"(WIRE_\w+) = (\d+),", text_of("src/wire/frame.h")))
    messages = {}
    for name, fields in re.findall(r"^WIRE_MESSAGE\((\w+), ((?:[^()]|\([^()]*\))*)\)$", text_of("src/wire/messages.def"), re.M):
        words = []
        for kind, arguments in re.findall(r"(\w+)\(([^)]*)\)", fields):
            field, *size = re.split(r",\s*", arguments)
            words.append(f"{limits[size[0]] if size else WIDTHS[kind]} {field}")
        messages[name.upper()] = ", ".join(words)
    return messages


class Protocol(unittest.TestCase):
    def setUp(self):
        self.text = text_of("docs/PROTOCOL.md")
        self.types = table_rows(self.text, "type")

    def test_types_have_the_numbers_of_the_text(self):
        told = {(row[0], int(row[1], 16), row[2]) for row in self.types}
        self.assertEqual(told, code_types())
        self.assertGreater(len(told), 20)

    def test_messages_have_the_fields_of_the_text(self):
        told = {row[0]: row[4] for row in self.types}
        messages = code_messages()
        self.assertGreater(len(messages), 10)
        for name, fields in messages.items():
            with self.subTest(name):
                self.assertEqual(told[name], fields)

    def test_types_without_fields_of_their_own_carry_bytes_or_nothing(self):
        others = {row[0]: row[4] for row in self.types if row[0] not in code_messages()}
        self.assertEqual({name for name, payload in others.items() if payload not in ("bytes", "-")}, {"RUN"})

    def test_every_word_of_a_report_is_explained(self):
        words = re.findall(r'^WIRE_REPORT_KIND\(\w+,\s+"([\w-]+)"', text_of("src/wire/reports.def"), re.M)
        told = re.search(r"^\| report \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", self.text, re.M)
        self.assertGreater(len(words), 9)
        self.assertEqual([line.split("|")[1].strip() for line in told[1].splitlines()], words)

    def test_every_tag_is_explained(self):
        for path, domain in (("src/wire/frame.h", "wire"), ("src/agent/agent.h", "agent")):
            tags = re.findall(r'X\(\w+, "([\w-]+)"', text_of(path))
            self.assertTrue(tags)
            explained = set(re.findall(rf"^\| `({domain}-[\w-]+)` \|", self.text, re.M))
            self.assertEqual(set(tags), explained)

    def test_the_other_host_end_uses_the_same_numbers(self):
        python = dict((word.replace("-", "_").upper(), int(number, 16))
                      for word, number in re.findall(r'"([\w-]+)": (0x[0-9A-F]+)', text_of("tests/vm/ktwire.py")))
        self.assertEqual(python, {name: number for name, number, _ in code_types()})


if __name__ == "__main__":
    tap.main(__name__)
