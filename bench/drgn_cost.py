# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs in the peer root: what drgn takes for the same questions; one JSON object on standard output.

usage: drgn_cost.py VMCORE VMLINUX SWEEPS
"""

import json
import sys
import time

BEGAN = time.monotonic_ns()
import drgn  # noqa: E402
from drgn.helpers.linux import for_each_online_cpu, for_each_task, per_cpu, task_cpu, task_state_to_char  # noqa: E402


def main():
    core, vmlinux, sweeps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    imported, cpu = time.monotonic_ns(), time.process_time_ns()
    prog = drgn.Program()
    prog.set_core_dump(core)
    opened = time.monotonic_ns()
    prog.load_debug_info([vmlinux])
    loaded = time.monotonic_ns()
    # Attached is who can name a member of a kernel's object.
    release = prog["init_uts_ns"].name.release.string_().decode()
    attached, attached_cpu = time.monotonic_ns(), time.process_time_ns()
    tasks = [(int(t.pid), int(t.tgid), t.comm.string_(), task_state_to_char(t), task_cpu(t), int(t.policy), int(t.prio),
              int(t.se.sum_exec_runtime)) for t in for_each_task(prog)]
    listed, listed_cpu = time.monotonic_ns(), time.process_time_ns()
    cpus = list(for_each_online_cpu(prog))
    least = None
    for _ in range(sweeps):
        began = time.monotonic_ns()
        for cpu in cpus:
            rq = per_cpu(prog["runqueues"], cpu)
            curr = rq.curr
            _ = (int(rq.nr_running), int(rq.cfs.h_nr_queued), int(rq.rt.rt_nr_running), int(rq.dl.dl_nr_running), int(rq.nr_switches),
                 int(rq.clock), int(curr.pid), curr.comm.string_())
        took = time.monotonic_ns() - began
        least = took if least is None or took < least else least
    print(json.dumps({"release": release, "import": imported - BEGAN, "open": opened - imported, "load": loaded - opened, "attach": attached - imported, "attach cpu": attached_cpu - cpu, "tasks": listed - attached, "tasks cpu": listed_cpu - attached_cpu, "n_tasks": len(tasks), "cpus": len(cpus), "sweep": least}))


if __name__ == "__main__":
    main()
