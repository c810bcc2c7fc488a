# SPDX-License-Identifier: GPL-2.0-or-later
"""Clones of a template under instruction counting, with bare QEMU: the same when QEMU does not announce them.

After a migration QEMU announces the guest on timers of the host's clock, and these cut the turns of the CPUs. The
template is saved in the middle of a run with busy processes, the hardest case.
"""

import hashlib
import json
import mmap
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

import guest
import ktwire
import tap
from share import rounds

RUNS = int(os.environ.get("KTSTR_RUNS", rounds(10, least=2)))
BYTES = 512 << 20
MARK = b"MARKED"
COMMAND = f"""for i in 1 2 3 4 5; do sh -c 'while :; do :; done' >/dev/null 2>&1 </dev/null & done; echo {MARK.decode()}
i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; sleep 0.3; head -c 8 /dev/urandom | od -An -tx1; cat /proc/interrupts"""
KERNEL_ARGS = ("console=ttyS0 quiet panic=-1 mitigations=off noreplace-smp tsc=reliable no_timer_check rdinit=/init "
               "nokaslr random.trust_cpu=off ktstr.deterministic")
SHARED = [{"capability": "x-ignore-shared", "state": True}]


def plan():
    hello = ktwire.hello_payload(1_700_000_000 * 10**9, bytes(range(32)), bytes(range(1, 17)), 0)
    run = ktwire.run_payload(["sh", "-c", COMMAND])
    return ktwire.frame("hello", 9, 0, 0, hello) + ktwire.frame("run", 9, 1, 1, run)


def vmlinux():
    return os.path.join(os.path.dirname(guest.kernel()), "vmlinux")


class Machine:
    """QEMU with RAM, console and frames on memory files, and its monitor."""

    def __init__(self, cores, ram, more):
        self.files = [os.memfd_create(name, 0) for name in ("console", "frames")]
        self.ram = ram
        ours, theirs = socket.socketpair()
        args = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-bios", "qboot.rom", "-nodefaults", "-no-user-config",
                "-display", "none", "-no-reboot", "-seed", "1", "-icount", "shift=3,sleep=off",
                "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-machine", "q35", "-cpu", "Nehalem,level=32,-rdrand,-rdseed",
                "-smp", f"{2 * cores},sockets=1,dies=2,cores={cores},threads=1", "-m", f"{BYTES >> 20}M",
                "-object", f"memory-backend-file,id=ram,size={BYTES},mem-path=/proc/self/fd/{ram},share=on",
                "-numa", "node,memdev=ram",
                "-chardev", f"file,id=console,path=/proc/self/fd/{self.files[0]},append=on", "-device", "isa-serial,chardev=console",
                "-chardev", f"file,id=debug,path=/proc/self/fd/{self.files[1]},append=on", "-device", "isa-debugcon,iobase=0xe9,chardev=debug",
                "-chardev", f"socket,id=monitor,fd={theirs.fileno()}", "-mon", "chardev=monitor,mode=control", *more]
        self.process = subprocess.Popen(args, pass_fds=[*self.files, theirs.fileno(), ram], stdin=subprocess.DEVNULL)
        theirs.close()
        self.monitor = ours.makefile("rw")
        ours.close()
        self.monitor.readline()
        self.tell("qmp_capabilities")

    def tell(self, command, **arguments):
        self.monitor.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.monitor.flush()
        for line in self.monitor:
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        raise EOFError(command)

    def read(self, i):
        return os.pread(self.files[i], os.fstat(self.files[i]).st_size, 0)

    def until_migrated(self):
        while self.tell("query-migrate").get("status") != "completed":
            time.sleep(0.02)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.monitor.close()
        for fd in [*self.files, self.ram]:
            os.close(fd)


def new_ram(content=None):
    fd = os.memfd_create("ram", 0)
    os.ftruncate(fd, BYTES)
    if content is not None:
        with mmap.mmap(fd, BYTES) as m:
            m[:] = content
    return fd


@unittest.skipIf(guest.missing(), guest.missing())
class Clones(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="ktstr-clones-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.state = os.path.join(self.directory, "state")

    def make_template(self, cores):
        initrd = os.path.join(self.directory, "initrd")
        with open(initrd, "wb") as f:
            f.write(guest.initramfs([("ktstr/plan", 0o100644, plan())]))
        machine = Machine(cores, new_ram(), ["-kernel", vmlinux(), "-initrd", initrd, "-append", KERNEL_ARGS])
        self.addCleanup(machine.close)
        while MARK not in machine.read(1):
            self.assertIsNone(machine.process.poll())
            time.sleep(0.02)
        machine.tell("stop")
        machine.tell("migrate-set-capabilities", capabilities=SHARED)
        machine.tell("migrate", uri=f"exec:cat > {self.state}")
        machine.until_migrated()
        with mmap.mmap(machine.ram, BYTES, prot=mmap.PROT_READ) as m:
            return m[:]

    def run_clone(self, cores, ram):
        machine = Machine(cores, new_ram(ram), ["-incoming", "defer", "-S"])
        try:
            machine.tell("migrate-set-capabilities", capabilities=SHARED)
            machine.tell("migrate-set-parameters", **{"announce-rounds": 0})
            machine.tell("migrate-incoming", uri=f"exec:cat {self.state}")
            machine.until_migrated()
            machine.tell("cont")
            self.assertEqual(machine.process.wait(), 0)
            with mmap.mmap(machine.ram, BYTES, prot=mmap.PROT_READ) as m:
                return machine.read(0), machine.read(1), hashlib.sha256(m).hexdigest()
        finally:
            machine.close()

    def test_clones_of_a_deterministic_template_are_identical(self):
        for cores in (2, 4):
            with self.subTest(cpus=2 * cores):
                ram = self.make_template(cores)
                first = self.run_clone(cores, ram)
                self.assertIn(b"Restarting system", first[0])
                for _ in range(RUNS - 1):
                    self.assertEqual(self.run_clone(cores, ram), first)


if __name__ == "__main__":
    tap.main(__name__)
