// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/heap/heap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "unit.h"

enum { ITEMS = 64 };

struct outcome {
	unsigned int calls[ITEMS];
	unsigned int dead[ITEMS];
	uint64_t results[ITEMS];
	pid_t pids[ITEMS];
	struct cancel *cancel;
};

struct result {
	uint64_t square;
	pid_t pid;
};

static void take(void *arg, size_t item, const void *result)
{
	struct outcome *o = arg;
	const struct result *got = result;

	o->calls[item]++;
	o->dead[item] += !got;
	if (got) {
		o->results[item] = got->square;
		o->pids[item] = got->pid;
	}
	if (o->cancel)
		cancel_request(o->cancel);
}

static void square(void *arg UNUSED, size_t item, void *result)
{
	*(struct result *)result = (struct result){ item * item, getpid() };
}

static const struct ctprof_helper_limits limits = { .memory_bytes = 256 << 20,
						    .cpu_sec = 20,
						    .wall_ms = 20000 };

static void run(void (*fn)(void *, size_t, void *), size_t n, unsigned int jobs,
		const struct ctprof_helper_limits *within, struct outcome *o)
{
	const struct ctprof_helper_work work = { n, sizeof(struct result), fn, take, o };

	ctprof_helper_run(&work, jobs, within, NULL);
}

static bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

static void every_item_is_done_once_and_not_here(void **state UNUSED)
{
	static const unsigned int jobs[] = { 1, 3, 100 };

	for (size_t j = 0; j < ARRAY_SIZE(jobs); j++) {
		struct outcome o = { 0 };

		run(square, ITEMS, jobs[j], &limits, &o);
		for (size_t i = 0; i < ITEMS; i++) {
			assert_int_equal(o.calls[i], 1);
			assert_int_equal(o.dead[i], 0);
			assert_true(o.results[i] == i * i);
			assert_int_not_equal(o.pids[i], getpid());
			/* One child does many items. */
			if (jobs[j] == 1)
				assert_int_equal(o.pids[i], o.pids[0]);
		}
		assert_false(has_children());
	}
	run(square, 0, 4, &limits, &(struct outcome){ 0 });
}

/* The ways there are to go. */
static void misbehave(void *arg UNUSED, size_t item, void *result)
{
	switch (item) {
	case 1:
		abort();
	case 3:
		raise(SIGSEGV);
		break;
	case 5:
		_exit(0);
	case 7:
		kill(getpid(), SIGKILL);
		break;
	case 8:
		close(STDIN_FILENO);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		break;
	default:
		break;
	}
	square(NULL, item, result);
}

static void helper_that_dies_does_not_affect_the_others(void **state UNUSED)
{
	for (unsigned int jobs = 1; jobs <= 3; jobs += 2) {
		struct outcome o = { 0 };

		run(misbehave, 12, jobs, &limits, &o);
		for (size_t i = 0; i < 12; i++) {
			bool dies = i == 1 || i == 3 || i == 5 || i == 7 || i == 8;

			assert_int_equal(o.calls[i], 1);
			assert_int_equal(o.dead[i], dies);
			assert_true(o.results[i] == (dies ? 0 : i * i));
		}
		assert_false(has_children());
	}
}

static void hang(void *arg UNUSED, size_t item, void *result)
{
	while (item == 1)
		pause();
	if (item == 3)
		raise(SIGSTOP);
	square(NULL, item, result);
}

static void helper_that_hangs_is_ended_after_its_wall_time(void **state UNUSED)
{
	static const struct ctprof_helper_limits soon = { .memory_bytes = 256 << 20,
							  .cpu_sec = 20,
							  .wall_ms = 1500 };
	struct outcome o = { 0 };

	run(hang, 6, 2, &soon, &o);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(o.calls[i], 1);
		assert_int_equal(o.dead[i], i == 1 || i == 3);
	}
	assert_false(has_children());
}

static void spin(void *arg UNUSED, size_t item, void *result)
{
	volatile uint64_t n = 0;

	while (item == 1)
		n++;
	square(NULL, item, result);
}

static void helper_that_computes_forever_is_ended_by_its_cpu_limit(void **state UNUSED)
{
	static const struct ctprof_helper_limits cheap = { .memory_bytes = 256 << 20,
							   .cpu_sec = 0,
							   .wall_ms = 600000 };
	struct outcome o = { 0 };

	run(spin, 3, 1, &cheap, &o);
	assert_int_equal(o.dead[0] + o.dead[2], 0);
	assert_int_equal(o.dead[1], 1);
}

static void eat(void *arg UNUSED, size_t item, void *result)
{
	if (item == 1) {
		/* Four times what it may have; nothing is touched. */
		void *memory = mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (memory == MAP_FAILED)
			abort();
	}
	square(NULL, item, result);
}

static void the_memory_limit_applies_to_the_helper_only(void **state UNUSED)
{
	struct outcome o = { 0 };
	struct rlimit ours;

	run(eat, 3, 1, &limits, &o);
	assert_int_equal(o.dead[0] + o.dead[2], 0);
	assert_int_equal(o.dead[1], 1);
	/* Of the child only. */
	assert_int_equal(getrlimit(RLIMIT_AS, &ours), 0);
	assert_true(ours.rlim_cur == RLIM_INFINITY);
}

static void a_cancel_ends_the_work(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct outcome o = { .cancel = &cancel };
	const struct ctprof_helper_work work = { ITEMS, sizeof(struct result), square, take, &o };
	unsigned int done = 0;

	ctprof_helper_run(&work, 1, &limits, &cancel);
	for (size_t i = 0; i < ITEMS; i++)
		done += o.calls[i];
	assert_int_equal(done, 1);
	assert_false(has_children());
}

static void a_helper_crash_is_seen_though_sigabrt_is_ignored(void **state UNUSED)
{
	struct outcome o = { 0 };
	struct sigaction before, ignore = { .sa_handler = SIG_IGN };

	assert_int_equal(sigaction(SIGABRT, &ignore, &before), 0);
	run(misbehave, 2, 1, &limits, &o);
	assert_int_equal(sigaction(SIGABRT, &before, NULL), 0);
	assert_int_equal(o.dead[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_is_done_once_and_not_here),
		cmocka_unit_test(helper_that_dies_does_not_affect_the_others),
		cmocka_unit_test(helper_that_hangs_is_ended_after_its_wall_time),
		cmocka_unit_test(helper_that_computes_forever_is_ended_by_its_cpu_limit),
		cmocka_unit_test(the_memory_limit_applies_to_the_helper_only),
		cmocka_unit_test(a_cancel_ends_the_work),
		cmocka_unit_test(a_helper_crash_is_seen_though_sigabrt_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
