// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/maps.h"

#include "build_view.h"

static void array_elements_are_aligned_to_8_bytes(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 2, "m", 4, 4, 3, 32);
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);

	bpf_give_types(f, map, &b, word, word);
	bpf_put_u32(f, map + MAP_BYTES, 11);
	bpf_put_u32(f, map + MAP_BYTES + 8, 0);
	bpf_put_u32(f, map + MAP_BYTES + 16, 33);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json),
			"{\"key\":0,\"value\":{\"kind\":\"uint\",\"bits\":32,\"value\":11}}");
	assert_contains(strbuf_str(&f->json),
			"{\"key\":2,\"value\":{\"kind\":\"uint\",\"bits\":32,\"value\":33}}");
	assert_contains(strbuf_str(&f->json), "\"shown\":3,\"total\":3");
	assert_contains(strbuf_str(&f->text), "[0] = 11\n  [2] = 33\n  1 entries are 0\n");
}

static void values_of_each_possible_cpu_are_shown(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 6, "m", 4, 8, 1, 32);

	bpf_put_u64(f, map + MAP_BYTES, bpf_percpu(f, 0x2000));
	for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++)
		bpf_put_u64(f, bpf_percpu_physical(cpu, 0x2000), 0x10 + cpu);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json),
			"{\"cpu\":2,\"value\":{\"kind\":\"bytes\",\"hex\":\"12 00");
	/* The fourth has a number but can never be there. */
	assert_null(strstr(strbuf_str(&f->json), "\"cpu\":3"));
}

static void a_section_is_shown_by_its_variables(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 2, ".bss", 4, 16, 1, 32);
	struct build_btf b = { 0 };
	uint32_t wide = build_btf_int(&b, "unsigned long", 8, 0);
	uint32_t var = build_btf_type(&b, "fault", 14, 0, wide), section;

	build_u32(&b.types, 1);
	section = build_btf_type(&b, ".bss", 15, 1, 16);
	build_u32(&b.types, var);
	build_u32(&b.types, 8);
	build_u32(&b.types, 8);
	bpf_give_types(f, map, &b, wide, section);
	bpf_put_u64(f, map + MAP_BYTES + 8, 6);
	assert_success(bpf_show(f, dump_map, ".bss"));
	assert_contains(strbuf_str(&f->text), "fault = 6\n");
	assert_contains(strbuf_str(&f->json), "\"globals\":{\"kind\":\"struct\"");
	assert_contains(strbuf_str(&f->json), "\"name\":\"fault\"");
}

static void an_array_of_the_largest_size_is_cut(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 1, 6, "m", 4, 8, UINT32_MAX, 32);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"incomplete\":");
}

static void an_array_past_the_end_of_ram_is_cut(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 1, 2, "m", 4, 1 << 16, UINT32_MAX, 32);
	assert_success(bpf_show(f, dump_map, "m"));
	/* 64 whole values of RAM, then as many that are not there. */
	assert_contains(strbuf_str(&f->json),
			"\"incomplete\":\"shown 128 of at least 128: address");
}

enum { BUCKETS = 4, BUCKET_BYTES = 16, KEY_AT = 24 };

/* Four buckets, the third with two elements; keys have 12 bytes. */
struct hash_table {
	uint64_t map, buckets, elements[2];
};

static struct hash_table build_hash(struct bpf_fixture *f, uint32_t type)
{
	struct hash_table t = { .map = bpf_new_map(f, 1, type, "m", 12, 8, 8, 64) };

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

	build_hash(f, 1);
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
	struct hash_table t = build_hash(f, 5);

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

static void a_cyclic_bucket_chain_is_reported(void **state)
{
	struct bpf_fixture *f = *state;
	struct hash_table t = build_hash(f, 1);

	bpf_put_u64(f, t.elements[1], bpf_at(f, t.elements[0]));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->text), "it contains a cycle");
}

static void an_invalid_bucket_table_is_reported_as_incomplete(void **state)
{
	struct bpf_fixture *f = *state;
	struct hash_table t = build_hash(f, 9);

	bpf_put_u64(f, t.map + MAP_BYTES, UINT64_C(0xffffdead00000000));
	bpf_put_u32(f, t.map + MAP_BYTES + 8, UINT32_MAX);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"incomplete\":\"shown 0 of at least 0: address");
}

static void per_cpu_values_without_a_valid_pointer_are_unavailable(void **state)
{
	struct bpf_fixture *f = *state;
	struct hash_table t = build_hash(f, 5);

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

static void the_kernels_copy_is_shown_in_its_types(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 26, "ops", 4, 16, 1, 128);

	bpf_put_u32(f, map + 28, f->ops_value);
	bpf_put_u32(f, map + 192, 3);
	bpf_put_u64(f, map + 200, 1234);
	assert_success(bpf_show(f, dump_map, "ops"));
	assert_contains(strbuf_str(&f->text), "value = bpf_struct_ops_test{state=3, calls=1234}");
	assert_contains(strbuf_str(&f->json), "\"type_name\":\"bpf_struct_ops_test\"");
}

static void a_type_that_does_not_exist_leaves_a_reason(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 26, "ops", 4, 16, 1, 128);

	bpf_put_u32(f, map + 28, 0x7fffffff);
	assert_success(bpf_show(f, dump_map, "ops"));
	assert_contains(strbuf_str(&f->json), "\"kind\":\"unsupported\"");
}

enum { LIST = 16, STORAGE_AT = 16, DATA_AT = 32 };

struct built {
	uint64_t map, element;
};

static struct built build_storage(struct bpf_fixture *f, uint64_t owner)
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

	build_storage(f, bpf_at(f, bpf_new_task(f, 41, "worker")));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"worker[41]\"");
	assert_contains(strbuf_str(&f->json), "\"hex\":\"2a 00 00 00 00 00 00 00\"");
	assert_contains(strbuf_str(&f->text), "[worker[41]] = ");
}

static void storage_without_a_task_is_shown_all_the_same(void **state)
{
	struct bpf_fixture *f = *state;

	build_storage(f, 0);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"the task has ended\"");
}

static void a_wild_number_of_buckets_is_refused(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u32(f, build_storage(f, 0).map + MAP_BYTES + 8, 63);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"unavailable\":\"a table of 2^63 buckets\"");
}

static void an_unreadable_owner_differs_from_no_owner(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, build_storage(f, 0).element + STORAGE_AT, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"key\":\"unreadable owner\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(array_elements_are_aligned_to_8_bytes),
		bpf_test(values_of_each_possible_cpu_are_shown),
		bpf_test(a_section_is_shown_by_its_variables),
		bpf_test(an_array_of_the_largest_size_is_cut),
		bpf_test(an_array_past_the_end_of_ram_is_cut),
		bpf_test(keys_and_values_of_all_buckets_are_shown),
		bpf_test(values_of_cpus_are_found_behind_a_rounded_key_or_right_behind_it),
		bpf_test(a_cyclic_bucket_chain_is_reported),
		bpf_test(an_invalid_bucket_table_is_reported_as_incomplete),
		bpf_test(per_cpu_values_without_a_valid_pointer_are_unavailable),
		bpf_test(the_kernels_copy_is_shown_in_its_types),
		bpf_test(a_type_that_does_not_exist_leaves_a_reason),
		bpf_test(the_key_is_the_task),
		bpf_test(storage_without_a_task_is_shown_all_the_same),
		bpf_test(a_wild_number_of_buckets_is_refused),
		bpf_test(an_unreadable_owner_differs_from_no_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
