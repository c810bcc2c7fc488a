// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scx.h"

static void the_scheduler_is_shown_with_its_state(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json),
			"{\"state\":\"enabled\",\"ops\":\"ktfifo\",\"timeout_ms\":20000,"
			"\"exit\":{\"kind\":0,\"word\":\"none\"}");
	assert_contains(strbuf_str(&f->json), "\"hz\":250");
	assert_contains(strbuf_str(&f->text), "cpu 0: 2 runnable, idle[0] runs, flags ONLINE\n"
					      "  first[11]  runnable for 1000 ms");
	assert_null(strstr(strbuf_str(&f->text), "cpu 3:"));
}

static void a_scheduler_exit_is_shown_with_reason_and_message(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);
	uint64_t info = bpf_new(f, 32), reason = bpf_new(f, 64), message = bpf_new(f, 64);

	bpf_put_u32(f, s.sched + SCHED_EXIT_KIND, 1026);
	bpf_put_u64(f, s.sched + SCHED_EXIT_INFO, bpf_at(f, info));
	bpf_put_u64(f, info + 8, (uint64_t)-5);
	bpf_put_u64(f, info + 16, bpf_at(f, reason));
	bpf_put_u64(f, info + 24, bpf_at(f, message));
	build_put(&f->k.memory, reason, "runnable task stall", 20);
	build_put(&f->k.memory, message, "sh[3]\x1b[1m failed", 17);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json),
			"\"exit\":{\"kind\":1026,\"word\":\"error_stall\",\"code\":-5,"
			"\"reason\":\"runnable task stall\"");
	assert_contains(strbuf_str(&f->text), "exit message: sh[3]\\x1b[1m failed");
}

static void events_of_all_possible_cpus_are_added(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++)
		bpf_put_u64(f, bpf_percpu_physical(cpu, 0x2008), 10 + cpu);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"events\":{\"SCX_EV_ONE\":0,\"SCX_EV_TWO\":33}");
}

static void without_a_scheduler_the_cpus_are_shown(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	bpf_put_u64(f, IMAGE_AT + AT_SCX_ROOT, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "no scheduler is loaded\n");
	assert_null(strstr(strbuf_str(&f->json), "\"ops\""));
	assert_contains(strbuf_str(&f->json), "\"age_jiffies\":250");
	assert_null(strstr(strbuf_str(&f->json), "\"age_ms\""));
}

/* One reason, not a list of all that is missing. */
static void assert_refused(struct bpf_fixture *f, const char *why)
{
	_cleanup_error_ struct error *err = bpf_show(f, dump_scx, NULL);

	assert_non_null(err);
	assert_string_equal(error_message(err), why);
}

static void a_kernel_without_all_of_it_says_so_once(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	f->kmem->fields.at[KMEM_F_SCX_OPS_NAME].known = false;
	assert_refused(
		f, "this kernel has a sched_ext from before Linux 6.17, whose state is not read");
	f->kmem->fields.at[KMEM_F_SCX_TASK_FLAGS].known = false;
	assert_refused(f, "this kernel is built without sched_ext");
}

static void an_invalid_scheduler_pointer_does_not_hide_the_rest(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	bpf_put_u64(f, IMAGE_AT + AT_SCX_ROOT, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"state\":\"enabled\"");
	assert_contains(strbuf_str(&f->json), "\"comm\":\"first\"");
	assert_contains(strbuf_str(&f->json),
			"\"incomplete\":\"shown 0 of at least 0: address 0xffffdead");
	assert_contains(strbuf_str(&f->json), "\"events\":null,");
	assert_contains(strbuf_str(&f->json),
			"{\"origin\":\"nodes\",\"unavailable\":\"unmapped\"}");
	/* What cannot be read is not left out of the text either. */
	assert_contains(strbuf_str(&f->text), "exit: ?\nevents: ?\n");
	assert_contains(strbuf_str(&f->text), "queues of nodes: unavailable: unmapped\n");
}

static void without_known_cpus_events_are_null(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	bpf_lose_cpus(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json),
			"\"events\":{\"SCX_EV_ONE\":null,\"SCX_EV_TWO\":null}");
	assert_contains(strbuf_str(&f->json), "\"cpus\":[],\"cpus_unavailable\":\"nobody knows\"");
	assert_contains(strbuf_str(&f->text), "event SCX_EV_ONE: ?\n");
	assert_contains(strbuf_str(&f->text), "CPUs and their queues: unavailable: nobody knows\n");
}

static void an_unreadable_exit_reason_differs_from_a_missing_one(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);

	bpf_put_u32(f, s.sched + SCHED_EXIT_KIND, 1026);
	bpf_put_u64(f, s.sched + SCHED_EXIT_INFO, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "exit reason: ?\nexit message: ?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(the_scheduler_is_shown_with_its_state),
		bpf_test(a_scheduler_exit_is_shown_with_reason_and_message),
		bpf_test(events_of_all_possible_cpus_are_added),
		bpf_test(without_a_scheduler_the_cpus_are_shown),
		bpf_test(a_kernel_without_all_of_it_says_so_once),
		bpf_test(an_invalid_scheduler_pointer_does_not_hide_the_rest),
		bpf_test(without_known_cpus_events_are_null),
		bpf_test(an_unreadable_exit_reason_differs_from_a_missing_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
