// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/btf.h"

#include "sample.h"

struct split {
	struct sample base;
	struct strbuf bytes;
	struct btf *btf;
	uint32_t own_dsq, late_ptr;
};

/* On the sample: another struct dsq, the body of sdt_data, a pointer into the base. */
static void split_init(struct split *s)
{
	struct build_btf b;

	*s = (struct split){ 0 };
	sample_init(&s->base);
	b = build_btf_on(&s->base.bytes, s->base.n);
	s->own_dsq = BUILD_STRUCT(&b, "dsq", 4, { "mine", s->base.u32, 0, 0 });
	BUILD_STRUCT(&b, "sdt_data", 8, { "idx", s->base.s32, 0, 0 });
	s->late_ptr = build_btf_type(&b, "", BTF_PTR, 0, s->base.rq);
	build_btf_finish(&b, &s->bytes);
	assert_success(btf_parse_split(build_bytes(&s->bytes), s->base.btf, "module", &s->btf));
}

static void split_deinit(struct split *s)
{
	btf_free(s->btf);
	strbuf_deinit(&s->bytes);
	sample_deinit(&s->base);
}

#define _cleanup_split_ __attribute__((cleanup(split_deinit)))

static void every_name_of_the_file_is_found(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_type type, found;
	int named = 0;

	sample_init(&s);
	for (uint32_t id = 1; id <= btf_n_types(s.btf); id++) {
		assert_true(btf_type(s.btf, id, &type));
		if (!type.name[0])
			continue;
		assert_true(btf_find(s.btf, type.kind, type.name, &found));
		assert_int_equal(found.id, id);
		named++;
	}
	assert_int_equal(named, 25);
	assert_false(btf_find(s.btf, BTF_PTR, "", &found));
}

static void ids_and_strings_of_split_btf_go_on_after_the_base(void **state UNUSED)
{
	_cleanup_split_ struct split s;
	struct btf_type type;

	split_init(&s);
	assert_int_equal(btf_first_own(s.base.btf), 1);
	assert_int_equal(btf_first_own(s.btf), s.base.n + 1);
	assert_int_equal(btf_n_types(s.btf), s.base.n + 3);
	assert_true(btf_type(s.btf, s.own_dsq, &type));
	assert_string_equal(type.name, "dsq");
	assert_int_equal(type.size_or_type, 4);
	/* Old ids mean the base's types, and the base knows no new ones. */
	assert_true(btf_type(s.btf, s.base.dsq, &type));
	assert_int_equal(type.size_or_type, 32);
	assert_true(btf_type(s.btf, s.late_ptr, &type));
	assert_true(btf_type(s.btf, type.size_or_type, &type));
	assert_string_equal(type.name, "rq");
	assert_false(btf_type(s.base.btf, s.own_dsq, &type));
	assert_false(btf_type(s.btf, btf_n_types(s.btf) + 1, &type));
	assert_string_equal(btf_label(s.btf), "module");
}

static void own_types_come_before_those_of_the_base(void **state UNUSED)
{
	_cleanup_split_ struct split s;
	struct btf_type type;
	uint32_t at = 0;

	split_init(&s);
	assert_true(btf_find(s.btf, BTF_STRUCT, "dsq", &type));
	assert_int_equal(type.id, s.own_dsq);
	assert_true(btf_find(s.base.btf, BTF_STRUCT, "dsq", &type));
	assert_int_equal(type.id, s.base.dsq);
	/* And all of them can be had. */
	assert_true(btf_next_named(s.btf, "dsq", &at, &type));
	assert_int_equal(type.id, s.own_dsq);
	assert_true(btf_next_named(s.btf, "dsq", &at, &type));
	assert_int_equal(type.id, s.base.dsq);
	assert_false(btf_next_named(s.btf, "dsq", &at, &type));
	at = UINT32_MAX;
	assert_false(btf_next_named(s.btf, "dsq", &at, &type));
	/* Listings walk both. */
	type.id = 0;
	assert_true(btf_next(s.btf, BTF_STRUCT, "dsq", type.id, &type));
	assert_true(btf_next(s.btf, BTF_STRUCT, "dsq", type.id, &type));
	assert_int_equal(type.id, s.own_dsq);
}

static void forward_only_and_not_found_differ(void **state UNUSED)
{
	_cleanup_split_ struct split s;
	struct btf_type type;

	split_init(&s);
	assert_int_equal(btf_find_body(s.base.btf, BTF_STRUCT, "sdt_data", &type),
			 BTF_BODY_FORWARD);
	assert_int_equal(type.id, s.base.data_fwd);
	assert_int_equal(btf_find_body(s.base.btf, BTF_UNION, "sdt_data", &type), BTF_BODY_NONE);
	assert_int_equal(btf_find_body(s.base.btf, BTF_STRUCT, "sdt_dat", &type), BTF_BODY_NONE);
	/* A body anywhere beats the declaration. */
	assert_int_equal(btf_find_body(s.btf, BTF_STRUCT, "sdt_data", &type), BTF_BODY_FULL);
	assert_int_equal(type.kind, BTF_STRUCT);
	assert_int_equal(btf_find_body(s.btf, BTF_UNION, "either", &type), BTF_BODY_FULL);
}

static void same_names_come_in_the_order_of_ids(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type type;
	uint32_t at = 0, seen = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%u", i % 10);
		build_btf_type(&b, name, i % 3 ? BTF_FWD : BTF_TYPEDEF, 0, 0);
	}
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "many", &btf));
	while (btf_next_named(btf, "n7", &at, &type)) {
		assert_int_equal(type.id, 10 * seen + 8);
		seen++;
	}
	assert_int_equal(seen, 100);
	assert_true(btf_find(btf, BTF_TYPEDEF, "n7", &type));
	assert_int_equal(type.id, 28);
}

static void split_btf_may_have_no_strings_and_needs_no_empty_one(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b;
	struct btf_type type;

	sample_init(&s);
	b = build_btf_on(&s.bytes, s.n);
	build_btf_type(&b, "", BTF_PTR, 0, s.rq);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse_split(build_bytes(&bytes), s.btf, "nameless", &btf));
	assert_true(btf_type(btf, s.n + 1, &type));
	assert_string_equal(type.name, "");
}

static void split_btf_may_only_be_four_levels_deep(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct strbuf bytes[6] = { 0 };
	struct btf *btf[6] = { 0 };
	const struct btf *below;

	sample_init(&s);
	below = s.btf;
	for (int i = 0; i < 5; i++) {
		struct build_btf b = { .base_n = btf_n_types(below), .base_string_bytes = 1 };

		build_btf_type(&b, "", BTF_PTR, 0, 1);
		build_btf_finish(&b, &bytes[i]);
		if (i < 4) {
			assert_success(
				btf_parse_split(build_bytes(&bytes[i]), below, "x", &btf[i]));
			below = btf[i];
		} else {
			assert_error_tag(
				btf_parse_split(build_bytes(&bytes[i]), below, "x", &btf[i]),
				"limit");
		}
	}
	for (int i = 0; i < 6; i++) {
		btf_free(btf[i]);
		strbuf_deinit(&bytes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_of_the_file_is_found),
		cmocka_unit_test(ids_and_strings_of_split_btf_go_on_after_the_base),
		cmocka_unit_test(own_types_come_before_those_of_the_base),
		cmocka_unit_test(forward_only_and_not_found_differ),
		cmocka_unit_test(same_names_come_in_the_order_of_ids),
		cmocka_unit_test(split_btf_may_have_no_strings_and_needs_no_empty_one),
		cmocka_unit_test(split_btf_may_only_be_four_levels_deep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
