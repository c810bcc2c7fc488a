# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr shell` as people and scripts use it: streams, status, files, signals, terminal."""

import fcntl
import hashlib
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import machine
import tap

SHELL = [machine.KTSTR, "shell"]


def run(*arguments, **kwargs):
    kwargs.setdefault("timeout", machine.TIMEOUT)
    kwargs.setdefault("input", b"")
    return subprocess.run([*SHELL, *arguments], capture_output=True, check=False, **kwargs)


class Streams(machine.GuestTest):
    def test_output_error_and_status_are_the_commands(self):
        done = run("--exec", "echo out; echo err >&2; exit 7")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"out\n", b"err\n", 7))

    def test_arguments_travel_as_they_are(self):
        done = run("--", "printf", "%s|", "a b", "", "$HOME", "--", "-v")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"a b||$HOME|--|-v|", b"", 0))

    def test_without_a_command_and_terminal_sh_reads_commands(self):
        done = run(input=b"echo one\ncd /tmp\npwd\nexit 3\n")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"one\n/tmp\n", b"", 3))

    def test_ten_megabytes_pass_through_cat(self):
        data = os.urandom(10 << 20)
        done = run("--exec", "cat", input=data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(hashlib.sha256(done.stdout).hexdigest(), hashlib.sha256(data).hexdigest())

    def test_the_guest_sees_the_same_bytes(self):
        data = os.urandom(1 << 20)
        done = run("--", "sha256sum", input=data)
        self.assertEqual(done.stdout.split()[0].decode(), hashlib.sha256(data).hexdigest())

    def test_a_reader_that_leaves_ends_us_quietly(self):
        with tempfile.TemporaryFile() as err:
            with subprocess.Popen([*SHELL, "--exec", "yes"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=err) as done:
                self.assertEqual(done.stdout.readline(), b"y\n")
                done.stdout.close()
                self.assertEqual(done.wait(60), 128 + signal.SIGPIPE)
            err.seek(0)
            self.assertEqual(err.read(), b"")

    def test_a_full_disk_is_exit_125(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([*SHELL, "--exec", "echo x"], stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=machine.TIMEOUT, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"No space left on device", done.stderr)

    def test_closed_streams_are_empty_ones(self):
        line = f'"{machine.KTSTR}" shell --exec "cat; echo out; exit 4" <&- >&-'
        done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=machine.TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, b""))

    def test_verbose_tells_on_standard_error_only(self):
        done = run("-v", "-t", "1n1l2c1t", "--", "echo", "hi")
        told = done.stderr.decode()
        self.assertEqual((done.stdout, done.returncode), (b"hi\n", 0))
        self.assertRegex(told, r"ktstr: accelerator (tcg|kvm): \S")
        self.assertRegex(told, r"ktstr: kernel \S+, machine 1n1l2c1t, CPUs 2, memory \d+ MiB, a clone\n")
        self.assertRegex(told, r"ktstr: milliseconds: .*kernel [\d.]+, QEMU [\d.]+, wake [\d.]+, idle [\d.]+, command [\d.]+")


class Status(machine.GuestTest):
    def test_a_command_killed_by_a_signal_is_exit_128_plus_signal(self):
        self.assertEqual(run("--exec", "kill -SEGV $$").returncode, 128 + signal.SIGSEGV)

    def test_a_command_that_cannot_start_is_exit_127_or_126(self):
        done = run("--", "no-such-program")
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"could not start no-such-program: No such file", done.stderr)
        self.assertEqual(run("--", "/etc/passwd").returncode, 126)

    def test_a_command_past_its_timeout_is_exit_124(self):
        done = run("--timeout", "1", "--exec", "yes > /dev/null")
        self.assertEqual((done.returncode, done.stdout), (124, b""))
        self.assertIn(b"killed after 1 s", done.stderr)

    def test_a_guest_panic_is_exit_125_with_the_console(self):
        done = run("--exec", "echo before; echo c > /proc/sysrq-trigger")
        told = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (125, b"before\n"))
        self.assertRegex(told, r"^error: \[guest-panic\] .*sysrq triggered crash")
        self.assertRegex(told, r"console, last lines:\n(  \| .*\n){5,15}")

    def test_a_kernel_that_does_not_come_up_shows_its_console(self):
        done = run("--cold", "--kernel-args", "rdinit=/nothing", "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr.decode(), r"^error: \[guest-panic\] .*Unable to mount root")
        self.assertRegex(done.stderr.decode(), r"\n  \| ")

    def test_a_kill_for_memory_is_told_also_when_the_command_succeeds(self):
        done = run("-m", "192M", "--exec", "tail /dev/zero; true")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"ktstr: the guest ran short of memory .*Killed process \d+ \(tail\)")


class Machine(machine.GuestTest):
    def test_a_module_comes_with_those_it_needs(self):
        told = subprocess.run([machine.KTSTR, "kernel", "info", os.environ.get("KTSTR_KERNEL", "default"), "--json"],
                              capture_output=True, text=True, check=True).stdout
        if not json.loads(told)["paths"].get("modules"):
            self.skipTest("the package of this kernel has left the archive with its modules")
        loaded = [line.split()[0] for line in self.sh("cat /proc/modules", "--module", "virtio-net").splitlines()]
        self.assertEqual(sorted(loaded), ["failover", "net_failover", "virtio_net"])
        done = machine.shell("true", "--module", "no-such-module")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"no-such-module", done.stderr)

    def test_the_kernels_configuration_is_where_libbpf_looks_for_it(self):
        kernels = json.loads(subprocess.run([machine.KTSTR, "kernel", "list", "--json"], capture_output=True, check=True).stdout)["kernels"]
        done = machine.shell("uname -r; cat /boot/config-$(uname -r)")
        release, _, config = done.stdout.partition(b"\n")
        (path,) = [k["paths"]["config"] for k in kernels if k["release"] == release.decode()]
        with open(path, "rb") as f:
            self.assertEqual(config, f.read())
        self.assertIn(b"CONFIG_SCHED_CLASS_EXT=y\n", config)

    def test_memory_topology_and_kernel_arguments_are_the_guests(self):
        script = "nproc; grep MemTotal /proc/meminfo; cat /proc/cmdline"
        done = run("-t", "smt-2llc", "-m", "1G", "--kernel-args", "ktstr.test=1", "--exec", script)
        cpus, memory, line = done.stdout.decode().splitlines()
        self.assertEqual(cpus, "8")
        self.assertTrue(900 << 10 < int(memory.split()[1]) <= 1 << 20, memory)
        self.assertIn(" ktstr.test=1", line)

    def test_a_dynamic_program_brings_its_libraries(self):
        # An interpreter is more than an applet of busybox, and needs more than libc.
        program = os.path.realpath(sys.executable)
        version = subprocess.run([program, "-I", "-S", "--version"], capture_output=True, check=True).stdout
        with tempfile.NamedTemporaryFile("w") as text:
            text.write("from the host")
            text.flush()
            done = run("-i", program, "-i", f"{program}:/opt/", "-i", f"{text.name}:note", "--exec",
                       f"./{os.path.basename(program)} --version && /opt/{os.path.basename(program)} --version && cat note")
        self.assertEqual((done.returncode, done.stdout), (0, version * 2 + b"from the host"), done)

    def test_a_missing_library_is_named_before_a_guest_starts(self):
        with tempfile.TemporaryDirectory() as directory:
            library, program = os.path.join(directory, "libktstrnone.so"), os.path.join(directory, "program")
            subprocess.run(["cc", "-shared", "-x", "c", "-o", library, "/dev/null"], check=True)
            subprocess.run(["cc", "-o", program, "-Wl,--no-as-needed", library, "-x", "c", "-"],
                           input=b"int main(void) { return 0; }", check=True)
            os.unlink(library)
            done = run("-i", program, "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"libktstrnone.so", done.stderr)

    def test_deterministic_runs_agree(self):
        # A file of ours stands where the guest has a file system of its own.
        with tempfile.NamedTemporaryFile(dir="/tmp") as included:
            included.write(b"included\n")
            included.flush()
            runs = [run("--deterministic", "-t", "2", "-i", included.name, "--exec",
                        f"cat $HOME/{os.path.basename(included.name)} {included.name} && touch /tmp/new && "
                        "stat -c %a /tmp && od -N16 -x /dev/urandom; cat /proc/uptime; cat",
                        input=b"input\n") for _ in range(2)]
        self.assertTrue(runs[0].stdout.startswith(b"included\nincluded\n1777\n"), runs[0])
        self.assertEqual(runs[0].returncode, 0, runs[0])
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        self.assertTrue(runs[0].stdout.endswith(b"input\n"))


class Signals(machine.GuestTest):
    def start(self, script):
        owner = subprocess.Popen([*SHELL, "--exec", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.addCleanup(lambda: (owner.poll() is None and owner.kill(), owner.communicate()))
        self.assertEqual(owner.stdout.readline(), b"up\n")
        qemus = machine.children(owner.pid)
        self.assertEqual(len(qemus), 1)
        return owner, qemus[0]

    def gone(self, pid):
        for _ in range(100):
            if not os.path.exists(f"/proc/{pid}"):
                return True
            time.sleep(0.1)
        return False

    def test_the_first_interrupt_is_for_the_command(self):
        owner, qemu = self.start("trap 'echo caught; exit 9' INT; echo up; while :; do sleep 0.1; done")
        owner.send_signal(signal.SIGINT)
        out, err = owner.communicate(timeout=60)
        self.assertEqual((out, err, owner.returncode), (b"caught\n", b"", 9))
        self.assertTrue(self.gone(qemu))

    def test_an_interrupt_reaches_a_command_that_floods_output(self):
        owner, _ = self.start("echo up; exec yes")
        owner.send_signal(signal.SIGINT)
        owner.communicate(timeout=60)
        self.assertEqual(owner.returncode, 128 + signal.SIGINT)

    def test_the_second_interrupt_ends_us(self):
        owner, qemu = self.start("trap 'echo caught' INT; echo up; while :; do sleep 0.1; done")
        owner.send_signal(signal.SIGINT)
        self.assertEqual(owner.stdout.readline(), b"caught\n")
        owner.send_signal(signal.SIGINT)
        owner.communicate(timeout=60)
        self.assertEqual(owner.returncode, 130)
        self.assertTrue(self.gone(qemu))

    def test_termination_leaves_no_qemu(self):
        owner, qemu = self.start("trap '' TERM; echo up; sleep 1000")
        owner.send_signal(signal.SIGTERM)
        _, err = owner.communicate(timeout=60)
        self.assertEqual((owner.returncode, err), (128 + signal.SIGTERM, b""))
        self.assertTrue(self.gone(qemu))


class Terminal(machine.GuestTest):
    """A person at a terminal of 97 by 31."""

    PROMPT = rb"ktstr \S+ 1n1l2c1t:~# "

    def setUp(self):
        super().setUp()
        is_sized, sized = os.pipe()
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "vt220"
            os.close(sized)
            os.read(is_sized, 1)
            os.execv(machine.KTSTR, [*SHELL, "-t", "1n1l2c1t"])
        self.pid = pid
        self.resize(97, 31)
        os.close(sized)
        os.close(is_sized)
        self.cooked = termios.tcgetattr(self.fd)
        self.ended = None
        self.addCleanup(self.close)
        self.seen = b""
        self.expect(rb"Ctrl-A X ends the guest")
        self.expect(self.PROMPT)

    def close(self):
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def resize(self, cols, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def type(self, text):
        os.write(self.fd, text)

    def expect(self, pattern):
        """Reads until the pattern is seen and forgets what came up to its end."""
        end = time.monotonic() + machine.TIMEOUT
        while not (match := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, (pattern, self.seen))
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                self.fail((pattern, self.seen))
        self.seen = self.seen[match.end():]
        return match

    def wait(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            # Whoever leaves a terminal waits until what it wrote was read.
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status)
                return self.ended
        self.fail("it does not end")

    def restored(self):
        return termios.tcgetattr(self.fd)[:4] == self.cooked[:4]

    def test_terminal_size_and_type_are_passed_and_resized(self):
        self.assertFalse(self.restored())
        self.type(b"stty size; echo $TERM; tty\r")
        self.expect(rb"\r\n31 97\r\nvt220\r\n/dev/pts/\d+\r\n")
        self.expect(self.PROMPT)
        self.resize(120, 40)
        os.kill(self.pid, signal.SIGWINCH)
        size = b"31 97"
        while size == b"31 97":  # the new one takes a moment to get there
            self.type(b"stty size\r")
            size = self.expect(rb"\r\n(\d+ \d+)\r\n")[1]
        self.assertEqual(size, b"40 120")
        self.type(b"exit 5\r")
        self.assertEqual(self.wait(), 5)
        self.assertTrue(self.restored())

    def test_interrupt_and_arrows_are_keys(self):
        # The word comes from the job itself: between a word of the shell's own and the moment the
        # job owns the terminal the key would interrupt the shell, and the job would sleep on.
        self.type(b"sh -c 'echo go; exec sleep 1000'\r")
        self.expect(rb"\r\ngo\r\n")
        self.type(b"\x03")
        self.expect(self.PROMPT)
        self.type(b"echo a$?b\r")
        self.expect(rb"\r\na130b\r\n")
        self.expect(self.PROMPT)
        self.type(b"\x1b[A\r")
        self.expect(rb"\r\na0b\r\n")

    def test_escape_x_ends(self):
        qemus = machine.children(self.pid)
        self.assertEqual(len(qemus), 1)
        self.type(b"echo go; cat -v\r")
        self.expect(rb"\r\ngo\r\n")
        self.type(b"\x01\x01\r")
        self.expect(rb"\^A\r\n")
        self.type(b"\x01x")
        self.assertEqual(self.wait(), 0)
        self.assertTrue(self.restored())
        self.assertFalse(os.path.exists(f"/proc/{qemus[0]}"))

    def test_a_guest_that_dies_gives_the_terminal_back(self):
        self.type(b"echo c > /proc/sysrq-trigger\r")
        self.assertEqual(self.wait(), 125)
        self.expect(rb"error: \[guest-panic\]")
        self.assertTrue(self.restored())

    def test_termination_gives_the_terminal_back(self):
        os.kill(self.pid, signal.SIGTERM)
        self.assertEqual(self.wait(), 128 + signal.SIGTERM)
        self.assertTrue(self.restored())

    def test_a_guest_may_switch_itself_off(self):
        self.type(b"poweroff -f\r")
        self.assertEqual(self.wait(), 0)
        self.expect(rb"switched itself off")
        self.assertTrue(self.restored())


if __name__ == "__main__":
    tap.main(__name__)
