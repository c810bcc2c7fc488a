// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <time.h>

#include "base/clock.h"
#include "result/record.h"
#include "result/run_dir.h"
#include "result/run_record.h"
#include "run_sample.h"
#include "sample.h"
#include "scratch.h"

static struct result_record *begin_in(const char *dir)
{
	struct result_run head = sample_head();
	struct result_record *record = NULL;

	assert_success(result_record_begin(dir, &head, &record));
	return record;
}

static struct error *finish(struct result_record *record, enum ktstr_reason reason,
			    struct error **ret_problem)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };

	sample_outcome(&outcome, reason);
	return result_record_finish(record, &result, NULL, ret_problem);
}

static void assert_finished(struct result_record *record)
{
	struct error *problem = NULL;

	assert_success(finish(record, KTSTR_REASON_NONE, &problem));
	assert_null(problem);
}

static void assert_state(const char *path, const char *state)
{
	_cleanup_loaded_ struct loaded l;

	assert_member(load(&l, path), "state", state);
}

static char *below(const struct scratch *s, const char *name)
{
	return xasprintf("%s/%s", s->dir, name);
}

static void put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, text, strlen(text)));
}

static void append_probe(const char *path, int exit_code)
{
	struct error *warning = NULL;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct result_append what = sample_append(exit_code, &doc);

	assert_success(result_append_metrics(path, &what, NULL, &warning));
	assert_null(warning);
}

static void a_record_says_started_until_it_is_finished(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *path = below(s, SAMPLE_STEM ".ktstr.json");

	assert_string_equal(result_record_path(record), path);
	assert_state(path, "started");
	assert_int_equal(count_entries(s->dir), 1);
	assert_finished(record);
	assert_string_equal(result_record_path(record), path);
	assert_state(path, "finished");
	/* No lock, no temporary file. */
	assert_int_equal(count_entries(s->dir), 1);
}

static void the_record_is_readable_as_the_umask_says(void **state)
{
	struct scratch *s = *state;
	mode_t mask = umask(027);
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	struct stat st;

	umask(mask);
	assert_int_equal(stat(result_record_path(record), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_finished(record);
	assert_int_equal(stat(result_record_path(record), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void the_same_variant_again_gets_the_next_name(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *first = begin_in(s->dir), *second, *third;
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");
	_cleanup_free_ char *three = below(s, SAMPLE_STEM "-3.ktstr.json");

	assert_finished(first);
	second = begin_in(s->dir);
	third = begin_in(s->dir);
	assert_string_equal(result_record_path(second), two);
	assert_string_equal(result_record_path(third), three);
	assert_state(result_record_path(first), "finished");
	assert_finished(third);
	assert_state(two, "started");
	assert_state(three, "finished");
}

static void a_link_or_directory_in_place_of_a_record_is_left_alone(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *one = below(s, SAMPLE_STEM ".ktstr.json");
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");
	_cleanup_free_ char *three = below(s, SAMPLE_STEM "-3.ktstr.json");
	_cleanup_free_ char *elsewhere = below(s, "elsewhere");
	_cleanup_result_run_record_ struct result_record *record = NULL;

	assert_int_equal(symlink("elsewhere", one), 0);
	assert_int_equal(mkdir(two, 0700), 0);
	record = begin_in(s->dir);
	assert_string_equal(result_record_path(record), three);
	assert_int_equal(access(elsewhere, F_OK), -1);
	assert_int_equal(rmdir(two), 0);
}

static void missing_directories_are_created(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *a = below(s, "a"), *b = below(s, "a/b");
	_cleanup_result_run_record_ struct result_record *record = begin_in(b);

	assert_state(result_record_path(record), "started");
	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(b), 0);
	assert_int_equal(rmdir(a), 0);
}

static void names_that_leave_the_directory_are_refused(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = { "", ".hidden", "../up", "a/b", NULL };
	struct result_run head = sample_head();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct result_record *record = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		head.test = names[i];
		assert_error_tag(result_record_begin(s->dir, &head, &record), "parse");
	}
	strbuf_append_repeated(&text, 'x', RESULT_LIMIT_TEST_NAME + 1);
	head.test = strbuf_str(&text);
	assert_error_tag(result_record_begin(s->dir, &head, &record), "limit");
	head.test++;
	assert_success(result_record_begin(s->dir, &head, &record));
	assert_finished(record);
	result_record_free(record);
	head.test = "t";
	head.id = "../x";
	assert_error_tag(result_record_begin(s->dir, &head, &record), "parse");
}

static void metrics_of_others_are_kept(void **state)
{
	struct scratch *s = *state;
	static struct exchange_metric metrics[] = { { EXCHANGE_BORROW("p.big"),
						      EXCHANGE_BORROW("18446744073709551615") } };
	static const struct exchange_payload payloads[] = {
		{ .name = EXCHANGE_BORROW("p"),
		  .ended = true,
		  .exit_code = -9,
		  .metrics = { metrics, 1, 0 } },
	};
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = {
		.outcome = &outcome,
		.payloads = payloads,
		.n_payloads = 1,
	};
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_loaded_ struct loaded l;
	struct json_iter it;
	struct error *problem = NULL;
	int64_t codes[3] = { 0 };
	size_t n = 0;

	append_probe(result_record_path(record), 7);
	append_probe(result_record_path(record), 8);
	sample_outcome(&outcome, KTSTR_REASON_CHECK);
	assert_success(result_record_finish(record, &result, NULL, &problem));
	assert_null(problem);
	it = json_iter_over(json_find(load(&l, result_record_path(record)), "metrics"));
	while (json_iter_next(&it)) {
		uint64_t index;

		assert_true(n < 3);
		assert_true(json_get_u64(json_find(it.value, "payload_index"), &index));
		assert_int_equal(index, n);
		assert_true(json_get_i64(json_find(it.value, "exit_code"), &codes[n++]));
	}
	assert_int_equal(n, 3);
	assert_int_equal(codes[0], 7);
	assert_int_equal(codes[1], 8);
	assert_int_equal(codes[2], -9);
	assert_contains(strbuf_str(&l.text), "\"value\": 18446744073709551615,");
	/* Also after the end, and the lock of the one before is gone. */
	assert_int_equal(count_entries(s->dir), 1);
	append_probe(result_record_path(record), 9);
}

static void a_removed_record_is_written_under_a_new_name(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir), *other = NULL;
	_cleanup_error_ struct error *problem = NULL;
	_cleanup_loaded_ struct loaded l;
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");

	assert_int_equal(unlink(result_record_path(record)), 0);
	/* Another run of the variant takes the name that became free. */
	other = begin_in(s->dir);
	assert_success(finish(record, KTSTR_REASON_CHECK, &problem));
	assert_error_tag(take_ptr(problem), "parse");
	assert_string_equal(result_record_path(record), two);
	assert_state(result_record_path(other), "started");
	assert_member(load(&l, two), "state", "finished");
	assert_contains(strbuf_str(&l.text), "no longer the record of this run");
	assert_int_equal(count_entries(s->dir), 2);
}

static void a_removed_run_directory_is_created_again(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *dir = below(s, "run");
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);
	_cleanup_error_ struct error *problem = NULL;

	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_success(finish(record, KTSTR_REASON_NONE, &problem));
	assert_non_null(problem);
	assert_true(error_is(problem, &base_error_domain, BASE_ABSENT));
	assert_contains(error_message(problem), "was removed during the run");
	assert_state(result_record_path(record), "finished");
	assert_int_equal(count_entries(dir), 1);
	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void a_file_in_place_of_the_run_directory_is_an_error(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *dir = below(s, "run");
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);
	_cleanup_error_ struct error *err = NULL;
	struct error *problem = NULL;

	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
	put(dir, "");
	err = finish(record, KTSTR_REASON_NONE, &problem);
	assert_non_null(err);
	assert_null(problem);
	assert_contains(error_message(err), "not recorded");
	assert_contains(error_message(err), "removed during the run");
}

static void a_damaged_record_is_kept_and_the_result_gets_a_new_name(void **state)
{
	struct scratch *s = *state;
	static const char *const damages[] = {
		"", "{ \"run_id\": ", "[]", "{}", "{ \"run_id\": \"another\", \"metrics\": [] }",
	};

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
		_cleanup_free_ char *first = xstrdup(result_record_path(record));
		_cleanup_error_ struct error *problem = NULL;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		put(first, damages[i]);
		assert_success(finish(record, KTSTR_REASON_NONE, &problem));
		assert_non_null(problem);
		assert_string_not_equal(result_record_path(record), first);
		assert_state(result_record_path(record), "finished");
		assert_success(io_read_file(first, 100, &text));
		assert_string_equal(strbuf_str(&text), damages[i]);
	}
	assert_int_equal(count_entries(s->dir), 2 * ARRAY_SIZE(damages));
}

static void a_held_lock_does_not_lose_the_result(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *lock = xasprintf("%s.lock", result_record_path(record));
	_cleanup_free_ char *first = xstrdup(result_record_path(record));
	_cleanup_close_ int held = open(lock, O_RDWR | O_CREAT, 0600);
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 50 * NS_PER_MS };
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };
	_cleanup_error_ struct error *problem = NULL;

	sample_outcome(&outcome, KTSTR_REASON_NONE);
	assert_int_equal(flock(held, LOCK_EX), 0);
	assert_success(result_record_finish(record, &result, &cancel, &problem));
	assert_true(error_is(problem, &base_error_domain, BASE_LIMIT));
	assert_state(first, "started");
	assert_state(result_record_path(record), "finished");
	/* The lock is its holder's. */
	assert_int_equal(access(lock, F_OK), 0);
}

static void an_interrupted_run_finishes_its_record_where_it_is(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };
	_cleanup_error_ struct error *problem = NULL;
	struct cancel cancel = { 0 };

	sample_outcome(&outcome, KTSTR_REASON_INTERRUPTED);
	cancel_request(&cancel);
	assert_success(result_record_finish(record, &result, &cancel, &problem));
	assert_null(problem);
	assert_state(result_record_path(record), "finished");
	assert_int_equal(count_entries(s->dir), 1);
}

enum { RUNNERS = 8, ROUNDS = 5 };

static int run_rounds(void *dir)
{
	for (int i = 0; i < ROUNDS; i++) {
		_cleanup_result_run_record_ struct result_record *record = begin_in(dir);

		assert_finished(record);
	}
	return 0;
}

static void eight_runners_get_a_file_each(void **state)
{
	struct scratch *s = *state;
	_cleanup_dir_ DIR *d = NULL;
	struct dirent *entry;
	int finished = 0;

	for (int i = 0; i < RUNNERS; i++) {
		if (fork() == 0)
			_exit(run_rounds(s->dir));
	}
	for (int i = 0; i < RUNNERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	d = opendir(s->dir);
	while ((entry = readdir(d))) {
		_cleanup_free_ char *path = below(s, entry->d_name);

		if (*entry->d_name == '.')
			continue;
		assert_state(path, "finished");
		finished++;
	}
	assert_int_equal(finished, RUNNERS * ROUNDS);
	assert_int_equal(count_entries(s->dir), RUNNERS * ROUNDS);
}

static int append_rounds(void *path)
{
	for (int i = 0; i < ROUNDS; i++)
		append_probe(path, i);
	return 0;
}

static void nothing_appended_while_it_is_finished_is_lost(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *path = xstrdup(result_record_path(record));
	_cleanup_loaded_ struct loaded l;

	for (int i = 0; i < 4; i++) {
		if (fork() == 0)
			_exit(append_rounds(path));
	}
	assert_finished(record);
	for (int i = 0; i < 4; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_string_equal(result_record_path(record), path);
	assert_member(load(&l, path), "state", "finished");
	assert_int_equal(json_length(json_find(json_doc_root(l.doc), "metrics")), 4 * ROUNDS);
}

static void a_runner_killed_in_between_leaves_a_whole_started_record(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *path = below(s, SAMPLE_STEM ".ktstr.json");
	_cleanup_loaded_ struct loaded l;
	int ready[2], status;
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		begin_in(s->dir);
		(void)!write(ready[1], "x", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ready[0]);
	close(ready[1]);
	assert_member(load(&l, path), "state", "started");
	assert_null(json_find(json_doc_root(l.doc), "passed"));
	assert_int_equal(count_entries(s->dir), 1);
	append_probe(path, 0);
}

static int run_once(void *dir)
{
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);

	assert_finished(record);
	return 0;
}

static void a_killed_runner_leaves_whole_records_and_sweepable_leftovers(void **state)
{
	struct scratch *s = *state;
	uint64_t start_ns = clock_monotonic_ns(), span_ns;
	_cleanup_result_names_ struct result_names names = { 0 };
	int finished = 0;

	assert_int_equal(in_child(run_once, s->dir), 0);
	span_ns = clock_monotonic_ns() - start_ns;
	srand48((long)start_ns);
	for (int round = 0; round < 40; round++) {
		uint64_t delay_ns = (uint64_t)(drand48() * (double)span_ns);
		struct timespec delay = { (time_t)(delay_ns / NS_PER_SEC),
					  (long)(delay_ns % NS_PER_SEC) };
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_once(s->dir));
		nanosleep(&delay, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	assert_success(result_dir_sweep(s->dir));
	assert_success(result_dir_records(s->dir, &names));
	assert_int_equal(count_entries(s->dir), names.names.n);
	for (size_t i = 0; i < names.names.n; i++) {
		_cleanup_free_ char *path = below(s, names.names.at[i]);
		_cleanup_loaded_ struct loaded l;
		const struct json_value *root = load(&l, path);
		bool is_finished = json_text_is(json_string(json_find(root, "state")), "finished");

		finished += is_finished;
		assert_int_equal(is_finished, json_find(root, "verdict") != NULL);
	}
	print_message("# 41 runs, %zu records, %d finished\n", names.names.n, finished);
	assert_true(finished >= 1);
}

static void a_full_disk_keeps_the_started_record(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = NULL;
	_cleanup_strbuf_ struct strbuf fill = STRBUF_INIT;
	_cleanup_free_ char *filler = below(s, "fill");
	_cleanup_error_ struct error *err = NULL, *at_begin = NULL;
	struct result_run head = sample_head();
	struct result_record *none = NULL;
	struct error *problem = NULL;
	_cleanup_close_ int fd = -1;

	skip_unless(unshare(CLONE_NEWNS) == 0 &&
			    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			    mount("ktstr-test", s->dir, "tmpfs", 0, "size=64k") == 0,
		    "a small tmpfs needs privilege: %s", strerror(errno));
	record = begin_in(s->dir);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	strbuf_append_repeated(&fill, 'x', 4096);
	while (write(fd, fill.at, fill.n) > 0)
		;
	err = finish(record, KTSTR_REASON_CHECK, &problem);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_null(problem);
	assert_state(result_record_path(record), "started");
	at_begin = result_record_begin(s->dir, &head, &none);
	assert_non_null(at_begin);
	assert_int_equal(error_errno(at_begin), ENOSPC);
	assert_null(none);
	/* The record and what fills the disk. */
	assert_int_equal(count_entries(s->dir), 2);
	/* With room again it can still be finished. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_finished(record);
	assert_int_equal(umount2(s->dir, MNT_DETACH), 0);
}

static const struct result_stamp stamp = {
	.unix_sec = 1700000000,
	.pid = 4711,
	.start_time_jiffies = 99,
};

static struct error *parse(const char *text, struct result_run *ret)
{
	return result_run_parse(text, strlen(text), "r", ret);
}

static void format_sample(enum ktstr_reason reason, struct strbuf *into)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
	struct result_record_result result = { .outcome = &outcome };
	struct result_run head = sample_head();
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT;

	sample_outcome(&outcome, reason);
	outcome.kept_dir = xstrdup("/kept");
	result_format_head(&head, &stamp, &members);
	assert_success(result_format_finished(&members, &result, (struct json_text){ 0 }, 0,
					      "it was moved", into));
}

static void a_finished_record_is_read_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_result_run_ struct result_run run = { 0 };

	format_sample(KTSTR_REASON_CHECK, &text);
	assert_success(parse(strbuf_str(&text), &run));
	assert_int_equal(run.state, RESULT_FINISHED);
	assert_int_equal(run.verdict, KTSTR_FAIL);
	assert_int_equal(run.reason, KTSTR_REASON_CHECK);
	assert_string_equal(run.why, "spread is 31 %, allowed are 15 %");
	assert_string_equal(run.test, "fair_share");
	assert_string_equal(run.id, "0123456789abcdef");
	assert_string_equal(run.name, "mytests:fair_share@1n2l2c1t");
	assert_string_equal(run.kernel.release, "9.9.9-test");
	assert_string_equal(run.kept_dir, "/kept");
	assert_string_equal(run.problem, "it was moved");
	assert_true(run.has_wall);
	assert_int_equal(run.wall_ms, 1234);
	assert_int_equal(run.runner_pid, 4711);
	assert_int_equal(run.runner_start_jiffies, 99);
	assert_int_equal(run.parts.n, 1);
	assert_string_equal(run.parts.at[0].file, "mytests.c");
	assert_int_equal(run.parts.at[0].line, 40);
	assert_int_equal(run.notes.n, 1);
}

static void all_that_a_rerun_needs_is_read_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_result_run_ struct result_run run = { 0 };
	struct result_run head = sample_head();

	format_sample(KTSTR_REASON_NONE, &text);
	assert_success(parse(strbuf_str(&text), &run));
	assert_string_equal(run.rerun.binary.path, head.rerun.binary.path);
	assert_string_equal(run.rerun.binary.hash, head.rerun.binary.hash);
	assert_string_equal(run.rerun.binary.build_id, head.rerun.binary.build_id);
	assert_string_equal(run.rerun.test, head.test);
	assert_string_equal(run.rerun.topology, head.topology);
	assert_int_equal(run.rerun.memory_bytes, head.memory_bytes);
	assert_string_equal(run.rerun.kernel_id, "k1");
	assert_string_equal(run.rerun.kernel_build_id, "0a0b");
	assert_string_equal(run.rerun.command, head.rerun.command);
	assert_int_equal(run.rerun.kernel_args.n, 2);
	assert_string_equal(run.rerun.kernel_args.at[0], "nosmt");
	assert_int_equal(run.rerun.scheduler_argv.n, 4);
	assert_string_equal(run.rerun.scheduler_argv.at[3], "two words");
	assert_int_equal(run.rerun.files.n, 2);
	assert_string_equal(run.rerun.files.at[0].hash, "00000000deadbeef");
	assert_null(run.rerun.files.at[1].build_id);
	assert_string_equal(run.kernel.source, head.kernel.source);
	assert_int_equal(run.sysctls.n, head.sysctls.n);
	for (size_t i = 0; i < head.sysctls.n; i++)
		assert_string_equal(run.sysctls.at[i], head.sysctls.at[i]);
}

#define HEAD(state) "{\"schema\":1,\"state\":\"" state "\",\"test_name\":\"t\",\"variant_id\":\"0\""

static void a_started_record_is_unfinished(void **state UNUSED)
{
	_cleanup_result_run_ struct result_run run = { 0 };

	assert_success(parse(HEAD("started") ",\"metrics\":[]}", &run));
	assert_int_equal(run.state, RESULT_STARTED);
	assert_null(run.why);
	assert_null(run.rerun.binary.path);
}

static void a_malformed_record_is_refused_naming_the_member(void **state UNUSED)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "r" },
		{ "[]", "schema" },
		{ "7", "schema" },
		{ "{}", "schema" },
		{ "{\"schema\":\"1\"}", "schema" },
		{ "{\"schema\":3,\"state\":\"started\"}", "schema is 3, this program knows" },
		{ "{\"schema\":1,\"state\":\"done\"}", "state" },
		{ "{\"schema\":1,\"state\":\"started\"}", "test_name" },
		{ "{\"schema\":1,\"state\":\"started\",\"test_name\":7}", "test_name" },
		{ "{\"schema\":1,\"state\":\"started\",\"test_name\":\"t\"}", "variant_id" },
		{ HEAD("started") ",\"name\":\"a\\u0000b\"}", "NUL" },
		{ HEAD("started") ",\"runner\":{\"pid\":-1}}", "pid" },
		{ HEAD("started") ",\"rerun\":{\"files\":{}}}", "files" },
		{ HEAD("started") ",\"rerun\":{\"files\":[{\"name\":\"n\"}]}}", "path" },
		{ HEAD("started") ",\"rerun\":{\"kernel_args\":[\"a\",1]}}", "kernel_args" },
		{ HEAD("started") ",\"rerun\":{\"binary\":7}}", "rerun.binary" },
		{ HEAD("finished") "}", "verdict" },
		{ HEAD("finished") ",\"verdict\":\"good\",\"reason\":\"none\"}", "verdict" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"luck\"}", "reason" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"check\",\"why\":\"\"}",
		  "does not give" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"none\"}", "why" },
		{ HEAD("finished") ",\"verdict\":\"pass\",\"reason\":\"none\",\"why\":\"\","
				   "\"wall_ms\":1.5}",
		  "wall_ms" },
		{ HEAD("finished") ",\"verdict\":\"fail\",\"reason\":\"check\",\"why\":\"\","
				   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\"}]}",
		  "text" },
		{ HEAD("finished") ",\"verdict\":\"fail\",\"reason\":\"check\",\"why\":\"\","
				   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\","
				   "\"text\":\"\",\"line\":4294967296}]}",
		  "line" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result_run run = { .wall_ms = 77 };
		_cleanup_error_ struct error *err = parse(rows[i].text, &run);

		assert_non_null(err);
		assert_true(error_is(err, &base_error_domain, BASE_PARSE));
		assert_contains(error_message(err), rows[i].says);
		assert_int_equal(run.wall_ms, 77);
		assert_null(run.test);
	}
}

static void long_texts_and_lists_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf longer = STRBUF_INIT, list = STRBUF_INIT;
	struct result_run run = { 0 };

	strbuf_append(&longer, HEAD("started") ",\"name\":\"");
	strbuf_append_repeated(&longer, 'x', RESULT_LIMIT_TEXT_BYTES + 1);
	strbuf_append(&longer, "\"}");
	assert_error_tag(parse(strbuf_str(&longer), &run), "limit");
	strbuf_append(&list, HEAD("started") ",\"rerun\":{\"files\":[0");
	for (int i = 0; i < RESULT_LIMIT_LIST; i++)
		strbuf_append(&list, ",0");
	strbuf_append(&list, "]}}");
	assert_error_tag(parse(strbuf_str(&list), &run), "limit");
}

static void only_regular_files_are_read(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_ struct result_run run = { 0 };
	static const char text[] = HEAD("started") "}";

	assert_error_tag(result_run_read(s->file, &run), "absent");
	assert_error_tag(result_run_read(s->dir, &run), "io");
	assert_int_equal(mkfifo(s->file, 0600), 0);
	assert_error_tag(result_run_read(s->file, &run), "io");
	assert_int_equal(unlink(s->file), 0);
	assert_success(io_replace_file(s->file, text, strlen(text)));
	assert_success(result_run_read(s->file, &run));
	assert_string_equal(run.test, "t");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_record_says_started_until_it_is_finished),
		scratch_test(the_record_is_readable_as_the_umask_says),
		scratch_test(the_same_variant_again_gets_the_next_name),
		scratch_test(a_link_or_directory_in_place_of_a_record_is_left_alone),
		scratch_test(missing_directories_are_created),
		scratch_test(names_that_leave_the_directory_are_refused),
		scratch_test(metrics_of_others_are_kept),
		scratch_test(a_removed_record_is_written_under_a_new_name),
		scratch_test(a_removed_run_directory_is_created_again),
		scratch_test(a_file_in_place_of_the_run_directory_is_an_error),
		scratch_test(a_damaged_record_is_kept_and_the_result_gets_a_new_name),
		scratch_test(a_held_lock_does_not_lose_the_result),
		scratch_test(an_interrupted_run_finishes_its_record_where_it_is),
		scratch_test(eight_runners_get_a_file_each),
		scratch_test(nothing_appended_while_it_is_finished_is_lost),
		scratch_test(a_runner_killed_in_between_leaves_a_whole_started_record),
		scratch_test(a_killed_runner_leaves_whole_records_and_sweepable_leftovers),
		scratch_test(a_full_disk_keeps_the_started_record),
		cmocka_unit_test(a_finished_record_is_read_back),
		cmocka_unit_test(all_that_a_rerun_needs_is_read_back),
		cmocka_unit_test(a_started_record_is_unfinished),
		cmocka_unit_test(a_malformed_record_is_refused_naming_the_member),
		cmocka_unit_test(long_texts_and_lists_are_refused),
		scratch_test(only_regular_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
