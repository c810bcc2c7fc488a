// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/maps.h"

#include "build_view.h"

static void elements_stand_at_multiples_of_eight_bytes(void **state)
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

static void an_endless_array_ends(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 1, 6, "m", 4, 8, UINT32_MAX, 32);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"incomplete\":");
}

static void an_array_that_goes_on_behind_memory_ends_there(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 1, 2, "m", 4, 1 << 16, UINT32_MAX, 32);
	assert_success(bpf_show(f, dump_map, "m"));
	/* 64 whole values of RAM, then as many that are not there. */
	assert_contains(strbuf_str(&f->json),
			"\"incomplete\":\"shown 128 of at least 128: address");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(elements_stand_at_multiples_of_eight_bytes),
		bpf_test(values_of_each_possible_cpu_are_shown),
		bpf_test(a_section_is_shown_by_its_variables),
		bpf_test(an_endless_array_ends),
		bpf_test(an_array_that_goes_on_behind_memory_ends_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
