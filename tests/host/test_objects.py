# SPDX-License-Identifier: GPL-2.0-or-later
"""Every way a program can carry jemalloc, and every place its debug information can be."""

import glob
import json
import os
import shutil
import subprocess
import unittest

import tap
from support import (
    DEPS, MIB, PROBE, TARGETS, WORKER, HostTest, ask_with_gdb, counters, errors, jemalloc_dir, methods, need_root, probe,
    target_path, tids, wait_until,
)

VERSION = "5.3.0"


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def words_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split()


def tls_bytes(path):
    """What readelf says about the TLS segment."""
    out = subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == ["TLS"])
    return int(row[5], 16)


class ExactTest(HostTest):
    def assert_exact(self, target, evidence, *ways):
        """The probe and the target agree to the byte, with and without stopping."""
        for way in ways or ([], ["--ptrace"]):
            with self.subTest(way=way):
                document = self.read(target.pid, *way)
                read = counters(document)
                self.assertEqual(document["evidence"], evidence)
                self.assertEqual({t: read.get(t) for t in target.threads}, target.threads)
                self.assertEqual({t: read.get(t) for t in target.idle}, dict.fromkeys(target.idle, (0, 0)))
                self.assertEqual(sorted(read), tids(target.pid))


class Programs(ExactTest):
    def test_position_independent_program(self):
        self.assert_exact(self.start_target("pie", threads=3, idle=1), "dwarf")

    def test_fixed_position_program(self):
        self.assert_exact(self.start_target("nonpie", threads=3, idle=1), "dwarf")

    def test_static_program(self):
        self.assert_exact(self.start_target("static", threads=3, idle=1), "dwarf")

    def test_static_position_independent_program(self):
        self.assert_exact(self.start_target("static-pie", threads=3, idle=1), "dwarf")

    def test_prefixed_jemalloc(self):
        self.assert_exact(self.start_target("prefixed", threads=3, idle=1), "dwarf")

    def test_jemalloc_with_another_thread_data_size(self):
        self.assertNotEqual(tls_bytes(target_path("page64k")), tls_bytes(target_path("pie")))
        self.assert_exact(self.start_target("page64k", threads=3, idle=1), "dwarf")

    def test_thread_data_aligned_to_a_page(self):
        for variant in ("aligned", "aligned-static"):
            with self.subTest(variant=variant):
                self.assert_exact(self.start_target(variant, threads=3, idle=1), "dwarf")

    def test_programs_with_unusual_file_names(self):
        for name in ("with space", "line\nbreak", "really (deleted)", "back\\slash", "\N{GREEK SMALL LETTER ALPHA}"):
            with self.subTest(name=name):
                directory = self.path(name)
                os.mkdir(directory)
                program = os.path.join(directory, name)
                shutil.copy(target_path("pie"), program)
                self.assert_exact(self.start_target("", program=program, threads=1), "dwarf")
                shutil.copy(os.path.join(jemalloc_dir("default"), "libjemalloc.so.2"), directory)
                target = self.start_target("shared", env={"LD_LIBRARY_PATH": directory}, threads=1)
                self.assert_exact(target, "dwarf")

    def test_no_program_needs_a_stop(self):
        for variant in ("pie", "nonpie", "static", "static-pie", "prefixed"):
            with self.subTest(variant=variant):
                document = self.read(self.start_target(variant, threads=2).pid)
                self.assertEqual((document["stopped_threads"], methods(document)), (0, {"glibc-thread-list"}))


class Libraries(ExactTest):
    def start_shared(self, library, **how):
        return self.start_target("shared", env={"LD_LIBRARY_PATH": library}, **how)

    def test_library_with_debug_information(self):
        self.assert_exact(self.start_shared(jemalloc_dir("default"), threads=3, idle=1), "dwarf")

    def test_library_of_debian_without_any(self):
        self.assert_exact(self.start_shared(jemalloc_dir("debian"), threads=3, idle=1), "layout-table")

    def test_library_with_another_thread_data_size(self):
        self.assert_exact(self.start_shared(jemalloc_dir("page64k"), threads=3, idle=1), "dwarf")

    def test_reused_thread_stacks_do_not_refute_the_layout_table(self):
        """A thread that ended looks like counters that went back, if nobody asks whose they are."""
        library = os.path.join(jemalloc_dir("debian"), "libjemalloc.so.2")
        target = self.spawn([os.path.join(TARGETS, "short-lived")], env={"LD_PRELOAD": library})
        self.assertEqual(target.process.stdout.readline(), "ready\n")
        for _ in range(10):
            self.assertEqual(self.read(target.pid)["evidence"], "layout-table")

    def test_a_program_named_like_the_loader(self):
        program = self.path("ld-program")
        shutil.copy(target_path("finds"), program)
        library = os.path.join(jemalloc_dir("debian"), "libjemalloc.so.2")
        target = self.start_target("finds", threads=2, idle=1, program=program, env={"LD_PRELOAD": library})
        self.assert_exact(target, "layout-table")

    def test_preloaded_library(self):
        for kind, evidence in (("default", "dwarf"), ("debian", "layout-table")):
            with self.subTest(kind=kind):
                library = os.path.join(jemalloc_dir(kind), "libjemalloc.so.2")
                target = self.start_target("finds", threads=3, idle=1, env={"LD_PRELOAD": library})
                self.assert_exact(target, evidence)

    def test_library_opened_at_run_time(self):
        """Its storage is not in the static area: reached through each thread's vector only."""
        library = os.path.join(jemalloc_dir("dynamic-tls"), "libjemalloc.so.2")
        target = self.start_target("finds", "--jemalloc", library, threads=3, idle=2)
        self.assert_exact(target, "dwarf")

    def test_library_replaced_after_the_start(self):
        """What counts is the file that is mapped, not the one at its path now."""
        library = self.path("libjemalloc.so.2")
        shutil.copy(os.path.join(jemalloc_dir("default"), "libjemalloc.so.2"), library)
        target = self.start_shared(self.dir, threads=2)
        os.unlink(library)
        self.assert_mapped(target)
        shutil.copy(os.path.join(jemalloc_dir("page64k"), "libjemalloc.so.2"), library)
        self.assert_mapped(target)

    def assert_mapped(self, target):
        if os.geteuid() == 0:  # map_files is for the privileged
            self.assert_exact(target, "dwarf")
            return
        answer = probe("--pid", target.pid, "--json")
        if answer.code == 0:
            self.assertEqual(counters(answer.document), target.threads)
        else:
            self.assertIn("ktstr-probe-fatal: ", answer.stderr)

    def test_program_without_jemalloc(self):
        other = self.spawn(["sleep", "1000"])
        self.assert_fatal(probe("--pid", other.pid, "--json"), "jemalloc-not-found")

    def test_stripped_library_of_another_configuration(self):
        """The table has its version; where it differs shows in its initial values."""
        run("strip", "-o", self.path("libjemalloc.so.2"), os.path.join(jemalloc_dir("page64k"), "libjemalloc.so.2"))
        self.assert_exact(self.start_shared(self.dir, threads=2, idle=1), "layout-table")

    def test_stripped_library_of_unknown_version(self):
        """Never guessed, however much it looks like a known one; in a short sentence."""
        library = self.path("libjemalloc.so.2")
        run("strip", "-o", library, os.path.join(jemalloc_dir("default"), "libjemalloc.so.2"))
        with open(library, "r+b") as f:
            f.seek(f.read().index(VERSION.encode() + b"-0-g"))
            f.write(b"9.9.9")
        target = self.start_shared(self.dir, threads=1)
        answer = probe("--pid", target.pid, "--json")
        self.assert_fatal(answer, "dwarf-parse-failure")
        self.assertIn("9.9.9-0-g", answer.stderr)
        self.assertIn(hex(tls_bytes(library)), answer.stderr)
        self.assertLess(max(len(line) for line in answer.stderr.splitlines()), 500)
        self.assertIn("tried: ", probe("--pid", target.pid, "-v").stderr)


class SeveralJemallocs(ExactTest):
    """The numbers are those of the one that is in use, and the answer names it."""

    def library(self, kind):
        return os.path.join(jemalloc_dir(kind), "libjemalloc.so.2")

    def others(self, document):
        return {o["object"]: o["use"] for o in document.get("other_objects", [])}

    def test_an_unused_library_beside_the_program_that_brings_its_own(self):
        for strip in (False, True):
            with self.subTest(strip=strip):
                program = self.path(f"program-{strip}")
                run("strip" if strip else "objcopy", target_path("pie"), *(["-o"] if strip else []), program)
                library = os.path.realpath(self.library("default"))
                target = self.start_target("", program=program, threads=2, idle=1, env={"LD_PRELOAD": library})
                self.assert_exact(target, "layout-table" if strip else "dwarf")
                document = self.read(target.pid)
                self.assertEqual(document["object"], program)
                self.assertEqual(self.others(document), {library: "unused"})

    def test_two_in_use_are_both_named_and_each_can_be_read(self):
        """The program asks its own; the C library asks the other."""
        library = os.path.realpath(self.library("default"))
        target = self.start_target("prefixed", threads=2, env={"LD_PRELOAD": library})
        answer = probe("--pid", target.pid, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual({t: counters(answer.document)[t] for t in target.threads}, target.threads)
        self.assertEqual(answer.document["object"], target_path("prefixed"))
        self.assertEqual(self.others(answer.document), {library: "in-use"})
        self.assertIn(library, answer.stderr)
        said, asked = ask_with_gdb(self.dir, target.pid,
                                   [PROBE, "--pid", str(target.pid), "--json", "--object", "libjemalloc.so.2"])
        document = json.loads(said)
        self.assertEqual((document["object"], counters(document)), (library, asked))
        self.assertGreater(max(a for a, _ in asked.values()), 0)

    def test_an_unreadable_jemalloc_is_not_replaced_by_an_unused_one(self):
        """What the version says is unknown; the other would answer with zeroes."""
        program = self.path("program")
        run("strip", "-o", program, target_path("pie"))
        with open(program, "r+b") as f:
            text = f.read()
            f.seek(text.index(VERSION.encode() + b"-0-g"))
            f.write(b"9.9.9")
        target = self.start_target("", program=program, threads=1, env={"LD_PRELOAD": self.library("default")})
        answer = probe("--pid", target.pid, "--json")
        self.assert_fatal(answer, "dwarf-parse-failure")
        self.assertIn(program, answer.stderr)
        self.assertIn("9.9.9-0-g", answer.stderr)

    def test_an_object_option_that_matches_nothing_is_fatal(self):
        target = self.start_target("pie")
        answer = probe("--pid", target.pid, "--json", "--object", "nobody.so")
        self.assert_fatal(answer, "jemalloc-not-found")
        self.assertIn(target_path("pie"), answer.stderr)

    def test_counters_that_are_all_zero_come_with_a_warning(self):
        """Loaded, but nobody allocates with it: prefixed, so that nothing is interposed."""
        library = os.path.join(jemalloc_dir("prefixed"), "libjemalloc.so.2")
        other = self.spawn(["sleep", "1000"], env={"LD_PRELOAD": library})
        wait_until(lambda: "libjemalloc" in open(f"/proc/{other.pid}/maps", encoding="utf-8").read(), "it is loaded")
        answer = probe("--pid", other.pid, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(set(counters(answer.document).values()), {(0, 0)})
        self.assertRegex(answer.stderr, r"\Awarning: no thread has allocated .*libjemalloc")

    def test_the_file_that_gave_the_offsets_is_named(self):
        target = self.start_target("pie", threads=1)
        self.assertEqual(self.read(target.pid)["offsets_from"], target_path("pie"))
        answer = probe("--pid", target.pid, "-v")
        self.assertIn(f"offsets from: {target_path('pie')}\n", answer.stderr)
        self.assertIn(f" object={target_path('pie')}\n", answer.stdout)


LAYOUTS = os.path.join(os.path.dirname(DEPS), "layouts")


class OtherReleases(ExactTest):
    """Stripped libraries as packages bring them, where tools/layout-packages has fetched them."""

    def start_with(self, suite):
        base = os.path.join(LAYOUTS, suite)
        found = glob.glob(os.path.join(base, "usr/lib/*/libjemalloc.so.2"))
        libc = os.path.dirname(glob.glob(os.path.join(base, "**/libc.so.6"), recursive=True)[0])
        # The loader of the release itself, if the library asks for a newer one than ours.
        loader = [os.path.join(libc, "ld-linux-x86-64.so.2"), "--library-path", libc, "--preload", found[0]]
        if suite == "sid":
            return self.start_target("finds", threads=3, idle=1, prefix=loader)
        return self.start_target("finds", threads=3, idle=1, env={"LD_PRELOAD": found[0]})

    def test_every_fetched_release_is_read_by_the_layout_table(self):
        if not os.path.isdir(LAYOUTS) or not os.listdir(LAYOUTS):
            self.skipTest("no library of another release is here: tools/layout-packages fetches them")
        for suite in sorted(os.listdir(LAYOUTS)):
            with self.subTest(suite=suite):
                self.assert_exact(self.start_with(suite), "layout-table")


class Stripped(ExactTest):
    def strip(self, source, name):
        """A stripped copy and its debug information beside each other; their paths."""
        stripped, debug = self.path(name), self.path(name + ".debug")
        run("objcopy", "--only-keep-debug", source, debug)
        run("strip", "-o", stripped, source)
        return stripped, debug

    def link(self, stripped, debug):
        directory = os.path.dirname(stripped)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={os.path.basename(debug)}", stripped],
                       check=True, capture_output=True, cwd=directory)

    def test_static_worker_without_debug_information(self):
        """No symbols and no thread list: the initial values tell the place, the main thread proves it."""
        stripped, debug = self.strip(WORKER, "worker")
        os.unlink(debug)
        worker = self.start_worker(MIB, program=stripped)
        answer = probe("--pid", worker.pid, "--json")
        self.assertEqual((answer.code, answer.document["evidence"]), (0, "layout-table"), answer)
        self.assertGreaterEqual(counters(answer.document)[worker.pid][0], MIB)

    def test_programs_without_symbols(self):
        """Each has thread-local data of its own beside jemalloc's."""
        for variant in ("pie", "static", "prefixed", "page64k", "aligned"):
            with self.subTest(variant=variant):
                program = self.path(variant)
                run("strip", "-o", program, target_path(variant))
                self.assert_exact(self.start_target("", program=program, threads=2, idle=1), "layout-table")

    def test_debug_file_beside_the_program(self):
        stripped, debug = self.strip(target_path("pie"), "program")
        self.link(stripped, debug)
        self.assert_exact(self.start_target("", program=stripped, threads=2, idle=1), "dwarf")

    def test_debug_file_in_the_dot_debug_directory(self):
        stripped, debug = self.strip(target_path("static"), "program")
        self.link(stripped, debug)
        os.mkdir(self.path(".debug"))
        os.rename(debug, os.path.join(self.path(".debug"), os.path.basename(debug)))
        self.assert_exact(self.start_target("", program=stripped, threads=2, idle=1), "dwarf")

    def test_debug_file_of_another_build_is_refused(self):
        stripped, debug = self.strip(target_path("static"), "program")
        # A name that nothing but the link leads to.
        os.rename(debug, self.path("symbols"))
        debug = self.path("symbols")
        self.link(stripped, debug)
        with open(debug, "r+b") as f:
            f.seek(-1, os.SEEK_END)
            last = f.read(1)[0]
            f.seek(-1, os.SEEK_END)
            f.write(bytes([last ^ 1]))
        target = self.start_target("", program=stripped, threads=1)
        answer = probe("--pid", target.pid, "-v")
        self.assertEqual(answer.code, 0, answer)
        self.assert_exact(target, "layout-table")
        self.assertIn(debug, "".join(line for line in answer.stderr.splitlines() if line.startswith("tried: ")))

    def test_foreign_debug_file_beside_the_program_is_refused(self):
        """Neither build-id nor checksum vouches for it: a wrong layout would give wrong numbers."""
        stripped = self.path("program")
        run("strip", "-R", ".note.gnu.build-id", "-o", stripped, target_path("static"))
        run("objcopy", "--only-keep-debug", os.path.join(TARGETS, "foreign"), stripped + ".debug")
        target = self.start_target("", program=stripped, threads=1)
        answer = probe("--pid", target.pid, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assert_exact(target, "layout-table")
        refused = [line for line in probe("--pid", target.pid, "-v").stderr.splitlines() if line.startswith("tried: ")]
        self.assertIn(stripped + ".debug", "".join(refused))

    def test_debug_file_of_a_stripped_library(self):
        library, debug = self.strip(os.path.join(jemalloc_dir("page64k"), "libjemalloc.so.2"), "libjemalloc.so.2")
        self.link(library, debug)
        target = self.start_target("shared", env={"LD_LIBRARY_PATH": self.dir}, threads=2, idle=1)
        self.assert_exact(target, "dwarf")

    def test_program_removed_after_the_start(self):
        program = self.path("program")
        shutil.copy(target_path("pie"), program)
        target = self.start_target("", program=program, threads=2)
        os.unlink(program)
        self.assert_exact(target, "dwarf")

    def test_program_replaced_after_the_start(self):
        """An upgrade under a running service: the old file counts."""
        program = self.path("program")
        shutil.copy(target_path("page64k"), program)
        target = self.start_target("", program=program, threads=2)
        shutil.copy(target_path("pie"), program + ".new")
        os.rename(program + ".new", program)
        self.assert_exact(target, "dwarf")


class Chroot(ExactTest):
    def test_the_debug_file_of_a_program_in_a_chroot(self):
        """The kernel names its files from our root; the link in the program means its own."""
        need_root("to run a program in a chroot")
        root = self.path("root")
        os.makedirs(os.path.join(root, "bin"))
        os.makedirs(os.path.join(root, "usr/lib/debug/bin"))
        source, debug = target_path("static"), self.path("program.debug")
        run("objcopy", "--only-keep-debug", source, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", source, os.path.join(root, "bin", "program"))
        os.rename(debug, os.path.join(root, "usr/lib/debug/bin/program.debug"))
        target = self.spawn(["chroot", root, "/bin/program", "--threads", "2", "--idle", "1"])
        target.read_report()
        self.assert_exact(target, "dwarf")
        document = self.read(target.pid)
        self.assertEqual(document["object"], "/bin/program")
        self.assertTrue(document["offsets_from"].endswith("/usr/lib/debug/bin/program.debug"), document["offsets_from"])


class OtherNamespaces(ExactTest):
    """The target sees files that we do not."""

    def setUp(self):
        super().setUp()
        need_root("to make a mount namespace")
        self.hidden = self.path("hidden")
        os.mkdir(self.hidden)

    def start_inside(self, setup, command_prefix, **how):
        """Runs shell lines in a fresh mount namespace, then the target."""
        script = f"mount -t tmpfs none {self.hidden} || exit 77; {setup}; exec \"$@\""
        prefix = ["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh"]
        try:
            return self.start_target("", prefix=prefix, program=command_prefix, **how)
        except AssertionError as e:
            if "ended with 77" in str(e):
                raise unittest.SkipTest("this system does not let root mount in a namespace of its own") from e
            raise

    def test_program_and_library_only_in_the_targets_mount_namespace(self):
        library = os.path.join(jemalloc_dir("default"), "libjemalloc.so.2")
        setup = f"cp {target_path('shared')} {library} {self.hidden}/"
        target = self.start_inside(setup, os.path.join(self.hidden, "target-shared"), threads=2, idle=1,
                                   env={"LD_LIBRARY_PATH": self.hidden})
        self.assertEqual(os.listdir(self.hidden), [])
        self.assert_exact(target, "dwarf")

    def test_debug_file_only_in_the_targets_mount_namespace(self):
        source = target_path("pie")
        stripped, debug = self.path("program"), self.path("program.debug")
        run("objcopy", "--only-keep-debug", source, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", source, stripped)
        setup = f"cp {stripped} {debug} {self.hidden}/; rm {debug}"
        target = self.start_inside(setup, os.path.join(self.hidden, "program"), threads=2, idle=1)
        self.assertFalse(os.path.exists(debug))
        self.assert_exact(target, "dwarf")

    def test_debug_file_by_build_id_exists_only_there(self):
        source = self.path("with-id")
        run("objcopy", target_path("pie"), source)
        out = subprocess.run(["readelf", "-nW", source], check=True, capture_output=True, text=True).stdout
        build_id = next((line.split()[-1] for line in out.splitlines() if "Build ID" in line), None)
        if not build_id:
            self.skipTest("the linker of this system writes no build-id")
        stripped, debug = self.path("program"), self.path("program.debug")
        run("objcopy", "--only-keep-debug", source, debug)
        run("strip", "-o", stripped, source)
        directory = f"/usr/lib/debug/.build-id/{build_id[:2]}"
        setup = (f"cp {stripped} {self.hidden}/program; mount -t tmpfs none /usr/lib/debug && "
                 f"mkdir -p {directory} && cp {debug} {directory}/{build_id[2:]}.debug; rm {debug}")
        if not os.path.isdir("/usr/lib/debug"):
            self.skipTest("no /usr/lib/debug to mount over")
        target = self.start_inside(setup, os.path.join(self.hidden, "program"), threads=2, idle=1)
        self.assertFalse(os.path.exists(f"{directory}/{build_id[2:]}.debug"))
        self.assert_exact(target, "dwarf")


class Containers(ExactTest):
    """Processes in a pid namespace of their own have other numbers inside than outside."""

    def start_contained(self, *arguments, **how):
        need_root("to make a pid namespace")
        if not shutil.which("unshare"):
            self.skipTest("unshare is not installed")
        outer = self.start_target("pie", *arguments, prefix=["unshare", "--pid", "--fork", "--kill-child"], ready=False,
                                  **how)
        children = f"/proc/{outer.pid}/task/{outer.pid}/children"
        outer.pid = int(wait_until(lambda: words_of(children), "the target is born")[0])
        return outer

    def test_threads_in_a_container_are_matched_by_their_inner_tids(self):
        target = self.start_contained(threads=3)
        target.read_report()
        expected = dict(zip(tids(target.pid), [target.threads[t] for t in sorted(target.threads)]))
        for way, stops in (([], 0), (["--no-ptrace"], 0), (["--ptrace"], 4)):
            with self.subTest(way=way):
                document = self.read(target.pid, *way)
                self.assertEqual(counters(document), expected)
                self.assertEqual(document["stopped_threads"], stops)

    def test_an_inner_number_that_is_an_outer_one_of_another_thread(self):
        """Taken for the same, the main thread would be shown another thread's bytes."""
        target = self.start_contained("--number-first", threads=1, stdin=subprocess.PIPE)
        wait_until(lambda: os.readlink(f"/proc/{target.pid}/exe") == target_path("pie"), "the target runs")
        target.process.stdin.write(f"{target.pid}\n")
        target.process.stdin.close()
        target.read_report()
        main, other = tids(target.pid)
        self.assertIn(main, target.threads, "the other thread has the main thread's outer number")
        expected = {main: target.threads[1], other: target.threads[main]}
        for way in ([], ["--ptrace"]):
            with self.subTest(way=way):
                self.assertEqual(counters(self.read(target.pid, *way)), expected)


class RawThreads(HostTest):
    """A thread made with clone(2), which glibc's list does not know."""

    FILL = int.from_bytes(b"\x11" * 8, "little")

    def test_is_stopped_for_its_pointer(self):
        target = self.start_target("pie", "--raw", "own", threads=2)
        document = self.read(target.pid)
        by_tid = {t["tid"]: t for t in document["snapshots"][0]["threads"]}
        self.assertEqual(counters(document), {**target.threads, target.raw: (self.FILL, self.FILL)})
        self.assertEqual(by_tid[target.raw]["method"], "ptrace")
        self.assertEqual({by_tid[t]["method"] for t in target.threads}, {"glibc-thread-list"})
        self.assertEqual(document["stopped_threads"], 1)
        self.assertGreater(document["stopped_ns_total"], 0)

    def test_is_stopped_once_for_many_snapshots(self):
        target = self.start_target("pie", "--raw", "own", threads=1)
        document = self.read(target.pid, "--snapshots", "5", "--interval-ms", "5")
        self.assertEqual(document["stopped_threads"], 1)
        for i in range(5):
            self.assertEqual(counters(document, i)[target.raw], (self.FILL, self.FILL))

    def test_a_raw_thread_that_shares_tls_has_its_creators_counters(self):
        target = self.start_target("pie", "--raw", "shared", threads=1)
        read = counters(self.read(target.pid))
        self.assertEqual(read[target.raw], read[target.pid])

    def test_a_raw_thread_is_an_error_with_no_ptrace(self):
        target = self.start_target("static", "--raw", "own", threads=2)
        document = self.read(target.pid, "--no-ptrace")
        self.assertEqual(errors(document), {target.raw: "thread-pointer"})
        self.assertEqual(counters(document), target.threads)
        self.assertEqual(document["stopped_threads"], 0)


if __name__ == "__main__":
    tap.main(__name__)
