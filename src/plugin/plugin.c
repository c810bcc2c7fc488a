// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside QEMU: see README.md. One thread runs all CPUs, so nothing here needs a lock. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin/observe.h"
#include "plugin/qemu.h"
#include "wire/mailbox.h"

enum {
	POLL_MS = 5,
	WATCHDOG_NS = 1000000000,
	SKIPS_AT_ONCE = 64, /* then QEMU's other thread may have a word */
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static struct {
	uint64_t seed; /* 0: QEMU's own turns */
	int64_t turn;  /* instructions, at most */
	unsigned int cpus;
	int fd;		    /* to the host */
	int ring;	    /* what is observed; -1: nothing */
	unsigned int shift; /* of -icount */
} config = { .fd = -1, .ring = -1 };

static uint64_t random_state;
static int64_t turn_left;

static bool watchdog_armed;
static char watchdog[QEMU_TIMER_BYTES] __attribute__((aligned(16)));
static int64_t watchdog_next_ns;
static unsigned int silent_s, silence_limit_s;
static bool held; /* the host has not answered yet */
static bool hung; /* held for good */

/* splitmix64: every seed, also a small one, gives a good sequence. */
static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* False: the host has not yet read what was said before. */
static bool say(char what)
{
	ssize_t n;

	do
		n = send(config.fd, &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

/*
 * QEMU was asked to stop the machine. It would do so some time after we return; stopped from here,
 * it stops at the end of this block of instructions, always the same one.
 */
static void pause_here(void)
{
	for (unsigned int i = 0; i < config.cpus; i++)
		cpu_pause(qemu_get_cpu((int)i));
}

/* True when the socket is ready; false when somebody stopped the machine. */
static bool wait_for_host(short events)
{
	struct pollfd p = { .fd = config.fd, .events = events };

	for (;;) {
		if (!runstate_is_running()) {
			pause_here();
			return false;
		}
		if (poll(&p, 1, POLL_MS) > 0)
			return true;
	}
}

/*
 * Until the host lets go; false when the machine was stopped meanwhile. Then it is held again by
 * its next block: the agent's instruction is the last of its own.
 */
static bool hold(void)
{
	unsigned char answer[2];
	ssize_t n;

	held = true;
	if (!wait_for_host(POLLIN))
		return false;
	n = read(config.fd, answer, sizeof(answer));
	/* A host that is gone will never answer: the machine is of no use to anyone. */
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		_exit(0);
	held = n < 0;
	if (n == sizeof(answer))
		silence_limit_s = answer[1];
	if (!held && plugin_observe_refresh())
		tb_flush(current_cpu);
	return true;
}

/* The host answers when it has taken what is in the ring; a machine that is held has told it. */
bool plugin_wait_for_room(void)
{
	unsigned char answer[2];
	ssize_t n;

	if (!say(WIRE_HOLD_FULL) || !wait_for_host(POLLIN))
		return true;
	n = read(config.fd, answer, sizeof(answer));
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		_exit(0);
	return true;
}

/* Ends the turn of a CPU whose share is used up. What ends it otherwise is not looked at. */
static void on_block(unsigned int cpu, void *instructions)
{
	(void)cpu;
	while (__builtin_expect(held || hung, 0))
		if (!hold())
			/* Not one instruction more, however often it is stopped. */
			cpu_loop_exit_restore(current_cpu, (uintptr_t)__builtin_return_address(0));
	if (plugin_observe_is_on())
		plugin_observe_block((int64_t)(intptr_t)instructions);
	if (!config.seed)
		return;
	turn_left -= (int64_t)(intptr_t)instructions;
	if (turn_left > 0)
		return;
	turn_left = config.turn / 2 + (int64_t)(next_random() % (uint64_t)(config.turn / 2 + 1));
	cpu_exit(current_cpu);
	plugin_observe_sync();
}

/*
 * With all CPUs halted the clock goes on to the next timer. QEMU has its main thread do that, which
 * may look after a CPU was halted and before its last instructions were counted: then they are
 * counted twice. And when it wakes the CPUs again is the host's affair. Here it is always the same
 * moment: after the round in which the last CPU was halted.
 */
static void skip_idle_time(void *cpu, union qemu_work_data data)
{
	for (int i = 0; i < SKIPS_AT_ONCE; i++) {
		if (hung || !all_cpu_threads_idle() || !runstate_is_running() ||
		    qemu_clock_deadline_ns_all(QEMU_VIRTUAL_CLOCK, QEMU_TIMERS_OF_GUEST) < 0)
			return;
		icount_start_warp_timer();
		qemu_clock_run_timers(QEMU_VIRTUAL_CLOCK);
	}
	async_run_on_cpu(cpu, skip_idle_time, data);
}

static void on_halt(unsigned int cpu, void *context)
{
	(void)cpu;
	(void)context;
	plugin_observe_sync();
	async_run_on_cpu(current_cpu, skip_idle_time, (union qemu_work_data){ .pointer = NULL });
}

/*
 * Keeps QEMU's main thread from moving the clock as well: icount_start_warp_timer() does nothing
 * where QEMU is under its own test driver (qtest). The main thread calls us before it waits for
 * events and again before it looks at the clock, both times with the lock that skip_idle_time()
 * runs under. CPUs that are halted when the machine is started or continued are seen here, too.
 */
static void on_main_loop(struct qemu_notifier *notifier, void *main_loop)
{
	static bool was_running;
	bool is_running = runstate_is_running();

	(void)notifier;
	qtest_allowed = *(const int *)main_loop != QEMU_MAIN_LOOP_FILL;
	if (is_running && !was_running)
		async_run_on_cpu(qemu_get_cpu(0), skip_idle_time,
				 (union qemu_work_data){ .pointer = NULL });
	was_running = is_running;
}

/* The agent shows itself at least once in a second of its own time. */
static void on_second(void *context)
{
	(void)context;
	/* Told from here: CPUs that are halted with interrupts off execute no block. */
	if (++silent_s >= silence_limit_s && silence_limit_s && !hung)
		hung = say(WIRE_HOLD_HANGS);
	/* From when it was due: it does not matter when and by which thread it is run. */
	watchdog_next_ns += WATCHDOG_NS;
	timer_mod(watchdog, watchdog_next_ns);
}

static void arm_watchdog(void *cpu, union qemu_work_data data)
{
	(void)cpu;
	(void)data;
	watchdog_next_ns = qemu_clock_get_ns(QEMU_VIRTUAL_CLOCK) + WATCHDOG_NS;
	timer_init_full(watchdog, NULL, QEMU_VIRTUAL_CLOCK, 1, 0, on_second, NULL);
	timer_mod(watchdog, watchdog_next_ns);
}

/* The clock cannot be read in the middle of a block, and before the first one it is not set. */
static void show_life(void)
{
	silent_s = 0;
	if (watchdog_armed)
		return;
	watchdog_armed = true;
	async_run_on_cpu(current_cpu, arm_watchdog, (union qemu_work_data){ .pointer = NULL });
}

static void on_wait(unsigned int cpu, void *context)
{
	(void)cpu;
	(void)context;
	show_life();
	while (!say(WIRE_HOLD_WAITS))
		if (!wait_for_host(POLLOUT))
			return;
	hold();
	/* Always, so that a machine that is observed has the same turns. */
	cpu_exit(current_cpu);
	plugin_observe_sync();
}

static void on_tell(unsigned int cpu, void *context)
{
	(void)cpu;
	(void)context;
	show_life();
	/* One that the socket does not take is not needed: the host reads all output after each. */
	say(WIRE_HOLD_TELLS);
}

/* Idle loops end with it; the other one, mwait, is not a feature of these CPUs. */
static bool is_halt(const struct qemu_plugin_insn *insn)
{
	unsigned char opcode;

	return qemu_plugin_insn_size(insn) == 1 && qemu_plugin_insn_data(insn, &opcode, 1) == 1 &&
	       opcode == 0xf4;
}

static uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	unsigned char bytes[WIRE_MARK_BYTES];
	uint32_t mark;

	if (qemu_plugin_insn_size(insn) != WIRE_MARK_BYTES ||
	    qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    memcmp(bytes, WIRE_MARK_OPCODE, 3) != 0)
		return 0;
	memcpy(&mark, bytes + 3, sizeof(mark));
	return mark;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t mark = mark_of(insn);

		if (mark == WIRE_MARK_WAIT)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_wait, 0, NULL);
		else if (mark == WIRE_MARK_TELL)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tell, 0, NULL);
		else if (is_halt(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_halt, 0, NULL);
		plugin_observe_translate(insn, i, n);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, (void *)(intptr_t)n);
}

static int complain(const char *what, const char *name)
{
	fprintf(stderr, WIRE_PLUGIN_SAYS "%s%s\n", what, name);
	return -1;
}

#define NEED(symbol) { #symbol, (const void *)&(symbol) }

/* Without any of them a guest would run, but not repeat: better none. */
static int check_qemu(void)
{
	static const struct {
		const char *name;
		const void *at;
	} needs[] = {
		NEED(cpu_exit),
		NEED(cpu_loop_exit_restore),
		NEED(cpu_pause),
		NEED(qemu_get_cpu),
		NEED(runstate_is_running),
		NEED(timer_init_full),
		NEED(timer_mod),
		NEED(qemu_clock_get_ns),
		NEED(async_run_on_cpu),
		NEED(all_cpu_threads_idle),
		NEED(qemu_clock_deadline_ns_all),
		NEED(icount_start_warp_timer),
		NEED(qemu_clock_run_timers),
		NEED(main_loop_poll_add_notifier),
		NEED(tb_flush),
		NEED(qtest_allowed),
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (!needs[i].at)
			return complain("this QEMU does not export ", needs[i].name);
	return 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
					   char **argv)
{
	static struct qemu_notifier notifier = { .notify = on_main_loop };
	bool is_trial = false;

	(void)info;
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		unsigned long long number = value ? strtoull(value + 1, NULL, 10) : 0;

		if (strncmp(argv[i], "seed=", 5) == 0)
			config.seed = random_state = number;
		else if (strncmp(argv[i], "turn=", 5) == 0)
			config.turn = (int64_t)number;
		else if (strncmp(argv[i], "cpus=", 5) == 0)
			config.cpus = (unsigned int)number;
		else if (strncmp(argv[i], "fd=", 3) == 0)
			config.fd = (int)number;
		else if (strncmp(argv[i], "ring=", 5) == 0)
			config.ring = (int)number;
		else if (strncmp(argv[i], "shift=", 6) == 0)
			config.shift = (unsigned int)number;
		else if (strcmp(argv[i], "trial=on") == 0)
			is_trial = true;
	}
	if (check_qemu() < 0)
		return -1;
	if (is_trial)
		_exit(WIRE_TRIAL_STATUS);
	if (config.fd < 0 || config.turn < 2 || config.cpus < 1)
		return complain("an argument is missing", "");
	if (config.ring >= 0 && !plugin_observe_open(config.ring, config.shift))
		return complain("the memory for events cannot be mapped", "");
	main_loop_poll_add_notifier(&notifier);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
