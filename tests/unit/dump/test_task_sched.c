// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/tasks.h"

#include "build_guest.h"

static void read_one(struct build_guest *g, unsigned int i, struct dump_task_sched *ret)
{
	struct dump_scheduler scheduler;

	guest_attach(g);
	dump_scheduler_init(&scheduler, g->kmem);
	/* As if the kernel had them at these addresses. */
	scheduler.classes[1] = 0x1000;
	scheduler.classes[4] = 0x2000;
	scheduler.jiffies = (struct dump_member){ .value = 1000 };
	dump_task_sched_read(&scheduler, guest_pointer(g, guest_task_at(i)), ret);
}

static void scheduling_classes_are_named_by_address(void **state)
{
	struct build_guest *g = *state;
	struct dump_task_sched sched;

	guest_u64(g, guest_task_at(1) + T_CLASS, 0x1000);
	read_one(g, 1, &sched);
	assert_string_equal(sched.class, "rt");
	dump_task_sched_deinit(&sched);
	guest_u64(g, guest_task_at(1) + T_CLASS, 0x1008);
	read_one(g, 1, &sched);
	assert_int_equal(sched.class_status, KMEM_READ_UNKNOWN);
	dump_task_sched_deinit(&sched);
	/* A class that this kernel does not have is at no address, also not at 0. */
	guest_u64(g, guest_task_at(1) + T_CLASS, 0);
	read_one(g, 1, &sched);
	assert_int_equal(sched.class_status, KMEM_READ_UNKNOWN);
	dump_task_sched_deinit(&sched);
}

/* The guest has four CPUs; what the mask says of others is not shown. */
static void cpus_are_a_list_as_proc_has_it(void **state)
{
	static const struct {
		uint64_t mask;
		const char *list;
	} rows[] = { { 1, "0" },   { 7, "0-2" },	  { 6, "1-2" },
		     { 5, "0,2" }, { UINT64_MAX, "0-3" }, { 0, "" } };
	struct build_guest *g = *state;
	struct dump_task_sched sched;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		guest_u64(g, guest_task_at(1) + T_CPUS, rows[i].mask);
		read_one(g, 1, &sched);
		assert_int_equal(sched.cpus_status, KMEM_READ_OK);
		assert_string_equal(strbuf_str(&sched.cpus), rows[i].list);
		dump_task_sched_deinit(&sched);
	}
}

/* The clocks of the runqueues are 5000, 5001 and 5002; task 1 is on CPU 1. */
static void waiting_time_counts_from_last_queued(void **state)
{
	struct build_guest *g = *state;
	struct dump_task_sched sched;

	read_one(g, 1, &sched);
	assert_int_equal(sched.waiting_ns.status, KMEM_READ_UNKNOWN);
	dump_task_sched_deinit(&sched);
	guest_u64(g, guest_task_at(1) + T_LAST_QUEUED, 4000);
	read_one(g, 1, &sched);
	assert_int_equal(sched.waiting_ns.status, KMEM_READ_OK);
	assert_true(sched.waiting_ns.value == 1001);
	dump_task_sched_deinit(&sched);
	/* It came from a CPU whose clock is ahead. */
	guest_u64(g, guest_task_at(1) + T_LAST_QUEUED, 5003);
	read_one(g, 1, &sched);
	assert_true(sched.waiting_ns.value == 0);
	dump_task_sched_deinit(&sched);
	guest_u32(g, guest_task_at(1) + T_CPU, 99);
	read_one(g, 1, &sched);
	assert_int_equal(sched.waiting_ns.status, KMEM_READ_UNKNOWN);
	dump_task_sched_deinit(&sched);
}

static void only_tasks_of_sched_ext_have_its_ticks(void **state)
{
	struct build_guest *g = *state;
	struct dump_task_sched sched;

	/* These types have no task_struct.scx: no ticks, whatever the class. */
	guest_u64(g, guest_task_at(1) + T_CLASS, 0x2000);
	guest_u32(g, guest_task_at(1) + T_ON_RQ, 1);
	read_one(g, 1, &sched);
	assert_string_equal(sched.class, "ext");
	assert_int_equal(sched.on_rq.value, 1);
	assert_int_equal(sched.runnable_jiffies.status, KMEM_READ_UNKNOWN);
	dump_task_sched_deinit(&sched);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(scheduling_classes_are_named_by_address),
		guest_test(cpus_are_a_list_as_proc_has_it),
		guest_test(waiting_time_counts_from_last_queued),
		guest_test(only_tasks_of_sched_ext_have_its_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
