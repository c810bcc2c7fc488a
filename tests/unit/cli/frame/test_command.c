// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "sample.h"
#include "unit.h"

static struct sample_config seen;
static char seen_path[64];

static int remember(const struct cli_invocation *invocation, const void *config)
{
	seen = *(const struct sample_config *)config;
	snprintf(seen_path, sizeof(seen_path), "%s", invocation->path);
	return 42;
}

struct capture {
	int fd, target, saved;
};

static struct capture capture_begin(int target)
{
	struct capture c = { .fd = memfd_create("capture", MFD_CLOEXEC),
			     .target = target,
			     .saved = dup(target) };

	fflush(NULL);
	dup2(c.fd, target);
	return c;
}

static char *capture_end(struct capture *c)
{
	struct strbuf text = STRBUF_INIT;

	fflush(NULL);
	dup2(c->saved, c->target);
	close(c->saved);
	lseek(c->fd, 0, SEEK_SET);
	assert_success(io_read_fd(c->fd, "capture", 1 << 20, &text));
	close(c->fd);
	return strbuf_take(&text);
}

/* Runs a program with both streams captured; the caller frees the texts. */
static int run(const struct cli_command *program, const char *const argv[], char **ret_out,
	       char **ret_err)
{
	struct capture out = capture_begin(STDOUT_FILENO), err = capture_begin(STDERR_FILENO);
	int argc = 0, code;

	while (argv[argc])
		argc++;
	code = cli_main(program, argc, (char *const *)argv);
	*ret_err = capture_end(&err);
	*ret_out = capture_end(&out);
	return code;
}

static struct cli_command with_run(void)
{
	struct cli_command command = sample;

	command.run = remember;
	return command;
}

static void a_command_gets_its_config_and_gives_its_exit_code(void **state UNUSED)
{
	const char *argv[] = { "sample", "--count", "5", "w", NULL };
	struct cli_command command = with_run();
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&command, argv, &out, &err), 42);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.level, 1);
	assert_string_equal(seen.word, "w");
	assert_string_equal(seen_path, "sample");
	assert_string_equal(out, "");
	assert_string_equal(err, "");
}

static void a_sub_command_knows_its_full_name(void **state UNUSED)
{
	const char *argv[] = { "parent", "sample", "--flag", NULL };
	struct cli_command command = with_run();
	const struct cli_command *const children[] = { &command };
	struct cli_command parent = sample_parent;
	_cleanup_free_ char *out = NULL, *err = NULL;

	parent.subcommands = children;
	assert_int_equal(run(&parent, argv, &out, &err), 42);
	assert_true(seen.flag);
	assert_string_equal(seen_path, "parent sample");
}

static void a_wrong_line_is_exit_2_on_standard_error(void **state UNUSED)
{
	const char *argv[] = { "sample", "--count", "0", NULL };
	struct cli_command command = with_run();
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&command, argv, &out, &err), 2);
	assert_string_equal(out, "");
	assert_string_equal(err, "error: --count 0: expected a number from 1 to 100\n"
				 "Try 'sample --help' for more.\n");
}

static void a_command_may_choose_how_a_wrong_line_exits(void **state UNUSED)
{
	const char *argv[] = { "sample", "--count", "0", NULL };
	struct cli_command command = with_run();
	_cleanup_free_ char *out = NULL, *err = NULL;

	command.usage_exit = 125;
	assert_int_equal(run(&command, argv, &out, &err), 125);
	assert_contains(err, "--count 0");
}

static void what_the_user_typed_reaches_the_terminal_escaped(void **state UNUSED)
{
	const char *argv[] = { "sample", "--count", "\033[2J", NULL };
	struct cli_command command = with_run();
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&command, argv, &out, &err), 2);
	assert_null(strchr(err, '\033'));
	assert_contains(err, "\\x1b[2J");
}

static void help_goes_to_standard_output(void **state UNUSED)
{
	const char *argv[] = { "parent", "sample", "--help", NULL };
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&sample_parent, argv, &out, &err), 0);
	assert_contains(out, "Usage: parent sample [options] [WORD] [-- ARG...]\n");
	assert_string_equal(err, "");
}

static void a_program_without_a_command_prints_its_commands_and_exits_2(void **state UNUSED)
{
	const char *argv[] = { "parent", NULL };
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&sample_parent, argv, &out, &err), 2);
	assert_string_equal(out, "");
	assert_contains(err, "Commands:\n");
}

static void version_is_that_of_the_program(void **state UNUSED)
{
	const char *argv[] = { "parent", "sample", "-V", NULL };
	_cleanup_free_ char *out = NULL, *err = NULL;

	assert_int_equal(run(&sample_parent, argv, &out, &err), 0);
	assert_string_equal(out, "parent " KTSTR_VERSION "\n");
}

static void a_full_disk_is_exit_1(void **state UNUSED)
{
	const char *argv[] = { "parent", "--version", NULL };
	int full = open("/dev/full", O_WRONLY), saved = dup(STDOUT_FILENO), code;
	struct capture capture = capture_begin(STDERR_FILENO);
	_cleanup_free_ char *err = NULL;

	dup2(full, STDOUT_FILENO);
	code = cli_main(&sample_parent, 2, (char *const *)argv);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(full);
	err = capture_end(&capture);
	assert_int_equal(code, 1);
	assert_contains(err, "error writing output: ");
	assert_contains(err, "No space left on device");
}

static struct error *show_or_fail(const void *config, struct strbuf *out)
{
	strbuf_append(out, "shown\n");
	return ((const struct sample_config *)config)->flag ? base_error(BASE_IO, 0, "test says")
							    : NULL;
}

static void what_a_command_shows_is_printed_unless_it_fails(void **state UNUSED)
{
	const char *argv[] = { "sample", NULL, NULL };
	struct cli_command command = sample;

	command.show = show_or_fail;
	for (int fails = 0; fails < 2; fails++) {
		_cleanup_free_ char *out = NULL, *err = NULL;

		argv[1] = fails ? "--flag" : NULL;
		assert_int_equal(run(&command, argv, &out, &err), fails);
		assert_string_equal(out, fails ? "" : "shown\n");
		assert_string_equal(err, fails ? "error: test says\n" : "");
	}
}

static void a_cancelled_command_ends_like_an_interrupted_one(void **state UNUSED)
{
	_cleanup_error_ struct error *cancelled = base_error(BASE_CANCELLED, 0, "test says");
	_cleanup_error_ struct error *other = base_error(BASE_IO, 0, "test says");

	assert_int_equal(cli_fail(cancelled), 130);
	assert_int_equal(cli_fail(other), CLI_EXIT_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_gets_its_config_and_gives_its_exit_code),
		cmocka_unit_test(a_sub_command_knows_its_full_name),
		cmocka_unit_test(a_wrong_line_is_exit_2_on_standard_error),
		cmocka_unit_test(a_command_may_choose_how_a_wrong_line_exits),
		cmocka_unit_test(what_the_user_typed_reaches_the_terminal_escaped),
		cmocka_unit_test(help_goes_to_standard_output),
		cmocka_unit_test(a_program_without_a_command_prints_its_commands_and_exits_2),
		cmocka_unit_test(version_is_that_of_the_program),
		cmocka_unit_test(a_full_disk_is_exit_1),
		cmocka_unit_test(what_a_command_shows_is_printed_unless_it_fails),
		cmocka_unit_test(a_cancelled_command_ends_like_an_interrupted_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
