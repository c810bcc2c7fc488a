// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/maps.h"

#include "build_view.h"

static void maps_are_listed_by_their_ids(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 3, 2, "first", 4, 24, 7, 0);
	bpf_new_map(f, 9, 1, "second\x1b[2J", 8, 16, 100, 0);
	assert_success(bpf_show(f, dump_maps, NULL));
	assert_contains(strbuf_str(&f->json),
			"{\"id\":3,\"name\":\"first\",\"type\":\"array\",\"key_bytes\":4,"
			"\"value_bytes\":24,\"max_entries\":7,");
	assert_contains(strbuf_str(&f->json), "\"shown\":2,\"total\":2");
	assert_contains(strbuf_str(&f->text), "hash               second\\x1b[2J");
	assert_null(strchr(strbuf_str(&f->text), '\x1b'));
	assert_contains(
		strbuf_str(&f->text),
		"ID    TYPE               NAME             KEY BYTES VALUE BYTES MAX ENTRIES\n"
		"3     array              first                    4          24           7\n");
}

static void a_wild_pointer_is_counted_and_the_others_are_listed(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 3, 2, "first", 4, 24, 7, 0);
	bpf_put_u64(f, f->idr[0] + XA_SLOTS + 8 * 4, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_maps, NULL));
	assert_contains(strbuf_str(&f->json), "\"name\":\"first\"");
	assert_contains(strbuf_str(&f->json), "\"unreadable\":1");
}

static void a_type_without_a_name_is_a_number(void **state)
{
	struct bpf_fixture *f = *state;
	struct dump_map map;
	uint64_t at = bpf_new_map(f, 1, 99, "odd", 4, 8, 1, 0);

	assert_success(bpf_show(f, dump_maps, NULL));
	assert_contains(strbuf_str(&f->text), "number 99");
	assert_true(dump_map_read(f->kmem, 1, bpf_at(f, at), &map));
	assert_int_equal(map.type, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(maps_are_listed_by_their_ids),
		bpf_test(a_wild_pointer_is_counted_and_the_others_are_listed),
		bpf_test(a_type_without_a_name_is_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
