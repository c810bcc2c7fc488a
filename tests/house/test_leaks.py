# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing in the tree tells where it was made, and no file outgrows its reader."""

import os
import re
import unittest

import tap
import tree

MAX_BYTES = 512 * 1024
MAX_LINES = 600
SOURCE = (".c", ".h", ".py", ".sh", ".def", ".build")

# Letters in brackets keep this file from finding itself.
LEAKS = (
    (rb"(?<![\w.\])}>*-])/wor[k]/", "a path of one machine"),
    (rb"/tm[p]/(wt|helpers)\b", "a path of one machine"),
    (rb"(?<![\w.])/hom[e]/(?!user\b)[a-z_][\w.-]*/", "somebody's home directory"),
    # In quotes it is mostly the end of /proc/PID/root/...; with a dot behind it never is.
    (rb"(?<![\w\])}>*$\"'-])/roo[t]/|/roo[t]/\.\w", "root's home directory"),
    (rb"(?i)\b(deb|ftp|security|archive|snapshot)(\.[a-z]+)?\.debian\.org\b", "a host of a package mirror"),
    (rb"(?i)\b(archive|security|ports)\.ubuntu\.com\b", "a host of a package mirror"),
    (rb"(?i)\b(registry\.npmjs|pypi\.org|files\.pythonhosted|crates\.io|proxy\.golang|rubygems\.org)", "a package registry"),
    (rb"(?i)https?://[^\s/\"']*(mirror|artifactory|nexus|proxy)", "a host of a package mirror"),
    (rb"BEGIN [A-Z ]*PRIVATE KEY", "a key"),
)

# Files that must name such a path, and why.
EXCEPTIONS = {
    "tools/in-debian": ("home directory", "directories inside the throw-away root that it makes"),
    "tools/lib/enter-root.sh": ("home directory", "directories inside the throw-away root that it enters"),
}


def leaks(path, data):
    for rule, what in LEAKS:
        if what.endswith(EXCEPTIONS.get(path, ("nothing",))[0]):
            continue
        for match in re.finditer(rule, data):
            line = data.count(b"\n", 0, match.start()) + 1
            yield f"{path}:{line}: {what}: {match.group().decode(errors='replace')}"


def too_long(path, lines, readme):
    """A long source file is named in its directory's README, with the reason."""
    if path.endswith(SOURCE) and lines > MAX_LINES and os.path.basename(path) not in readme:
        return f"{path}: {lines} lines, and its directory's README.md does not say why"
    return None


class Leaks(unittest.TestCase):
    def setUp(self):
        self.files = [f for f in tree.files() if not f.startswith("LICENSES/")]

    def read(self, path):
        with open(os.path.join(tree.ROOT, path), "rb") as f:
            return f.read()

    def test_no_file_names_a_machine_or_a_mirror(self):
        self.assertEqual([line for f in self.files for line in leaks(f, self.read(f))], [])

    def test_no_file_is_large(self):
        sizes = {f: os.path.getsize(os.path.join(tree.ROOT, f)) for f in self.files}
        self.assertEqual({f: n for f, n in sizes.items() if n > MAX_BYTES}, {})

    def test_long_sources_say_why(self):
        wrong = []
        for path in self.files:
            readme = os.path.join(os.path.dirname(path), "README.md")
            text = tree.text(readme) if os.path.exists(os.path.join(tree.ROOT, readme)) else ""
            wrong.append(too_long(path, self.read(path).count(b"\n"), text or ""))
        self.assertEqual([w for w in wrong if w], [])

    def test_planted_leaks_are_found(self):
        for text in ("cd /wor" "k/main", "/hom" "e/jane/src/x.c", "http://de" "b.debian.org/debian", "see /roo" "t/x", "\"/roo" "t/.cache/x", "ftp.de" ".debian.org",
                     "https://mirr" "or.example/debian", "/tm" "p/wt/x"):
            with self.subTest(text):
                self.assertTrue(list(leaks("x", text.encode())))

    def test_innocent_paths_are_left_alone(self):
        self.assertEqual(list(leaks("tools/in-debian", b"/hom" b"e/dev/ktstr")), [])
        for text in ("/proc/41/root/etc", "/proc/<pid>/root/lib", "%d/root/", "src/work/spin.c", "$pid/root/usr", '"/root/opt/app"', "www.debian.org"):
            with self.subTest(text):
                self.assertEqual(list(leaks("x", text.encode())), [])

    def test_a_long_file_not_named_in_the_readme_is_found(self):
        self.assertTrue(too_long("src/elf/big.c", 601, "elf reads images"))
        self.assertIsNone(too_long("src/elf/big.c", 601, "big.c is one table, see there"))
        self.assertIsNone(too_long("src/elf/big.c", 600, ""))


if __name__ == "__main__":
    tap.main(__name__)
