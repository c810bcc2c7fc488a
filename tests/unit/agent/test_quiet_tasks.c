// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include "base/clock.h"
#include "unit.h"

enum { TICK_NS = 10000000 };

/* Fields 14 and 15 are 20 and 5 ticks, 22 is the start, 39 the CPU. */
#define STAT(comm)                                                                               \
	"77 (" comm ") R 2 0 0 0 -1 64 0 0 0 0 20 5 0 0 20 0 1 0 4242 0 0 18446744073709551615 " \
	"0 0 0 0 0 0 0 2147483647 0 1 0 0 17 2 0 0 0 0 0\n"

static void a_task_has_its_name_its_cpu_and_its_time(void **state UNUSED)
{
	struct agent_quiet_task task = { .pid = 77, .tid = 77 };

	assert_true(agent_quiet_task_parse(slice_of(STAT("cryptomgr_test")),
					   slice_of("123456789 5 6\n"), TICK_NS, &task));
	assert_string_equal(task.comm, "cryptomgr_test");
	assert_int_equal(task.cpu, 2);
	assert_int_equal(task.start_jiffies, 4242);
	assert_int_equal(task.run_ns, 123456789);
}

static void ticks_count_where_the_kernel_has_no_schedstat(void **state UNUSED)
{
	struct agent_quiet_task task = { 0 };

	assert_true(agent_quiet_task_parse(slice_of(STAT("a) b")), slice_of(""), TICK_NS, &task));
	assert_string_equal(task.comm, "a) b");
	assert_int_equal(task.run_ns, UINT64_C(25) * TICK_NS);
	assert_true(
		agent_quiet_task_parse(slice_of(STAT("a")), slice_of("0 0 0\n"), TICK_NS, &task));
	assert_int_equal(task.run_ns, UINT64_C(25) * TICK_NS);
	assert_false(agent_quiet_task_parse(slice_of(""), slice_of("1 2 3\n"), TICK_NS, &task));
	assert_false(agent_quiet_task_parse(slice_of("77 (a) R 1\n"), slice_of("1 2 3\n"), TICK_NS,
					    &task));
}

struct looks {
	struct agent_quiet_tasks before, after;
	struct strbuf text;
};

static void add(struct agent_quiet_tasks *to, pid_t pid, pid_t tid, uint32_t cpu, uint64_t run_ms,
		const char *comm)
{
	struct agent_quiet_task task = {
		.pid = pid, .tid = tid, .cpu = cpu, .run_ns = run_ms * NS_PER_MS, .start_jiffies = 1
	};

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	vec_push(&to->rows, task);
}

static void looks_free(struct looks *l)
{
	agent_quiet_tasks_deinit(&l->before);
	agent_quiet_tasks_deinit(&l->after);
	strbuf_deinit(&l->text);
}

static void the_busiest_tasks_are_named_in_their_order(void **state UNUSED)
{
	struct looks l = { .before = { .at_ns = NS_PER_SEC },
			   .after = { .at_ns = NS_PER_SEC + 200 * NS_PER_MS } };

	add(&l.before, 5, 5, 0, 900, "kworker/0:1");
	add(&l.before, 77, 77, 2, 1000, "cryptomgr_test");
	add(&l.before, 80, 81, 1, 10, "a\nb");
	add(&l.before, 90, 90, 3, 0, "little");
	add(&l.after, 5, 5, 0, 900, "kworker/0:1");
	add(&l.after, 77, 77, 2, 1196, "cryptomgr_test");
	add(&l.after, 80, 81, 3, 60, "a\nb");
	add(&l.after, 90, 90, 3, 1, "little");
	/* Came meanwhile: all of its time is of this window. */
	add(&l.after, 91, 91, 3, 120, "new");
	assert_true(agent_quiet_tasks_name(&l.before, &l.after, &l.text));
	assert_string_equal(strbuf_str(&l.text),
			    "cryptomgr_test (pid 77) used 98 % of CPU 2, new (pid 91) used 60 % of "
			    "a CPU, a?b (thread 81 of pid 80) used 25 % of a CPU");
	looks_free(&l);
}

static void a_pid_that_was_used_again_is_another_task(void **state UNUSED)
{
	struct looks l = { .before = { .at_ns = NS_PER_SEC },
			   .after = { .at_ns = NS_PER_SEC + 100 * NS_PER_MS } };

	add(&l.before, 9, 9, 0, 500, "old");
	add(&l.after, 9, 9, 0, 40, "young");
	l.after.rows.at[0].start_jiffies = 2;
	assert_true(agent_quiet_tasks_name(&l.before, &l.after, &l.text));
	assert_string_equal(strbuf_str(&l.text), "young (pid 9) used 40 % of a CPU");
	looks_free(&l);
}

static void nobody_is_named_who_did_nothing(void **state UNUSED)
{
	struct looks l = { .before = { .at_ns = NS_PER_SEC },
			   .after = { .at_ns = NS_PER_SEC + 200 * NS_PER_MS } };

	add(&l.before, 9, 9, 0, 500, "idle");
	add(&l.after, 9, 9, 0, 501, "idle");
	assert_false(agent_quiet_tasks_name(&l.before, &l.after, &l.text));
	assert_int_equal(l.text.n, 0);
	looks_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_has_its_name_its_cpu_and_its_time),
		cmocka_unit_test(ticks_count_where_the_kernel_has_no_schedstat),
		cmocka_unit_test(the_busiest_tasks_are_named_in_their_order),
		cmocka_unit_test(a_pid_that_was_used_again_is_another_task),
		cmocka_unit_test(nobody_is_named_who_did_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
