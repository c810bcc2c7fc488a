/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the scheduler in the kernel and its loader tell each other. */
#ifndef KTSTR_BPF_FIFO_H
#define KTSTR_BPF_FIFO_H

enum {
	FIFO_REASON_BYTES = 128,
	FIFO_MESSAGE_BYTES = 1024,
	FIFO_DUMP_BYTES = 32768, /* what the kernel keeps when exit_dump_len is not set */
	FIFO_LOPSIDED_FACTOR = 20,
	FIFO_RACE_STEPS = 32, /* a few instructions each: how long a wake-up can be disturbed */
};

/* Ways to go wrong on purpose: number in the kernel, word on the command line. */
#define FIFO_FAULTS(X)                                                                          \
	X(FIFO_FAULT_NONE, "none", "serve every task in order")                                 \
	X(FIFO_FAULT_EXIT, "exit", "exit with code 3 before anything is loaded")                \
	X(FIFO_FAULT_EXIT_LATER, "exit-later", "exit with code 4")                              \
	X(FIFO_FAULT_CRASH, "crash", "die of SIGSEGV")                                          \
	X(FIFO_FAULT_NO_ATTACH, "no-attach", "load, never attach, sleep")                       \
	X(FIFO_FAULT_VERIFIER, "verifier", "load a program that the verifier refuses")          \
	X(FIFO_FAULT_STALL, "stall", "keep user tasks that used up their slice")                \
	X(FIFO_FAULT_STARVE, "starve", "keep all user tasks, also those that wake up")          \
	X(FIFO_FAULT_ERROR, "error", "call scx_bpf_error()")                                    \
	X(FIFO_FAULT_LOPSIDED, "lopsided", "give even pids 20 times the slice, from the start") \
	X(FIFO_FAULT_RACE, "race", "fail when two tasks wake up within a microsecond or two")   \
	X(FIFO_FAULT_SPIN, "spin", "stay in ops.dispatch, with interrupts off")                 \
	X(FIFO_FAULT_INIT, "init", "fail in ops.init")                                          \
	X(FIFO_FAULT_PARTIAL, "partial", "leave all tasks to the kernel's own scheduler")       \
	X(FIFO_FAULT_RESTART, "restart", "detach and attach again")                             \
	X(FIFO_FAULT_STOP_EXIT, "stop-exit", "exit with code 7 when asked to end")              \
	X(FIFO_FAULT_STOP_CRASH, "stop-crash", "die of SIGSEGV when asked to end")

#define FIFO_FAULT_NAME(name, word, help) name,
enum fifo_fault { FIFO_FAULTS(FIFO_FAULT_NAME) FIFO_FAULT_COUNT };
#undef FIFO_FAULT_NAME

/* Set before the programs are loaded, constant for the verifier. */
struct fifo_settings {
	unsigned long long slice_ns;
	unsigned int fault;
};

/* Shared memory while they run. */
struct fifo_state {
	/* Loader to kernel: the fault begins now. */
	unsigned int is_faulty;
	/* Kernel to loader, as is all below: 0 until the scheduler has ended, written last. */
	unsigned int exit_kind;
	/* The race fault: the task whose wake-up began last, on any CPU. */
	int waking_pid;
	/* Tasks that the stall fault did not queue. */
	unsigned long long kept;
	long long exit_code;
	char exit_reason[FIFO_REASON_BYTES];
	char exit_message[FIFO_MESSAGE_BYTES];
	char exit_dump[FIFO_DUMP_BYTES];
};

#endif
