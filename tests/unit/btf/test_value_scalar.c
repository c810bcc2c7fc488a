// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_builder.h"

#include "values.h"

static void assert_decodes(const struct btf *btf, uint32_t type, const void *bytes, size_t n,
			   enum btf_value_kind kind, const char *text)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = tree_of(btf, type, bytes, n, NULL);

	assert_int_equal(btf_value_root(tree)->kind, kind);
	assert_text(tree, text);
}

static void numbers_have_their_sign_and_width(void **state UNUSED)
{
	static const uint8_t ones[16] = { [0 ... 15] = 0xff };
	static const uint8_t wide[16] = { [15] = 0x80 };
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	assert_decodes(s.btf, s.s32, ones, 4, BTF_VALUE_INT, "-1");
	assert_decodes(s.btf, s.u32, ones, 4, BTF_VALUE_UINT, "4294967295");
	assert_decodes(s.btf, s.u64, ones, 8, BTF_VALUE_UINT, "18446744073709551615");
	assert_decodes(s.btf, s.u16, "\x01\x02", 2, BTF_VALUE_UINT, "513");
	assert_decodes(s.btf, s.s128, ones, 16, BTF_VALUE_INT, "-1");
	assert_decodes(s.btf, s.u128, ones, 16, BTF_VALUE_UINT,
		       "340282366920938463463374607431768211455");
	assert_decodes(s.btf, s.s128, wide, 16, BTF_VALUE_INT,
		       "-170141183460469231731687303715884105728");
	assert_decodes(s.btf, s.u32_typedef, "\7\0\0\0", 4, BTF_VALUE_UINT, "7");
}

static void characters_and_booleans_are_decoded_as_such(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	assert_decodes(s.btf, s.ch, "A", 1, BTF_VALUE_CHAR, "'A'");
	assert_decodes(s.btf, s.ch, "\x07", 1, BTF_VALUE_CHAR, "0x07");
	assert_decodes(s.btf, s.boolean, "\0", 1, BTF_VALUE_BOOL, "false");
	/* Any bit makes it true. */
	assert_decodes(s.btf, s.boolean, "\x40", 1, BTF_VALUE_BOOL, "true");
}

static void enums_are_shown_by_name(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	assert_decodes(s.btf, s.colour, "\5\0\0\0", 4, BTF_VALUE_ENUM, "GREEN (5)");
	assert_decodes(s.btf, s.colour, "\xff\xff\xff\xff", 4, BTF_VALUE_ENUM, "BLUE (-1)");
	assert_decodes(s.btf, s.colour, "\6\0\0\0", 4, BTF_VALUE_ENUM, "6");
	assert_decodes(s.btf, s.wide, "\0\0\0\0\0\1\0\0", 8, BTF_VALUE_ENUM, "BIG (1099511627776)");
}

/* far = 0x1234567890, delta = -3, tint = BLUE in four bits, state = 5. */
static void bit_fields_keep_sign_and_names(void **state UNUSED)
{
	uint8_t bytes[16] = { 0 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	const struct btf_value_node *far;

	put_bytes(bytes, 5 | 15 << 3 | (uint64_t)(-3 & 31) << 7, 8);
	put_bytes(bytes + 8, UINT64_C(0x1234567890) >> 4, 8);
	bytes[7] |= (0x1234567890 & 15) << 4;
	sample_init(&s);
	tree = tree_of(s.btf, s.flags, bytes, sizeof(bytes), NULL);
	assert_text(tree, "flags{state=5, tint=BLUE (-1), delta=-3, far=78187493520}");
	far = btf_value_find(tree, btf_value_root(tree), "far");
	assert_non_null(far);
	assert_int_equal(far->bits, 40);
	assert_true(far->is_bit_field);
}

static void floats_of_three_sizes_are_read(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	uint32_t half = build_btf_type(&b, "_Float16", BTF_FLOAT, 0, 2);
	uint32_t single = build_btf_type(&b, "float", BTF_FLOAT, 0, 4);
	uint32_t twice = build_btf_type(&b, "double", BTF_FLOAT, 0, 8);
	uint32_t extended = build_btf_type(&b, "long double", BTF_FLOAT, 0, 16);
	const double exact = 0.1;

	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "floats", &btf));
	/* The patterns are those of IEEE 754: 1.5, -2, the smallest, infinity. */
	assert_decodes(btf, half, "\x00\x3e", 2, BTF_VALUE_FLOAT, "1.5");
	assert_decodes(btf, half, "\x00\xc0", 2, BTF_VALUE_FLOAT, "-2");
	assert_decodes(btf, half, "\x00\x38", 2, BTF_VALUE_FLOAT, "0.5");
	assert_decodes(btf, half, "\x01\x00", 2, BTF_VALUE_FLOAT, "5.9604644775390625e-08");
	assert_decodes(btf, half, "\x00\x7c", 2, BTF_VALUE_FLOAT, "inf");
	assert_decodes(btf, half, "\x01\x7c", 2, BTF_VALUE_FLOAT, "nan");
	assert_decodes(btf, single, "\0\0\x80\xbf", 4, BTF_VALUE_FLOAT, "-1");
	assert_decodes(btf, twice, &exact, 8, BTF_VALUE_FLOAT, "0.1");
	assert_decodes(btf, extended, "0123456789abcdef", 16, BTF_VALUE_UNSUPPORTED,
		       "<unsupported: a number of a size that is not known>");
}

static void numbers_that_are_too_wide_are_bytes(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	uint8_t many[5000] = { 1, 2, 0xab };
	struct build_btf b = { 0 };
	uint32_t wide = build_btf_int(&b, "wide", 20, 0);

	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "wide", &btf));
	assert_decodes(btf, wide, many, 20, BTF_VALUE_BYTES,
		       "01 02 ab 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
	/* Without a type there are bytes, and not without end. */
	tree = tree_of(btf, 0, many, sizeof(many), NULL);
	assert_int_equal(btf_value_root(tree)->n, 5000);
	assert_int_equal(btf_value_root(tree)->shown, 4096);
	assert_int_equal(strlen(btf_value_root(tree)->text), 4096 * 3 - 1);
}

static void bytes_that_are_missing_are_not_zero(void **state UNUSED)
{
	const struct btf_value_hole hole = { 2, 1, "unmapped" };
	struct btf_value_block block = { { (const uint8_t *)"\0\0\0\0", 4 }, &hole, 1, 0 };
	_cleanup_btf_value_ struct btf_value_tree *cut = NULL, *torn = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	cut = tree_of(s.btf, s.u64, "\0\0\0\0", 4, NULL);
	assert_int_equal(btf_value_root(cut)->kind, BTF_VALUE_TRUNCATED);
	assert_text(cut, "<truncated needed=8 had=4>");
	assert_false(btf_value_root(cut)->zero);
	torn = btf_value_new(s.btf, s.u32, &block, NULL);
	assert_text(torn, "<unreadable: unmapped>");
	assert_false(btf_value_root(torn)->zero);
}

static void holes_in_a_block_are_reported_as_missing_bytes(void **state UNUSED)
{
	static const uint8_t bytes[32];
	const struct btf_value_hole holes[] = { { 8, 8, "torn" }, { 0, 0, "empty" } };
	const struct btf_value_block block = { { bytes, 32 }, holes, 2, 0 };
	const char *reason = NULL;
	uint64_t had;

	assert_int_equal(btf_value_have(&block, 0, 8, &had, &reason), BTF_VALUE_HAVE_ALL);
	assert_null(reason);
	assert_int_equal(btf_value_have(&block, 16, 16, &had, &reason), BTF_VALUE_HAVE_ALL);
	assert_int_equal(btf_value_have(&block, 7, 2, &had, &reason), BTF_VALUE_HAVE_HOLE);
	assert_int_equal(btf_value_have(&block, 15, 2, &had, &reason), BTF_VALUE_HAVE_HOLE);
	assert_int_equal(btf_value_have(&block, 8, 8, &had, &reason), BTF_VALUE_HAVE_NONE);
	assert_int_equal(btf_value_have(&block, 9, 3, &had, &reason), BTF_VALUE_HAVE_NONE);
	assert_string_equal(reason, "torn");
	assert_int_equal(btf_value_have(&block, 30, 4, &had, &reason), BTF_VALUE_HAVE_SHORT);
	assert_int_equal(had, 2);
	assert_int_equal(btf_value_have(&block, 99, 4, &had, &reason), BTF_VALUE_HAVE_SHORT);
	assert_int_equal(had, 0);
	assert_int_equal(btf_value_have(&block, UINT64_MAX, 4, &had, &reason),
			 BTF_VALUE_HAVE_SHORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_their_sign_and_width),
		cmocka_unit_test(characters_and_booleans_are_decoded_as_such),
		cmocka_unit_test(enums_are_shown_by_name),
		cmocka_unit_test(bit_fields_keep_sign_and_names),
		cmocka_unit_test(floats_of_three_sizes_are_read),
		cmocka_unit_test(numbers_that_are_too_wide_are_bytes),
		cmocka_unit_test(bytes_that_are_missing_are_not_zero),
		cmocka_unit_test(holes_in_a_block_are_reported_as_missing_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
