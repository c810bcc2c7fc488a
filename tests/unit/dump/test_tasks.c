// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/tasks.h"

#include "build_guest.h"

/* As fs/proc/array.c of Linux has them. */
static void states_are_the_letters_of_proc(void **state UNUSED)
{
	assert_int_equal(dump_task_state(0, 0), 'R');
	assert_int_equal(dump_task_state(1, 0), 'S');
	assert_int_equal(dump_task_state(0x2001, 0), 'S');
	assert_int_equal(dump_task_state(2, 0), 'D');
	assert_int_equal(dump_task_state(4, 0), 'T');
	assert_int_equal(dump_task_state(8, 0), 't');
	assert_int_equal(dump_task_state(0x80, 0x10), 'X');
	assert_int_equal(dump_task_state(0, 0x20), 'Z');
	assert_int_equal(dump_task_state(0x40, 0), 'P');
	assert_int_equal(dump_task_state(0x402, 0), 'I');
	assert_int_equal(dump_task_state(0x8000, 0), 'D');
	assert_int_equal(dump_task_state(UINT64_MAX & ~UINT64_C(0x9402), 0), 'P');
}

static void policies_have_names(void **state UNUSED)
{
	assert_string_equal(dump_task_policy(0), "other");
	assert_string_equal(dump_task_policy(7), "ext");
	assert_null(dump_task_policy(8));
}

static void every_thread_of_every_process_is_shown(void **state)
{
	assert_string_equal(
		guest_text(*state, "tasks", 0, 10),
		"PID  TGID  PPID  S  CPU  ON_RQ  CPUS  CLASS  POLICY  PRIO  RTPRIO  RUNTIME (ns)  WAITING (ns)  COMM      CGROUP\n"
		"  1     1     1  S    0      0  0,2   -      other    120       0          1000             -  init      /a/b\n"
		"  7     7     1  S    1      0  0,2   -      other    120       0          7000             -  server    /a/b\n"
		"  8     7     1  S    2      0  0,2   -      fifo      -2       9          8000             -  wor\\nker  /a/b\n");
}

static void json_counts_threads_and_processes(void **state)
{
	const char *text = guest_json(*state, "tasks", 2);

	assert_contains(text,
			"\"pid\":7,\"tgid\":7,\"ppid\":1,\"comm\":\"server\",\"state\":\"S\"");
	assert_null(strstr(text, "\"pid\":8"));
	assert_contains(text, "],\"processes\":2,\"shown\":2,\"total\":3,"
			      "\"incomplete\":\"shown 2 of 3\"}");
}

static void a_list_that_leads_nowhere_says_where(void **state)
{
	struct build_guest *g = *state;

	guest_u64(g, guest_task_at(1) + T_TASKS, 0x10);
	assert_contains(guest_text(g, "tasks", 0, 10),
			"threads: shown 3 of at least 3: address 0x10 is unmapped");
}

static void a_circle_of_threads_ends(void **state)
{
	struct build_guest *g = *state;
	uint64_t eight = guest_task_at(2) + T_THREAD_NODE;

	guest_u64(g, eight, guest_pointer(g, eight));
	assert_contains(guest_text(g, "tasks", 0, 20), "threads of 1 processes cannot be listed");
}

/* The list leads to the end of RAM: the links are there, the rest of the task is not. */
static void a_task_that_cannot_be_read_is_null_and_no_zeros(void **state)
{
	struct build_guest *g = *state;
	const uint64_t ring[] = { guest_task_at(0) + TASK_STEP / 2 + S_THREAD_HEAD,
				  RAM_BYTES - 24 };

	guest_ring(g, ring, ARRAY_SIZE(ring), false);
	assert_contains(guest_json(g, "tasks", 0),
			"\"pid\":null,\"tgid\":null,\"ppid\":null,\"comm\":null,\"state\":null,"
			"\"state_bits\":null,\"exit_state\":null,\"cpu\":null,\"on_rq\":null,"
			"\"cpus_allowed\":null,\"class\":null,\"policy\":null,");
	assert_contains(guest_json(g, "tasks", 0), "\"cgroup\":null}");
	assert_contains(guest_text(g, "tasks", 0, 10), "?     ?  ?    ?");
}

static void lines_bound_the_table(void **state)
{
	assert_contains(guest_text(*state, "tasks", 0, 4), "threads: shown 2 of 3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_the_letters_of_proc),
		cmocka_unit_test(policies_have_names),
		guest_test(every_thread_of_every_process_is_shown),
		guest_test(json_counts_threads_and_processes),
		guest_test(a_list_that_leads_nowhere_says_where),
		guest_test(a_circle_of_threads_ends),
		guest_test(a_task_that_cannot_be_read_is_null_and_no_zeros),
		guest_test(lines_bound_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
