// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "cli/jemalloc_probe/jemalloc_probe.h"
#include "unit.h"

static struct error *parse(struct probe_config *config, const char *const argv[])
{
	struct cli_parsed result;
	int argc = 0;

	while (argv[argc])
		argc++;
	memcpy(config, cli_program_jemalloc_probe.defaults, sizeof(*config));
	return cli_parse(&cli_program_jemalloc_probe, argc, (char *const *)argv, config, &result);
}

#define LINE(...) \
	((const char *const[]){ "ktstr-jemalloc-probe", "--pid", "42", __VA_ARGS__, NULL })

static void assert_accepted(struct probe_config *config, const char *const argv[])
{
	assert_success(parse(config, argv));
}

static void assert_refused(const char *const argv[], const char *message)
{
	struct probe_config config;
	_cleanup_error_ struct error *err = parse(&config, argv);

	assert_non_null(err);
	assert_contains(error_message(err), message);
}

static void one_snapshot_is_the_default(void **state UNUSED)
{
	const char *argv[] = { "p", "--pid", "42", NULL };
	struct probe_config config;

	assert_accepted(&config, argv);
	assert_int_equal(config.pid, 42);
	assert_int_equal(config.snapshots, 1);
	assert_int_equal(config.interval_ms, 0);
	assert_int_equal(config.abort_after_ms, 0);
	assert_null(config.sidecar);
	assert_false(config.json || config.ptrace || config.no_ptrace);
}

static void a_pid_is_required_and_positive(void **state UNUSED)
{
	static const char *const none[] = { "p", "--json", NULL };
	static const char *const zero[] = { "p", "--pid", "0", NULL };
	static const char *const negative[] = { "p", "--pid=-1", NULL };
	static const char *const huge[] = { "p", "--pid", "2147483648", NULL };

	assert_refused(none, "--pid PID is required");
	assert_refused(zero, "--pid 0 is not in 1..=2147483647");
	assert_refused(negative, "--pid -1 is not in 1..=2147483647");
	assert_refused(huge, "--pid 2147483648 is not in 1..=2147483647");
}

static void every_range_holds_at_both_ends(void **state UNUSED)
{
	struct probe_config config;

	assert_accepted(&config, LINE("--snapshots", "1"));
	assert_accepted(&config, LINE("--snapshots", "100000", "--interval-ms", "1"));
	assert_int_equal(config.snapshots, 100000);
	assert_accepted(&config, LINE("--snapshots", "2", "--interval-ms", "3600000"));
	assert_int_equal(config.interval_ms, 3600000);
	assert_accepted(&config, LINE("--abort-after-ms", "1"));
	assert_accepted(&config, LINE("--abort-after-ms", "3600000"));
	assert_int_equal(config.abort_after_ms, 3600000);
	assert_refused(LINE("--snapshots", "0"), "--snapshots 0 is not in 1..=100000");
	assert_refused(LINE("--snapshots", "100001"), "--snapshots 100001 is not in 1..=100000");
	assert_refused(LINE("--snapshots", "2", "--interval-ms", "0"),
		       "--interval-ms 0 is not in 1..=3600000");
	assert_refused(LINE("--snapshots", "2", "--interval-ms", "3600001"),
		       "--interval-ms 3600001 is not in 1..=3600000");
	assert_refused(LINE("--abort-after-ms", "0"), "--abort-after-ms 0 is not in 1..=3600000");
	assert_refused(LINE("--abort-after-ms", "3600001"),
		       "--abort-after-ms 3600001 is not in 1..=3600000");
}

static void snapshots_and_interval_need_each_other(void **state UNUSED)
{
	struct probe_config config;

	assert_accepted(&config, LINE("--snapshots", "3", "--interval-ms", "50"));
	assert_refused(LINE("--snapshots", "3"), "--snapshots 3 requires --interval-ms");
	assert_refused(LINE("--interval-ms", "100"), "only meaningful with --snapshots > 1");
	assert_refused(LINE("--interval-ms", "100", "--snapshots", "1"),
		       "only meaningful with --snapshots > 1");
}

static void the_two_policies_exclude_each_other(void **state UNUSED)
{
	struct probe_config config;

	assert_accepted(&config, LINE("--ptrace"));
	assert_true(config.ptrace);
	assert_accepted(&config, LINE("--no-ptrace"));
	assert_true(config.no_ptrace);
	assert_refused(LINE("--ptrace", "--no-ptrace"), "exclude each other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_snapshot_is_the_default),
		cmocka_unit_test(a_pid_is_required_and_positive),
		cmocka_unit_test(every_range_holds_at_both_ends),
		cmocka_unit_test(snapshots_and_interval_need_each_other),
		cmocka_unit_test(the_two_policies_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
