// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/layout.h"

#include "btf/limits.h"
#include "sample.h"

static void sizes_follow_typedefs_arrays_and_variables(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	uint64_t size = 77;

	sample_init(&s);
	assert_int_equal(btf_size(s.btf, s.u32_typedef, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 4);
	assert_int_equal(btf_size(s.btf, s.rq, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 96);
	assert_int_equal(btf_size(s.btf, s.rq_ptr, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 8);
	assert_int_equal(btf_size(s.btf, s.text16, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 16);
	assert_int_equal(btf_size(s.btf, s.counter, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 8);
	assert_int_equal(btf_size(s.btf, s.section, &size), BTF_ANSWER_OK);
	assert_int_equal(size, 24);
	size = 77;
	assert_int_equal(btf_size(s.btf, 0, &size), BTF_ANSWER_VOID);
	assert_int_equal(btf_size(s.btf, s.data_fwd, &size), BTF_ANSWER_FORWARD);
	assert_int_equal(btf_size(s.btf, 999, &size), BTF_ANSWER_NO_TYPE);
	assert_int_equal(size, 77);
}

static void size_of_a_cyclic_or_huge_type_is_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type type = { .id = 77 };
	uint32_t self, ring, array, huge, func, long_ok, too_long, number;
	uint64_t size = 77;

	self = build_btf_type(&b, "self", BTF_TYPEDEF, 0, 1);
	ring = build_btf_type(&b, "", BTF_CONST, 0, 3);
	build_btf_type(&b, "", BTF_VOLATILE, 0, 2);
	array = build_btf_array(&b, 4, 2);
	number = build_btf_int(&b, "int", 4, 1);
	huge = build_btf_array(&b, number, UINT32_MAX);
	for (int i = 0; i < 2; i++)
		huge = build_btf_array(&b, huge, UINT32_MAX);
	func = build_btf_func(&b, "f", 0, (const char *const[]){ NULL });
	long_ok = number;
	for (int i = 0; i < BTF_LIMIT_HOPS; i++)
		long_ok = build_btf_type(&b, "", BTF_CONST, 0, long_ok);
	too_long = build_btf_type(&b, "", BTF_CONST, 0, long_ok);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "rings", &btf));
	assert_int_equal(btf_resolve(btf, self, &type), BTF_ANSWER_TOO_DEEP);
	assert_int_equal(btf_resolve(btf, ring, &type), BTF_ANSWER_TOO_DEEP);
	assert_int_equal(btf_size(btf, array, &size), BTF_ANSWER_TOO_DEEP);
	assert_int_equal(btf_size(btf, huge, &size), BTF_ANSWER_TOO_LARGE);
	assert_int_equal(btf_size(btf, func, &size), BTF_ANSWER_FUNCTION);
	assert_int_equal(btf_resolve(btf, too_long, &type), BTF_ANSWER_TOO_DEEP);
	assert_int_equal(type.id, 77);
	assert_int_equal(size, 77);
	assert_int_equal(btf_resolve(btf, long_ok, &type), BTF_ANSWER_OK);
	assert_int_equal(type.id, number);
	assert_string_equal(btf_answer_text(BTF_ANSWER_FORWARD),
			    "is a forward declaration, no body");
}

static void members_have_places_and_widths(void **state UNUSED)
{
	static const struct {
		const char *name;
		uint64_t bit_offset;
		uint32_t bits;
	} expected[] = {
		{ "state", 0, 3 }, { "tint", 3, 4 }, { "delta", 7, 5 }, { "far", 60, 40 }
	};
	_cleanup_sample_ struct sample s;
	struct btf_member member;
	struct btf_type type;

	sample_init(&s);
	assert_true(btf_type(s.btf, s.flags, &type));
	for (uint32_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_true(btf_get_member(s.btf, &type, i, &member));
		assert_string_equal(member.name, expected[i].name);
		assert_int_equal(member.bit_offset, expected[i].bit_offset);
		assert_int_equal(member.bits, expected[i].bits);
	}
	assert_false(btf_get_member(s.btf, &type, 4, &member));
	assert_true(btf_type(s.btf, s.rq, &type));
	assert_true(btf_get_member(s.btf, &type, 4, &member));
	assert_int_equal(member.bit_offset, 704);
	assert_int_equal(member.bits, 0);
	assert_true(btf_type(s.btf, s.s32, &type));
	assert_false(btf_get_member(s.btf, &type, 0, &member));
}

/* gcc -g with BTF before Linux 5.0: the width stands in an INT of its own. */
static void bit_fields_of_the_older_form_are_understood(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_member member;
	struct btf_type type;
	uint32_t narrow = build_btf_type(&b, "unsigned int", BTF_INT, 0, 4);

	build_u32(&b.types, 2 << 16 | 5); /* five bits from bit 2 */
	BUILD_STRUCT(&b, "old", 4, { "field", narrow, 8, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "old", &btf));
	assert_true(btf_type(btf, 2, &type));
	assert_true(btf_get_member(btf, &type, 0, &member));
	assert_int_equal(member.bit_offset, 10);
	assert_int_equal(member.bits, 5);
}

static void a_members_name_must_lie_in_the_strings(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_member member;
	struct btf_enumerator e;
	struct btf_type type;

	build_btf_type(&b, "broken", BTF_STRUCT, 1, 4);
	for (int i = 0; i < 3; i++)
		build_u32(&b.types, 5000);
	build_btf_type(&b, "broken", BTF_ENUM, 1, 4);
	for (int i = 0; i < 2; i++)
		build_u32(&b.types, 5000);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "broken", &btf));
	assert_true(btf_type(btf, 1, &type));
	assert_false(btf_get_member(btf, &type, 0, &member));
	assert_true(btf_type(btf, 2, &type));
	assert_false(btf_get_enumerator(btf, &type, 0, &e));
	assert_null(btf_enum_name(btf, &type, 5000, 32));
}

static void enums_turn_values_into_names_and_back(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_type colour, wide, type;
	uint64_t value = 0;

	sample_init(&s);
	assert_true(btf_type(s.btf, s.colour, &colour));
	assert_true(btf_type(s.btf, s.wide, &wide));
	assert_string_equal(btf_enum_name(s.btf, &colour, 5, 32), "GREEN");
	assert_string_equal(btf_enum_name(s.btf, &colour, UINT32_MAX, 32), "BLUE");
	assert_null(btf_enum_name(s.btf, &colour, 6, 32));
	/* In a bit field only some bits of the value are there. */
	assert_string_equal(btf_enum_name(s.btf, &colour, 7, 3), "BLUE");
	assert_string_equal(btf_enum_name(s.btf, &wide, UINT64_C(1) << 40, 64), "BIG");
	assert_true(btf_enum_value(s.btf, &colour, "BLUE", &value));
	assert_true(value == UINT64_MAX);
	assert_true(btf_enum_value(s.btf, &wide, "BIG", &value));
	assert_true(value == UINT64_C(1) << 40);
	assert_false(btf_enum_value(s.btf, &wide, "HUGE", &value));
	assert_true(btf_find_enumerator(s.btf, "GREEN", &type, &value));
	assert_int_equal(type.id, s.colour);
	assert_int_equal(value, 5);
	assert_false(btf_find_enumerator(s.btf, "MAUVE", &type, &value));
}

static void numbers_say_how_they_are_encoded(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_type type;
	struct btf_int number;

	sample_init(&s);
	assert_true(btf_type(s.btf, s.s32, &type));
	assert_true(btf_get_int(&type, &number));
	assert_true(number.is_signed && !number.is_char && !number.is_bool);
	assert_int_equal(number.bytes, 4);
	assert_int_equal(number.bits, 32);
	assert_true(btf_type(s.btf, s.boolean, &type));
	assert_true(btf_get_int(&type, &number));
	assert_true(number.is_bool && !number.is_signed);
	assert_true(btf_type(s.btf, s.rq, &type));
	assert_false(btf_get_int(&type, &number));
}

static void sections_list_their_variables(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_variable variable;
	struct btf_type section, other;

	sample_init(&s);
	assert_true(btf_find(s.btf, BTF_DATASEC, ".bss", &section));
	assert_int_equal(section.n, 3);
	assert_true(btf_find_variable(s.btf, &section, "tint", &variable));
	assert_int_equal(variable.offset, 8);
	assert_int_equal(variable.bytes, 4);
	assert_int_equal(variable.type, s.colour);
	assert_false(btf_find_variable(s.btf, &section, "hue", &variable));
	assert_false(btf_get_variable(s.btf, &section, 3, &variable));
	assert_true(btf_type(s.btf, s.rq, &other));
	assert_false(btf_get_variable(s.btf, &other, 0, &variable));
}

static bool append_name(void *context, const struct btf_member *member)
{
	strbuf_appendf(context, "%s@%llu ", member->name, (unsigned long long)member->bit_offset);
	return strcmp(member->name, "half") != 0;
}

static void members_of_nameless_structs_are_the_parents(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	struct btf_member member;
	struct btf_type rq;

	sample_init(&s);
	assert_true(btf_type(s.btf, s.rq, &rq));
	assert_true(btf_find_member(s.btf, &rq, "raw", 3, &member));
	assert_int_equal(member.bit_offset, 128);
	assert_int_equal(member.type, s.u64);
	assert_true(btf_find_member(s.btf, &rq, "halfway", 4, &member));
	assert_int_equal(member.bit_offset, 128);
	assert_false(btf_find_member(s.btf, &rq, "ra", 2, &member));
	assert_false(btf_find_member(s.btf, &rq, "rawer", 5, &member));
	btf_each_member(s.btf, &rq, append_name, &names);
	/* It ends where the callback says so. */
	assert_string_equal(strbuf_str(&names), "nr_running@0 cpu@32 clock@64 raw@128 half@128 ");
}

static bool count(void *context, const struct btf_member *member UNUSED)
{
	++*(uint32_t *)context;
	return true;
}

static void member_search_ends_in_a_struct_that_contains_itself(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type type;
	struct btf_member member;
	uint32_t n = 0;

	/* Without a limit on what is seen: 2^32 members. */
	BUILD_STRUCT(&b, "mirror", 4, { "", 1, 0, 0 }, { "", 1, 0, 0 }, { "x", 2, 0, 0 });
	build_btf_int(&b, "int", 4, 1);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "mirror", &btf));
	assert_true(btf_type(btf, 1, &type));
	btf_each_member(btf, &type, count, &n);
	assert_in_range(n, 1, 1 << 16);
	assert_true(btf_find_member(btf, &type, "x", 1, &member));
	assert_false(btf_find_member(btf, &type, "y", 1, &member));
}

static void assert_formats(const struct btf *btf, uint32_t id, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_type_format(btf, id, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void types_are_printed_as_c_declarations(void **state UNUSED)
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

static void nameless_and_endless_types_are_printed_safely(void **state UNUSED)
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
		cmocka_unit_test(sizes_follow_typedefs_arrays_and_variables),
		cmocka_unit_test(size_of_a_cyclic_or_huge_type_is_refused),
		cmocka_unit_test(members_have_places_and_widths),
		cmocka_unit_test(bit_fields_of_the_older_form_are_understood),
		cmocka_unit_test(a_members_name_must_lie_in_the_strings),
		cmocka_unit_test(enums_turn_values_into_names_and_back),
		cmocka_unit_test(numbers_say_how_they_are_encoded),
		cmocka_unit_test(sections_list_their_variables),
		cmocka_unit_test(members_of_nameless_structs_are_the_parents),
		cmocka_unit_test(member_search_ends_in_a_struct_that_contains_itself),
		cmocka_unit_test(types_are_printed_as_c_declarations),
		cmocka_unit_test(nameless_and_endless_types_are_printed_safely),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
