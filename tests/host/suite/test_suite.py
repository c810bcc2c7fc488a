# SPDX-License-Identifier: GPL-2.0-or-later
"""Test binaries as the runner sees them: their lists, and reports of tests that need no guest."""

import json
import os
import re
import subprocess
import unittest

import tap

CASES = os.environ["KTSTR_SUITE_CASES"]
LIBRARY = os.path.join(os.environ["KTSTR_BUILD_DIR"], "src", "suite", "libktstr.a")
PATIENCE_S = 60


def path(name):
    return os.path.join(CASES, "suite-" + name)


def ask(name, *args):
    return subprocess.run([path(name), *args], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


class Answer:
    def __init__(self, test, binary="cases", slowness="2.5"):
        reader, writer = os.pipe()
        env = {**os.environ, "KTSTR_REPORT_FD": str(writer), "KTSTR_SLOWNESS": slowness}
        with subprocess.Popen([path(binary), "--run", test], env=env, pass_fds=[writer], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            os.close(writer)
            with os.fdopen(reader, "rb") as f:
                self.raw = f.read()
            self.stdout, self.stderr = child.communicate(timeout=PATIENCE_S)
        self.code = child.returncode
        self.lines = [json.loads(line) for line in self.raw.decode().splitlines()]

    def all(self, word):
        return [line for line in self.lines if line["report"] == word]

    def parts(self):
        return [(p["reason"], p["text"]) for p in self.all("part")]

    def notes(self):
        return [n["text"] for n in self.all("note")]


class Lists(unittest.TestCase):
    def test_another_parser_reads_what_was_declared(self):
        done = ask("cases", "--list", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        listed = json.loads(done.stdout)
        self.assertEqual(listed["ktstr_api"], 1)
        tests = {t["name"]: t for t in listed["tests"]}
        self.assertEqual(list(tests), sorted(tests))
        self.assertEqual(tests["passes"]["description"], 'ä "quoted"')
        full = tests["full"]
        with open(os.path.join(os.path.dirname(__file__), "cases.c"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        self.assertTrue(lines[full["line"] - 1].startswith("KTSTR_TEST(full)"))
        self.assertTrue(full["file"].endswith("cases.c"))
        del full["line"], full["file"]
        self.assertEqual(
            full,
            {
                "name": "full",
                "topology": "2n4l3c2t",
                "memory_mb": 777,
                "duration_s": 9,
                "timeout_s": 99,
                "scheduler": {
                    "name": "mine",
                    "argv": ["scx_x", "a b"],
                    "files": ["cfg"],
                    "sysctls": ["kernel.x=1"],
                    "kernel_args": ["quiet"],
                    "attach_timeout_s": 0, "may_restart": False,
                },
                "files": ["one", "two"],
                "cgroups": [
                    {"name": "left", "cpus": "llc:3", "work": {"kind": "sleep", "workers": 5, "burst_ms": 0, "sleep_ms": 10}},
                    {"name": "right", "cpus": "cpus:0-3", "work": None},
                ],
                "checks": {"progress": True, "isolation": True, "scheduler_alive": True, "max_spread_pct": 0.1, "declared": ["isolation", "max_spread_pct"]},
                "needs": {
                    "sched_ext": True,
                    "smt": True,
                    "min_cpus": 0,
                    "max_cpus": 0,
                    "min_llcs": 0,
                    "max_llcs": 0,
                    "min_nodes": 2,
                    "max_nodes": 0,
                    "kconfig": ['CONFIG_A="b"'],
                },
                "expect": "check",
                "has_run": False,
            },
        )

    def test_static_and_dynamic_binaries_list_the_same(self):
        self.assertEqual(ask("cases", "--list", "--json").stdout, ask("dynamic", "--list", "--json").stdout)

    def test_names_of_two_files_that_clash_are_told_with_both_places(self):
        done = ask("twice", "--list", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        told = re.sub(r"\S*/(twice_[ab]\.c)", r"\1", done.stderr)
        self.assertEqual(
            told,
            "twice_a.c:5: of_its_own: cgroup a: LLC 7, but the machine's last one is 0\n"
            "twice_b.c:4: same_name: the name is taken by the test at twice_a.c:4\n",
        )

    def test_a_binary_without_tests_says_so(self):
        done = ask("none", "--list", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no tests", done.stderr)


class Runs(unittest.TestCase):
    def check_shape(self, answer):
        self.assertEqual(answer.code, 0, answer.stderr)
        self.assertEqual(answer.lines[0]["report"], "begin")
        self.assertEqual(answer.lines[-1], {"report": "end", "parts": len(answer.all("part"))})
        self.assertEqual(len(answer.all("begin")) + len(answer.all("end")), 2)
        self.assertTrue(all(len(line) < 1 << 18 for line in answer.raw.split(b"\n")))

    def run_case(self, test, **how):
        answer = Answer(test, **how)
        self.check_shape(answer)
        return answer

    def test_a_test_that_passes_has_no_parts(self):
        answer = self.run_case("passes")
        self.assertEqual(answer.parts(), [])
        self.assertEqual(answer.notes(), ["note 1"])
        self.assertEqual(answer.stdout, "printed\n")
        self.assertEqual([s["name"] for s in answer.all("stage")], ["setup", "work", "cleanup"])
        self.assertEqual((answer.lines[0]["test"], answer.lines[0]["api"]), ("passes", 1))

    def test_expect_goes_on(self):
        answer = self.run_case("expects")
        self.assertEqual(answer.parts(), [("expectation", "1 == 2: one is 1"), ("expectation", '!"second"'),
                                          ("expectation", '!"third"')])
        with open(os.path.join(os.path.dirname(__file__), "cases.c"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        for part, text in zip(answer.all("part"), ("1 == 2", "second", "third")):
            self.assertTrue(part["file"].endswith("cases.c"))
            self.assertIn(text, lines[part["line"] - 1])

    def test_require_ends_the_test_from_any_depth(self):
        answer = self.run_case("requires")
        self.assertEqual(answer.parts(), [("expectation", "depth > 0: depth 0")])
        self.assertEqual(answer.notes(), [])

    def test_need_ends_the_test(self):
        answer = self.run_case("needs")
        self.assertEqual([p[0] for p in answer.parts()], ["need"])
        self.assertEqual(answer.notes(), [])

    def test_a_crash_is_told_and_what_was_said_before_stays(self):
        answer = self.run_case("crashes")
        self.assertEqual(answer.parts()[0], ("expectation", "0: said before"))
        self.assertEqual(answer.parts()[1], ("test-crashed", "the test's function was ended by signal 11 (SIGSEGV)"))
        self.assertEqual(len(answer.parts()), 2)

    def test_an_exit_is_no_return(self):
        answer = self.run_case("exits")
        self.assertEqual([p[0] for p in answer.parts()], ["test-crashed"])
        self.assertIn("exit code 0", answer.parts()[0][1])

    def test_half_a_line_does_not_get_into_the_report(self):
        answer = self.run_case("half_a_line")
        self.assertEqual([p[0] for p in answer.parts()], ["test-crashed"])
        self.assertIn("SIGKILL", answer.parts()[0][1])
        self.assertEqual(answer.notes(), ["whole"])

    def gone(self, text):
        for pid in re.findall(r"(\d+) \(", text):
            with self.subTest(pid):
                self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_a_hidden_process_is_left_over_and_ended(self):
        answer = self.run_case("hides_a_process")
        self.assertEqual([p[0] for p in answer.parts()], ["leftover"])
        self.assertIn("(suite-cases, state S)", answer.parts()[0][1])
        self.gone(answer.parts()[0][1])

    def test_what_a_crash_leaves_is_ended_and_not_blamed(self):
        answer = self.run_case("crashes_with_a_child")
        self.assertEqual([p[0] for p in answer.parts()], ["test-crashed"])

    def test_a_forked_process_reports_but_does_not_end_the_test(self):
        answer = self.run_case("forked_reporter")
        self.assertEqual(answer.parts(), [("expectation", "0: in the child")])
        self.assertEqual(answer.notes(), ["still here"])

    def test_threads_do_not_mix_their_lines(self):
        answer = self.run_case("threads")
        self.assertEqual(len(answer.parts()), 400)
        self.assertEqual({len(p[1]) for p in answer.parts()}, {203})

    def test_a_flood_is_bounded_and_counted(self):
        answer = self.run_case("floods")
        self.assertEqual(len(answer.parts()), 1000)
        self.assertEqual(answer.notes(), ["lines of the test's function dropped, since there were too many: 500"])

    def test_a_long_text_is_cut_with_a_count(self):
        answer = self.run_case("long_text")
        self.assertEqual(answer.notes(), ["x" * 16384 + f"… ({1000000 - 16384} bytes more)"])

    def test_programs_of_the_test_have_no_descriptor_of_ours(self):
        answer = self.run_case("descriptors")
        self.assertEqual(answer.stdout.split(), ["0", "1", "2", "3"])

    def test_a_setting_that_does_not_exist_is_a_broken_set_up(self):
        answer = self.run_case("unknown_setting")
        self.assertEqual(answer.parts(), [("setup", "sysctl kernel.no_such=1: No such file or directory")])
        self.assertEqual([s["name"] for s in answer.all("stage")], ["setup", "cleanup"])

    def test_a_scheduler_needs_sched_ext_and_its_file(self):
        answer = self.run_case("with_scheduler")
        there = os.path.exists("/sys/kernel/sched_ext")
        self.assertEqual([p[0] for p in answer.parts()], ["setup" if there else "needs-sched-ext"])

    def test_functions_of_the_author_may_be_called_as_ours(self):
        answer = self.run_case("clash", binary="clash")
        self.assertEqual(answer.parts(), [("expectation", "1 > 2: as ever")])

    def test_by_hand_the_report_is_readable(self):
        env = {k: v for k, v in os.environ.items() if k not in ("KTSTR_REPORT_FD", "KTSTR_SLOWNESS")}
        done = subprocess.run([path("cases"), "--run", "expects"], env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"(?m)^part \[expectation\] 1 == 2: one is 1 \(\S*cases\.c:\d+\)$")


class Reports(unittest.TestCase):
    def test_a_report_nobody_reads_is_no_success(self):
        reader, writer = os.pipe()
        os.close(reader)
        env = {**os.environ, "KTSTR_REPORT_FD": str(writer)}
        done = subprocess.run([path("cases"), "--run", "passes"], env=env, pass_fds=[writer], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, 3)
        self.assertIn("not complete", done.stderr)

    def test_a_descriptor_that_is_not_open_is_told(self):
        env = {**os.environ, "KTSTR_REPORT_FD": "77"}
        done = subprocess.run([path("cases"), "--run", "passes"], env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("KTSTR_REPORT_FD=77", done.stderr)

    def test_a_slowness_that_is_none_is_told(self):
        done = subprocess.run([path("cases"), "--run", "passes"], env={**os.environ, "KTSTR_SLOWNESS": "x"}, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("KTSTR_SLOWNESS=x", done.stderr)


class Library(unittest.TestCase):
    def test_nothing_is_visible_but_what_authors_call(self):
        done = subprocess.run(["nm", "--defined-only", "--extern-only", LIBRARY], capture_output=True, text=True, check=True)
        names = [line.split()[-1] for line in done.stdout.splitlines() if re.match(r"[0-9a-f]+ ", line)]
        self.assertIn("main", names)
        self.assertIn("ktstr_expect_", names)
        self.assertEqual([n for n in names if n != "main" and not n.startswith("ktstr_")], [])

    def test_it_carries_no_sanitizer(self):
        done = subprocess.run(["nm", "--undefined-only", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual(re.findall(r"__(?:asan|ubsan|tsan|msan|gcov|llvm_prof)\w*", done.stdout), [])


if __name__ == "__main__":
    tap.main(__name__)
