# SPDX-License-Identifier: GPL-2.0-or-later
"""`ktstr inspect` from outside and from inside a guest, against what its own /proc says, before and after."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

import machine
import tap
from shell_guest import ShellGuest, ktstr, vm

CPUS = 4
SPIN_CPU = 2
PATIENCE = 30
MODULE = "dummy"
THREADS = os.environ.get("KTSTR_INSPECTED", "")


guests = {}


def shared(*options):
    """The guest with these options. It serves all classes that ask for it, and lives as long as this program."""
    if options not in guests:
        guests[options] = ShellGuest("-t", f"1n1l{CPUS}c1t", "--module", MODULE, "-i", f"{THREADS}:/inspected",
                                     "-i", f"{machine.KTSTR}:/ktstr", *options)
    return guests[options]


def tearDownModule():
    for guest in guests.values():
        guest.close()


def ask(guest, expression):
    """Exit code, what is said of it without the expression, and why not."""
    done = ktstr("inspect", guest.source(), "--expr", expression)
    said = done.stdout.decode()
    return done.returncode, said.removeprefix(f"{expression} = ").rstrip("\n"), done.stderr.decode()


def threads_of(lines):
    """tid -> what /proc/TGID/task/TID/stat says, see proc(5)."""
    found = {}
    for line in lines:
        path, _, text = line.partition(":")
        _, _, tgid, _, tid, _ = path.split("/")
        comm = text[text.index("(") + 1:text.rindex(")")]
        rest = text[text.rindex(")") + 2:].split()
        found[int(tid)] = {"tgid": int(tgid), "comm": comm, "state": rest[0], "ppid": int(rest[1]), "prio": int(rest[15]) + 100,
                           "start": int(rest[19]), "rt_priority": int(rest[37]), "policy": int(rest[38])}
    return found


# sched(7): which class runs a policy while no sched_ext scheduler is loaded.
CLASS_OF_POLICY = {0: "fair", 1: "rt", 2: "rt", 3: "fair", 5: "fair", 6: "dl", 7: "fair"}


def allowed_of(lines):
    """tid -> the CPUs it may use, as /proc/TGID/task/TID/status lists them."""
    return {int(line.split("/")[4]): line.split()[-1] for line in lines}


def switches_of(lines):
    """tid -> how often it left a CPU, willingly and not."""
    found = {}
    for line in lines:
        tid = int(line.split("/")[4])
        found[tid] = found.get(tid, 0) + int(line.split()[-1])
    return found


def dmesg(guest):
    """As we print it: what is not for terminals is spelled out."""
    return [line.replace("\t", "\\t") for line in guest.ask("dmesg")]


def proc(guest):
    return {
        "threads": threads_of(guest.ask("grep -H . /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null")),
        "switches": switches_of(guest.ask("grep -H ctxt_switches /proc/[0-9]*/task/[0-9]*/status 2>/dev/null")),
        "allowed": allowed_of(guest.ask("grep -H Cpus_allowed_list: /proc/[0-9]*/task/[0-9]*/status 2>/dev/null")),
        "log": dmesg(guest),
        "uptime": float(guest.ask("cut -d' ' -f1 /proc/uptime")[0]),
        "all_switches": int(guest.ask("sed -n 's/^ctxt //p' /proc/stat")[0]),
    }


def compare_threads(test, told, before, after):
    """What was seen of tasks between two looks of the guest at itself."""
    seen = {task["pid"]: task for task in told["tasks"]}
    test.assertEqual(len(seen), told["total"])
    old, new = before["threads"], after["threads"]
    stayed = {tid for tid in old if tid in new and old[tid]["start"] == new[tid]["start"]}
    test.assertGreater(len(stayed), 50)
    # Who left no CPU between the two looks was the same in between.
    still = {tid for tid in stayed if old[tid]["state"] == new[tid]["state"] and
             before["switches"].get(tid) == after["switches"].get(tid)}
    test.assertGreater(len(still), 50)
    for tid in stayed:
        test.assertIn(tid, seen)
        for member in ("tgid", "ppid", "policy", "rt_priority", "prio"):
            test.assertEqual(seen[tid][member], old[tid][member], (tid, member, old[tid]))
        test.assertEqual(seen[tid]["cpus_allowed"], before["allowed"][tid], old[tid])
        # The stopper is of a class of its own and shows itself as real-time.
        expected = "stop" if old[tid]["comm"].startswith("migration/") else CLASS_OF_POLICY[old[tid]["policy"]]
        test.assertEqual(seen[tid]["class"], expected, old[tid])
        # /proc adds to a kworker what it works for, and knows the long names of kernel threads.
        test.assertTrue(old[tid]["comm"].startswith(seen[tid]["comm"]), (seen[tid], old[tid]))
        if tid in still:
            test.assertEqual(seen[tid]["state"], old[tid]["state"], (seen[tid], old[tid]))
        if tid in still and old[tid]["state"] != "R":
            # EEVDF leaves a task on its queue that sleeps before its turn was over.
            test.assertTrue(seen[tid]["on_rq"] == 0 or "waiting_ns" not in seen[tid], seen[tid])
    # What was there for a moment only can be nothing but a kworker.
    for tid in set(seen) - set(old) - set(new):
        test.assertTrue(seen[tid]["comm"].startswith("kworker"), seen[tid])


def compare_uptime(test, told, before, after):
    uptime = told["uptime_ns"] / 1e9
    # The value is that of the last tick, and /proc/uptime cuts after hundredths.
    test.assertGreater(uptime, before["uptime"] - 1)
    test.assertLess(uptime, after["uptime"] + 0.01)


def compare_uname(test, told, guest):
    said = [guest.ask(f"uname -{letter}")[0] for letter in "srvnm"]
    test.assertEqual([told[key] for key in ("sysname", "release", "version", "nodename", "machine")], said)


def compare_modules(test, told, guest):
    said = [line.split() for line in guest.ask("cat /proc/modules")]
    test.assertIn(MODULE, [words[0] for words in said])
    test.assertEqual([(m["name"], int(m["base"], 16)) for m in told["modules"]],
                     [(words[0], int(words[5], 16)) for words in said])


class Inspect(machine.GuestTest):
    machine_options = ()
    has_la57 = False

    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if machine.guest.missing():
            return
        cls.guest = shared(*cls.machine_options)
        guest = cls.guest
        guest.ask("mkdir -p /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null;"
                  "mkdir -p /sys/fs/cgroup/outer/inner; echo 'ktstr looks inside' > /dev/kmsg")
        cls.pid = int(guest.ask("/inspected >/tmp/pid & while [ ! -s /tmp/pid ]; do sleep 0.1; done; cat /tmp/pid")[0])
        guest.ask(f"echo {cls.pid} > /sys/fs/cgroup/outer/inner/cgroup.procs")
        cls.before = proc(guest)
        cls.seen = json.loads(guest.inspect("all", "--freeze", "--json", "--max-entries", "0"))
        cls.after = proc(guest)

    def test_the_guest_uses_the_intended_page_table_levels(self):
        # Linux shows the flag only where it uses it.
        self.assertEqual(self.guest.ask("grep -c la57 /proc/cpuinfo"), [str(CPUS if self.has_la57 else 0)])

    def test_no_view_is_unavailable(self):
        for word in ("uname", "uptime", "rq", "tasks", "modules", "log"):
            self.assertNotIn("unavailable", self.seen[word], word)

    def test_every_thread_that_lived_all_the_time_is_there_as_proc_says(self):
        compare_threads(self, self.seen["tasks"], self.before, self.after)

    def test_threads_have_the_names_and_policies_the_program_set(self):
        own = {}
        for task in self.seen["tasks"]["tasks"]:
            if task["tgid"] == self.pid:
                own.setdefault(task["comm"], []).append(task)
        self.assertEqual({comm: len(tasks) for comm, tasks in own.items()},
                         {"inspected": 1, "kt-sleeper": 2, "kt-urgent": 1, "kt-spinner": 1})
        self.assertEqual((own["kt-urgent"][0]["policy_name"], own["kt-urgent"][0]["rt_priority"]), ("fifo", 7))
        self.assertEqual((own["kt-spinner"][0]["state"], own["kt-spinner"][0]["cpu"]), ("R", SPIN_CPU))
        self.assertEqual({task["state"] for task in own["kt-sleeper"]}, {"S"})
        for tasks in own.values():
            self.assertEqual({task["cgroup"] for task in tasks}, {"/outer/inner"})

    def test_there_is_a_runqueue_for_each_cpu_and_the_spinner_is_on_its_own(self):
        cpus = self.seen["rq"]["cpus"]
        self.assertEqual([rq["cpu"] for rq in cpus], list(range(int(self.guest.ask("nproc")[0]))))
        self.assertEqual(len(cpus), CPUS)
        by_pid = {task["pid"]: task for task in self.seen["tasks"]["tasks"]}
        running = {rq["cpu"]: rq["curr"]["comm"] for rq in cpus if not rq["curr"]["idle"]}
        # A kernel thread may have pushed it aside for a moment, but no one else's queue has it.
        self.assertNotIn("kt-spinner", [comm for cpu, comm in running.items() if cpu != SPIN_CPU])
        self.assertGreaterEqual(cpus[SPIN_CPU]["nr_running"], 1)
        self.assertGreaterEqual(cpus[SPIN_CPU]["cfs"], 1)
        for rq in cpus:
            self.assertTrue(rq["online"])
            self.assertGreater(rq["clock"], 0)
            if not rq["curr"]["idle"]:
                self.assertEqual(by_pid[rq["curr"]["pid"]]["comm"], rq["curr"]["comm"])

    def test_switches_of_all_cpus_lie_between_what_the_guest_counted(self):
        switches = sum(rq["nr_switches"] for rq in self.seen["rq"]["cpus"])
        self.assertGreaterEqual(switches, self.before["all_switches"])
        self.assertLessEqual(switches, self.after["all_switches"])

    def test_time_lies_between_what_the_guest_read(self):
        compare_uptime(self, self.seen["uptime"], self.before, self.after)

    def test_uname(self):
        compare_uname(self, self.seen["uname"], self.guest)

    def test_modules(self):
        compare_modules(self, self.seen["modules"], self.guest)

    def test_the_log_is_what_dmesg_prints(self):
        text = self.guest.inspect("log", "--max-entries", "0", "--lines", "100000").splitlines()
        self.assertIn("ktstr looks inside", "\n".join(text))
        old = self.before["log"]
        self.assertEqual(text[:len(old)], old)
        self.assertEqual(text, dmesg(self.guest)[:len(text)])
        # The last ones are those that are shown when there is no room for all.
        self.assertEqual(self.guest.inspect("log", "--max-entries", "2").splitlines()[:2], text[-2:])

    def test_single_values_by_their_names(self):
        comm = self.guest.inspect("--expr", "init_task.comm")
        self.assertEqual(comm, 'init_task.comm = "swapper/0"\n')
        pids = json.loads(self.guest.inspect("--expr", "runqueues.cpu", "--json"))["cpus"]
        self.assertEqual([entry["value"]["value"] for entry in pids], list(range(CPUS)))
        said = self.guest.inspect("--expr", "init_task.thread_pid->numbers[0].nr")
        self.assertEqual(said, "init_task.thread_pid->numbers[0].nr = 0\n")

    def addresses(self, *names):
        """Of symbols, as the guest itself lists them."""
        found = {words[2]: int(words[0], 16) for words in map(str.split, self.guest.ask("cat /proc/kallsyms"))
                 if len(words) == 3 and words[2] in names}
        self.assertEqual(sorted(found), sorted(names))
        return [found[name] for name in names]

    def test_expressions_as_gdb_users_write_them(self):
        if not self.has_la57:
            addresses = {task["pid"]: task["address"] for task in self.seen["tasks"]["tasks"]}
            self.compare_expressions(addresses, f"(struct task_struct *){addresses[self.pid]}")

    def compare_expressions(self, addresses, task):
        cat = lambda path: self.guest.ask(f"cat {path}")[0]  # noqa: E731
        init, schedule, idle, banner = self.addresses("init_task", "schedule", "idle_sched_class", "linux_banner")
        parent = int(cat(f"/proc/{self.pid}/stat").split()[3])
        parent_text = f"{addresses[parent]} → {cat(f'/proc/{parent}/comm')}[{parent}]"
        printk = cat("/proc/sys/kernel/printk").split()
        expected = {
            f"({task})->comm": '"inspected"',
            f"(*{task}).pid": str(self.pid),
            f"*&({task})->pid": str(self.pid),
            f"*(int *)&({task})->tgid": str(self.pid),
            f"({task})->real_parent": parent_text,
            f"({task})->signal->nr_threads": str(len(self.guest.ask(f"ls /proc/{self.pid}/task"))),
            f"({task})->comm[0]": str(ord("i")),
            f"(unsigned char)(({task})->comm[0] + 1)": str(ord("j")),
            "nr_cpu_ids": str(CPUS),
            "runqueues[nr_cpu_ids - 1].cpu": str(CPUS - 1),
            "__cpu_online_mask": "cpus={%s}" % cat("/sys/devices/system/cpu/online"),
            "init_uts_ns.name.release": '"%s"' % self.guest.ask("uname -r")[0],
            "(enum system_states)3": "SYSTEM_RUNNING (3)",
            "system_state": "SYSTEM_RUNNING (3)",
            "SYSTEM_RUNNING": "SYSTEM_RUNNING (3)",
            "tainted_mask": cat("/proc/sys/kernel/tainted"),
            "panic_on_oops": cat("/proc/sys/kernel/panic_on_oops"),
            "(int)console_printk": printk[0],
            "((int *)&console_printk)[3]": printk[3],
            "*((int *)&console_printk + 3)": printk[3],
            "sizeof(struct list_head)": "16",
            "sizeof(init_task.comm)": "16",
            "sizeof(u64)": "8",
            "&((struct list_head *)0)->prev": "0x8",
            "(long)0xffffffffffffffff": "-1",
            "&init_task": f"{init:#x} → swapper/0[0]",
            "init_task.sched_class": f"{idle:#x} <idle_sched_class>",
        }
        said = {text: ask(self.guest, text) for text in expected}
        self.assertEqual(said, {text: (0, value, "") for text, value in expected.items()})
        self.assertRegex(ask(self.guest, "schedule")[1], rf"^{schedule:#x} <schedule\+0x0/0x[0-9a-f]+>$")
        # Texts are cut after 256 bytes.
        for text, path in (("saved_command_line", "/proc/cmdline"), ("(char *)&linux_banner", "/proc/version")):
            shown = ask(self.guest, text)[1].split(" ", 1)[1].strip('"').removesuffix("\\n")
            self.assertEqual(shown, cat(path)[:256], text)
        self.assertTrue(ask(self.guest, "(char *)&linux_banner")[1].startswith(f"{banner:#x} "))
        forks = [int(self.guest.ask("sed -n 's/^processes //p' /proc/stat")[0])]
        forks += [int(ask(self.guest, "total_forks")[1]), int(self.guest.ask("sed -n 's/^processes //p' /proc/stat")[0])]
        self.assertEqual(forks, sorted(forks))
        jiffies = [int(self.guest.ask("sed -n 's/^jiffies: //p' /proc/timer_list")[0])]
        jiffies += [int(ask(self.guest, "jiffies")[1]), int(self.guest.ask("sed -n 's/^jiffies: //p' /proc/timer_list")[0])]
        self.assertEqual(jiffies, sorted(jiffies))
        for text, why in ((f"{task}->comm", f"write ({task})->comm"), ("modules", "(unsigned long)modules"),
                          ("((struct task_struct *)0)->comm", "is NULL"), ("*(int *)0x10", "cannot be read: unmapped"),
                          ("init_task.com", "did you mean comm"), ("jiffies == 5", "operators"),
                          ("runqueues[4].cpu", "no CPU 4"), ("(struct rq)init_task", "cannot be cast")):
            status, shown, reason = ask(self.guest, text)
            self.assertEqual((status, shown), (1, ""), text)
            self.assertIn(why, reason)

    def test_the_guest_runs_on_after_it_was_frozen(self):
        self.assertEqual(self.guest.ask("echo alive"), ["alive"])

    def interrupt_a_vmcore(self, directory, number=signal.SIGINT):
        """What the writer ended with, and what was in the directory while it stood still and so did the guest."""
        writer = subprocess.Popen([machine.KTSTR, "inspect", self.guest.source(), "--freeze", "--vmcore",
                                   os.path.join(directory, "core")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # It goes on by small steps, so that it is stopped in the middle.
        while not os.listdir(directory) and writer.poll() is None:
            writer.send_signal(signal.SIGCONT)
            time.sleep(0.005)
            writer.send_signal(signal.SIGSTOP)
        half = os.listdir(directory)
        self.guest.send("echo runs on")
        answer = select.select([self.guest.process.stdout], [], [], 0.5)[0]
        self.assertEqual(self.guest.state(), "paused")
        writer.send_signal(number)
        writer.send_signal(signal.SIGCONT)
        said = writer.communicate(timeout=machine.TIMEOUT)
        return writer.returncode, said, half, answer

    def test_interrupting_a_vmcore_resumes_the_guest_and_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as directory:
            status, said, half, answer = self.interrupt_a_vmcore(directory)
            left = os.listdir(directory)
        answers = select.select([self.guest.process.stdout], [], [], PATIENCE)[0]
        if not answers:
            # Nobody would be able to end it in peace.
            self.guest.process.terminate()
        self.assertEqual((len(half), "core" in half, answer), (1, False, []))
        self.assertEqual((status, said, left), (128 + signal.SIGINT, (b"", b""), []))
        self.assertTrue(answers, "the guest stands still")
        self.assertEqual(self.guest.process.stdout.readline(), "runs on\n")

    def assert_answers(self):
        """The answer to the question of interrupt_a_vmcore()."""
        answers = select.select([self.guest.process.stdout], [], [], PATIENCE)[0]
        if not answers:
            self.guest.process.terminate()
        self.assertTrue(answers, "the guest stands still")
        self.assertEqual(self.guest.process.stdout.readline(), "runs on\n")
        self.assertEqual(self.guest.state(), "running")

    def test_a_guest_resumes_when_its_freezer_is_killed(self):
        with tempfile.TemporaryDirectory() as directory:
            status, _, half, answer = self.interrupt_a_vmcore(directory, signal.SIGKILL)
        self.assertEqual((status, len(half), answer), (-signal.SIGKILL, 1, []))
        self.assert_answers()

    def test_a_guest_stands_still_until_it_is_resumed(self):
        self.assertEqual(vm("freeze", self.guest.id()[:6]), f"VM {self.guest.id()} is frozen\n")
        self.guest.send("echo runs on")
        first = self.guest.inspect("uptime", "--freeze", "--json")
        self.assertEqual(self.guest.state(), "paused")
        self.assertEqual(select.select([self.guest.process.stdout], [], [], 1)[0], [])
        self.assertEqual(self.guest.inspect("uptime", "--json"), first)
        vm("freeze", self.guest.id())
        self.assertEqual(vm("resume", "vm:" + self.guest.id()), f"VM {self.guest.id()} runs\n")
        self.assert_answers()

    def test_a_running_guest_can_be_looked_at(self):
        lines = self.guest.inspect("tasks").splitlines()
        self.assertEqual(lines[0].split()[:4], ["PID", "TGID", "PPID", "S"])
        self.assertIn("kt-spinner", "\n".join(lines))


class InspectWith5Levels(Inspect):
    machine_options = ("--cpu", "max,vendor=GenuineIntel,level=32")
    has_la57 = True


class Kcore(machine.GuestTest):
    """A kernel that looks at itself: `ktstr inspect /proc/kcore` inside the guest, against that guest's /proc."""

    @classmethod
    def setUpClass(cls):
        cls.guest = None
        if machine.guest.missing():
            return
        cls.guest = shared()
        cls.before = proc(cls.guest)
        cls.seen = {view: cls.look(view) for view in ("tasks", "uptime", "rq", "uname", "modules")}
        cls.after = proc(cls.guest)

    @classmethod
    def look(cls, view):
        """What it said, and which process said it."""
        said = cls.guest.ask(f"sh -c 'echo $$; exec /ktstr inspect /proc/kcore {view} --json --max-entries 0' 2>&1")
        return json.loads("\n".join(said[1:])) | {"by": int(said[0])}

    def test_every_thread_that_lived_all_the_time_is_there_as_proc_says(self):
        compare_threads(self, self.seen["tasks"] | {
            # Itself came and went, too.
            "tasks": [task for task in self.seen["tasks"]["tasks"] if task["pid"] != self.seen["tasks"]["by"]],
            "total": self.seen["tasks"]["total"] - 1}, self.before, self.after)

    def test_inspect_of_kcore_shows_itself_running(self):
        (task,) = [task for task in self.seen["tasks"]["tasks"] if task["pid"] == self.seen["tasks"]["by"]]
        self.assertEqual((task["comm"], task["state"], task["on_cpu"]), ("ktstr", "R", 1))

    def test_it_is_on_one_of_the_runqueues(self):
        cpus = self.seen["rq"]["cpus"]
        self.assertEqual([rq["cpu"] for rq in cpus], list(range(int(self.guest.ask("nproc")[0]))))
        (own,) = [rq for rq in cpus if rq["curr"]["pid"] == self.seen["rq"]["by"]]
        self.assertEqual(own["curr"]["comm"], "ktstr")
        self.assertGreaterEqual(own["nr_running"], 1)
        for rq in cpus:
            self.assertTrue(rq["online"])

    def test_time_lies_between_what_the_guest_read(self):
        compare_uptime(self, self.seen["uptime"], self.before, self.after)

    def test_uname(self):
        compare_uname(self, self.seen["uname"], self.guest)

    def test_modules(self):
        compare_modules(self, self.seen["modules"], self.guest)


class Killed(machine.GuestTest):
    def test_vm_kill_ends_the_guest_and_its_owner_reports_it(self):
        guest = subprocess.Popen([machine.KTSTR, "shell", "--exec", "echo $$; cat"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(guest.stdout.readline().strip().isdigit())
        (found,) = [v for v in json.loads(vm("list", "--json"))["vms"] if v.get("owner", {}).get("pid") == guest.pid]
        self.assertEqual(vm("kill", found["id"]), f"VM {found['id']} has ended\n")
        _, said = guest.communicate(timeout=machine.TIMEOUT)
        self.assertEqual(guest.returncode, 125)
        self.assertIn("qemu-killed", said)
        self.assertNotIn(found["id"], vm("list", "--json"))
        self.assertFalse(os.path.exists(f"/proc/{found['qemu']['pid']}"))


if __name__ == "__main__":
    tap.main(__name__)
