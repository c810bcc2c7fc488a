# SPDX-License-Identifier: GPL-2.0-or-later
"""Every text file says under which licence it stands, in its first three lines."""

import re
import unittest

import tap
import tree

SPDX = re.compile(r"SPDX-License-Identifier: (\S+)")

# The one list of files without the line: what cannot carry a comment, or is data.
EXCEPTIONS = (
    (r"LICENSES/", "the licences themselves"),
    (r"tests/fuzz/corpus/", "inputs, byte by byte"),
    (r"tests/data/", "data of real machines and of other programs"),
    (r"tests/golden/(?!.*(\.py|\.c|\.h|\.sh|meson\.build|README\.md)$)", "what a command must print"),
    (r"tests/(mutants|fuzz/planted|house/recipes)/.*\.patch$", "differences of files that have the line"),
    (r"debian/(changelog|source/format)$", "fixed formats"),
    (r".*\.(json|csv|svg|png)$", "formats without comments"),
)

# First match decides; None: any of the project's licences.
EXPECTED = (
    (r"bpf/(.*\.bpf\.c|scx\.h|kernel_task\.h)$", "GPL-2.0-only"),
    (r"bpf/", "GPL-2.0-or-later"),
    (r"src/(agent|cli|plugin)/", "GPL-2.0-or-later"),
    (r"src/.*\.[ch]$", "LGPL-2.1-or-later"),
    (r"include/", "LGPL-2.1-or-later"),
    (r"(tests|tools|bench)/", "GPL-2.0-or-later"),
)
LICENCES = {"GPL-2.0-only", "GPL-2.0-or-later", "LGPL-2.1-or-later"}


def complaint(path, text):
    if text is None or not text.strip() or any(re.match(rule, path) for rule, _ in EXCEPTIONS):
        return None
    found = SPDX.search("\n".join(text.splitlines()[:3]))
    if not found:
        return f"{path}: no SPDX line"
    want = next((word for rule, word in EXPECTED if re.match(rule, path)), None)
    if found[1] not in ({want} if want else LICENCES):
        return f"{path}: {found[1]}, expected {want or sorted(LICENCES)}"
    return None


class Licences(unittest.TestCase):
    def test_every_text_file_has_its_line(self):
        wrong = [c for c in (complaint(f, tree.text(f)) for f in tree.files()) if c]
        self.assertEqual(wrong, [])

    def test_a_file_without_the_line_is_found(self):
        self.assertIn("no SPDX", complaint("src/base/x.c", "int x;\n"))
        self.assertIn("no SPDX", complaint("tools/x", "#!/bin/sh\n" + "\n" * 3 + "# SPDX-" "License-Identifier: GPL-2.0-or-later\n"))

    def test_the_wrong_licence_is_found(self):
        line = "// SPDX-" "License-Identifier: GPL-2.0-or-later\n"
        self.assertIn("expected LGPL", complaint("src/base/x.c", line))
        self.assertIsNone(complaint("src/cli/x.c", line))
        self.assertIn("expected GPL-2.0-only", complaint("bpf/x.bpf.c", line))
        self.assertIsNone(complaint("bpf/x.c", line))
        self.assertIn("expected", complaint("README.md", "<!-- SPDX-" "License-Identifier: MIT -->\n"))


if __name__ == "__main__":
    tap.main(__name__)
