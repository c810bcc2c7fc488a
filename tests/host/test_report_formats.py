# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run is reported as is read back by parsers of other making: no test is lost, doubled or mixed up.

The KTAP parser follows Documentation/dev-tools/ktap.rst of the kernel (version 1) and nothing else; names are unspelt as
src/report/spell.h says. JUnit is read by the standard library's XML parser, JSON by its JSON parser.
"""

import collections
import itertools
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ET

import tap

WRITER = os.environ["KTSTR_REPORT_WRITER"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

Outcome = collections.namedtuple("Outcome", "index reason suite test name why note")

HOSTILE = [
    b"plain",
    b"a # SKIP",
    b"a # skip b",
    b"a \\# SKIP b",
    b"#",
    b"# TODO",
    b"a\nok 1 b",
    b"a\nnot ok 2 b # SKIP",
    b"a\r\nb",
    b"a\\nb",
    b"a\\\nb",
    b"\\",
    b"\\x23",
    b"- dash",
    b"-- two",
    b"123 number",
    b" blank before",
    b"blank behind ",
    b"blank  inside",
    b"tab\t\tinside",
    b"<a href=\"b\">&amp;</a>",
    b"]]>",
    b"<!--",
    b"'\"",
    b"&#0;",
    b"\x1b[31mred\x07",
    b"\x01\x02\x1f\x7f",
    b"\xff\xfe",
    b"\xff\xfd",
    b"\xc3",
    b"\xed\xa0\x80",
    "名前".encode(),
    "e\u0301 \u00e9".encode(),
    "\u202eturned".encode(),
    "\u2028line\u2029".encode(),
    "\u0085next".encode(),
    "\ufffe\uffff".encode(),
    "\ufffd".encode(),
    "\U0001f427".encode(),
    "\ufeff".encode(),
    b"x" * 300,
    b"x" * 299 + b"y",
    "\u00fc".encode() * 150,
    b"1..5",
    b"KTAP version 1",
    b"Subtest: x",
    b"a:b@c,d=e",
    b"PASS",
]


def reasons():
    """The vocabulary: word -> verdict, from the header that every author includes."""
    with open(os.path.join(ROOT, "include/ktstr/reasons.def"), encoding="utf-8") as f:
        rows = re.findall(r'^KTSTR_REASON\(\w+,\s*"([^"]+)",\s*(\w+),', f.read(), re.M)
    return {word: verdict.lower() for word, verdict in rows}


REASONS = reasons()


def outcomes():
    """Hostile names, then the same test in two suites, on two machines and kernels, and twice."""
    words = itertools.cycle(REASONS)
    names = [(b"suite", text + b"@1n1l1c1t") for text in HOSTILE]
    names += [(text, b"test@1n1l1c1t") for text in HOSTILE]
    names += [(text, text) for text in HOSTILE]
    for suite, topology, kernel, run in itertools.product(
        (b"one", b"two"), (b"1n2l2c1t", b"2n4l4c2t"), (b"", b",6.1", b",6.10"), (b"", b",run=1", b",run=2")
    ):
        names.append((suite, b"same@" + topology + kernel + run))
    made = []
    for index, (suite, rest) in enumerate(names):
        made.append(
            Outcome(index, next(words), suite, rest.split(b"@")[0], suite + b":" + rest,
                    HOSTILE[index % len(HOSTILE)], HOSTILE[(index * 7) % len(HOSTILE)])
        )
    # They end in another order than that of the plan.
    return made[::2] + made[1::2][::-1]


def write(form, told, n_tests=None):
    def as_hex(text):
        return text.hex() or "-"

    lines = "".join(
        f"{o.index} {o.reason} {as_hex(o.suite)} {as_hex(o.test)} {as_hex(o.name)} {as_hex(o.why)} {as_hex(o.note)}\n"
        for o in told
    )
    done = subprocess.run([WRITER, form, str(len(told) if n_tests is None else n_tests)],
                          input=lines.encode(), capture_output=True, timeout=120, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(f"report-writer {form}: {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def unspell(spelt):
    def one(match):
        what = match[1]
        return bytes([int(what[1:], 16)]) if what[:1] == b"x" else {b"n": b"\n", b"\\": b"\\"}[what]

    return re.sub(rb"\\(x[0-9a-f]{2}|.)", one, spelt, flags=re.S)


def expected(told):
    return sorted((o.name, REASONS[o.reason], o.reason) for o in told)


DIRECTIVES = {"SKIP", "TODO", "XFAIL", "TIMEOUT", "ERROR"}
Result = collections.namedtuple("Result", "ok number description directive data")


def parse_ktap(text):
    """(planned, results); any line the document does not know is refused, though it allows them."""
    lines = text.decode("utf-8").split("\n")
    if lines.pop() != "":
        raise ValueError("the last line is not ended")
    if lines[0] != "KTAP version 1":
        raise ValueError("no version line")
    plan = re.fullmatch(r"1\.\.([0-9]+)", lines[1])
    results = []
    for line in lines[2:]:
        if line.startswith("# "):
            continue
        # <result> <number> [<description>][ # [<directive>] [<diagnostic data>]]
        match = re.fullmatch(r"(ok|not ok) ([0-9]+)(?: ([^#]*?))?(?: # (.*))?", line)
        if not match:
            raise ValueError(f"not a line of KTAP: {line!r}")
        data = match[4]
        directive = None
        if data is not None and data.split(" ")[0] in DIRECTIVES:
            directive, _, data = data.partition(" ")
        results.append(Result(match[1] == "ok", int(match[2]), match[3], directive, data))
    if [r.number for r in results] != list(range(1, len(results) + 1)):
        raise ValueError("numbers do not go up by one")
    return int(plan[1]), results


def from_ktap(result):
    reason = "none" if result.data is None else result.data.partition(":")[0]
    return unspell(result.description.encode()), REASONS[reason], reason


class Formats(unittest.TestCase):
    def setUp(self):
        self.maxDiff = 2000
        self.told = outcomes()
        names = [o.name for o in self.told]
        self.assertEqual(len(set(names)), len(names), "the test's own names meet")
        self.assertEqual({o.reason for o in self.told}, set(REASONS))

    def test_ktap_gives_every_test_back_with_verdict_and_reason(self):
        planned, results = parse_ktap(write("ktap", self.told))
        self.assertEqual(planned, len(self.told))
        self.assertEqual(sorted(map(from_ktap, results)), expected(self.told))

    def test_ktap_directives_fit_the_verdict(self):
        _, results = parse_ktap(write("ktap", self.told))
        for r in results:
            name, verdict, reason = from_ktap(r)
            wanted = {"skip": "SKIP", "broken": "ERROR", "inconclusive": "ERROR"}.get(verdict)
            if reason == "timeout":
                wanted = "TIMEOUT"
            with self.subTest(name):
                self.assertEqual(r.directive, wanted)
                self.assertEqual(r.ok, verdict in ("pass", "skip"))

    def test_ktap_descriptions_are_unique_without_unescaping(self):
        _, results = parse_ktap(write("ktap", self.told))
        self.assertEqual(len({r.description.strip() for r in results}), len(self.told))

    def test_kunit_parser_sees_the_same_skips(self):
        """As the kernel's own kunit_parser does it: the last ' # SKIP' of a line counts, a '- ' is swallowed."""
        skips, names = 0, set()
        for line in write("ktap", self.told).decode().splitlines():
            if re.match(r"^\s*(ok|not ok) ([0-9]+) ?(- )?(.*) # SKIP ?(.*)$", line):
                skips += 1
            match = re.match(r"^\s*(ok|not ok) ([0-9]+) ?(- )?([^#]*)( # .*)?$", line)
            if match:
                names.add(unspell(match[4].encode()))
        self.assertEqual(skips, sum(REASONS[o.reason] == "skip" for o in self.told))
        self.assertEqual(names, {o.name for o in self.told})

    def test_perls_reader_counts_the_same(self):
        code = """
            use TAP::Parser; binmode STDOUT; local $/; my $p = TAP::Parser->new({ tap => <STDIN> });
            while (my $r = $p->next) { printf "%d %d %d\\n", $r->number, $r->is_actual_ok, $r->has_skip if $r->is_test }
        """
        if subprocess.run(["perl", "-MTAP::Parser", "-e1"], capture_output=True, check=False).returncode:
            self.skipTest("there is no TAP::Parser")
        done = subprocess.run(["perl", "-e", code], input=write("ktap", self.told), capture_output=True,
                              timeout=60, check=True)
        rows = [tuple(map(int, line.split())) for line in done.stdout.decode().splitlines()]
        wanted = []
        for number, o in enumerate(self.told, 1):
            verdict = REASONS[o.reason]
            wanted.append((number, int(verdict in ("pass", "skip")), int(verdict == "skip")))
        self.assertEqual(rows, wanted)

    def test_junit_gives_every_test_back_with_verdict_and_reason(self):
        root = ET.fromstring(write("junit", self.told))
        back = []
        for case in root.iter("testcase"):
            name = unspell(case.get("classname").encode()) + b":" + unspell(case.get("name").encode())
            says = {p.get("name"): p.get("value") for p in case.find("properties")}
            self.assertEqual(unspell(says["name"].encode()), name)
            back.append((name, says["verdict"], says["reason"]))
            elements = [(e.tag, e.get("type")) for e in case if e.tag in ("failure", "error", "skipped")]
            tag = {"fail": "failure", "skip": "skipped", "broken": "error", "inconclusive": "error"}.get(says["verdict"])
            self.assertEqual(elements, [(tag, says["reason"])] if tag else [])
        self.assertEqual(sorted(back), expected(self.told))

    def test_junit_cases_are_unique_without_unescaping(self):
        root = ET.fromstring(write("junit", self.told))
        ids = {(case.get("classname"), case.get("name")) for case in root.iter("testcase")}
        self.assertEqual(len(ids), len(self.told))

    def test_junit_counts_are_those_of_its_cases(self):
        root = ET.fromstring(write("junit", self.told))
        self.assertEqual(root.tag, "testsuites")
        suites = [unspell(s.get("name").encode()) for s in root]
        self.assertEqual(sorted(suites), sorted({o.suite for o in self.told}))
        for part in (root, *root):
            cases = list(part.iter("testcase"))
            with self.subTest(part.get("name")):
                self.assertEqual(int(part.get("tests")), len(cases))
                for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                    self.assertEqual(int(part.get(attribute)), sum(c.find(tag) is not None for c in cases))

    def test_junit_texts_come_back_but_for_what_xml_cannot_hold(self):
        def legal(text):
            text = text.decode("utf-8", errors="replace")
            return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)

        by_name = {o.name: o for o in self.told}
        root = ET.fromstring(write("junit", self.told))
        for case in root.iter("testcase"):
            name = unspell(case.get("classname").encode()) + b":" + unspell(case.get("name").encode())
            o = by_name[name]
            # How many marks stand for broken bytes is nobody's business.
            with self.subTest(name):
                self.assertEqual(re.sub("\ufffd+", "\ufffd", case.find("system-out").text),
                                 re.sub("\ufffd+", "\ufffd", legal(o.note)) + "\n")
                for tag in ("failure", "error", "skipped"):
                    for element in case.findall(tag):
                        self.assertEqual(re.sub("\ufffd+", "\ufffd", element.get("message")),
                                         re.sub("\ufffd+", "\ufffd", legal(o.why)))

    def test_json_gives_every_test_back_with_verdict_and_reason(self):
        lines = write("json", self.told).decode("utf-8").split("\n")
        self.assertEqual(lines.pop(), "")
        rows = [json.loads(line) for line in lines]
        self.assertEqual(rows[0]["report"], "plan")
        self.assertEqual(rows[0]["tests"], len(self.told))
        tests = {row["index"]: row for row in rows if row["report"] == "test"}
        self.assertEqual(len(tests), len(self.told))
        for o in self.told:
            row = tests[o.index]
            # JSON has no bytes: what is no UTF-8 is replaced, and the index keeps such names apart.
            self.assertEqual((row["name"], row["verdict"], row["reason"]),
                             (o.name.decode(errors="replace"), REASONS[o.reason], o.reason))
        counts = collections.Counter(REASONS[o.reason] for o in self.told)
        self.assertEqual({v: rows[-1][v] for v in counts}, counts)
        self.assertEqual((rows[-1]["report"], rows[-1]["not_run"]), ("summary", 0))

    def test_pretty_has_one_line_for_each_test(self):
        labels = {"pass": "PASS", "fail": "FAIL", "skip": "SKIP", "broken": "BROKEN", "inconclusive": "INCONC"}
        lines = write("pretty", self.told).decode("utf-8").partition("\nnot passed:\n")[0].splitlines()
        seen = collections.Counter(line[:8].rstrip() for line in lines if re.match(r"[A-Z]{4,6} +\S.* 1\.5 s$", line))
        self.assertEqual(seen, collections.Counter(labels[REASONS[o.reason]] for o in self.told))

    def test_tests_that_were_not_run_are_missed(self):
        some = self.told[:5]
        planned, results = parse_ktap(write("ktap", some, 1000))
        self.assertEqual((planned, len(results)), (1000, 5))
        self.assertEqual(ET.fromstring(write("junit", some, 1000)).get("tests"), "5")
        self.assertEqual(json.loads(write("json", some, 1000).splitlines()[-1])["not_run"], 995)


if __name__ == "__main__":
    tap.main(__name__)
