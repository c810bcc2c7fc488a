# SPDX-License-Identifier: GPL-2.0-or-later
"""Man pages that are written by hand: every command and every public name has its place, and the examples compile."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap
import tree

BUILD = os.environ.get("KTSTR_BUILD_DIR", os.path.join(tree.ROOT, "build", "debug"))
CC = os.environ.get("KTSTR_CC", "cc")
LIBRARY = os.path.join(BUILD, "src", "suite", "libktstr.a")
PAGE = "man/ktstr-test.3.scd"


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def header():
    """The header with the rows of its tables in their places."""
    command = [CC, "-E", "-P", "-D_GNU_SOURCE", "-I", os.path.join(tree.ROOT, "include"), os.path.join(tree.ROOT, "include/ktstr/ktstr.h")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def public_names():
    """Functions, macros, types and constants of the header; what ends with _ is not for authors."""
    source = without_comments(tree.text("include/ktstr/ktstr.h"))
    text = header()
    names = set(re.findall(r"#define\s+(\w+)", source)) - set(re.findall(r"#undef\s+(\w+)", source))
    names |= set(re.findall(r"\b(ktstr_\w+)\s*\(", text))
    names |= set(re.findall(r"^(?:struct|enum)\s+(ktstr_\w+)", text, re.M))
    names |= set(re.findall(r"\bKTSTR_[A-Z0-9_]+\b", text))
    # The guard of the header, reasons (docs/VERDICTS.md explains them), and numbers of rows.
    return {n for n in names if not n.endswith("_") and not n.startswith(("KTSTR_REASON_", "KTSTR_N_"))} - {"KTSTR_KTSTR_H"}


def members():
    """Members of the structs that authors fill in."""
    found = set()
    for name, body in re.findall(r"^struct (ktstr_\w+) \{(.*?)^\};", header(), re.M | re.S):
        if name == "ktstr_entry":
            continue
        for line in body.split(";"):
            line = re.sub(r"\[[^\]]*\]", "", line)
            function = re.search(r"\(\*(\w+)\)\(", line)
            words = [function[1]] if function else re.findall(r"(\w+)\s*(?:,|$)", line.strip())
            found |= {(name, word) for word in words}
    return found


def examples():
    """C texts of the page that are whole files."""
    return [block for block in re.findall(r"^```\n(.*?)^```$", tree.text(PAGE), re.M | re.S) if "static void" in block or ".cgroups" in block]


def paths_of(value, path=""):
    """Every member of a document, as the page of records spells it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            below = f"{path}.{name}" if path else name
            yield below + "[]" if isinstance(inner, list) else below
            yield from paths_of(inner, below)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_of(inner, path + "[]")


class ManPages(unittest.TestCase):
    def built(self, name):
        """The page after its tables were put in."""
        path = os.path.join(BUILD, "src", "cli", f"{name}.scd")
        if not os.path.exists(path):
            self.skipTest("scdoc is not installed")
        with open(path, encoding="utf-8") as f:
            return f.read().replace("\\", "")

    def test_every_reason_is_explained_to_readers_of_reports(self):
        section = self.built("ktstr-test.1").partition("\n# REASONS\n")[2].partition("\n# ")[0]
        rows = re.findall(r'^KTSTR_REASON\(\w+,\s*"([\w-]+)",\s*(\w+),\s*"([^"]*)"\)', tree.text("include/ktstr/reasons.def"), re.M)
        self.assertGreater(len(rows), 20)
        expected = [(word, verdict.lower(), meaning) for word, verdict, meaning in rows]
        self.assertEqual(re.findall(r"^- \*([\w-]+)\* \((\w+)\): (.*)$", section, re.M), expected)

    def test_every_member_of_a_record_is_explained(self):
        page = self.built("ktstr-record.5")
        samples = [p for p in tree.files() if p.startswith("tests/data/records/schema-2-")]
        self.assertGreaterEqual(len(samples), 4)
        found = {path for p in samples for path in paths_of(json.loads(tree.text(p)))}
        self.assertIn("rerun.files[].build_id", found)
        self.assertEqual(sorted(p for p in found if f"*{p}* (" not in page), [])

    def test_every_public_name_is_explained(self):
        page = tree.text(PAGE).replace("\\", "")
        names = public_names()
        self.assertGreater(len(names), 80)
        self.assertEqual(sorted(n for n in names if not re.search(rf"\b{n}\b", page)), [])

    def test_every_member_is_explained(self):
        page = tree.text(PAGE).replace("\\", "")
        found = members()
        self.assertIn(("ktstr_test", "run"), found)
        self.assertIn(("ktstr_work", "sleep_ms"), found)
        # Authors use the macros for these three; lookups of metrics are by name.
        inner = {"ktstr_cpus", "ktstr_limit", "ktstr_metric_check"}
        self.assertEqual(sorted((s, m) for s, m in found if s not in inner and not re.search(rf"(?<![A-Za-z0-9]){m}(?![A-Za-z0-9])", page)), [])

    def test_every_view_of_inspect_is_explained(self):
        page = tree.text("man/ktstr-inspect.1.scd")
        views = re.findall(r'^DUMP_VIEW\(\w+, "(\w+)"', tree.text("src/dump/views.def"), re.M)
        self.assertGreater(len(views), 10)
        for view in views:
            with self.subTest(view):
                # What it shows, and its members in JSON.
                self.assertRegex(page, rf"(?m)^- .*\*{view}\*")
                self.assertRegex(page, rf"(?m)^\*{view}\*$")

    def test_every_short_name_is_in_the_man_page(self):
        page = tree.text(PAGE)
        for name in re.findall(r"#define\s+(\w+)\s+KTSTR_", tree.text("include/ktstr/short.h")):
            self.assertRegex(page, rf"\b{name}\b")

    def test_every_command_of_ktstr_has_a_page(self):
        pages = {name for name in os.listdir(os.path.join(tree.ROOT, "man")) if name.endswith(".scd")}
        commands = re.findall(r"&(?:cli_)?cmd_(\w+)", tree.text("src/cli/frame/program_ktstr.c"))
        self.assertGreater(len(commands), 8)
        # What these two do is told by ktstr(1).
        missing = [c for c in commands if c not in ("help", "version") and f"ktstr-{c.replace('_', '-')}.1.scd" not in pages]
        self.assertEqual(missing, [])
        built = tree.text("src/cli/meson.build")
        self.assertEqual([p for p in sorted(pages) if f"'{p[:-4]}'" not in built], [])

    def test_examples_compile_and_declare_tests(self):
        if not shutil.which(CC):
            self.skipTest(f"no compiler {CC}")
        found = examples()
        self.assertGreaterEqual(len(found), 4)
        for i, text in enumerate(found):
            with self.subTest(i), tempfile.TemporaryDirectory() as directory:
                source, program = os.path.join(directory, "example.c"), os.path.join(directory, "example")
                with open(source, "w", encoding="utf-8") as f:
                    f.write(text)
                flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(tree.ROOT, "include")]
                if not os.path.exists(LIBRARY):
                    subprocess.run([CC, *flags, "-fsyntax-only", source], check=True)
                    continue
                subprocess.run([CC, *flags, "-static", source, LIBRARY, "-lm", "-o", program], check=True)
                listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
                self.assertEqual(re.findall(r"KTSTR_TEST\((\w+)\)", text), re.findall(r"^(\w+)", listed, re.M))


if __name__ == "__main__":
    tap.main(__name__)
