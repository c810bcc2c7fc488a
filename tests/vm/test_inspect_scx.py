# SPDX-License-Identifier: GPL-2.0-or-later
"""sched_ext, BPF programs and maps seen from outside, against what the guest's own /sys and /proc say."""

import functools
import json
import os

import machine
import tap
from shell_guest import ShellGuest

CPUS = 4
SPINNERS = 8
SLICE_US = 5000
MOMENTS = 20
FIFO = os.path.join(machine.guest.BUILD, "bpf", "scx_ktfifo")
WAITER = os.environ.get("KTSTR_WAITER", "")
WAITER_CPU = 3
TICKS_MS = 20  # two, as long as any kernel has them
# Kernels with a deadline server for sched_ext would let the waiter run for some time in each second.
WAIT = f"""
echo -1 >/proc/sys/kernel/sched_rt_runtime_us; mount -t debugfs none /sys/kernel/debug 2>/dev/null
server=/sys/kernel/debug/sched/ext_server/cpu{WAITER_CPU}/runtime; [ ! -e $server ] || echo 0 >$server
mkfifo /tmp/let-go; /waiter </tmp/let-go >/tmp/waits & exec 9>/tmp/let-go
while [ ! -s /tmp/waits ]; do sleep 0.1; done; sleep 1; cat /tmp/waits
"""
FILLER = os.environ.get("KTSTR_MAP_FILLER", "")


class Guest(ShellGuest):
    def __init__(self, *options):
        super().__init__("-t", f"1n1l{CPUS}c1t", "-i", f"{FIFO}:/fifo", "-i", f"{FILLER}:/filler", "-i", f"{WAITER}:/waiter", *options)

    def close(self):
        # Its shell may be among those who are not served any more.
        self.process.terminate()
        super().close()

    def schedule(self, options):
        return int(self.ask(f"/fifo {options} >/tmp/out 2>/tmp/err & echo $! >/tmp/fifo;"
                            "while [ ! -s /tmp/out ]; do sleep 0.1; done; cat /tmp/fifo")[0])

    def spin(self, n):
        self.ask(f"for i in $(seq {n}); do (while :; do :; done) & echo $! >>/tmp/spin; done")
        return {int(line) for line in self.ask("cat /tmp/spin")}


def look(guest, *arguments):
    return json.loads(guest.inspect(*arguments, "--freeze", "--json", "--max-entries", "0"))


def events(guest):
    return {line.split()[0]: int(line.split()[1]) for line in guest.ask("cat /sys/kernel/sched_ext/root/events")}


def descriptors(guest, pid):
    """What the kernel says of each program and map that a process has open: /proc/PID/fdinfo."""
    found = {}
    for line in guest.ask(f"grep -H : /proc/{pid}/fdinfo/* 2>/dev/null"):
        path, name, value = line.split(":", 2)
        found.setdefault(path, {})[name.strip()] = value.strip()
    programs = {int(d["prog_id"]): d for d in found.values() if "prog_id" in d and "verified_insns" in d}
    maps = {int(d["map_id"]): d for d in found.values() if "map_id" in d and "key_size" in d}
    return programs, maps


def plain(value):
    """A tree of values without what it says about types."""
    kind = value["kind"]
    if kind == "struct":
        return {member["name"]: plain(member["value"]) for member in value["members"]}
    if kind == "bytes":
        return bytes.fromhex(value["hex"])
    if kind == "array":
        if value.get("all_zero"):
            return [0] * value["len"]
        return value["text"] if "text" in value else [plain(element) for element in value["elements"]]
    return value["value"]


def number(value):
    return int.from_bytes(plain(value), "little")


def value_of(i):
    """tests/vm/map_filler.c"""
    return {"number": 1000000007 * i, "square": i * i % 2**32, "always": 77}


def wide_key(i):
    return b"".join(word.to_bytes(4, "little") for word in (i, i + 1, 0xabcd))


def needs_scx(test):
    @functools.wraps(test)
    def wrapped(self):
        if not self.has_scx:
            self.skipTest("the kernel has no sched_ext")
        test(self)
    return wrapped


class InspectScx(machine.GuestTest):
    machine_options = ()

    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if machine.guest.missing():
            return
        cls.guest = Guest(*cls.machine_options)
        guest = cls.guest
        guest.ask("echo 1 >/proc/sys/kernel/bpf_stats_enabled")
        cls.filler = int(guest.ask("/filler >/tmp/filled & while [ ! -s /tmp/filled ]; do sleep 0.1; done;"
                                   "cat /tmp/filled")[0].split()[1])
        cls.has_scx = bool(guest.ask("ls -d /sys/kernel/sched_ext 2>/dev/null"))
        cls.maps = {}
        if cls.has_scx:
            cls.schedule()
        else:
            cls.seen = look(guest)
        _, filled = descriptors(guest, cls.filler)
        cls.maps.update(filled)

    @classmethod
    def schedule(cls):
        guest = cls.guest
        cls.nothing = look(guest, "scx")
        cls.pid = guest.schedule(f"--slice-us {SLICE_US}")
        cls.waiter = [int(word) for word in guest.ask(WAIT)[0].split()]
        cls.waiting = look(guest)
        cls.waiter_ran = guest.ask("echo >&9; exec 9>&-; wait $!; echo $?; cat /tmp/waits")
        cls.spinners = guest.spin(SPINNERS)
        cls.events = events(guest)
        cls.programs, _ = descriptors(guest, cls.pid)
        cls.seen = look(guest)
        cls.events_after = events(guest)
        cls.programs_after, cls.maps = descriptors(guest, cls.pid)

    @classmethod
    def tearDownClass(cls):
        if cls.guest:
            cls.guest.close()

    def map(self, name):
        (found,) = look(self.guest, "map", name)["maps"]
        self.assertNotIn("unavailable", found)
        return found

    @needs_scx
    def test_before_a_scheduler_is_loaded_there_is_none(self):
        self.assertEqual(self.nothing["state"], "disabled")
        self.assertNotIn("ops", self.nothing)
        self.assertEqual([cpu["nr_running"] for cpu in self.nothing["cpus"]], [0] * CPUS)

    @needs_scx
    def test_the_scheduler_and_its_state(self):
        scx = self.seen["scx"]
        self.assertEqual(scx["state"], self.guest.ask("cat /sys/kernel/sched_ext/state")[0])
        self.assertEqual(scx["ops"], self.guest.ask("cat /sys/kernel/sched_ext/root/ops")[0])
        self.assertEqual((scx["ops"], scx["state"], scx["timeout_ms"]), ("ktfifo", "enabled", 20000))
        self.assertEqual((scx["exit"], scx["bypass_depth"]), ({"kind": 0, "word": "none"}, 0))

    @needs_scx
    def test_events_lie_between_what_the_guest_read(self):
        seen = self.seen["scx"]["events"]
        self.assertEqual(list(seen), list(self.events))
        for name, count in seen.items():
            self.assertLessEqual(self.events[name], count, name)
            self.assertLessEqual(count, self.events_after[name], name)
        self.assertGreater(seen["SCX_EV_BYPASS_ACTIVATE"], 0)

    @needs_scx
    def test_a_task_waits_in_the_queue_since_it_was_woken(self):
        tid, before_ns, after_ns = self.waiter
        scx = self.waiting["scx"]
        # It waited all the time, the guest says, and then it ran.
        self.assertEqual((self.waiter_ran[0], self.waiter_ran[2:]), ("0", ["ran 0"]))
        self.assertEqual(scx["cpus"][WAITER_CPU]["curr"].split("[")[0], "kt-hog")
        (queue,) = [dsq for dsq in scx["dsqs"] if dsq["origin"] == "user"]
        (queued,) = [task for task in queue["tasks"] if task["pid"] == tid]
        (runnable,) = [task for task in scx["cpus"][WAITER_CPU]["runnable"] if task["pid"] == tid]
        self.assertEqual((queued["comm"], queued["cpu"], queued["slice_ns"]), ("kt-waiter", WAITER_CPU, SLICE_US * 1000))
        self.assertEqual((runnable["comm"], runnable["dsq"]), ("kt-waiter", queue["id"]))
        uptime_ns = self.waiting["uptime"]["uptime_ns"]
        self.assertGreater(uptime_ns - after_ns, 900e6)
        for task in (queued, runnable):
            self.assertGreaterEqual(task["age_ms"], (uptime_ns - after_ns) / 1e6 - TICKS_MS)
            self.assertLessEqual(task["age_ms"], (uptime_ns - before_ns) / 1e6 + TICKS_MS)
        tasks = {task["pid"]: task for task in self.waiting["tasks"]["tasks"]}
        task = tasks[tid]
        self.assertEqual((task["class"], task["on_rq"], task["cpus_allowed"]), ("ext", 1, str(WAITER_CPU)))
        self.assertGreaterEqual(task["waiting_ns"], uptime_ns - after_ns - TICKS_MS * 1e6)
        self.assertLessEqual(task["waiting_ns"], uptime_ns - before_ns + TICKS_MS * 1e6)
        self.assertAlmostEqual(task["runnable_jiffies"], queued["age_jiffies"], delta=1)
        (hog,) = [other for other in tasks.values() if other["comm"] == "kt-hog"]
        self.assertEqual((hog["class"], "waiting_ns" in hog, "runnable_jiffies" in hog), ("rt", False, False))
        others = [task for dsq in scx["dsqs"] if dsq["origin"] != "user" for task in dsq["tasks"]]
        self.assertNotIn(tid, [task["pid"] for task in others])

    def moment(self):
        """None, or a moment in which no CPU was about to move a task, taken apart."""
        scx = look(self.guest, "scx")
        running = [cpu["curr"] for cpu in scx["cpus"]]
        runnable = [task for cpu in scx["cpus"] for task in cpu["runnable"]]
        (queue,) = [dsq for dsq in scx["dsqs"] if dsq["origin"] == "user"]
        waiting = {task["pid"] for task in queue["tasks"]}
        on_cpu = {int(curr[curr.rindex("[") + 1:-1]) for curr in running}
        if waiting | on_cpu >= self.spinners and not waiting & on_cpu and queue["nr"] == len(queue["tasks"]) and \
           all(task["pid"] in waiting | on_cpu for task in runnable):
            return scx, queue, on_cpu
        return None

    @needs_scx
    def test_tasks_that_do_not_run_are_in_the_dispatch_queue(self):
        seen = next(filter(None, (self.moment() for _ in range(MOMENTS))), None)
        self.assertIsNotNone(seen, "the queue and the CPUs never agreed")
        scx, queue, on_cpu = seen
        self.assertEqual((queue["id"], queue["total"]), ("0x0", len(queue["tasks"])))
        self.assertEqual(len(on_cpu), CPUS)
        for task in queue["tasks"]:
            # A tick may pass before it is seen; nobody waits as long as the watchdog would.
            self.assertLess(task.get("age_ms", 0), 20000, task)
            if task["pid"] in self.spinners:
                self.assertEqual(task["slice_ns"], SLICE_US * 1000, task)
        self.assertEqual([dsq["number"] for dsq in scx["dsqs"] if dsq["origin"] == "local cpu"], list(range(CPUS)))
        self.assertEqual([dsq["number"] for dsq in scx["dsqs"] if dsq["origin"] == "global node"], [0])

    @needs_scx
    def test_programs_are_as_the_kernel_says(self):
        seen = {p["id"]: p for p in self.seen["prog"]["programs"]}
        self.assertEqual({seen[i]["name"] for i in self.programs},
                         {"fifo_select_cpu", "fifo_enqueue", "fifo_dispatch", "fifo_init", "fifo_exit"})
        for i, said in self.programs.items():
            program = seen[i]
            self.assertEqual(program["type"], "struct_ops")
            self.assertEqual(program["tag"], said["prog_tag"])
            self.assertEqual(program["verified_insns"], int(said["verified_insns"]))
            self.assertLessEqual(int(said["run_cnt"]), program["runs"])
            self.assertLessEqual(program["runs"], int(self.programs_after[i]["run_cnt"]))
            self.assertLessEqual(program["run_ns"], int(self.programs_after[i]["run_time_ns"]))
        self.assertGreater(sum(p["runs"] for p in seen.values()), 0)

    def test_maps_are_as_the_kernel_says(self):
        seen = {m["id"]: m for m in self.seen["maps"]["maps"]}
        self.assertGreater(len(self.maps), 7)
        for i, said in self.maps.items():
            self.assertEqual((seen[i]["key_bytes"], seen[i]["value_bytes"], seen[i]["max_entries"]),
                             tuple(int(said[k]) for k in ("key_size", "value_size", "max_entries")), said)
            self.assertEqual(int(seen[i]["flags"], 16), int(said["map_flags"], 16))

    @needs_scx
    def test_globals_of_the_scheduler(self):
        settings = plain(self.map(".rodata.settings")["globals"])["settings"]
        self.assertEqual(settings, {"slice_ns": SLICE_US * 1000, "fault": 0})
        state = plain(self.map(".bss.state")["globals"])["state"]
        self.assertEqual((state["is_faulty"], state["exit_kind"], state["kept"], state["exit_code"]), (0, 0, 0, 0))

    @needs_scx
    def test_struct_ops_map_is_shown_with_its_functions(self):
        value = plain(self.map("fifo_ops")["value"])
        self.assertEqual((value["data"]["name"], value["data"]["timeout_ms"]), ("ktfifo", 20000))
        self.assertGreater(int(value["data"]["enqueue"], 16), 2**63)
        self.assertEqual(value["data"]["yield"], "0x0")

    @needs_scx
    def test_frames_of_a_program_have_its_name(self):
        ranges = [(int(p["jited_at"], 16), int(p["jited_at"], 16) + p["jited_bytes"]) for p in self.seen["prog"]["programs"]]
        # Those who talk through pipes are switched much more often than those who spin.
        self.guest.ask("for i in 1 2 3 4; do yes | cat >/dev/null & done")
        self.addCleanup(self.guest.ask, "killall yes")
        # One moment in twenty, or fewer on a busy host: a run without any must not happen.
        for _ in range(20 * MOMENTS):
            frames = [frame for stack in look(self.guest, "stack")["stacks"] for frame in stack["frames"] if frame["reliable"]]
            found = [frame for frame in frames if any(a <= int(frame["ip"], 16) < b for a, b in ranges)]
            for frame in found:
                self.assertTrue(frame.get("symbol", "").startswith("bpf_prog_"), frame)
            if found:
                return
        self.fail(f"{20 * MOMENTS} moments, and no CPU was stopped in a program, or no frame of one was unwound")

    def test_only_what_the_kernel_does_not_have_is_unavailable(self):
        views = ("scx", "tasks", "rq", "prog", "maps")
        self.assertEqual([view for view in views if "unavailable" in self.seen[view]], [] if self.has_scx else ["scx"])

    def test_array(self):
        entries = self.map("kt_array")["entries"]
        self.assertEqual([(e["key"], plain(e["value"])) for e in entries], [(i, value_of(i)) for i in range(100)])

    def test_hash(self):
        for name, n in (("kt_hash", 500), ("kt_lru", 20)):
            found = self.map(name)
            self.assertEqual((found["shown"], found["total"]), (n, n))
            self.assertEqual({plain(e["key"]): plain(e["value"]) for e in found["entries"]},
                             {i: value_of(i) for i in range(n)}, name)

    def test_a_non_preallocated_hash_without_types_is_shown(self):
        self.assertEqual({plain(e["key"]): number(e["value"]) for e in self.map("kt_lazy")["entries"]},
                         {wide_key(i): 3 * i + 1 for i in range(500)})

    def percpu(self, entry):
        return [(v["cpu"], number(v["value"])) for v in entry["values"]]

    def test_values_of_each_cpu(self):
        entries = self.map("kt_cpu_array")["entries"]
        self.assertEqual([e["key"] for e in entries], list(range(20)))
        for entry in entries:
            self.assertEqual(self.percpu(entry), [(cpu, 1000 * entry["key"] + cpu) for cpu in range(CPUS)])
        for name in ("kt_cpu_hash", "kt_cpu_lru"):
            entries = {plain(e["key"]): self.percpu(e) for e in self.map(name)["entries"]}
            self.assertEqual(entries, {wide_key(i): [(cpu, 1000 * i + cpu) for cpu in range(CPUS)] for i in range(20)})

    def test_storage_of_a_task(self):
        (entry,) = self.map("kt_task")["entries"]
        self.assertEqual((entry["key"], plain(entry["value"])), (f"filler[{self.filler}]", value_of(42)))

    def test_an_unsupported_map_type_is_reported(self):
        (found,) = look(self.guest, "map", "kt_queue")["maps"]
        self.assertIn("type queue", found["unavailable"])


class InspectScxWith5Levels(InspectScx):
    machine_options = ("--cpu", "max,vendor=GenuineIntel,level=32")
    # Whether a CPU is stopped in a program has nothing to do with its page tables.
    test_frames_of_a_program_have_its_name = None

    def test_the_guest_uses_the_intended_page_table_levels(self):
        self.assertEqual(self.guest.ask("grep -c la57 /proc/cpuinfo"), [str(CPUS)])


if __name__ == "__main__":
    tap.main(__name__)
