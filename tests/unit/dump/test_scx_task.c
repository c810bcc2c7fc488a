// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scx.h"

static void age_is_the_time_since_it_became_runnable(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json),
			"{\"comm\":\"second\",\"pid\":12,\"slice_ns\":5000,"
			"\"age_jiffies\":500,\"age_ms\":2000,\"dsq\":\"0x77\",");
	assert_contains(strbuf_str(&f->text),
			"second[12]  runnable for 2000 ms  slice 5000 ns  in queue 0x77\n");
}

static void a_stamp_that_does_not_count_is_no_age(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);

	bpf_put_u32(f, s.task[0] + SCX_FLAGS, 4);
	bpf_put_u64(f, s.task[1] + SCX_SINCE, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_null(strstr(strbuf_str(&f->json), "age"));
	assert_contains(strbuf_str(&f->text), "first[11]  slice 5000 ns");
}

static void a_stamp_of_the_future_is_an_age_of_nothing(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_SINCE, UINT64_MAX);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "first[11]  runnable for 0 ms");
}

static void who_is_in_no_queue_is_said_to_be(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_DSQ, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text),
			"first[11]  runnable for 1000 ms  slice 5000 ns  in no queue");
}

static void a_queue_that_cannot_be_read_is_null(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_DSQ, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"age_ms\":1000,\"dsq\":null,");
	assert_contains(strbuf_str(&f->text), "slice 5000 ns  in queue ?\n");
}

/* The list leads to the end of RAM: its links are there, the rest of the task is not. */
static void numbers_that_cannot_be_read_are_null(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);
	const uint64_t links[] = { RAM_BYTES - 16 };

	bpf_link(f, s.queue + DSQ_LIST, links, 1);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"slice_ns\":null,\"age_jiffies\":null,"
					      "\"age_ms\":null,\"address\":");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(age_is_the_time_since_it_became_runnable),
		bpf_test(a_stamp_that_does_not_count_is_no_age),
		bpf_test(a_stamp_of_the_future_is_an_age_of_nothing),
		bpf_test(who_is_in_no_queue_is_said_to_be),
		bpf_test(a_queue_that_cannot_be_read_is_null),
		bpf_test(numbers_that_cannot_be_read_are_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
