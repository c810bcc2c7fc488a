// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "unit.h"
#include "vm/qemu/accel.h"

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

static void what_is_no_size_is_refused(void **state UNUSED)
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

static void contradictions_are_refused(void **state UNUSED)
{
	const char *const argv[] = { "true", NULL };

	refused(&(struct shell_config){ .exec = "true", .argv = argv }, "exclude each other");
	refused(&(struct shell_config){ .timeout_sec = 1 }, "--timeout needs a command");
	refused(&(struct shell_config){ .memory = "512M", .topology = "1n1l1c1t,mem=1G" },
		"exclude each other");
	refused(&(struct shell_config){ .mips = 125 }, "--mips needs --deterministic");
	refused(&(struct shell_config){ .deterministic = true, .modules = { .n = 1 } },
		"--deterministic excludes");
	refused(&(struct shell_config){ .deterministic = true, .keep_guest_sec = 1 },
		"--keep-guest needs a guest with a monitor");
	refused(&(struct shell_config){ .mips = 100, .deterministic = true }, "125");
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
	assert_true(topo_equal(&config.machine, &TOPO_DEFAULT));
	assert_true(config.memory_bytes == 0);
	config.topology = "2n4l2c1t,mem=1G:512M";
	assert_success(shell_check(&config));
	assert_true(config.machine.has_memory);
	assert_true(config.memory_bytes == 0);
	config.topology = "2n4l2c1t";
	config.memory = "1G";
	assert_success(shell_check(&config));
	assert_int_equal(topo_cpus(&config.machine), 8);
	assert_true(config.memory_bytes == 1 << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_a_unit_or_are_mib),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(the_machine_is_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
