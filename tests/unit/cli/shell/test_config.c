// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "vm/qemu/accel.h"
#include "wire/cpio.h"
#include "unit.h"

static uint64_t memory(const char *text)
{
	uint64_t bytes = 0;

	assert_success(shell_parse_memory(text, &bytes));
	return bytes;
}

static void sizes_have_a_unit_or_are_mib(void **state UNUSED)
{
	assert_true(memory("512M") == UINT64_C(512) << 20);
	assert_true(memory("512m") == UINT64_C(512) << 20);
	assert_true(memory("512") == UINT64_C(512) << 20);
	assert_true(memory("2G") == UINT64_C(2) << 30);
	assert_true(memory("2g") == UINT64_C(2) << 30);
	assert_true(memory("128") == UINT64_C(128) << 20);
	assert_true(memory("16384G") == UINT64_C(16384) << 30);
}

static void malformed_memory_sizes_are_refused(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",
		"M",
		"-512",
		"+512",
		"5 12",
		"512MB",
		"512K",
		"0.5G",
		"127M",
		"0",
		"16385G",
		"99999999999999999999",
		"18014398509481984G",
		"0x200",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		uint64_t bytes = 42;

		assert_error_tag(shell_parse_memory(wrong[i], &bytes), "usage");
		assert_true(bytes == 42);
	}
}

static void refused(struct shell_config *config, const char *words)
{
	_cleanup_error_ struct error *err = shell_check(config);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "usage");
	assert_contains(error_message(err), words);
}

static void contradictory_input_is_refused(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };

	refused(&(struct shell_config){ .exec = "true", .argv = argv }, "exclude each other");
	refused(&(struct shell_config){ .timeout_sec = 1 }, "--timeout needs a command");
	refused(&(struct shell_config){ .memory = "512M", .topology = "1n1l1c1t,mem=1G" },
		"exclude each other");
	refused(&(struct shell_config){ .mips = 125 }, "--mips needs --clock virtual");
	refused(&(struct shell_config){ .deterministic = true, .clock = VM_CLOCK_WISH_REAL },
		"exclude each other");
	refused(&(struct shell_config){ .mips = 1001, .deterministic = true }, "at most 1000");
	refused(&(struct shell_config){ .deterministic = true, .accel = VM_ACCEL_WISH_KVM },
		"only --accel tcg can");
	refused(&(struct shell_config){ .topology = "1n" }, "1n");
	refused(&(struct shell_config){ .memory = "much" }, "--memory 'much'");
}

static void the_machine_is_what_was_asked_for(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };
	struct shell_config config = { .argv = argv, .timeout_sec = 1 };

	assert_success(shell_check(&config));
	assert_true(topo_equal(&config.spec.topology, &TOPO_DEFAULT));
	assert_true(config.spec.memory_bytes == 0);
	config.topology = "2n4l2c1t,mem=1G:512M";
	assert_success(shell_check(&config));
	assert_true(config.spec.topology.has_memory);
	assert_true(config.spec.memory_bytes == 0);
	config.topology = "2n4l2c1t";
	config.memory = "1G";
	assert_success(shell_check(&config));
	assert_int_equal(topo_cpus(&config.spec.topology), 8);
	assert_true(config.spec.memory_bytes == 1 << 30);
}

static void a_string_is_for_sh(void **state UNUSED)
{
	const struct shell_config config = { .exec = "echo 'a b'" };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm");
	assert_string_equal(line.argv[0], "sh");
	assert_string_equal(line.argv[1], "-c");
	assert_string_equal(line.argv[2], "echo 'a b'");
	assert_null(line.argv[3]);
	assert_false(line.pty);
	assert_null(line.env[0]);
}

static void a_vector_is_passed_as_it_is(void **state UNUSED)
{
	const char *const argv[] = { "printf", "%s", "a b", "", NULL };
	const struct shell_config config = { .argv = argv };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm");
	assert_ptr_equal(line.argv, argv);
	assert_false(line.pty);
}

static void without_a_command_a_terminal_gets_a_terminal(void **state UNUSED)
{
	const struct topo t = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 };
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "xterm-256color");
	command_line_set_prompt(&line, "6.1.2", &t);
	assert_true(line.pty);
	assert_string_equal(line.argv[0], "sh");
	assert_null(line.argv[1]);
	assert_string_equal(line.env[0], "TERM=xterm-256color");
	assert_string_equal(line.env[1], "PS1=ktstr 6.1.2 1n2l2c1t:\\w\\$ ");
	assert_null(line.env[2]);
}

static void an_unknown_terminal_type_is_not_passed_to_the_guest(void **state UNUSED)
{
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, true, "");
	assert_null(line.env[0]);
	command_line_deinit(&line);
	command_line_init(&line, &config, true, NULL);
	assert_null(line.env[0]);
}

static void commands_from_a_pipe_have_neither_terminal_nor_prompt(void **state UNUSED)
{
	const struct topo t = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 };
	const struct shell_config config = { 0 };
	_cleanup_command_line_ struct command_line line;

	command_line_init(&line, &config, false, "xterm");
	command_line_set_prompt(&line, "6.1.2", &t);
	assert_false(line.pty);
	assert_string_equal(line.argv[0], "sh");
	assert_null(line.argv[1]);
	assert_null(line.env[0]);
}

#define ENOUGH (UINT64_C(64) << 20)

static bool holds(const struct strbuf *archive, const char *name)
{
	/* A name stands in the archive with its NUL. */
	return memmem(archive->at, archive->n, name, strlen(name) + 1) != NULL;
}

static void a_program_brings_its_loader(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 2,
					   .at = { "/proc/self/exe:tool", "/bin/sh:/opt/" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	assert_success(shell_pack_files(&specs, ENOUGH, &archive));
	assert_true(holds(&archive, "root/tool"));
	assert_true(holds(&archive, "opt/sh"));
	assert_non_null(memmem(archive.at, archive.n, "/libc.so.6", 11));
	assert_non_null(memmem(archive.at, archive.n, "/ld-linux", 9));
	assert_true(holds(&archive, WIRE_CPIO_TRAILER));
	assert_int_equal(archive.n % WIRE_CPIO_BLOCK_BYTES, 0);
}

static void no_files_give_an_empty_archive(void **state UNUSED)
{
	const struct cli_strings specs = { 0 };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	assert_success(shell_pack_files(&specs, ENOUGH, &archive));
	assert_int_equal(archive.n, 0);
}

static void a_file_that_is_not_there_is_named(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 1, .at = { "/nonexistent/tool:/bin/x" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_error_ struct error *err = shell_pack_files(&specs, ENOUGH, &archive);

	assert_non_null(err);
	assert_contains(error_message(err), "--include: /nonexistent/tool: ");
	assert_contains(error_message(err), "No such file");
}

static void more_than_the_guest_can_hold_is_refused(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 1, .at = { "/proc/self/exe" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	assert_error_tag(shell_pack_files(&specs, 4096, &archive), "limit");
	assert_int_equal(archive.n, 0);
	assert_success(shell_pack_files(&specs, ENOUGH, &all));
	assert_error_tag(shell_pack_files(&specs, all.n - 1, &archive), "limit");
	assert_success(shell_pack_files(&specs, all.n, &archive));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_a_unit_or_are_mib),
		cmocka_unit_test(malformed_memory_sizes_are_refused),
		cmocka_unit_test(contradictory_input_is_refused),
		cmocka_unit_test(the_machine_is_what_was_asked_for),
		cmocka_unit_test(a_string_is_for_sh),
		cmocka_unit_test(a_vector_is_passed_as_it_is),
		cmocka_unit_test(without_a_command_a_terminal_gets_a_terminal),
		cmocka_unit_test(an_unknown_terminal_type_is_not_passed_to_the_guest),
		cmocka_unit_test(commands_from_a_pipe_have_neither_terminal_nor_prompt),
		cmocka_unit_test(a_program_brings_its_loader),
		cmocka_unit_test(no_files_give_an_empty_archive),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(more_than_the_guest_can_hold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
