// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole program as others see it is in tests/host/test_suite.py. */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/io.h"
#include "suite/declared.h"
#include "suite/limits.h"

static void nothing(struct ktstr_ctx *ctx UNUSED)
{
}

static const struct ktstr_test good = { .run = nothing }, bad = { 0 };
static const struct ktstr_entry entries[] = { { "good", "t.c", 1, KTSTR_LAYOUT_, &good },
					      { "bad", "t.c", 2, KTSTR_LAYOUT_, &bad } };

struct answer {
	int code;
	char *out, *err;
};

static char *contents(int fd)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	lseek(fd, 0, SEEK_SET);
	assert_success(io_read_fd(fd, "output", 1 << 20, &text));
	close(fd);
	return xstrdup(strbuf_str(&text));
}

static struct answer ask(size_t n_entries, const char *a, const char *b, const char *c)
{
	const struct ktstr_entry *const at[] = { &entries[0], &entries[1] };
	char *argv[] = { (char *)"dir/mytests", (char *)a, (char *)b, (char *)c, NULL };
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };
	int out = memfd_create("out", 0), err = memfd_create("err", 0);
	int old_out = dup(1), old_err = dup(2), argc = 1;
	struct answer answer;

	while (argv[argc])
		argc++;
	suite_entries_collect(at, at + n_entries, &list);
	fflush(NULL);
	dup2(out, 1);
	dup2(err, 2);
	answer.code = suite_program_main(argc, argv, &list);
	fflush(NULL);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	answer.out = contents(out);
	answer.err = contents(err);
	return answer;
}

static void expect(struct answer answer, int code, const char *out, const char *err)
{
	assert_string_equal(answer.err, err);
	assert_int_equal(answer.code, code);
	if (*out)
		assert_contains(answer.out, out);
	else
		assert_string_equal(answer.out, "");
	free(answer.out);
	free(answer.err);
}

static void a_test_binary_without_arguments_explains_itself(void **state UNUSED)
{
	expect(ask(1, NULL, NULL, NULL), 0, "ktstr test dir/mytests\n", "");
	expect(ask(1, "--help", NULL, NULL), 0, "mytests --list --json", "");
	expect(ask(1, "--version", NULL, NULL), 0, "API 1\n", "");
}

static void wrong_arguments_are_named(void **state UNUSED)
{
	expect(ask(1, "--lst", NULL, NULL), 2, "", "mytests: unknown option --lst\nTry --help.\n");
	expect(ask(1, "--list", "-x", NULL), 2, "", "mytests: unknown option -x\nTry --help.\n");
	expect(ask(1, "--list", "--json", "y"), 2, "",
	       "mytests: unexpected argument y\nTry --help.\n");
	expect(ask(1, "--run", NULL, NULL), 2, "",
	       "mytests: --run takes the name of one test\nTry --help.\n");
	expect(ask(1, "--run", "none", NULL), 2, "",
	       "mytests: there is no test named none\nTry --help.\n");
}

static void lists_go_to_standard_output(void **state UNUSED)
{
	expect(ask(1, "--list", NULL, NULL), 0, "good  1n1l2c1t  -  t.c:1\n", "");
	expect(ask(1, "--list", "--json", NULL), 0,
	       "{\"ktstr_api\":1,\"tests\":[{\"name\":\"good\"", "");
}

static void declaration_mistakes_prevent_listing_and_running(void **state UNUSED)
{
	static const char suite_mistake[] =
		"t.c:2: bad: nothing to run: no .cgroups, no .run and no .scheduler\n";

	expect(ask(2, "--list", "--json", NULL), SUITE_EXIT_USAGE, "", suite_mistake);
	expect(ask(2, "--list", NULL, NULL), SUITE_EXIT_USAGE, "", suite_mistake);
	expect(ask(2, "--run", "good", NULL), SUITE_EXIT_USAGE, "", suite_mistake);
}

static void a_binary_without_tests_says_so(void **state UNUSED)
{
	expect(ask(0, "--list", "--json", NULL), SUITE_EXIT_USAGE, "",
	       "mytests: no tests: no KTSTR_TEST() was linked into it\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_binary_without_arguments_explains_itself),
		cmocka_unit_test(wrong_arguments_are_named),
		cmocka_unit_test(lists_go_to_standard_output),
		cmocka_unit_test(declaration_mistakes_prevent_listing_and_running),
		cmocka_unit_test(a_binary_without_tests_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
