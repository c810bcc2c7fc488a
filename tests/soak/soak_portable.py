# SPDX-License-Identifier: GPL-2.0-or-later
"""The same run on two machines: userlands of Debian 12 and 13 with one QEMU, one ktstr, one test binary and one kernel.

Each has a cache of its own, so that templates are booted anew, and is unlike the other in what a host can be unlike: C library,
busybox, paths, dates, owner and permissions of files, user, time zone, locale, umask, host name, environment, number of CPUs.
Figures go to standard error.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import guest
import machine as guest_programs
import tap

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
QEMU = "qemu-system-x86_64"
TEST = "every_kind"
TIMEOUT = 3600
# What the programs of a debug build are linked with; the rest is part of every Debian.
PACKAGES = "busybox libelf1 libdw1 libzstd1 liblz4-1 libasan8 libubsan1 util-linux"


def say(text):
    print(text, file=sys.stderr, flush=True)


def libraries_of(program):
    """Paths of what the loader opens for it, the loader among them."""
    out = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(?:=> )?(/\S+) \(0x", out)


def copy_qemu(directory):
    """QEMU with its libraries and its firmware; the program that starts it."""
    program = os.path.realpath(shutil.which(QEMU))
    for name in ("lib", "share"):
        os.makedirs(os.path.join(directory, name))
    shutil.copy(program, directory)
    for library in libraries_of(program):
        shutil.copy(library, os.path.join(directory, "lib"))
    for firmware in ("qboot.rom", "pvh.bin", "linuxboot_dma.bin", "kvmvapic.bin"):
        shutil.copy(os.path.join("/usr/share/qemu", firmware), os.path.join(directory, "share"))
    start = os.path.join(directory, "start")
    with open(start, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\n'
                f'exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/{QEMU}" -L "$here/share" "$@"\n')
    os.chmod(start, 0o755)
    return start


def copy_kernel(directory):
    """The default kernel as the cache has it, for every user."""
    told = json.loads(subprocess.run([guest_programs.KTSTR, "kernel", "info", "default", "--json"],
                                     capture_output=True, text=True, check=True).stdout)
    source = os.path.dirname(told["paths"]["vmlinux"])
    shutil.copytree(source, os.path.join(directory, os.path.basename(source)))
    subprocess.run(["chmod", "-R", "a+rwX", directory], check=True)


class Machine:
    """A Debian of its own, with files in a directory of its own; `lines` are shell commands that make it unlike another."""

    def __init__(self, top, release, user, place, lines):
        self.release, self.user, self.lines = release, user, lines
        self.directory = os.path.join(top, f"debian{release}")
        self.place = os.path.join(self.directory, place)
        os.makedirs(self.place)
        os.chmod(self.directory, 0o777)
        copy_qemu(os.path.join(self.directory, "qemu"))
        copy_kernel(os.path.join(self.directory, "kernels"))
        for program in (guest_programs.KTSTR, os.path.join(guest.BUILD, "tests", "suites", TEST)):
            shutil.copy(program, self.place)
        self.busybox = os.path.join(self.directory, "busybox")

    def run(self, *script):
        """Runs it to its end. Of the exit status of ktstr only 2 is an error: nothing was run."""
        text = "\n".join([
            "set -e",
            "export DEBIAN_FRONTEND=noninteractive",
            f"(sudo apt-get -qq update; sudo apt-get -qqy install --no-install-recommends {PACKAGES}) >/dev/null",
            *self.lines,
            f"cd {self.directory}",
            f"export KTSTR_QEMU={self.directory}/qemu/start",
            f"cache() {{ export KTSTR_CACHE_DIR={self.directory}/cache-$1; mkdir -p cache-$1; ln -sfn ../kernels cache-$1/kernels; }}",
            f"ktstr() {{ status=0; {self.place}/ktstr \"$@\" || status=$?; [ $status != 2 ]; }}",
            *script])
        path = os.path.join(self.directory, "script")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text + "\n")
        done = subprocess.run([os.path.join(TREE, "tools", "in-debian"), str(self.release), self.user, "--bind", self.directory,
                               f"bash {path}"], stdout=sys.stderr, timeout=TIMEOUT, check=False)
        if done.returncode:
            raise AssertionError(f"Debian {self.release}: exit status {done.returncode}")

    def test(self, out):
        """The line that runs the test and leaves its record in `out`."""
        return f"ktstr test {self.place}/{TEST} --pattern '*:{TEST}' --clock virtual --seed 7 -o {out} >&2"

    def rerun(self, record, out):
        """The line that runs another machine's record again; what it says is in `out`.said."""
        return f"ktstr rerun {record} --files {self.place} -o {out} >{out}.said 2>&1"

    def record(self, out):
        (path,) = glob.glob(os.path.join(self.directory, out, "*.ktstr.json"))
        with open(path, encoding="utf-8") as f:
            return path, json.load(f)

    def said(self, out):
        with open(os.path.join(self.directory, out + ".said"), encoding="utf-8") as f:
            return f.read()


def take_record(source, out, target):
    """Copies a record and its frames to another machine; its path there."""
    path, record = source.record(out)
    directory = os.path.join(target.directory, "taken")
    os.makedirs(directory)
    for name in (os.path.basename(path), record["frames_file"]):
        shutil.copyfile(os.path.join(os.path.dirname(path), name), os.path.join(directory, name))
    return os.path.join(directory, os.path.basename(path))


@unittest.skipIf(guest.missing(), guest.missing())
class Portable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        top = tempfile.mkdtemp(prefix="ktstr-portable-", dir=os.path.join(TREE, "build"))
        cls.addClassCleanup(shutil.rmtree, top, ignore_errors=True)
        os.chmod(top, 0o755)
        cls.old = Machine(top, 12, "--root", "bin", [
            # Its own libdw is too old for ktstr; tools/setup takes the newer one from there, too.
            "sed -n 's/ bookworm main/ bookworm-backports main/p' /etc/apt/sources.list >/etc/apt/sources.list.d/backports.list",
            "apt-get -qq update && apt-get -qqy install -t bookworm-backports libdw1 libelf1 >/dev/null",
            "rm /etc/apt/sources.list.d/backports.list",
            "export TZ=Pacific/Kiritimati LC_ALL=C USER=root",
            "umask 077",
        ])
        cls.new = Machine(top, 13, "--user", "a/longer/way/to/it", [
            "export TZ=America/St_Johns LANG=C.UTF-8 TERM=vt100 MANY_MORE_LETTERS_IN_THE_ENVIRONMENT=1",
            "umask 002",
            "taskset -cp 0 $$ >/dev/null",
            "sudo hostname another-machine",
        ])
        os.chmod(os.path.join(cls.old.place, TEST), 0o700)
        os.chmod(os.path.join(cls.new.place, TEST), 0o775)
        os.utime(os.path.join(cls.new.place, TEST), (10**9, 10**9))
        cls.first_visits()
        cls.second_visits()

    @classmethod
    def first_visits(cls):
        cls.old.run("apt-get -qq download busybox-static >&2 && dpkg-deb -x busybox-static_*.deb static",
                    f"cp static/bin/busybox {cls.old.busybox} || cp static/usr/bin/busybox {cls.old.busybox}",
                    *cls.runs(cls.old))
        shutil.copy(cls.old.busybox, cls.new.busybox)
        cls.new.run(*cls.runs(cls.new))

    @staticmethod
    def share_busybox(machine):
        """Both have it at the same path, and there it is the first in PATH."""
        return f"sudo install -m 755 {machine.busybox} /usr/local/bin/busybox"

    @classmethod
    def runs(cls, machine):
        return ["cache own", machine.test("own"),
                cls.share_busybox(machine), "cache shared", machine.test("shared")]

    @classmethod
    def second_visits(cls):
        """Each runs the other's record, then what its own package of QEMU makes of it."""
        for machine, other in ((cls.old, cls.new), (cls.new, cls.old)):
            taken = take_record(other, "shared", machine)
            machine.run(cls.share_busybox(machine), "cache shared", machine.rerun(taken, "again"),
                        "sudo apt-get -qqy install --no-install-recommends qemu-system-x86 >/dev/null",
                        "unset KTSTR_QEMU", machine.rerun(taken, "other"))

    def both(self, out):
        return [machine.record(out)[1] for machine in (self.old, self.new)]

    def test_two_userlands_run_the_same_to_the_bit(self):
        old, new = self.both("shared")
        say(f"one busybox: digests {old['digest']} and {new['digest']}, {old['verdict']} and {new['verdict']}")
        for member in ("digest", "guest_end_ns", "verdict", "files_hash", "tools_hash", "ktstr_hash", "variant_id"):
            self.assertEqual(old[member], new[member], member)

    def test_busybox_of_the_host_is_part_of_the_guest(self):
        old, new = self.both("own")
        say(f"two busyboxes: digests {old['digest']} and {new['digest']}, hashes {old['tools_hash']} and {new['tools_hash']}")
        self.assertEqual(old["files_hash"], new["files_hash"])
        self.assertNotEqual(old["tools_hash"], new["tools_hash"])

    def test_record_of_the_other_machine_is_run_again_to_the_bit(self):
        for machine in (self.old, self.new):
            with self.subTest(machine.release):
                said = machine.said("again")
                self.assertIn("moved: " + TEST, said)
                self.assertNotIn("changed:", said)
                self.assertIn("identical to the bit: digest " + machine.record("shared")[1]["digest"], said)

    def test_another_qemu_is_named(self):
        for machine in (self.old, self.new):
            with self.subTest(machine.release):
                said = machine.said("other")
                say(f"Debian {machine.release}, its own QEMU:\n{said}")
                self.assertIn("changed: QEMU ", said)


if __name__ == "__main__":
    tap.main(__name__)
