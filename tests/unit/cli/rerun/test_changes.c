// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* A past run and a present that is just the same; tests change one thing. */
struct fixture {
	struct result_run past;
	struct result_file past_files[2];
	char *past_argv[2], *past_args[1], *past_sysctls[1];
	struct exchange_declared_suite suite;
	struct exchange_declared_test test;
	char *argv[3], *args[2], *sysctls[2];
	struct kernel kernel;
	struct harness_variant now;
	struct harness_test_file at[3];
	struct harness_test_files files;
	struct changes_tools tools;
	struct changes changes;
	struct strbuf text;
};

/* Literals that nobody frees or writes to. */
static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	f->past.id = word("0123456789abcdef");
	f->past.rerun.binary = (struct result_file){ word("mytests"), word("/b/mytests"),
						     word("0000000000000001"), word("aa") };
	f->past_files[0] = (struct result_file){ word("scx_x"), word("/b/scx_x"),
						 word("0000000000000002"), word("bb") };
	f->past_files[1] = (struct result_file){ word("data"), word("/b/data"),
						 word("0000000000000003"), NULL };
	f->past.rerun.files.at = f->past_files;
	f->past.rerun.files.n = 2;
	f->past_argv[0] = word("scx_x");
	f->past_argv[1] = word("two words");
	f->past.rerun.scheduler_argv.at = f->past_argv;
	f->past.rerun.scheduler_argv.n = 2;
	f->past_args[0] = word("nosmt");
	f->past.rerun.kernel_args.at = f->past_args;
	f->past.rerun.kernel_args.n = 1;
	f->past_sysctls[0] = word("sysctl.a.b=1");
	f->past.sysctls.at = f->past_sysctls;
	f->past.sysctls.n = 1;
	f->past.rerun.memory_bytes = UINT64_C(512) << 20;
	f->past.rerun.kernel_id = word("k1");
	f->past.rerun.kernel_build_id = word("cc");

	f->argv[0] = word("scx_x");
	f->argv[1] = word("two words");
	f->args[0] = word("nosmt");
	f->sysctls[0] = word("a.b=1");
	f->test.scheduler.argv = (struct exchange_text_list){ f->argv, 2 };
	f->test.scheduler.kernel_args = (struct exchange_text_list){ f->args, 1 };
	f->test.scheduler.sysctls = (struct exchange_text_list){ f->sysctls, 1 };
	f->test.memory_mb = 512;
	f->kernel.id = word("k1");
	f->kernel.build_id = word("cc");
	f->at[0] = (struct harness_test_file){ .name = word("mytests"),
					       .path = "/b/mytests",
					       .bytes = 7,
					       .hash = 1,
					       .build_id = "aa" };
	f->at[1] = (struct harness_test_file){
		.name = word("scx_x"), .path = "/b/scx_x", .bytes = 7, .hash = 2, .build_id = "bb"
	};
	f->at[2] = (struct harness_test_file){
		.name = word("data"), .path = "/b/data", .bytes = 7, .hash = 3, .build_id = NULL
	};
	f->files = (struct harness_test_files){ f->at, 3, 3 };
	f->now = (struct harness_variant){ .suite = &f->suite,
					   .test = &f->test,
					   .kernel = &f->kernel };
	strcpy(f->now.id, "0123456789abcdef");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	changes_deinit(&f->changes);
	strbuf_deinit(&f->text);
	free(f);
	return 0;
}

static void assert_changes(struct fixture *f, size_t n_counted, const char *expected)
{
	changes_find(&f->past, &f->now, &f->files, &f->tools, &f->changes);
	changes_format(&f->changes, &f->past, &f->now, &f->text);
	assert_string_equal(strbuf_str(&f->text), expected);
	assert_int_equal(f->changes.n_counted, n_counted);
}

static void an_unchanged_variant_has_no_changes(void **state)
{
	assert_changes(*state, 0, "same variant: 0123456789abcdef, nothing changed\n");
}

/* With a real clock no run is like another, whatever QEMU it has. */
static void tools_count_with_a_virtual_clock_only(void **state)
{
	struct fixture *f = *state;

	f->past.qemu_version = word("10.0.2");
	f->past.ktstr_hash = word("aa");
	f->past.clock.kind = RESULT_CLOCK_REAL;
	f->past.tools_hash = word("cc");
	f->tools = (struct changes_tools){ "9.2.0", "bb", "dd" };
	assert_changes(f, 0, "same variant: 0123456789abcdef, nothing changed\n");
	strbuf_clear(&f->text);
	f->past.clock.kind = RESULT_CLOCK_VIRTUAL;
	assert_changes(f, 3,
		       "changed: QEMU 10.0.2 is now 9.2.0\n"
		       "changed: agent and plugin of ktstr: hash aa is now bb\n"
		       "changed: the guest's busybox or its libraries: hash cc is now dd\n"
		       "same variant: 0123456789abcdef\n");
}

static void tools_that_are_unknown_are_not_compared(void **state)
{
	struct fixture *f = *state;

	f->past.clock.kind = RESULT_CLOCK_VIRTUAL;
	f->past.qemu_version = word("10.0.2");
	f->tools.ktstr_hash = "bb";
	assert_changes(f, 0, "same variant: 0123456789abcdef, nothing changed\n");
}

static void a_built_program_shows_its_hash_and_build_id(void **state)
{
	struct fixture *f = *state;

	f->at[0].hash = 0x10;
	f->at[1].hash = 0x20;
	f->at[1].build_id = "b2";
	f->at[2].hash = 0x30;
	assert_changes(f, 3,
		       "changed: mytests: hash 0000000000000001 is now 0000000000000010\n"
		       "changed: scx_x: hash 0000000000000002 is now 0000000000000020, build-id bb "
		       "is now b2\n"
		       "changed: data: hash 0000000000000003 is now 0000000000000030\n"
		       "same variant: 0123456789abcdef\n");
}

static void a_moved_file_is_reported_and_not_a_change(void **state)
{
	struct fixture *f = *state;

	f->at[2].path = "/c/data";
	assert_changes(f, 0,
		       "moved: data: /b/data is now /c/data\n"
		       "same variant: 0123456789abcdef, nothing changed\n");
}

static void added_and_removed_files_are_changes(void **state)
{
	struct fixture *f = *state;

	f->at[2].name = word("other");
	assert_changes(f, 2,
		       "changed: other is new: the test did not name it\n"
		       "changed: the test no longer names data\n"
		       "same variant: 0123456789abcdef\n");
}

static void a_kernel_of_the_same_id_may_be_another(void **state)
{
	struct fixture *f = *state;

	f->kernel.build_id = word("dd");
	strcpy(f->now.id, "ffff456789abcdef");
	assert_changes(f, 1,
		       "changed: kernel k1: build-id cc is now dd\n"
		       "another variant: 0123456789abcdef is now ffff456789abcdef\n");
	assert_true(f->changes.other_variant);
}

static void a_kernel_of_another_id_may_be_the_same(void **state)
{
	struct fixture *f = *state;

	f->kernel.id = word("k2");
	assert_changes(f, 0,
		       "moved: kernel k1 is now k2, the same by its build-id\n"
		       "same variant: 0123456789abcdef, nothing changed\n");
}

static void every_changed_argument_of_the_declaration_is_reported(void **state)
{
	struct fixture *f = *state;

	f->argv[2] = word("-v");
	f->test.scheduler.argv.n = 3;
	f->test.scheduler.kernel_args.n = 0;
	f->sysctls[0] = word("a.b=2");
	f->test.memory_mb = 0;
	assert_changes(f, 4,
		       "changed: scheduler: scx_x 'two words' is now scx_x 'two words' -v\n"
		       "changed: kernel arguments: nosmt is now none\n"
		       "changed: sysctls: a.b=1 is now a.b=2\n"
		       "changed: memory: 512.0 MiB is now what the machine needs\n"
		       "same variant: 0123456789abcdef\n");
}

/* "a b" is not "a", "b": quoting tells lists of words apart. */
static void argument_boundaries_count_as_a_change(void **state)
{
	struct fixture *f = *state;

	f->argv[1] = word("two");
	f->argv[2] = word("words");
	f->test.scheduler.argv.n = 3;
	assert_changes(f, 1,
		       "changed: scheduler: scx_x 'two words' is now scx_x two words\n"
		       "same variant: 0123456789abcdef\n");
}

static void an_edited_record_is_another_variant_without_a_reason(void **state)
{
	struct fixture *f = *state;

	f->past.id = word("x\033[31m");
	assert_changes(f, 0,
		       "another variant: x\\x1b[31m is now 0123456789abcdef, though nothing above "
		       "says why\n");
}

static void changes_past_the_limit_are_counted(void **state)
{
	struct fixture *f = *state;
	struct result_file many[100];

	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct result_file){ word("x"), word("/x"), NULL, NULL };
	f->past.rerun.files.at = many;
	f->past.rerun.files.n = ARRAY_SIZE(many);
	changes_find(&f->past, &f->now, &f->files, &f->tools, &f->changes);
	changes_format(&f->changes, &f->past, &f->now, &f->text);
	/* Two of the present are new. */
	assert_int_equal(f->changes.n_counted, 102);
	assert_non_null(strstr(strbuf_str(&f->text), "\nand 38 more\nsame variant: "));
}

static void what_the_record_does_not_know_is_not_compared(void **state)
{
	struct fixture *f = *state;

	f->past_files[0].hash = f->past_files[0].build_id = NULL;
	f->past.rerun.kernel_build_id = NULL;
	assert_changes(f, 0, "same variant: 0123456789abcdef, nothing changed\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_unchanged_variant_has_no_changes),
		TEST(tools_count_with_a_virtual_clock_only),
		TEST(tools_that_are_unknown_are_not_compared),
		TEST(a_built_program_shows_its_hash_and_build_id),
		TEST(a_moved_file_is_reported_and_not_a_change),
		TEST(added_and_removed_files_are_changes),
		TEST(a_kernel_of_the_same_id_may_be_another),
		TEST(a_kernel_of_another_id_may_be_the_same),
		TEST(every_changed_argument_of_the_declaration_is_reported),
		TEST(argument_boundaries_count_as_a_change),
		TEST(an_edited_record_is_another_variant_without_a_reason),
		TEST(changes_past_the_limit_are_counted),
		TEST(what_the_record_does_not_know_is_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
