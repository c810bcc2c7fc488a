// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/btf.h"

#include "build_btf.h"
#include "unit.h"

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

static void every_kind_is_stepped_over(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_stepped_over),
		cmocka_unit_test(functions_have_prototypes_with_named_parameters),
		cmocka_unit_test(names_are_found_whole_and_prefixes_in_order),
		cmocka_unit_test(a_function_must_lead_to_a_prototype),
		cmocka_unit_test(a_parameters_name_must_lie_in_the_strings),
		cmocka_unit_test(broken_headers_are_refused),
		cmocka_unit_test(broken_types_are_refused),
		cmocka_unit_test(strings_begin_and_end_with_a_nul),
		cmocka_unit_test(a_longer_header_of_a_later_kernel_is_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
