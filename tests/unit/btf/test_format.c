// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/layout.h"

#include "sample.h"

static void assert_formats(const struct btf *btf, uint32_t id, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_type_format(btf, id, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void types_read_like_c(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	assert_formats(s.btf, 0, "void");
	assert_formats(s.btf, s.s32, "int");
	assert_formats(s.btf, s.rq, "struct rq");
	assert_formats(s.btf, s.rq_ptr, "struct rq *");
	assert_formats(s.btf, s.text16, "char[16]");
	assert_formats(s.btf, s.either, "union either");
	assert_formats(s.btf, s.colour, "enum colour");
	assert_formats(s.btf, s.data_ptr, "struct sdt_data *");
	assert_formats(s.btf, s.rq_ptr + 1, "const volatile u32");
	assert_formats(s.btf, 999, "(type 999)");
}

static void what_has_no_name_or_no_end_says_so(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	uint32_t number = build_btf_int(&b, "int", 4, 1), nameless, twice, grid, endless, callback;
	uint32_t dirty;

	nameless = build_btf_type(&b, "", BTF_UNION, 0, 0);
	twice = build_btf_type(&b, "", BTF_PTR, 0, build_btf_type(&b, "", BTF_PTR, 0, number));
	grid = build_btf_array(&b, build_btf_array(&b, twice, 3), 2);
	endless = b.n + 1;
	build_btf_type(&b, "", BTF_PTR, 0, endless);
	callback = build_btf_type(&b, "", BTF_FUNC_PROTO, 0, 0);
	callback = build_btf_type(&b, "", BTF_PTR, 0, callback);
	dirty = build_btf_type(&b, "a\033[2Jb", BTF_STRUCT, 0, 0);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "odd", &btf));
	assert_formats(btf, nameless, "union {…}");
	assert_formats(btf, twice, "int **");
	assert_formats(btf, grid, "int **[2][3]");
	assert_formats(btf, endless, "(endless type)");
	assert_formats(btf, callback, "function(0) *");
	assert_formats(btf, dirty, "struct a?[2Jb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_read_like_c),
		cmocka_unit_test(what_has_no_name_or_no_end_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
