// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/sdt.h"

#include "../btf/build_btf.h"
#include "unit.h"

/* Structs of 16 bytes with these names; the type is named, not numbered. */
static void assert_choice(const char *const *names, size_t n, uint64_t size, const char *name,
			  const char *reason)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct dump_sdt_payload choice;
	struct btf_type type;
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);

	BUILD_STRUCT(&b, "small_task_ctx", 4, { "x", word, 0, 0 });
	for (size_t i = 0; i < n; i++)
		BUILD_STRUCT(&b, names[i], 16, { "x", word, 0, 0 });
	build_btf_finish(&b, &out);
	assert_success(btf_parse(build_bytes(&out), "a program", &btf));
	choice = dump_sdt_payload_choose(btf, size);
	assert_string_equal(choice.reason, reason);
	if (!name) {
		assert_null(choice.guess);
		assert_int_equal(choice.type, 0);
		return;
	}
	assert_true(btf_type(btf, choice.type, &type));
	assert_string_equal(type.name, name);
	/* Whichever it is, it is a guess; with one candidate names do not count. */
	assert_string_equal(choice.guess, n == 1 || !names[0][0] ? "size" : "size and name");
}
#define CHOICE(size, name, reason, ...)                                                          \
	assert_choice((const char *const[]){ __VA_ARGS__ },                                      \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), size, name, \
		      reason)

static void the_only_struct_of_that_size_whatever_its_name(void **state)
{
	(void)state;
	CHOICE(16, "whatever", "", "whatever");
	CHOICE(16, "whatever", "", "", "whatever");
}

static void reasons_for_bytes(void **state)
{
	(void)state;
	CHOICE(0, NULL, "payload_size == 0", "whatever");
	CHOICE(24, NULL, "no candidate of size 24", "whatever");
	CHOICE(16, NULL, "no candidate of size 16", "");
	CHOICE(16, NULL, "ambiguous: 3 candidates", "a", "b", "c");
}

static void names_decide_between_several(void **state)
{
	(void)state;
	CHOICE(16, "task_ctx", "", "my_task_ctx", "task_ctx", "my_arena_ctx");
	CHOICE(16, "my_arena_ctx", "", "my_task_ctx", "my_arena_ctx", "my_ctx");
	CHOICE(16, "my_task_ctx", "", "my_ctx", "my_task_ctx", "other");
	CHOICE(16, "my_ctx", "", "other", "my_ctx", "ctx");
}

static void two_of_one_pattern_leave_it_to_the_next(void **state)
{
	(void)state;
	CHOICE(16, "c_task_ctx", "", "a_arena_ctx", "b_arena_ctx", "c_task_ctx");
	CHOICE(16, NULL, "ambiguous: 2 candidates", "a_ctx", "b_ctx");
	CHOICE(16, NULL, "ambiguous: 2 candidates", "a_arena_ctx", "b_arena_ctx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_struct_of_that_size_whatever_its_name),
		cmocka_unit_test(reasons_for_bytes),
		cmocka_unit_test(names_decide_between_several),
		cmocka_unit_test(two_of_one_pattern_leave_it_to_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
