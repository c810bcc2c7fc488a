// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/accounting.h"

#include <zlib.h>

#include "staged_root.h"

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static void put_compressed(const char *root, const char *path, const char *text)
{
	_cleanup_free_ char *full = staged_path(root, path);
	gzFile file = gzopen(full, "we");

	assert_int_equal(gzwrite(file, text, (unsigned int)strlen(text)), (int)strlen(text));
	assert_int_equal(gzclose(file), Z_OK);
}

static struct host_accounting read_below(const char *root)
{
	struct host_accounting accounting;

	host_accounting_read(root, &accounting);
	return accounting;
}

static void the_switch_has_four_states(void **state UNUSED)
{
	char *root = staged_root_new();

	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_UNKNOWN);
	put(root, "/proc/sys/kernel/osrelease", "9.9.9\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_CONFIG_OFF);
	put(root, "/proc/sys/kernel/task_delayacct", "\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_CONFIG_OFF);
	put(root, "/proc/sys/kernel/task_delayacct", "0\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_RUNTIME_OFF);
	put(root, "/proc/sys/kernel/task_delayacct", "1\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_ON);
	put(root, "/proc/sys/kernel/task_delayacct", "11\n");
	assert_int_equal(read_below(root).delayacct, HOST_DELAYACCT_RUNTIME_OFF);
	staged_root_free(root);
}

static enum host_xacct parse(const char *text)
{
	return host_xacct_parse(text, strlen(text));
}

static void only_whole_lines_of_a_configuration_count(void **state UNUSED)
{
	assert_int_equal(parse("CONFIG_A=y\nCONFIG_TASK_XACCT=y\nCONFIG_B=m\n"), HOST_XACCT_ON);
	assert_int_equal(parse("CONFIG_TASK_XACCT=y"), HOST_XACCT_ON);
	assert_int_equal(parse("# CONFIG_TASK_XACCT is not set\n"), HOST_XACCT_OFF);
	assert_int_equal(parse("XCONFIG_TASK_XACCT=y\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("CONFIG_TASK_XACCT=yes\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("CONFIG_TASK_XACCT_NOT=y\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse("#  CONFIG_TASK_XACCT is not set\n"), HOST_XACCT_UNKNOWN);
	assert_int_equal(parse(""), HOST_XACCT_UNKNOWN);
}

static void a_configuration_is_looked_for_in_two_places(void **state UNUSED)
{
	char *root = staged_root_new();

	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	put(root, "/proc/sys/kernel/osrelease", "9.9.9\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	put(root, "/boot/config-9.9.9", "CONFIG_TASK_XACCT=y\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_ON);
	/* The running kernel's own comes first. */
	put_compressed(root, "/proc/config.gz", "# CONFIG_TASK_XACCT is not set\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_OFF);
	put_compressed(root, "/proc/config.gz", "CONFIG_OTHER=y\n");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_UNKNOWN);
	/* Compressed bytes that end in the middle are no configuration. */
	put(root, "/proc/config.gz", "\x1f\x8b\x08garbage of gzip");
	assert_int_equal(read_below(root).xacct, HOST_XACCT_ON);
	staged_root_free(root);
}

static void what_the_kernel_keeps_follows_from_both(void **state UNUSED)
{
	struct host_accounting a = { 0 };

	assert_true(host_keeps_cpu_delays(&a) && host_keeps_watermarks(&a));
	assert_false(host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_CONFIG_OFF;
	assert_false(host_keeps_cpu_delays(&a) || host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_RUNTIME_OFF;
	assert_true(host_keeps_cpu_delays(&a));
	assert_false(host_keeps_block_delays(&a));
	a.delayacct = HOST_DELAYACCT_ON;
	assert_true(host_keeps_cpu_delays(&a) && host_keeps_block_delays(&a));
	a.xacct = HOST_XACCT_OFF;
	assert_false(host_keeps_watermarks(&a));
	a.xacct = HOST_XACCT_ON;
	assert_true(host_keeps_watermarks(&a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_switch_has_four_states),
		cmocka_unit_test(only_whole_lines_of_a_configuration_count),
		cmocka_unit_test(a_configuration_is_looked_for_in_two_places),
		cmocka_unit_test(what_the_kernel_keeps_follows_from_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
