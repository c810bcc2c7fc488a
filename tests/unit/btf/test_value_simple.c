// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_printer.h"

#include "unit.h"

static void assert_prints(struct btf_value_node node, bool hex, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_value_print_simple(&node, hex, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void numbers_in_arrays_are_hexadecimal(void **state UNUSED)
{
	const struct btf_value_node word = { .kind = BTF_VALUE_UINT, .bits = 32, .value = 255 };
	const struct btf_value_node byte = { .kind = BTF_VALUE_UINT, .bits = 8, .value = 255 };
	const struct btf_value_node minus = { .kind = BTF_VALUE_INT,
					      .bits = 32,
					      .value = UINT64_MAX };

	assert_prints(word, false, "255");
	assert_prints(word, true, "0xff");
	assert_prints(byte, true, "255");
	assert_prints(minus, true, "-1");
}

static void numbers_of_more_than_64_bits_have_all_digits(void **state UNUSED)
{
	const struct btf_value_node most = {
		.kind = BTF_VALUE_UINT, .bits = 128, .value = UINT64_MAX, .high = UINT64_MAX
	};
	const struct btf_value_node minus = {
		.kind = BTF_VALUE_INT, .bits = 128, .value = 0, .high = UINT64_C(1) << 63
	};

	assert_prints(most, true, "340282366920938463463374607431768211455");
	assert_prints(minus, false, "-170141183460469231731687303715884105728");
}

static void reals_are_as_short_as_they_can_be(void **state UNUSED)
{
	struct btf_value_node node = { .kind = BTF_VALUE_FLOAT, .bits = 64, .real = 0.1 };

	assert_prints(node, false, "0.1");
	node.real = 1.0 / 3;
	assert_prints(node, false, "0.3333333333333333");
	node.real = -__builtin_inf();
	assert_prints(node, false, "-inf");
	node.real = __builtin_nan("");
	assert_prints(node, false, "nan");
}

static void enums_print_with_their_own_sign(void **state UNUSED)
{
	const struct btf_value_node plain = { .kind = BTF_VALUE_ENUM,
					      .value = UINT64_MAX,
					      .text = "ALL" };
	const struct btf_value_node minus = { .kind = BTF_VALUE_ENUM,
					      .value = UINT64_MAX,
					      .is_signed = true };

	assert_prints(plain, false, "ALL (18446744073709551615)");
	assert_prints(minus, false, "-1");
}

static void pointers_say_where_they_lead_or_why_not(void **state UNUSED)
{
	struct btf_value_node node = { .kind = BTF_VALUE_PTR, .value = 0xabc };

	assert_prints(node, false, "0xabc");
	node.reason = "unmapped";
	assert_prints(node, false, "0xabc [chase: unmapped]");
	node.symbol = "init_task";
	assert_prints(node, false, "0xabc <init_task> [chase: unmapped]");
	node.ref = 4;
	assert_prints(node, false, "0xabc <init_task> → see #4");
	node.is_cycle = true;
	assert_prints(node, false, "0xabc <init_task> [cycle] → see #4");
}

static void cut_unreadable_and_unsupported_values_are_marked(void **state UNUSED)
{
	const struct btf_value_node cut = {
		.kind = BTF_VALUE_BYTES, .text = "00 01", .n = 9, .shown = 2
	};
	const struct btf_value_node gone = { .kind = BTF_VALUE_UNREADABLE, .reason = "unmapped" };
	const struct btf_value_node odd = { .kind = BTF_VALUE_UNSUPPORTED,
					    .reason = "void is void" };
	const struct btf_value_node cpus = { .kind = BTF_VALUE_CPU_LIST, .text = "0-3" };

	assert_prints(cut, false, "00 01 /* 2 of 9 shown */");
	assert_prints(gone, false, "<unreadable: unmapped>");
	assert_prints(odd, false, "<unsupported: void is void>");
	assert_prints(cpus, false, "cpus={0-3}");
}

static void control_characters_in_values_are_escaped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	const struct btf_value_node odd = { .kind = BTF_VALUE_UNSUPPORTED,
					    .reason = "a\033[2J\x7f|\xc2\x9b|\xff|→|é" };

	assert_prints(odd, false, "<unsupported: a\\x1b[2J\\x7f|\\x9b|\\xff|→|é>");
	btf_value_print_quoted("a\"b\\c\n\t\033\xff", &text);
	assert_string_equal(strbuf_str(&text), "\"a\\\"b\\\\c\\n\\t\\x1b\\xff\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_in_arrays_are_hexadecimal),
		cmocka_unit_test(numbers_of_more_than_64_bits_have_all_digits),
		cmocka_unit_test(reals_are_as_short_as_they_can_be),
		cmocka_unit_test(enums_print_with_their_own_sign),
		cmocka_unit_test(pointers_say_where_they_lead_or_why_not),
		cmocka_unit_test(cut_unreadable_and_unsupported_values_are_marked),
		cmocka_unit_test(control_characters_in_values_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
