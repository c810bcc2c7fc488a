// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/btf.h"

#include "build_btf.h"
#include "unit.h"
#include "sample.h"

static const char *const two_params[] = { "first", "aux", NULL };
static const char *const no_params[] = { NULL };

/* int, then one type of every kind, in the order of the format's documentation. */
static void build_every_kind(struct strbuf *out)
{
	struct build_btf b = { 0 };
	uint32_t number = build_btf_type(&b, "int", BTF_INT, 0, 4);

	build_u32(&b.types, 0x01000020);
	build_btf_type(&b, "", BTF_PTR, 0, number);
	build_btf_type(&b, "", BTF_ARRAY, 0, 0);
	for (int i = 0; i < 3; i++)
		build_u32(&b.types, number);
	build_btf_type(&b, "pair", BTF_STRUCT, 2, 8);
	for (int i = 0; i < 6; i++)
		build_u32(&b.types, 0);
	build_btf_type(&b, "either", BTF_UNION, 1, 4);
	for (int i = 0; i < 3; i++)
		build_u32(&b.types, 0);
	build_btf_type(&b, "colour", BTF_ENUM, 1, 4);
	build_u32(&b.types, 0);
	build_u32(&b.types, 7);
	build_btf_type(&b, "later", BTF_FWD, 0, 0);
	build_btf_type(&b, "word", BTF_TYPEDEF, 0, number);
	build_btf_type(&b, "", BTF_VOLATILE, 0, number);
	build_btf_type(&b, "", BTF_CONST, 0, number);
	build_btf_type(&b, "", BTF_RESTRICT, 0, number);
	build_btf_func(&b, "work", number, two_params);
	build_btf_type(&b, "counter", BTF_VAR, 0, number);
	build_u32(&b.types, 1);
	build_btf_type(&b, ".data", BTF_DATASEC, 1, 4);
	for (int i = 0; i < 3; i++)
		build_u32(&b.types, 0);
	build_btf_type(&b, "real", BTF_FLOAT, 0, 8);
	build_btf_type(&b, "tag", BTF_DECL_TAG, 0, number);
	build_u32(&b.types, 0);
	build_btf_type(&b, "rcu", BTF_TYPE_TAG, 0, number);
	build_btf_type(&b, "wide", BTF_ENUM64, 1, 8);
	for (int i = 0; i < 3; i++)
		build_u32(&b.types, 0);
	build_btf_type(&b, "last", BTF_TYPEDEF, 0, number);
	build_btf_finish(&b, out);
}

static void every_kind_of_type_has_its_length(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct btf_type type;

	build_every_kind(&bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	assert_int_equal(btf_n_types(btf), 20);
	/* A wrong length of any kind before it would lose the last one. */
	assert_true(btf_type(btf, 20, &type));
	assert_string_equal(type.name, "last");
	assert_int_equal(type.kind, BTF_TYPEDEF);
	assert_int_equal(type.size_or_type, 1);
	assert_false(btf_type(btf, 0, &type));
	assert_false(btf_type(btf, 21, &type));
}

static void functions_have_prototypes_with_named_parameters(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct btf_type func, proto;
	struct btf_param param;

	build_every_kind(&bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	assert_true(btf_find(btf, BTF_FUNC, "work", &func));
	assert_success(btf_func_proto(btf, &func, &proto));
	assert_int_equal(proto.n, 2);
	assert_success(btf_proto_param(btf, &proto, 0, &param));
	assert_string_equal(param.name, "first");
	assert_int_equal(param.type, 1);
	assert_success(btf_proto_param(btf, &proto, 1, &param));
	assert_string_equal(param.name, "aux");
	assert_error_tag(btf_proto_param(btf, &proto, 2, &param), "btf-malformed");
	assert_error_tag(btf_func_proto(btf, &proto, &proto), "btf-malformed");
	assert_error_tag(btf_proto_param(btf, &func, 0, &param), "btf-malformed");
}

static void names_are_found_whole_and_prefixes_in_order(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type type = { 0 };

	build_btf_func(&b, "scx_long_name", 0, no_params);
	build_btf_type(&b, "scx_long", BTF_FWD, 0, 0);
	build_btf_func(&b, "scx_long", 0, no_params);
	build_btf_func(&b, "other", 0, no_params);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	assert_true(btf_find(btf, BTF_FUNC, "scx_long", &type));
	assert_int_equal(type.id, 5);
	assert_true(btf_next(btf, BTF_FUNC, "scx_", 0, &type));
	assert_string_equal(type.name, "scx_long_name");
	assert_true(btf_next(btf, BTF_FUNC, "scx_", type.id, &type));
	assert_string_equal(type.name, "scx_long");
	assert_false(btf_next(btf, BTF_FUNC, "scx_", type.id, &type));
	assert_string_equal(type.name, "scx_long"); /* untouched */
	assert_false(btf_find(btf, BTF_FUNC, "scx", &type));
	assert_false(btf_find(btf, BTF_STRUCT, "scx_long", &type));
}

static void a_function_must_lead_to_a_prototype(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type func, proto;

	build_btf_type(&b, "nowhere", BTF_FUNC, 0, 77);
	build_btf_type(&b, "itself", BTF_FUNC, 0, 2);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	for (uint32_t id = 1; id <= 2; id++) {
		assert_true(btf_type(btf, id, &func));
		assert_error_tag(btf_func_proto(btf, &func, &proto), "btf-malformed");
	}
}

static void a_parameters_name_must_lie_in_the_strings(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_param param;
	struct btf_type proto;

	build_btf_type(&b, "", BTF_FUNC_PROTO, 1, 0);
	build_u32(&b.types, 1000);
	build_u32(&b.types, 0);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	assert_true(btf_type(btf, 1, &proto));
	assert_error_tag(btf_proto_param(btf, &proto, 0, &param), "btf-malformed");
}

static struct error *parse_changed(size_t offset, uint8_t value, size_t n)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct bytes in;

	build_every_kind(&bytes);
	bytes.at[offset] = (char)value;
	in = build_bytes(&bytes);
	if (n < in.n)
		in.n = n;
	return btf_parse(in, "test", &btf);
}

static void broken_headers_are_refused(void **state UNUSED)
{
	const size_t all = SIZE_MAX;

	assert_error_tag(parse_changed(0, 0, all), "not-btf");
	assert_error_tag(parse_changed(2, 2, all), "not-btf");	      /* version */
	assert_error_tag(parse_changed(4, 23, all), "btf-malformed"); /* shorter than a header */
	assert_error_tag(parse_changed(7, 1, all), "btf-malformed");  /* longer than the bytes */
	assert_error_tag(parse_changed(11, 1, all), "btf-malformed"); /* types begin outside */
	assert_error_tag(parse_changed(15, 1, all), "btf-malformed"); /* types end outside */
	assert_error_tag(parse_changed(23, 1, all), "btf-malformed"); /* strings end outside */
	for (size_t n = 0; n < 24; n++) {
		struct error *err = parse_changed(0, 0x9f, n);

		assert_non_null(err);
		error_free(err);
	}
}

static void broken_types_are_refused(void **state UNUSED)
{
	const size_t all = SIZE_MAX, first = 24;

	assert_error_tag(parse_changed(first + 2, 1, all), "btf-malformed"); /* name outside */
	assert_error_tag(parse_changed(first + 7, 0, all), "btf-unknown-kind");
	assert_error_tag(parse_changed(first + 7, 20, all), "btf-unknown-kind");
	/* Bits that have no meaning yet may change what the rest means. */
	assert_error_tag(parse_changed(first + 6, 1, all), "btf-unknown-kind");
	assert_error_tag(parse_changed(first + 7, 0x20 | 1, all), "btf-unknown-kind");
	/* A count that runs past the section. */
	assert_error_tag(parse_changed(first + 16 + 12 + 24 + 5, 0xff, all), "btf-malformed");
}

static void strings_begin_and_end_with_a_nul(void **state UNUSED)
{
	static const char *const broken[] = { "", "x", "\0x", "x\0" };
	static const size_t lengths[] = { 0, 1, 2, 2 };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
		_cleanup_btf_ struct btf *btf = NULL;

		build_u32(&bytes, 0x0001eb9f);
		build_u32(&bytes, 24);
		for (int k = 0; k < 3; k++)
			build_u32(&bytes, 0);
		build_u32(&bytes, (uint32_t)lengths[i]);
		strbuf_append_bytes(&bytes, broken[i], lengths[i]);
		assert_error_tag(btf_parse(build_bytes(&bytes), "test", &btf), "btf-malformed");
	}
}

static void a_longer_header_of_a_later_kernel_is_fine(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT, longer = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;

	build_every_kind(&bytes);
	bytes.at[4] = 32;
	strbuf_append_bytes(&longer, bytes.at, 24);
	strbuf_append_bytes(&longer, "\0\0\0\0\0\0\0\0", 8);
	strbuf_append_bytes(&longer, bytes.at + 24, bytes.n - 24);
	assert_success(btf_parse(build_bytes(&longer), "test", &btf));
	assert_int_equal(btf_n_types(btf), 20);
}

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

static void a_forward_declaration_differs_from_a_missing_type(void **state UNUSED)
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
		cmocka_unit_test(every_kind_of_type_has_its_length),
		cmocka_unit_test(functions_have_prototypes_with_named_parameters),
		cmocka_unit_test(names_are_found_whole_and_prefixes_in_order),
		cmocka_unit_test(a_function_must_lead_to_a_prototype),
		cmocka_unit_test(a_parameters_name_must_lie_in_the_strings),
		cmocka_unit_test(broken_headers_are_refused),
		cmocka_unit_test(broken_types_are_refused),
		cmocka_unit_test(strings_begin_and_end_with_a_nul),
		cmocka_unit_test(a_longer_header_of_a_later_kernel_is_fine),
		cmocka_unit_test(every_name_of_the_file_is_found),
		cmocka_unit_test(ids_and_strings_of_split_btf_go_on_after_the_base),
		cmocka_unit_test(own_types_come_before_those_of_the_base),
		cmocka_unit_test(a_forward_declaration_differs_from_a_missing_type),
		cmocka_unit_test(same_names_come_in_the_order_of_ids),
		cmocka_unit_test(split_btf_may_have_no_strings_and_needs_no_empty_one),
		cmocka_unit_test(split_btf_may_only_be_four_levels_deep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
