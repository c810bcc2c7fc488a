# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent as PID 1 of a real guest; the host end is ktwire.py."""

import hashlib
import os
import signal
import struct
import unittest

import guest
import ktwire
import tap

NONCE = b"sixteen bytes !!"


@unittest.skipIf(guest.missing(), guest.missing())
class OneGuest(unittest.TestCase):
    """Boots once; every test begins a session of its own, as the host of a clone would."""

    @classmethod
    def setUpClass(cls):
        cls.guest = guest.Guest(cpus="2,sockets=1,cores=2,threads=1", memory="512M")
        cls.addClassCleanup(cls.guest.close)
        cls.host = cls.guest.host
        cls.first = cls.host.hello(0x100, nonce=NONCE, heartbeat_ms=100)
        cls.boot_log = list(cls.host.logs)
        cls.sessions = 1

    def setUp(self):
        cls = type(self)
        cls.sessions += 1
        self.ready = self.host.hello(0x100 + cls.sessions, heartbeat_ms=100)
        self.host.beats.clear()

    def sh(self, script, **options):
        result = self.host.run(["sh", "-c", script], **options)
        self.assertEqual((result.how, result.value, result.err), (ktwire.EXITED, 0, b""), result)
        return result.out.decode()

    def test_the_agent_mounts_the_usual_file_systems(self):
        self.assertEqual(self.boot_log, [])
        mounts = {line.split()[1]: line.split()[2] for line in self.sh("cat /proc/mounts").splitlines()}
        for where, kind in {
            "/proc": "proc", "/sys": "sysfs", "/dev": "devtmpfs", "/dev/pts": "devpts", "/dev/shm": "tmpfs", "/tmp": "tmpfs",
            "/run": "tmpfs", "/sys/fs/cgroup": "cgroup2", "/sys/kernel/debug": "debugfs", "/sys/kernel/tracing": "tracefs",
            "/sys/fs/bpf": "bpf",
        }.items():
            self.assertEqual(mounts.get(where), kind)
        available = self.sh("cat /sys/fs/cgroup/cgroup.controllers").split()
        self.assertIn("cpu", available)
        self.assertEqual(sorted(self.sh("cat /sys/fs/cgroup/cgroup.subtree_control").split()), sorted(available))
        self.assertEqual(self.sh("hostname; cat /proc/1/oom_score_adj /proc/self/oom_score_adj"), "ktstr\n-1000\n0\n")
        self.assertIn("UP", self.sh("ip link show lo").split("<")[1].split(">")[0].split(","))

    def test_ready_reports_nonce_generation_and_machine(self):
        self.assertEqual(self.first.generation, 1)
        self.assertEqual(self.ready.generation, self.sessions)
        self.assertEqual(self.ready.nonce, NONCE)
        self.assertEqual(self.ready.nonce_phys, self.first.nonce_phys)
        self.assertNotEqual(self.ready.nonce_phys, 0)
        self.assertEqual(self.ready.nonce_phys % 4096, 0)
        self.assertEqual(self.ready.online_cpus, 2)
        self.assertGreater(self.ready.monotonic_ns, self.first.monotonic_ns)
        self.assertEqual(self.ready.release, self.sh("cat /proc/sys/kernel/osrelease").strip())

    def test_the_clock_is_the_hosts(self):
        self.host.hello(0x9000 + self.sessions, realtime_ns=1_900_000_000 * 10**9)
        type(self).sessions += 1
        told = int(self.sh("echo > /tmp/now; stat -c %Y /tmp/now; rm /tmp/now"))
        self.assertTrue(1_900_000_000 <= told < 1_900_003_600, told)

    def test_streams_and_status_are_apart(self):
        result = self.host.run(["sh", "-c", "echo out; echo err >&2; exit 7"])
        self.assertEqual((result.out, result.err, result.how, result.value), (b"out\n", b"err\n", ktwire.EXITED, 7))
        self.assertEqual(sorted(result.ended), ["stderr", "stdout"])
        result = self.host.run(["sh", "-c", "kill -SEGV $$"])
        self.assertEqual((result.how, result.value), (ktwire.SIGNALLED, signal.SIGSEGV))

    def test_ten_megabytes_pass_through_cat_with_heartbeats(self):
        data = os.urandom(10 << 20)
        result = self.host.run(["cat"], stdin=data)
        self.assertEqual(hashlib.sha256(result.out).digest(), hashlib.sha256(data).digest())
        self.assertEqual((result.how, result.value), (ktwire.EXITED, 0))
        counts = [beat[0] for beat in self.host.beats]
        self.assertGreater(len(counts), 1)
        self.assertEqual(counts, list(range(counts[0], counts[0] + len(counts))))

    def test_a_program_that_leaves_its_input_alone_does_not_block_the_host(self):
        result = self.host.run(["true"], stdin=bytes(3 << 20))
        self.assertEqual((result.how, result.value), (ktwire.EXITED, 0))

    def test_files_arrive_with_mode_date_and_content(self):
        data = os.urandom(8 << 20)
        archive = ktwire.cpio([("deep", 0o40750, b"", 1_000_000_000), ("deep/file", 0o100640, data, 1_234_567_890),
                               ("deep/link", 0o120777, b"file"), ("deep/program", 0o104755, b"#!/bin/sh\necho I run $1\n")])
        self.assertEqual(self.host.put("/opt/put", archive), (2, len(data) + 24))
        self.assertEqual(self.sh("sha256sum < /opt/put/deep/link").split()[0], hashlib.sha256(data).hexdigest())
        self.assertEqual(self.sh("cd /opt/put/deep; stat -c '%a %Y' . file program; readlink link"),
                         "750 1000000000\n640 1234567890\n4755 0\nfile\n")
        self.assertEqual(self.sh("/opt/put/deep/program well"), "I run well\n")

    def test_a_link_in_the_archive_leads_nowhere_else(self):
        archive = ktwire.cpio([("way", 0o120777, b"/tmp"), ("way/out", 0o100644, b"x")])
        with self.assertRaisesRegex(RuntimeError, "agent-put"):
            self.host.put("/opt/cage", archive)
        self.assertEqual(self.sh("ls /tmp"), "")

    def test_a_terminal_has_its_size_and_controls(self):
        channel = self.host.start(["sh", "-c", "stty size; tty; read x; stty size; echo got $x; exit 5"],
                                  flags=ktwire.RUN_PTY, cols=101, rows=33)
        result = self.host.finish(channel, until=lambda r: b"/dev/pts/" in r.out)
        self.host.send("resize", channel, struct.pack("<HH", 60, 20))
        self.host.send("stdin", channel, b"word\r")
        self.host.finish(channel, result=result)
        lines = result.out.decode().split()
        self.assertEqual(lines[:2], ["33", "101"])
        self.assertTrue(lines[2].startswith("/dev/pts/"))
        self.assertEqual(lines[3:], ["word", "20", "60", "got", "word"])
        self.assertEqual((result.value, result.ended), (5, ["stdout"]))

    def test_an_interrupt_typed_at_the_terminal_arrives(self):
        channel = self.host.start(["sh", "-c", "echo on; sleep 1000"], flags=ktwire.RUN_PTY, cols=80, rows=25)
        result = self.host.finish(channel, until=lambda r: b"on" in r.out)
        self.host.send("stdin", channel, b"\x03")
        self.host.finish(channel, result=result)
        self.assertEqual((result.how, result.value), (ktwire.SIGNALLED, signal.SIGINT))

    def test_a_command_starts_inside_its_cgroup(self):
        out = self.sh("cat /proc/self/cgroup; ls /sys/fs/cgroup/left/one", cgroup="left/one")
        self.assertEqual(out.splitlines()[0], "0::/left/one")
        self.assertIn("cpu.max", out.split())

    def test_background_processes_do_not_delay_the_exit(self):
        self.assertEqual(self.sh("sleep 100000 & echo done"), "done\n")

    def test_orphans_are_reaped(self):
        self.sh("for i in 1 2 3 4 5; do (sleep 0 &); done")
        for _ in range(50):
            left = self.sh("grep -l 'State:.Z' /proc/[0-9]*/status 2>/dev/null; true")
            if not left:
                return
        self.fail(left)

    def test_a_new_session_ends_what_ran_in_the_old_one(self):
        channel = self.host.start(["sh", "-c", "echo on; exec sleep 4321"])
        self.host.finish(channel, until=lambda r: b"on" in r.out)
        type(self).sessions += 1
        self.host.hello(0x100 + self.sessions)
        self.assertEqual(self.sh("ps | grep '[s]leep 4321'; true"), "")

    def test_get_topology_is_answered(self):
        self.host.send("get-topology", 77)
        got = self.host.receive()
        self.assertEqual((got.type, got.channel), ("topology", 77))
        self.assertIn("cpus 0-1\n", got.payload.decode())

    def test_idle_cpus_are_waited_for(self):
        self.host.settle(120000)
        waited_ns, quiet_ns, cpu, permille = self.host.settle(60000)
        self.assertGreaterEqual(waited_ns, quiet_ns)
        self.assertGreaterEqual(quiet_ns, 60e6)
        self.assertIn(cpu, (0, 1))
        self.assertLessEqual(permille, 100)

    def test_who_keeps_a_cpu_busy_is_named(self):
        channel = self.host.start(["sh", "-c", "echo on; while :; do :; done"])
        loop = self.host.finish(channel, until=lambda r: b"on" in r.out)
        # It is alone on its CPU, and the kernel's counters of that CPU stand still.
        for _ in range(3):
            with self.assertRaisesRegex(RuntimeError, rf"^agent-busy not idle after \d+\.\d s: sh \(pid {loop.pid}\) used \d\d+ % of "):
                self.host.settle(200)
        self.host.send("signal", channel, struct.pack("<I", signal.SIGKILL))
        self.host.finish(channel, result=loop)
        self.host.settle(60000)


@unittest.skipIf(guest.missing(), guest.missing())
class Ends(unittest.TestCase):
    def test_power_off_says_goodbye_and_stops_the_machine(self):
        with guest.Guest() as g:
            g.host.hello(5)
            g.host.send("power-off")
            self.assertEqual(g.host.receive().type, "bye")
            self.assertEqual(g.wait(), 0)

    def test_without_its_port_the_agent_says_so_and_powers_off(self):
        with guest.Guest(port="another.name") as g:
            self.assertEqual(g.wait(120), 0)
            self.assertRegex(g.console, r"(?m)^ktstr-agent: fatal: \[agent-system\] there is no port named ktstr.ctl")


if __name__ == "__main__":
    tap.main(__name__)
