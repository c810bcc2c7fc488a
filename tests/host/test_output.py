# SPDX-License-Identifier: GPL-2.0-or-later
"""What is printed where: one document on standard output, words on standard error."""

import json
import os
import pty
import signal
import subprocess

import tap
from support import MIB, PROBE, HostTest, probe, target_path

TOP = ["schema_version", "pid", "tool_version", "started_at_unix_sec", "interrupted", "evidence", "object",
       "offsets_from", "stopped_threads", "stopped_ns_total", "snapshots"]
READ = ["tid", "comm", "start_time_jiffies", "allocated_bytes", "deallocated_bytes", "method"]
FAILED = ["tid", "comm", "start_time_jiffies", "error", "error_kind"]


def leaves(value):
    if isinstance(value, dict):
        for v in value.values():
            yield from leaves(v)
    elif isinstance(value, list):
        for v in value:
            yield from leaves(v)
    else:
        yield value


class Document(HostTest):
    def test_json_members_are_in_the_documented_order(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        document = self.read(target.pid)
        self.assertEqual(list(document), TOP)
        self.assertEqual(list(document["snapshots"][0]), ["timestamp_unix_sec", "elapsed_since_start_ns", "threads"])
        for thread in document["snapshots"][0]["threads"]:
            self.assertEqual(list(thread), READ)
        self.assertEqual((document["schema_version"], document["pid"], document["interrupted"]), (3, target.pid, False))
        self.assertRegex(document["tool_version"], r"^\d+\.\d+\.\d+")

    def test_the_interval_is_there_for_several_snapshots_only(self):
        target = self.start_target("pie")
        self.assertNotIn("interval_ms", self.read(target.pid))
        self.assertNotIn("interval_ms", self.read(target.pid, "--snapshots", "1"))
        document = self.read(target.pid, "--snapshots", "2", "--interval-ms", "7")
        self.assertEqual(list(document), TOP[:4] + ["interval_ms"] + TOP[4:])
        self.assertEqual(document["interval_ms"], 7)

    def test_failed_threads_have_a_reason_and_no_number(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        document = self.read(target.pid, "--no-ptrace")
        failed = [t for t in document["snapshots"][0]["threads"] if "error" in t]
        self.assertEqual([list(t) for t in failed], [FAILED])
        self.assertIn(str(target.raw), failed[0]["error"])

    def test_a_name_of_any_bytes_is_a_valid_string(self):
        for name, shown in ((b"tab\there", "tab\there"), (b'"quoted"\\', '"quoted"\\'), (b"line\nbreak", "line\nbreak"),
                            (b"\x1b[31mred", "\x1b[31mred"), (b"half \xce", None), (b"\xff\xfe", None)):
            with self.subTest(name=name):
                target = self.start_target("pie", "--name", name)
                answer = probe("--pid", target.pid, "--json", errors="strict")
                thread = answer.document["snapshots"][0]["threads"][0]
                if shown is not None:
                    self.assertEqual(thread["comm"], shown)
                lines = probe("--pid", target.pid).stdout.splitlines()
                self.assertEqual(len(lines), 3, lines)
                self.assertTrue(lines[2].isprintable(), lines[2])

    def test_json_output_has_no_null(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        for way in ([], ["--no-ptrace"], ["--ptrace"]):
            self.assertNotIn(None, list(leaves(self.read(target.pid, *way))))

    def test_numbers_are_integers(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        for value in leaves(self.read(target.pid)):
            self.assertNotIsInstance(value, float)

    def test_standard_output_holds_one_document_and_nothing_else(self):
        target = self.start_target("pie")
        answer = probe("--pid", target.pid, "--json")
        document, end = json.JSONDecoder().raw_decode(answer.stdout)
        self.assertEqual((answer.stdout[0], answer.stdout[end:]), ("{", "\n"))
        self.assertEqual(document["pid"], target.pid)


class Lines(HostTest):
    def test_a_pipe_gets_one_line_per_thread(self):
        target = self.start_target("pie", threads=2)
        answer = probe("--pid", target.pid)
        self.assertEqual((answer.code, answer.stderr), (0, ""), answer)
        first, second, *rest = answer.stdout.splitlines()
        self.assertRegex(first, rf"^pid={target.pid} tool_version=\S+ object={target_path('pie')}$")
        self.assertRegex(second, r"^--- snapshot 1/1 @ \d+s ---$")
        expected = [f"tid={tid} comm={self.comm(target.pid, tid)} allocated_bytes={a} deallocated_bytes={d}"
                    for tid, (a, d) in sorted(target.threads.items())]
        self.assertEqual(rest, expected)

    def comm(self, pid, tid):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
            return f.read().strip()

    def test_warnings_go_to_standard_error(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        answer = probe("--pid", target.pid, "--no-ptrace")
        self.assertEqual(answer.code, 0, answer)
        self.assertNotIn(f"tid={target.raw} ", answer.stdout)
        self.assertRegex(answer.stderr, rf"^warning: tid {target.raw} comm=\S+ \[thread-pointer\]: .+\n$")

    def test_several_snapshots_are_numbered(self):
        target = self.start_target("pie")
        answer = probe("--pid", target.pid, "--snapshots", "3", "--interval-ms", "5")
        heads = [line.split(" @")[0] for line in answer.stdout.splitlines() if line.startswith("---")]
        self.assertEqual(heads, [f"--- snapshot {i}/3" for i in (1, 2, 3)])

    def test_a_terminal_gets_a_table(self):
        target = self.start_target("pie", threads=1)
        for more, words in (([], ["allocated", "freed"]), (["--snapshots", "2", "--interval-ms", "5"], ["/s"])):
            with self.subTest(more=more):
                master, slave = pty.openpty()
                done = subprocess.Popen([PROBE, "--pid", str(target.pid), *more], stdout=slave, stderr=subprocess.PIPE,
                                        env=dict(os.environ, TERM="dumb", NO_COLOR="1"))
                os.close(slave)
                text = b""
                while True:
                    try:
                        piece = os.read(master, 65536)
                    except OSError:
                        break
                    if not piece:
                        break
                    text += piece
                os.close(master)
                done.communicate()
                self.assertEqual(done.returncode, 0)
                shown = text.decode().lower()
                self.assertNotIn("allocated_bytes=", shown)
                for word in [*words, *map(str, target.threads)]:
                    self.assertIn(word, shown)


class Trouble(HostTest):
    def test_a_full_device_is_a_failure(self):
        target = self.start_target("pie")
        for form in ([], ["--json"]):
            with self.subTest(form=form), open("/dev/full", "w", encoding="utf-8") as full:
                answer = probe("--pid", target.pid, *form, stdout=full)
                self.assertEqual(answer.code, 1, answer)
                self.assertIn("error writing output: ", answer.stderr)
                self.assertIn("No space left on device", answer.stderr)

    def test_a_closed_standard_output_is_a_failure(self):
        target = self.start_target("pie")
        done = subprocess.run(["sh", "-c", f'exec "$0" --pid {target.pid} --json >&-', PROBE], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("error writing output: ", done.stderr)

    def test_a_reader_that_went_away_ends_it_quietly(self):
        """Also when the parent ignores the signal, as Python itself does."""
        target = self.start_target("pie")
        for form in ([], ["--json"]):
            with self.subTest(form=form):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([PROBE, "--pid", str(target.pid), *form], stdout=writer, stderr=subprocess.PIPE,
                                      check=False, restore_signals=False)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    def test_a_fatal_end_prints_no_document(self):
        answer = probe("--pid", os.getpid(), "--json")
        self.assertEqual((answer.code, answer.stdout), (1, ""))


if __name__ == "__main__":
    tap.main(__name__)
