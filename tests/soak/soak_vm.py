# SPDX-License-Identifier: GPL-2.0-or-later
"""Many boots and clones whose kernels patch themselves while tasks run; every preset; several kernels.

Environment: KTSTR_SOAK_BOOTS (100), KTSTR_SOAK_CLONES (300), KTSTR_SOAK_CPUS (64: presets with more are
only started, not waited for), KTSTR_SOAK_KEEP (where consoles of failed guests are kept). Figures go
to standard error.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import machine
import tap
from share import rounds

BOOTS = int(os.environ.get("KTSTR_SOAK_BOOTS", rounds(100)))
CLONES = int(os.environ.get("KTSTR_SOAK_CLONES", rounds(300)))
WHOLE_CPUS = int(os.environ.get("KTSTR_SOAK_CPUS", "64"))
KEEP = os.environ.get("KTSTR_SOAK_KEEP") or tempfile.gettempdir()
START_SECONDS = 60
GUEST_SECONDS = 1800
SERIES = ("6.12", "6.18", "7.2")
TOPOLOGIES = ("1n1l1c1t", "1n2l2c1t", "1n2l2c2t")
# A kernel that is unwell says one of these before or instead of its last words.
UNWELL = re.compile(r"BUG:|Oops|WARNING:|Kernel panic|general protection|unable to handle|Call Trace|rcu.*stall|soft lockup")

# Jump labels (schedstats, bpf stats), a breakpoint in the text (kprobe), a static call (tracepoint), and
# a call site at the start of a function (ftrace), with three tasks that never sleep.
PATCHING = """
cd /sys/kernel/tracing || exit 9
for i in 1 2 3; do (while :; do :; done) & done
i=0
while [ $i -lt ROUNDS ]; do
	echo 1 >/proc/sys/kernel/sched_schedstats && echo 1 >/proc/sys/kernel/bpf_stats_enabled || exit 8
	echo 0 >/proc/sys/kernel/sched_schedstats && echo 0 >/proc/sys/kernel/bpf_stats_enabled || exit 8
	i=$((i + 1))
done
DEEP
dmesg
echo "patched $i times"
"""
DEEP = """
echo p:soak vfs_read >kprobe_events && echo 1 >events/kprobes/soak/enable || exit 7
cat /proc/loadavg >/dev/null
grep -q 'soak:' trace || exit 6
echo 0 >events/kprobes/soak/enable && echo >kprobe_events || exit 7
echo 1 >events/sched/sched_switch/enable && echo 0 >events/sched/sched_switch/enable || exit 5
echo vfs_read >set_ftrace_filter && echo function >current_tracer && echo nop >current_tracer || exit 4
"""


def ktstr(*args):
    return subprocess.run([machine.KTSTR, *args], capture_output=True, text=True, check=False)


def say(text):
    print(text, file=sys.stderr, flush=True)


def vm_of(owner):
    """What `ktstr vm list` says of the guest of a process; None: nothing yet."""
    listed = ktstr("vm", "list", "--json")
    vms = json.loads(listed.stdout)["vms"] if listed.returncode == 0 else []
    return next((vm for vm in vms if vm.get("owner", {}).get("pid") == owner and "console_log" in vm), None)


class Console(threading.Thread):
    """Holds a guest's console open: the file is gone with the guest, its text is not."""

    def __init__(self, owner):
        super().__init__(daemon=True)
        self.owner, self.file, self.stop = owner, None, threading.Event()
        self.start()

    def run(self):
        while not self.file and not self.stop.wait(0.2):
            vm = vm_of(self.owner)
            try:
                self.file = open(vm["console_log"], "rb") if vm else None
            except OSError:
                pass  # a guest that ended meanwhile

    def text(self):
        self.stop.set()
        self.join()
        if not self.file:
            return ""
        with self.file:
            return self.file.read().decode(errors="replace")


class Guests(machine.GuestTest):
    def run_guest(self, name, script, *options):
        """Output of one guest; one that fails or is unwell leaves its console behind."""
        command = [machine.KTSTR, "shell", *options, "--exec", script]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        console = Console(process.pid)
        try:
            out, err = process.communicate(timeout=GUEST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        text, out, err = console.text(), out.decode(errors="replace"), err.decode(errors="replace")
        unwell = UNWELL.search(out) or UNWELL.search(text)
        if process.returncode != 0 or err or unwell:
            path = os.path.join(KEEP, f"ktstr-soak-{name}.console")
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"$ {' '.join(command)}\nstatus {process.returncode}\n{err}\n--- console\n{text}\n--- output\n{out}\n")
            self.fail(f"{name}: status {process.returncode}, {unwell.group(0) if unwell else 'no complaint of the kernel'}: {err} ({path})")
        return out

    def many(self, kind, n, rounds, *options):
        times = []
        for i in range(n):
            topology = TOPOLOGIES[i % len(TOPOLOGIES)]
            script = PATCHING.replace("ROUNDS", str(rounds)).replace("DEEP", DEEP if i % 10 == 0 else "")
            began = time.monotonic()
            out = self.run_guest(f"{kind}-{i}", script, "-t", topology, *options)
            times.append(time.monotonic() - began)
            self.assertIn(f"patched {rounds} times", out)
            if i % 10 == 9:
                say(f"{kind}: {i + 1} of {n}, load {os.getloadavg()[0]:.1f}")
        if times:
            times.sort()
            say(f"{kind}: {n} of {n} well, each patched {4 * rounds} times; median {times[len(times) // 2]:.1f} s, "
                f"longest {times[-1]:.1f} s, together {sum(times):.0f} s")

    def test_boots(self):
        self.many("boots", BOOTS, 5, "--cold")

    def test_clones(self):
        self.many("clones", CLONES, 5)


class Presets(machine.GuestTest):
    def starts(self, topology):
        """Seconds until a machine too large to wait for is listed: its QEMU runs with all its CPUs."""
        began = time.monotonic()
        process = subprocess.Popen([machine.KTSTR, "shell", "--cold", "-t", topology, "--exec", "true"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            while time.monotonic() < began + START_SECONDS and process.poll() is None:
                vm = vm_of(process.pid)
                if vm:
                    self.assertEqual(vm["topology"], topology)
                    return time.monotonic() - began
                time.sleep(0.5)
        finally:
            early = process.poll()
            if early is None:
                process.send_signal(signal.SIGTERM)
            err = process.communicate(timeout=60)[1].decode(errors="replace")
        return self.fail(f"{topology}: status {early}: {err}")

    def test_presets(self):
        with open("/proc/meminfo", encoding="ascii") as f:
            available = int(re.search(r"MemAvailable:\s+(\d+)", f.read())[1]) >> 10
        presets = json.loads(ktstr("topo", "--presets", "--json").stdout)
        self.assertEqual(len(presets), 24)
        for preset in sorted(presets, key=lambda p: p["n_cpus"]):
            name, topology, cpus = preset["preset"], preset["topology"], preset["n_cpus"]
            with self.subTest(name):
                if cpus > WHOLE_CPUS or 256 + 32 * cpus > available / 2:
                    say(f"{name} {topology}: started after {self.starts(topology):.1f} s, not waited for")
                    continue
                began = time.monotonic()
                # Booting reads the topology back and compares all of it; this is another pair of eyes.
                online = self.sh("nproc; ls -d /sys/devices/system/node/node[0-9]* | wc -l", "--cold", "-t", topology,
                                 timeout=GUEST_SECONDS).split()
                self.assertEqual(online, [str(cpus), str(preset["nodes"])])
                say(f"{name} {topology}: booted and read back in {time.monotonic() - began:.1f} s")


class Kernels(machine.GuestTest):
    def cached(self):
        return json.loads(ktstr("kernel", "list", "--json").stdout)["kernels"]

    def test_each_series_boots(self):
        for series in SERIES:
            with self.subTest(series):
                of_it = [k for k in self.cached() if k["version"].startswith(series + ".")]
                if not of_it:
                    fetched = ktstr("kernel", "fetch", series)
                    if fetched.returncode != 0:
                        say(f"{series}: not in reach: {fetched.stderr.strip()}")
                        continue
                    of_it = [k for k in self.cached() if k["version"].startswith(series + ".")]
                for kernel in of_it:
                    began = time.monotonic()
                    self.assertEqual(self.sh("uname -r", "--cold", "-k", kernel["id"], timeout=GUEST_SECONDS).strip(),
                                     kernel["release"])
                    say(f"{kernel['id']}: booted in {time.monotonic() - began:.1f} s, sched_ext {kernel['sched_ext']}")

    def test_kernels_with_broken_btf_are_refused(self):
        broken = [k for k in self.cached() if k["sched_ext"] == "broken"]
        for kernel in broken:
            told = ktstr("kernel", "check", kernel["id"])
            self.assertEqual(told.returncode, 1, told)
            self.assertRegex(told.stdout + told.stderr, r"\d+ of \d+ scx functions leak an 'aux' argument")
        say(f"broken BTF: {len(broken)} refused: {' '.join(k['id'] for k in broken)}")
        if not broken:
            self.skipTest("no kernel with such BTF is in the cache")


if __name__ == "__main__":
    tap.main(__name__)
