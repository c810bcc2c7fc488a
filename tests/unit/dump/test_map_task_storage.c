// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_view.h"

enum { LIST = 16, STORAGE_AT = 16, DATA_AT = 32 };

struct built {
	uint64_t map, element;
};

static struct built build(struct bpf_fixture *f, uint64_t owner)
{
	uint64_t map = bpf_new_map(f, 1, 29, "m", 4, 8, 0, 64), buckets = bpf_new(f, 2 * LIST);
	uint64_t element = bpf_new(f, 64), storage = bpf_new(f, 8);

	bpf_put_u64(f, map + MAP_BYTES, bpf_at(f, buckets));
	bpf_put_u32(f, map + MAP_BYTES + 8, 1);
	bpf_put_u64(f, buckets + LIST, bpf_at(f, element));
	bpf_put_u64(f, element + 8, bpf_at(f, buckets + LIST));
	bpf_put_u64(f, element + STORAGE_AT, bpf_at(f, storage));
	bpf_put_u64(f, element + DATA_AT, 0x2a);
	bpf_put_u64(f, storage, owner);
	return (struct built){ map, element };
}

static void the_key_is_the_task(void **state)
{
	struct bpf_fixture *f = *state;

	build(f, bpf_at(f, bpf_new_task(f, 41, "worker")));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"worker[41]\"");
	assert_contains(strbuf_str(&f->json), "\"hex\":\"2a 00 00 00 00 00 00 00\"");
	assert_contains(strbuf_str(&f->text), "[worker[41]] = ");
}

static void storage_without_a_task_is_shown_all_the_same(void **state)
{
	struct bpf_fixture *f = *state;

	build(f, 0);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"the task has ended\"");
}

static void a_wild_number_of_buckets_is_refused(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u32(f, build(f, 0).map + MAP_BYTES + 8, 63);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"unavailable\":\"a table of 2^63 buckets\"");
}

static void an_owner_that_cannot_be_read_is_not_gone(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, build(f, 0).element + STORAGE_AT, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"unreadable owner\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(the_key_is_the_task),
		bpf_test(storage_without_a_task_is_shown_all_the_same),
		bpf_test(a_wild_number_of_buckets_is_refused),
		bpf_test(an_owner_that_cannot_be_read_is_not_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
