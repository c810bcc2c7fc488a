# SPDX-License-Identifier: GPL-2.0-or-later
"""Stacks of a guest that does little else than switch tasks, and whether they can be true.

What is expected comes from how Linux works: each CPU uses the stack of exactly one task; a task that is off its CPU was
left by the scheduler's one call and can be unwound to where it entered the kernel; the stack of a task stays where it
is, is aligned to its size and belongs to no other task.
"""

import os

PROGRAM = os.environ.get("KTSTR_PING_PONG", "")
STACK_SHIFT = 14
# Where a task can have entered the kernel or have begun in it, in the names of Linux 6.1 to 7.2.
OUTERMOST = ("entry_", "asm_", "ret_from_fork", "common_startup_64", "secondary_startup_64", "start_kernel", "x86_64_start",
             # On the way back to the process, with nothing left on the task's stack.
             "syscall_return_via_sysret", "swapgs_restore_regs_and_return_to_usermode", "common_interrupt_return")
# There is code in which not even the kernel can unwind itself; then it says so.
EXCUSE = "the kernel cannot be unwound at "


def key_of(stack):
    return stack["pid"] or f"idle {stack['idle_of_cpu']}"


def homes_of(stack):
    """Aligned ranges that its frames are in; the outermost may end where the range does."""
    return {(int(frame["sp"], 16) - 1) >> STACK_SHIFT for frame in stack["frames"]}


def is_whole(stack):
    return "incomplete" not in stack and all(frame["reliable"] for frame in stack["frames"])


def outermost_is_known(stack):
    return stack["frames"] and stack["frames"][-1].get("symbol", "").startswith(OUTERMOST)


class Judge:
    """Looks at the stacks of one guest, again and again."""

    def __init__(self, cpus):
        self.cpus = cpus
        self.home = {}  # task -> its stack, as seen while it was off its CPU
        self.looks = self.switching = self.excused = 0

    def judge_off_cpu(self, stack):
        first = stack["frames"][0].get("symbol", "") if stack["frames"] else ""
        if not is_whole(stack) or not outermost_is_known(stack) or not first.startswith(("__schedule", "ret_from_fork")):
            return "cannot have been left by a switch"
        (home,) = homes_of(stack) if len(homes_of(stack)) == 1 else (None,)
        if home is None or self.home.setdefault(key_of(stack), home) != home:
            return "is on more than one stack, or on another one than before"
        return None

    def judge_on_cpu(self, stack):
        if stack["state"] == "on-cpu" and stack.get("incomplete", "").startswith(EXCUSE):
            self.excused += 1
        elif stack["state"] == "on-cpu" and not (is_whole(stack) and outermost_is_known(stack)):
            return "cannot be unwound, and does not say why"
        foreign = {key for key, home in self.home.items() if key != key_of(stack) and home in homes_of(stack)}
        return f"uses the stack of {foreign}" if foreign else None

    def judge(self, stacks):
        """What is wrong in one look, as sentences."""
        wrong = []
        self.looks += 1
        self.switching += any("switching" in stack for stack in stacks)
        off = [stack for stack in stacks if stack.get("state") == "asleep"]
        on = [stack for stack in stacks if stack.get("state") in ("on-cpu", "user")]
        for stack in stacks:
            # A task that has ended waits for its parent without a stack.
            if "unavailable" in stack and "has ended" not in stack["unavailable"]:
                wrong.append(f"{stack} is unavailable")
        for group, judge in ((off, self.judge_off_cpu), (on, self.judge_on_cpu)):
            wrong += [f"{key_of(stack)} {why}: {stack}" for stack in group if (why := judge(stack))]
        if sorted(stack["cpu"] for stack in on) != list(range(self.cpus)):
            wrong.append(f"CPUs are used by {[(key_of(s), s['cpu']) for s in on]}")
        return wrong
