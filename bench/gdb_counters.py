# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside gdb: the counters of every thread, as one JSON line.

The quickest way of several that were tried: gdb finds the variable of the first thread
through its debug information and libthread_db; for the others the distance from
the thread pointer is the same, so that a register and one read per thread are enough.
Evaluating the expression in each thread takes twice as long, `thread apply all` four times.
"""

import json
import struct
import time

import gdb  # pylint: disable=import-error

FIELD = "je_tsd_tls.cant_access_tsd_items_directly_use_a_getter_or_setter_thread_"
WORDS = struct.Struct("=Q")


def address(name):
    return int(gdb.parse_and_eval(f"(unsigned long)&{FIELD}{name}"))


def read_all():
    inferior = gdb.selected_inferior()
    found, places = {}, None
    for thread in inferior.threads():
        thread.switch()
        pointer = int(gdb.parse_and_eval("$fs_base"))
        if places is None:
            places = address("allocated") - pointer, address("deallocated") - pointer
        values = [WORDS.unpack(inferior.read_memory(pointer + place, WORDS.size))[0] for place in places]
        found[thread.ptid[1]] = values
    return found


began = time.monotonic_ns()
threads = read_all()
print(json.dumps({"loop_ns": time.monotonic_ns() - began, "threads": threads}))
