// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../../bench/rq_sweep.h"

#include "../dump/build_guest.h"

static uint64_t number(const struct dump_rq *rq, enum dump_rq_number i)
{
	assert_int_equal(rq->numbers[i].status, KMEM_READ_OK);
	return rq->numbers[i].value;
}

static void every_possible_cpu_is_there_with_who_runs(void **state)
{
	struct build_guest *g = *state;
	_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = NULL;
	const struct dump_rq *rqs;
	size_t n;

	guest_attach(g);
	assert_success(dump_rq_sweep_new(g->kmem, &sweep));
	rqs = dump_rq_sweep(sweep, true, &n);
	assert_int_equal(n, 3);
	assert_int_equal(rqs[1].cpu, 1);
	assert_int_equal(number(&rqs[1], DUMP_RQ_NR_RUNNING), 3);
	assert_int_equal(number(&rqs[1], DUMP_RQ_CFS), 2);
	assert_int_equal(number(&rqs[1], DUMP_RQ_CLOCK), 5001);
	assert_int_equal(rqs[1].pid.status, KMEM_READ_OK);
	assert_int_equal(rqs[1].pid.value, 7);
	assert_string_equal(rqs[1].comm, "server");
	assert_int_equal(number(&rqs[0], DUMP_RQ_CURR), number(&rqs[0], DUMP_RQ_IDLE));
	rqs = dump_rq_sweep(sweep, false, &n);
	assert_int_equal(number(&rqs[1], DUMP_RQ_NR_RUNNING), 3);
	assert_int_equal(rqs[1].pid.status, KMEM_READ_UNKNOWN);
	assert_string_equal(rqs[1].comm, "");
	/* This kernel has no such members. */
	assert_int_equal(rqs[1].numbers[DUMP_RQ_RT].status, KMEM_READ_UNKNOWN);
	assert_int_equal(rqs[1].numbers[DUMP_RQ_NR_SWITCHES].status, KMEM_READ_UNKNOWN);
}

static void each_sweep_reads_memory_again(void **state)
{
	struct build_guest *g = *state;
	_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = NULL;
	const struct dump_rq *rqs;
	uint64_t idle;
	size_t n;

	guest_attach(g);
	assert_success(dump_rq_sweep_new(g->kmem, &sweep));
	rqs = dump_rq_sweep(sweep, true, &n);
	idle = number(&rqs[0], DUMP_RQ_IDLE);
	/* Past everything that the space remembers. */
	build_put_u64(&g->k.memory, guest_rq_at(1) + RQ_CLOCK, 9999);
	build_put_u64(&g->k.memory, guest_rq_at(1) + RQ_CURR, idle);
	rqs = dump_rq_sweep(sweep, true, &n);
	assert_int_equal(number(&rqs[1], DUMP_RQ_CLOCK), 9999);
	assert_int_equal(rqs[1].pid.value, 0);
	assert_string_equal(rqs[1].comm, "swapper");
}

static void an_unreadable_current_task_is_reported(void **state)
{
	struct build_guest *g = *state;
	_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = NULL;
	const struct dump_rq *rqs;
	size_t n;

	guest_attach(g);
	assert_success(dump_rq_sweep_new(g->kmem, &sweep));
	build_put_u64(&g->k.memory, guest_rq_at(1) + RQ_CURR, 0x10);
	rqs = dump_rq_sweep(sweep, true, &n);
	assert_int_equal(rqs[1].pid.status, KMEM_READ_UNMAPPED);
	assert_string_equal(rqs[1].comm, "");
	assert_int_equal(number(&rqs[1], DUMP_RQ_CURR), 0x10);
	assert_int_equal(rqs[0].pid.status, KMEM_READ_OK);
}

static void without_types_or_cpus_there_is_a_reason(void **state)
{
	struct build_guest *g = *state;
	struct dump_rq_sweep *sweep = NULL;
	uint32_t n;

	guest_attach(g);
	n = g->kmem->cpus.n;
	g->kmem->cpus.n = 0;
	assert_error_tag(dump_rq_sweep_new(g->kmem, &sweep), "guest-memory");
	g->kmem->cpus.n = n;
	guest_tear_down(state);
	*state = build_guest_new(true);
	g = *state;
	guest_attach(g);
	assert_error_tag(dump_rq_sweep_new(g->kmem, &sweep), "no-kernel-field");
}

/* Types are the guest's word too. */
static void members_far_apart_are_refused(void **state)
{
	struct build_guest *g = *state;
	struct dump_rq_sweep *sweep = NULL;

	guest_attach(g);
	g->kmem->fields.at[KMEM_F_RQ_CLOCK].place.offset = UINT64_C(1) << 40;
	assert_error_tag(dump_rq_sweep_new(g->kmem, &sweep), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(every_possible_cpu_is_there_with_who_runs),
		guest_test(each_sweep_reads_memory_again),
		guest_test(an_unreadable_current_task_is_reported),
		guest_test(without_types_or_cpus_there_is_a_reason),
		guest_test(members_far_apart_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
