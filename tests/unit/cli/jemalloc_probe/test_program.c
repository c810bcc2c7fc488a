// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole runs with a scripted engine: exit codes and what stands on both streams. */
#include "cli/frame/commands.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/jemalloc_probe/jemalloc_probe.h"
#include "fake_engine.h"
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
	assert_refused(zero, "--pid 0: expected a number from 1 to 2147483647");
	assert_refused(negative, "--pid -1: expected a number from 1 to 2147483647");
	assert_refused(huge, "--pid 2147483648: expected a number from 1 to 2147483647");
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
	assert_refused(LINE("--snapshots", "0"),
		       "--snapshots 0: expected a number from 1 to 100000");
	assert_refused(LINE("--snapshots", "100001"),
		       "--snapshots 100001: expected a number from 1 to 100000");
	assert_refused(LINE("--snapshots", "2", "--interval-ms", "0"),
		       "--interval-ms 0: expected a number from 1 to 3600000");
	assert_refused(LINE("--snapshots", "2", "--interval-ms", "3600001"),
		       "--interval-ms 3600001: expected a number from 1 to 3600000");
	assert_refused(LINE("--abort-after-ms", "0"),
		       "--abort-after-ms 0: expected a number from 1 to 3600000");
	assert_refused(LINE("--abort-after-ms", "3600001"),
		       "--abort-after-ms 3600001: expected a number from 1 to 3600000");
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

static const struct fake_thread good[] = { { .tid = 5, .allocated_bytes = 10 } };
static const struct fake_thread gone[] = { { .tid = 5, .error_errno = ESRCH } };
static const struct fake_thread refused[] = { { .tid = 5, .error_errno = EPERM } };

static char dir[64], record[96];
static pid_t target;

static int set_up(void **state UNUSED)
{
	strcpy(dir, "/tmp/ktstr-test-run-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(record, sizeof(record), "%s/t.ktstr.json", dir);
	fake_engine = (struct fake_engine){ .threads = good, .n_threads = 1 };
	target = fork();
	if (target == 0) {
		pause();
		_exit(0);
	}
	return target < 0;
}

static int tear_down(void **state UNUSED)
{
	char lock[128];

	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	snprintf(lock, sizeof(lock), "%s.lock", record);
	unlink(lock);
	unlink(record);
	return rmdir(dir);
}

struct result {
	int code;
	char *out, *err;
};

static void result_deinit(struct result *result)
{
	free(result->out);
	free(result->err);
}
#define _cleanup_result_ _cleanup_(result_deinit)

static char *take_text(int fd)
{
	struct strbuf text = STRBUF_INIT;

	lseek(fd, 0, SEEK_SET);
	assert_success(io_read_fd(fd, "memfd", 1 << 20, &text));
	close(fd);
	return strbuf_take(&text);
}

/* In a child, since a run installs signal handlers. A path replaces standard output. */
static struct result run(const struct probe_config *config, const char *out_path)
{
	int out = out_path ? open(out_path, O_WRONLY) : memfd_create("out", 0);
	int err = memfd_create("err", 0), status;
	struct result result;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		_exit(probe_run(NULL, config));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	result.code = WEXITSTATUS(status);
	result.err = take_text(err);
	if (out_path)
		close(out);
	result.out = out_path ? NULL : take_text(out);
	return result;
}

static void write_record(const char *text)
{
	_cleanup_close_ int fd = open(record, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_success(io_write_all(fd, record, text, strlen(text)));
}

static char *read_record(void)
{
	struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(record, 1 << 20, &text));
	return strbuf_take(&text);
}

static void a_good_run_is_0_and_quiet(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1 };
	_cleanup_result_ struct result result = run(&config, NULL);

	assert_int_equal(result.code, 0);
	assert_contains(result.out, "tid=5 allocated_bytes=10 deallocated_bytes=0\n");
	assert_string_equal(result.err, "");
}

static void a_fatal_error_prints_its_tag_to_stderr_only(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .json = true };
	_cleanup_result_ struct result result = { 0 };

	fake_engine.attach = FAKE_ATTACH_NOT_FOUND;
	result = run(&config, NULL);
	assert_int_equal(result.code, 1);
	assert_string_equal(result.out, "");
	assert_ptr_equal(strstr(result.err, "ktstr-probe-fatal: jemalloc-not-found\nerror: "),
			 result.err);
}

static void all_threads_failing_is_exit_1_with_its_marker_line(void **state UNUSED)
{
	struct probe_config config = { .pid = target, .snapshots = 1, .json = true };
	_cleanup_result_ struct result single = { 0 }, several = { 0 };

	fake_engine.threads = gone;
	single = run(&config, NULL);
	assert_int_equal(single.code, 1);
	assert_contains(single.out, "\"error_kind\": \"ptrace-seize\"");
	assert_string_equal(single.err, "ktstr-probe-all-failed: single\n"
					"error: all threads failed probe\n");
	config.snapshots = 2;
	config.interval_ms = 1;
	several = run(&config, NULL);
	assert_int_equal(several.code, 1);
	assert_string_equal(several.err, "ktstr-probe-all-failed: multi\n"
					 "error: all threads failed probe in every snapshot\n");
}

static void a_refusal_comes_with_a_hint(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1 };
	_cleanup_result_ struct result result = { 0 };

	fake_engine.threads = refused;
	result = run(&config, NULL);
	assert_int_equal(result.code, 1);
	assert_contains(result.err, "[ptrace-seize]: tid 5: Operation not permitted\n");
	assert_contains(result.err, "\nhint: ");
}

static void a_cancelled_attach_is_0_with_an_empty_document(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .json = true };
	_cleanup_result_ struct result result = { 0 };

	fake_engine.attach = FAKE_ATTACH_CANCELLED;
	result = run(&config, NULL);
	assert_int_equal(result.code, 0);
	assert_contains(result.out, "\"interrupted\": true");
	assert_contains(result.out, "\"snapshots\": []");
	assert_string_equal(result.err, "");
}

static void the_deadline_gives_a_partial_result(void **state UNUSED)
{
	const struct probe_config config = { .pid = target,
					     .snapshots = 100,
					     .interval_ms = 3600000,
					     .abort_after_ms = 50,
					     .json = true };
	_cleanup_result_ struct result result = run(&config, NULL);

	assert_int_equal(result.code, 0);
	assert_contains(result.out, "\"interrupted\": true");
	assert_contains(result.out, "\"allocated_bytes\": 10");
	assert_string_equal(result.err, "ktstr-probe-deadline: abort after 50ms\n");
}

static void a_full_disk_is_1(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .json = true };
	_cleanup_result_ struct result result = run(&config, "/dev/full");

	assert_int_equal(result.code, 1);
	assert_contains(result.err, "error writing output: ");
	assert_contains(result.err, "No space left on device");
}

static void a_missing_sidecar_is_2_before_anything_is_probed(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .sidecar = record };
	_cleanup_result_ struct result result = { 0 };

	fake_engine.attach = FAKE_ATTACH_NOT_FOUND;
	result = run(&config, NULL);
	assert_int_equal(result.code, 2);
	assert_string_equal(result.out, "");
	assert_contains(result.err, "error: sidecar file not found at ");
	assert_contains(result.err, "run the test first");
	assert_contains(result.err, "--sidecar");
}

static void a_good_run_is_recorded_with_0(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .sidecar = record };
	_cleanup_result_ struct result result = { 0 };
	_cleanup_free_ char *text = NULL;

	write_record("{\"metrics\":[]}");
	result = run(&config, NULL);
	assert_int_equal(result.code, 0);
	text = read_record();
	assert_contains(text, "jemalloc_probe.snapshots.0.threads.0.allocated_bytes");
	assert_contains(text, "\"exit_code\":0");
}

static void a_failed_run_is_recorded_with_1(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .sidecar = record };
	_cleanup_result_ struct result result = { 0 };
	_cleanup_free_ char *text = NULL;

	write_record("{\"metrics\":[]}");
	fake_engine.threads = gone;
	result = run(&config, NULL);
	assert_int_equal(result.code, 1);
	text = read_record();
	assert_contains(text, "\"exit_code\":1");
}

static void an_interrupted_run_is_not_recorded_and_3(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .sidecar = record };
	_cleanup_result_ struct result result = { 0 };
	_cleanup_free_ char *text = NULL;

	write_record("{\"metrics\":[]}");
	fake_engine.interrupt_at = 1;
	result = run(&config, NULL);
	assert_int_equal(result.code, 3);
	assert_contains(result.out, "tid=5");
	assert_contains(result.err, "sidecar append failed (exit 3): ");
	text = read_record();
	assert_string_equal(text, "{\"metrics\":[]}");
}

static void a_broken_sidecar_is_3_and_left_alone(void **state UNUSED)
{
	const struct probe_config config = { .pid = target, .snapshots = 1, .sidecar = record };
	_cleanup_result_ struct result result = { 0 };
	_cleanup_free_ char *text = NULL;

	write_record("[1, 2]");
	result = run(&config, NULL);
	assert_int_equal(result.code, 3);
	assert_contains(result.out, "tid=5");
	assert_contains(result.err, "sidecar append failed (exit 3): ");
	assert_contains(result.err, "regenerate");
	text = read_record();
	assert_string_equal(text, "[1, 2]");
}

#define with_target(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_snapshot_is_the_default),
		cmocka_unit_test(a_pid_is_required_and_positive),
		cmocka_unit_test(every_range_holds_at_both_ends),
		cmocka_unit_test(snapshots_and_interval_need_each_other),
		cmocka_unit_test(the_two_policies_exclude_each_other),
		with_target(a_good_run_is_0_and_quiet),
		with_target(a_fatal_error_prints_its_tag_to_stderr_only),
		with_target(all_threads_failing_is_exit_1_with_its_marker_line),
		with_target(a_refusal_comes_with_a_hint),
		with_target(a_cancelled_attach_is_0_with_an_empty_document),
		with_target(the_deadline_gives_a_partial_result),
		with_target(a_full_disk_is_1),
		with_target(a_missing_sidecar_is_2_before_anything_is_probed),
		with_target(a_good_run_is_recorded_with_0),
		with_target(a_failed_run_is_recorded_with_1),
		with_target(an_interrupted_run_is_not_recorded_and_3),
		with_target(a_broken_sidecar_is_3_and_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
