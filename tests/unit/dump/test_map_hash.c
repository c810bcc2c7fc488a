// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_view.h"

enum { BUCKETS = 4, BUCKET_BYTES = 16, KEY_AT = 24 };

/* Four buckets, the third with two elements; keys have 12 bytes. */
struct table {
	uint64_t map, buckets, elements[2];
};

static struct table build(struct bpf_fixture *f, uint32_t type)
{
	struct table t = { .map = bpf_new_map(f, 1, type, "m", 12, 8, 8, 64) };

	t.buckets = bpf_new(f, BUCKETS * BUCKET_BYTES);
	bpf_put_u64(f, t.map + MAP_BYTES, bpf_at(f, t.buckets));
	bpf_put_u32(f, t.map + MAP_BYTES + 8, BUCKETS);
	for (uint64_t i = 0; i < BUCKETS; i++)
		bpf_put_u64(f, t.buckets + i * BUCKET_BYTES, i << 1 | 1);
	for (int i = 0; i < 2; i++) {
		t.elements[i] = bpf_new(f, 64);
		build_put(&f->k.memory, t.elements[i] + KEY_AT, i ? "second key.." : "first key...",
			  12);
		bpf_put_u64(f, t.elements[i] + KEY_AT + 16, 0x41 + (uint64_t)i);
	}
	bpf_put_u64(f, t.buckets + 2 * BUCKET_BYTES, bpf_at(f, t.elements[0]));
	bpf_put_u64(f, t.elements[0], bpf_at(f, t.elements[1]));
	bpf_put_u64(f, t.elements[0] + 8, bpf_at(f, t.buckets + 2 * BUCKET_BYTES));
	bpf_put_u64(f, t.elements[1], 2 << 1 | 1);
	bpf_put_u64(f, t.elements[1] + 8, bpf_at(f, t.elements[0]));
	return t;
}

static void keys_and_values_of_all_buckets_are_shown(void **state)
{
	struct bpf_fixture *f = *state;

	build(f, 1);
	assert_success(bpf_show(f, dump_map, "m"));
	/* "first key..." and the value behind it, at the next multiple of eight. */
	assert_contains(strbuf_str(&f->json), "\"hex\":\"66 69 72 73 74 20 6b 65 79 2e 2e 2e\"");
	assert_contains(strbuf_str(&f->json), "\"hex\":\"41 00 00 00 00 00 00 00\"");
	assert_contains(strbuf_str(&f->json), "\"hex\":\"42 00 00 00 00 00 00 00\"");
	assert_contains(strbuf_str(&f->json), "\"shown\":2,\"total\":2}");
}

static void values_of_cpus_are_found_behind_a_rounded_key_or_right_behind_it(void **state)
{
	struct bpf_fixture *f = *state;
	struct table t = build(f, 5);

	bpf_put_u64(f, t.elements[0] + KEY_AT + 16, bpf_percpu(f, 0x2000));
	bpf_put_u64(f, t.elements[1] + KEY_AT + 16, 0);
	bpf_put_u64(f, t.elements[1] + KEY_AT + 12, bpf_percpu(f, 0x2008));
	bpf_put_u64(f, bpf_percpu_physical(1, 0x2000), 0x51);
	bpf_put_u64(f, bpf_percpu_physical(2, 0x2008), 0x62);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json),
			"{\"cpu\":1,\"value\":{\"kind\":\"bytes\",\"hex\":\"51 00");
	assert_contains(strbuf_str(&f->json),
			"{\"cpu\":2,\"value\":{\"kind\":\"bytes\",\"hex\":\"62 00");
}

static void a_chain_that_leads_back_into_itself_ends(void **state)
{
	struct bpf_fixture *f = *state;
	struct table t = build(f, 1);

	bpf_put_u64(f, t.elements[1], bpf_at(f, t.elements[0]));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->text), "it contains a cycle");
}

static void a_wild_table_is_an_answer(void **state)
{
	struct bpf_fixture *f = *state;
	struct table t = build(f, 9);

	bpf_put_u64(f, t.map + MAP_BYTES, UINT64_C(0xffffdead00000000));
	bpf_put_u32(f, t.map + MAP_BYTES + 8, UINT32_MAX);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"incomplete\":\"shown 0 of at least 0: address");
}

static void values_of_cpus_that_nothing_leads_to_are_not_shown(void **state)
{
	struct bpf_fixture *f = *state;
	struct table t = build(f, 5);

	bpf_put_u64(f, t.elements[0] + KEY_AT + 16, 0);
	bpf_put_u64(f, t.elements[0] + KEY_AT + 12, 0);
	bpf_put_u64(f, t.elements[1] + KEY_AT + 16, bpf_percpu(f, 0x2000));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"unavailable\":\"nothing says where");
	assert_contains(strbuf_str(&f->text), " values: unavailable: nothing says where");
	bpf_lose_cpus(f);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_null(strstr(strbuf_str(&f->json), "\"values\":[]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(keys_and_values_of_all_buckets_are_shown),
		bpf_test(values_of_cpus_are_found_behind_a_rounded_key_or_right_behind_it),
		bpf_test(a_chain_that_leads_back_into_itself_ends),
		bpf_test(a_wild_table_is_an_answer),
		bpf_test(values_of_cpus_that_nothing_leads_to_are_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
