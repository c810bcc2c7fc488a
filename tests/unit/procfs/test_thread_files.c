// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/thread_files.h"

#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "unit.h"

#define RULE "-------------------------------------------------------------------\n"

enum { FIELDS_MAX = 32 };

/* What a table of fields was filled with, by index of the field. */
struct seen {
	uint64_t known;
	unsigned int negative_times;
	uint64_t at[FIELDS_MAX];
};

struct file {
	struct procfs_field at[FIELDS_MAX];
	size_t n;
};

static struct procfs_fields fields_of(struct file *file)
{
	for (size_t i = 0; i < file->n; i++) {
		file->at[i].offset = offsetof(struct seen, at[i]);
		file->at[i].bit = (uint8_t)i;
	}
	return (struct procfs_fields){ file->at, file->n };
}

static bool knows(const struct seen *seen, unsigned int field)
{
	return seen->known >> field & 1;
}

static bool read_fields(const char *text, struct file *file, struct seen *ret,
			bool (*parse)(struct slice text, struct procfs_fields fields,
				      struct procfs_values *values))
{
	struct procfs_values values = { .into = ret, .known = &ret->known };
	bool is_sense;

	*ret = (struct seen){ 0 };
	is_sense = parse((struct slice){ text, strlen(text) }, fields_of(file), &values);
	ret->negative_times = values.negative_times;
	return is_sense;
}

/* Fields 4 to 21 count from 100, field 22 is as given. */
static void stat_line_with(struct strbuf *s, const char *name, const char *start_time)
{
	strbuf_appendf(s, "1234 (%s) S", name);
	for (int i = 4; i < 22; i++)
		strbuf_appendf(s, " %d", 96 + i);
	strbuf_appendf(s, " %s rest is ignored\n", start_time);
}

static struct error *stat_parse(const char *text, struct procfs_stat *ret)
{
	return procfs_stat_parse(text, strlen(text), ret);
}

static void name_may_hold_brackets_and_spaces(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct procfs_stat stat;

	stat_line_with(&s, "a)b (c))", "987654321");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "a)b (c))");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 987654321);
}

static void name_may_hold_a_newline(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct procfs_stat stat;

	stat_line_with(&s, "two\nlines) R 1 2", "1");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_string_equal(stat.comm, "two\nlines) R 1 2");
	assert_int_equal(stat.state, 'S');
	assert_true(stat.start_time_jiffies == 1);
}

static void stat_fields_end_at_the_newline(void **state UNUSED)
{
	struct procfs_stat stat;

	assert_error_tag(
		stat_parse("1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n19 20\n", &stat),
		"parse");
}

static void a_long_name_is_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct procfs_stat stat;

	strbuf_append_repeated(&name, 'n', 100);
	stat_line_with(&s, strbuf_str(&name), "5");
	assert_success(stat_parse(strbuf_str(&s), &stat));
	assert_int_equal(strlen(stat.comm), PROCFS_COMM_MAX - 1);
	assert_true(stat.start_time_jiffies == 5);
}

static void broken_lines_are_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",
		"1234 comm_without_brackets S 0 0 0 0",
		"1234 (comm",
		"1234 )comm( S",
		"1234 (comm)",
		"1234 (comm) S 1 2 3 4 5 6 7 8 9",
	};
	static const char *const no_numbers[] = { "not_a_number", "-1", "18446744073709551616" };
	struct procfs_stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(stat_parse(broken[i], &stat), "parse");
	for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		stat_line_with(&s, "comm", no_numbers[i]);
		assert_error_tag(stat_parse(strbuf_str(&s), &stat), "parse");
	}
}

static struct error *nspid_parse(const char *text, struct procfs_nspid *ret)
{
	return procfs_nspid_parse(text, strlen(text), ret);
}

static void a_task_of_a_container_has_a_number_per_namespace(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_success(
		nspid_parse("Name:\tx\nPid:\t4711\nNSpid:\t4711\t12\t1\nNSpgid:\t9\n", &nspid));
	assert_int_equal(nspid.n, 3);
	assert_int_equal(nspid.ids[0], 4711);
	assert_int_equal(nspid.ids[2], 1);
}

static void a_name_that_looks_like_the_line_is_not_the_line(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_success(nspid_parse("Name:\tNSpid:\t1\nNSpidfoo:\t2\nNSpid:\t77\n", &nspid));
	assert_int_equal(nspid.n, 1);
	assert_int_equal(nspid.ids[0], 77);
}

static void no_line_is_absent(void **state UNUSED)
{
	struct procfs_nspid nspid;

	assert_error_tag(nspid_parse("", &nspid), "absent");
	assert_error_tag(nspid_parse("Name:\tx\nPid:\t4711\n", &nspid), "absent");
	assert_error_tag(nspid_parse("NSpid", &nspid), "absent");
}

static void a_broken_line_is_refused(void **state UNUSED)
{
	struct procfs_nspid nspid;
	char deep[512] = "NSpid:";

	assert_error_tag(nspid_parse("NSpid:\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\tx\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\t1\t-2\n", &nspid), "parse");
	assert_error_tag(nspid_parse("NSpid:\t99999999999\n", &nspid), "parse");
	for (int i = 0; i <= PROCFS_NSPID_MAX; i++)
		strcat(deep, "\t7");
	assert_error_tag(nspid_parse(deep, &nspid), "parse");
}

static void our_own_line_ends_with_our_pid(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_nspid nspid;

	assert_success(io_read_file("/proc/self/status", PROCFS_STATUS_MAX_BYTES, &text));
	assert_success(procfs_nspid_parse(strbuf_str(&text), text.n, &nspid));
	assert_int_equal(nspid.ids[nspid.n - 1], getpid());
}

static void a_single_pid_is_read_by_its_name(void **state UNUSED)
{
	static const char text[] = "Tgid:\t12\nTracerPid:\t0\nPPid:\tx\nNgid:\t1 2\n";
	pid_t pid = -1;

	assert_success(procfs_status_pid_parse(text, strlen(text), "Tgid", &pid));
	assert_int_equal(pid, 12);
	assert_success(procfs_status_pid_parse(text, strlen(text), "TracerPid", &pid));
	assert_int_equal(pid, 0);
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "PPid", &pid), "parse");
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "Ngid", &pid), "parse");
	assert_error_tag(procfs_status_pid_parse(text, strlen(text), "Pid", &pid), "absent");
}

static struct error *schedstat_parse(const char *text, struct procfs_schedstat *ret)
{
	return procfs_schedstat_parse(text, strlen(text), ret);
}

static void three_numbers_are_read_in_the_order_of_the_kernel(void **state UNUSED)
{
	struct procfs_schedstat stat;

	assert_success(schedstat_parse("1122334455 18446744073709551615 7\n", &stat));
	assert_true(stat.run_time_ns == 1122334455);
	assert_true(stat.run_delay_ns == UINT64_MAX);
	assert_true(stat.timeslices == 7);
	assert_success(schedstat_parse("0 0 0\n", &stat));
	assert_true(stat.run_time_ns == 0 && stat.run_delay_ns == 0 && stat.timeslices == 0);
}

static void malformed_numbers_are_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",	     "\n",	  "1",	      "1 2\n",
		"1 2 3", /* cut */
		"1 2 3 4\n", "1 2 3\n\n", " 1 2 3\n", "1  2 3\n",
		"-1 2 3\n",  "a 2 3\n",	  "1 2 x3\n", "18446744073709551616 2 3\n",
	};
	struct procfs_schedstat stat = { .timeslices = 9 };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(schedstat_parse(broken[i], &stat), "parse");
	assert_true(stat.timeslices == 9);
}

static void path_of(const char *text, const char *expected)
{
	struct slice path = { "untouched", 9 };
	bool found = procfs_cgroup_parse((struct slice){ text, strlen(text) }, &path);

	assert_int_equal(found, expected != NULL);
	if (!expected)
		expected = "untouched";
	assert_int_equal(path.n, strlen(expected));
	assert_memory_equal(path.at, expected, path.n);
}

static void the_line_of_v2_is_found_among_those_of_v1(void **state UNUSED)
{
	path_of("0::/a\n", "/a");
	path_of("9:name=systemd:/\n4:memory:/x\n0::/a b/c.slice\n", "/a b/c.slice");
	path_of("0::/", "/");
	path_of("0::/../outside\n", "/../outside");
	path_of("0:: \n0::/second\n", "/second");
}

static void a_cgroup_file_without_a_v2_line_has_no_path(void **state UNUSED)
{
	path_of("", NULL);
	path_of("0::", NULL);
	path_of("0::\n", NULL);
	path_of("9:name=systemd:/x\n10::/y\n", NULL);
	path_of(" 0::/x\n", NULL);
}

enum {
	STAT_MINFLT,
	STAT_MAJFLT,
	STAT_UTIME_TICKS,
	STAT_STIME_TICKS,
	STAT_PRIORITY,
	STAT_NICE,
	STAT_START_TICKS,
	STAT_PROCESSOR,
	STAT_RT_PRIORITY,
	STAT_POLICY,
	N_STAT_FIELDS,
};

enum { SCHEDSTAT_RUN_NS, SCHEDSTAT_WAIT_NS, SCHEDSTAT_TIMESLICES };

#define assert_field(fields, field, expected)                             \
	do {                                                              \
		assert_true(knows((fields), (field)));                    \
		assert_true((fields)->at[field] == (uint64_t)(expected)); \
	} while (0)

static bool fields_parse(const char *text, struct seen *ret)
{
	struct file file = {
		.at = {
			{ .number = 10, .form = PROCFS_FORM_NUMBER },
			{ .number = 12, .form = PROCFS_FORM_NUMBER },
			{ .number = 14, .form = PROCFS_FORM_NUMBER },
			{ .number = 15, .form = PROCFS_FORM_NUMBER },
			{ .number = 18, .form = PROCFS_FORM_I32 },
			{ .number = 19, .form = PROCFS_FORM_I32 },
			{ .number = 22, .form = PROCFS_FORM_NUMBER },
			{ .number = 39, .form = PROCFS_FORM_I32 },
			{ .number = 40, .form = PROCFS_FORM_I32 },
			{ .number = 41, .form = PROCFS_FORM_I32 },
		},
		.n = N_STAT_FIELDS,
	};

	return read_fields(text, &file, ret, procfs_stat_fields);
}

static bool numbers_parse(const char *text, struct seen *ret)
{
	struct file file = { .at = { { .number = 1 }, { .number = 2 }, { .number = 3 } }, .n = 3 };

	return read_fields(text, &file, ret, procfs_schedstat_fields);
}

/* Field n is 1000 + n, but for one that is given. */
static void line_with(struct strbuf *s, const char *name, int number, const char *value)
{
	strbuf_appendf(s, "77 (%s) S", name);
	for (int i = 4; i <= 52; i++) {
		if (i == number)
			strbuf_appendf(s, " %s", value);
		else
			strbuf_appendf(s, " %d", 1000 + i);
	}
	strbuf_append(s, "\n");
}

static void every_field_is_where_proc_5_says(void **state UNUSED)
{
	static const int numbers[] = { 10, 12, 14, 15, 18, 19, 22, 39, 40, 41 };
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct seen fields;

	line_with(&s, "x", 0, "");
	assert_true(fields_parse(strbuf_str(&s), &fields));
	assert_int_equal(N_STAT_FIELDS, ARRAY_SIZE(numbers));
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_field(&fields, i, 1000 + numbers[i]);
}

static void a_name_may_hold_brackets_blanks_and_lines(void **state UNUSED)
{
	static const char *const names[] = { "a) b", "a) R 1 2 3", "((", "x\ny) S 9", "" };
	struct seen fields;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, names[i], 0, "");
		assert_true(fields_parse(strbuf_str(&s), &fields));
		assert_field(&fields, STAT_MINFLT, 1010);
		assert_field(&fields, STAT_START_TICKS, 1022);
	}
}

static void a_cut_line_keeps_what_it_has(void **state UNUSED)
{
	struct seen fields;

	assert_true(fields_parse("77 (x) S 4 5 6 7 8 9 10 11 12", &fields));
	assert_field(&fields, STAT_MINFLT, 10);
	assert_field(&fields, STAT_MAJFLT, 12);
	assert_int_equal(fields.known, 1 << STAT_MINFLT | 1 << STAT_MAJFLT);
	assert_true(fields_parse("77 (x)", &fields));
	assert_int_equal(fields.known, 0);
}

static void stat_fields_after_a_newline_are_ignored(void **state UNUSED)
{
	struct seen fields;

	assert_true(fields_parse("77 (x) S 4 5 6 7 8 9 10\n11 12\n", &fields));
	assert_int_equal(fields.known, 1 << STAT_MINFLT);
}

static void stat_without_a_bracket_is_refused(void **state UNUSED)
{
	struct seen fields;

	assert_false(fields_parse("", &fields));
	assert_false(fields_parse("77 x S 4 5 6 7 8 9 10", &fields));
	assert_int_equal(fields.known, 0);
}

static void a_bad_field_is_absent_and_the_others_stay(void **state UNUSED)
{
	static const struct {
		int number;
		unsigned int field;
		const char *value;
	} bad[] = {
		{ 10, STAT_MINFLT, "-1" },
		{ 10, STAT_MINFLT, "18446744073709551616" },
		{ 22, STAT_START_TICKS, "0x10" },
		{ 18, STAT_PRIORITY, "2147483648" },
		{ 19, STAT_NICE, "-" },
		{ 19, STAT_NICE, "-2147483649" },
		{ 40, STAT_RT_PRIORITY, "4294967296" },
		{ 41, STAT_POLICY, "fifo" },
	};
	struct seen fields;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		line_with(&s, "x", bad[i].number, bad[i].value);
		assert_true(fields_parse(strbuf_str(&s), &fields));
		assert_false(knows(&fields, bad[i].field));
		assert_int_equal(__builtin_popcountll(fields.known), N_STAT_FIELDS - 1);
	}
}

static void signed_fields_may_be_negative(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf nice = STRBUF_INIT, priority = STRBUF_INIT;
	struct seen fields;

	line_with(&nice, "x", 19, "-20");
	assert_true(fields_parse(strbuf_str(&nice), &fields));
	assert_field(&fields, STAT_NICE, (int64_t)-20);
	line_with(&priority, "x", 18, "-2147483648");
	assert_true(fields_parse(strbuf_str(&priority), &fields));
	assert_field(&fields, STAT_PRIORITY, (int64_t)INT32_MIN);
}

static void each_schedstat_number_is_known_separately(void **state UNUSED)
{
	static const char whole[] = "123456789 42 7\n", half[] = "1 x 3", more[] = "1 2\n3\n";
	struct seen fields;

	assert_true(numbers_parse(whole, &fields));
	assert_field(&fields, SCHEDSTAT_RUN_NS, 123456789);
	assert_field(&fields, SCHEDSTAT_WAIT_NS, 42);
	assert_field(&fields, SCHEDSTAT_TIMESLICES, 7);
	assert_true(numbers_parse(half, &fields));
	assert_false(knows(&fields, SCHEDSTAT_WAIT_NS));
	assert_field(&fields, SCHEDSTAT_TIMESLICES, 3);
	assert_true(numbers_parse(more, &fields));
	assert_false(knows(&fields, SCHEDSTAT_TIMESLICES));
	assert_false(numbers_parse("", &fields));
	assert_false(numbers_parse("x y z\n", &fields));
}

enum {
	IO_RCHAR,
	IO_WCHAR,
	IO_SYSCR,
	IO_SYSCW,
	IO_READ_BYTES,
	IO_WRITE_BYTES,
	IO_CANCELLED_WRITE_BYTES,
	N_IO_FIELDS,
};

static bool io_parse(const char *text, struct seen *ret)
{
	struct file file = {
		.at = {
			{ .key = "rchar" },
			{ .key = "wchar" },
			{ .key = "syscr" },
			{ .key = "syscw" },
			{ .key = "read_bytes" },
			{ .key = "write_bytes" },
			{ .key = "cancelled_write_bytes" },
		},
		.n = N_IO_FIELDS,
	};

	return read_fields(text, &file, ret, procfs_lines_fields);
}

static void the_seven_keys_of_io_are_read(void **state UNUSED)
{
	struct seen fields;

	assert_true(
		io_parse("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
			 "cancelled_write_bytes: 18446744073709551615\nother: 8\n",
			 &fields));
	for (unsigned int i = 0; i < N_IO_FIELDS - 1; i++)
		assert_int_equal(fields.at[i], i + 1);
	assert_true(fields.at[IO_CANCELLED_WRITE_BYTES] == UINT64_MAX);
	assert_int_equal(fields.known, (1 << N_IO_FIELDS) - 1);
}

static void the_last_line_of_a_key_counts(void **state UNUSED)
{
	struct seen fields;

	assert_true(io_parse("rchar: 1\nrchar: 9\nwchar: 5\nwchar: -1\n", &fields));
	assert_int_equal(fields.at[IO_RCHAR], 9);
	assert_false(knows(&fields, IO_WCHAR));
}

static void io_file_without_known_keys_is_refused(void **state UNUSED)
{
	struct seen fields;

	assert_false(io_parse("", &fields));
	assert_false(io_parse("rchar 1\nRCHAR: 1\nxrchar: 1\n", &fields));
}

enum {
	STATUS_STATE,
	STATUS_THREADS,
	STATUS_VOLUNTARY_CSW,
	STATUS_NONVOLUNTARY_CSW,
	N_STATUS_FIELDS,
};

struct status {
	struct seen fields;
	struct slice cpus;
};

static bool status_parse(const char *text, struct status *ret)
{
	struct file file = {
		.at = {
			{ .key = "State", .form = PROCFS_FORM_LETTER },
			{ .key = "Threads", .form = PROCFS_FORM_NUMBER },
			{ .key = "voluntary_ctxt_switches", .form = PROCFS_FORM_NUMBER },
			{ .key = "nonvoluntary_ctxt_switches", .form = PROCFS_FORM_NUMBER },
		},
		.n = N_STATUS_FIELDS,
	};
	bool has_cpus;

	ret->cpus = (struct slice){ text, 0 };
	has_cpus = procfs_line_find((struct slice){ text, strlen(text) }, "Cpus_allowed_list",
				    &ret->cpus);
	return read_fields(text, &file, &ret->fields, procfs_lines_fields) || has_cpus;
}

static void the_lines_of_scheduling_are_found(void **state UNUSED)
{
	struct status status;

	assert_true(status_parse(
		"Name:\tsh\nUmask:\t0022\nState:\tD (disk sleep)\nTgid:\t9\nThreads:\t12\n"
		"SigQ:\t0/96349\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n"
		"Mems_allowed_list:\t0\nvoluntary_ctxt_switches:\t150\n"
		"nonvoluntary_ctxt_switches:\t545\n",
		&status));
	assert_int_equal(status.fields.at[STATUS_STATE], 'D');
	assert_int_equal(status.fields.at[STATUS_THREADS], 12);
	assert_int_equal(status.fields.at[STATUS_VOLUNTARY_CSW], 150);
	assert_int_equal(status.fields.at[STATUS_NONVOLUNTARY_CSW], 545);
	assert_int_equal(__builtin_popcountll(status.fields.known), N_STATUS_FIELDS);
	assert_int_equal(status.cpus.n, 3);
	assert_memory_equal(status.cpus.at, "0-1", 3);
}

static void a_name_that_looks_like_a_line_is_a_name(void **state UNUSED)
{
	struct status status;

	/* The kernel writes a newline of a name as two characters. */
	assert_true(status_parse("Name:\tThreads:\t99\\nState: X\nState:\tR\n", &status));
	assert_int_equal(status.fields.at[STATUS_STATE], 'R');
	assert_false(knows(&status.fields, STATUS_THREADS));
}

static void lines_that_are_missing_or_broken_are_absent(void **state UNUSED)
{
	struct status status;

	assert_true(
		status_parse("State:\n  Threads : 4\nvoluntary_ctxt_switches:\tmany\n", &status));
	assert_int_equal(status.fields.known, 1 << STATUS_THREADS);
	assert_int_equal(status.cpus.n, 0);
	assert_false(status_parse("", &status));
	assert_false(status_parse("Name:\tx\nState\nTotal: 4\n", &status));
}

static void a_status_file_of_the_cpu_list_alone_is_accepted(void **state UNUSED)
{
	struct status status;

	assert_true(status_parse("Cpus_allowed_list:\t5\n", &status));
	assert_int_equal(status.cpus.n, 1);
}

/* SCHED(id, key behind its last dot, form) */
#define SCHED_FIELDS(X)                                                         \
	X(NR_WAKEUPS, "nr_wakeups", NUMBER)                                     \
	X(NR_WAKEUPS_LOCAL, "nr_wakeups_local", NUMBER)                         \
	X(NR_WAKEUPS_REMOTE, "nr_wakeups_remote", NUMBER)                       \
	X(NR_WAKEUPS_SYNC, "nr_wakeups_sync", NUMBER)                           \
	X(NR_WAKEUPS_MIGRATE, "nr_wakeups_migrate", NUMBER)                     \
	X(NR_WAKEUPS_AFFINE, "nr_wakeups_affine", NUMBER)                       \
	X(NR_WAKEUPS_AFFINE_ATTEMPTS, "nr_wakeups_affine_attempts", NUMBER)     \
	X(NR_MIGRATIONS, "nr_migrations", NUMBER)                               \
	X(NR_FORCED_MIGRATIONS, "nr_forced_migrations", NUMBER)                 \
	X(NR_FAILED_MIGRATIONS_AFFINE, "nr_failed_migrations_affine", NUMBER)   \
	X(NR_FAILED_MIGRATIONS_RUNNING, "nr_failed_migrations_running", NUMBER) \
	X(NR_FAILED_MIGRATIONS_HOT, "nr_failed_migrations_hot", NUMBER)         \
	X(WAIT_SUM_NS, "wait_sum", TIME)                                        \
	X(WAIT_COUNT, "wait_count", NUMBER)                                     \
	X(WAIT_MAX_NS, "wait_max", TIME)                                        \
	X(SLEEP_SUM_NS, "sum_sleep_runtime", TIME)                              \
	X(SLEEP_MAX_NS, "sleep_max", TIME)                                      \
	X(BLOCK_SUM_NS, "sum_block_runtime", TIME)                              \
	X(BLOCK_MAX_NS, "block_max", TIME)                                      \
	X(IOWAIT_SUM_NS, "iowait_sum", TIME)                                    \
	X(IOWAIT_COUNT, "iowait_count", NUMBER)                                 \
	X(EXEC_MAX_NS, "exec_max", TIME)                                        \
	X(SLICE_MAX_NS, "slice_max", TIME)                                      \
	X(CORE_FORCEIDLE_SUM_NS, "core_forceidle_sum", TIME)                    \
	X(FAIR_SLICE_NS, "slice", NUMBER)

#define ENUM_(id, key, form) SCHED_##id,
enum { SCHED_FIELDS(ENUM_) SCHED_EXT_ENABLED, N_SCHED_FIELDS };
#undef ENUM_

static bool sched_parse(const char *text, struct seen *ret)
{
	struct file file = {
		.at = {
#define ROW_(id, key_, form_) { .key = (key_), .form = PROCFS_FORM_##form_ },
			SCHED_FIELDS(ROW_)
#undef ROW_
			{ .key = "ext.enabled", .form = PROCFS_FORM_FLAG },
		},
		.n = N_SCHED_FIELDS,
	};

	return read_fields(text, &file, ret, procfs_sched_fields);
}

static enum procfs_dotted_time dotted(const char *text, uint64_t *ret)
{
	return procfs_dotted_time_parse((struct slice){ text, strlen(text) }, ret);
}

static void sched_times_are_read_as_milliseconds_or_nanoseconds(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "12.345678", 12345678 },
		{ "5000.25", UINT64_C(5000250000) },
		{ "7.999", 7999000 },
		{ "0.000001", 1 },
		{ "7.", 7000000 },
		{ "15", 15 },
		{ " 3.5 ", 3500000 },
		{ "1.23456789", 1234567 },
		{ "18446744073709.551615", UINT64_MAX },
	};
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(dotted(good[i].text, &ns), PROCFS_DOTTED_TIME_OK);
		assert_true(ns == good[i].ns);
	}
}

static void negative_times_differ_from_malformed_ones(void **state UNUSED)
{
	static const char *const negative[] = { "-5.000000", "0.-000500", "-7", " -1.5", "-x" };
	static const char *const bad[] = { "abc",
					   "",
					   ".",
					   ".5",
					   "1.x",
					   "1 2",
					   "1.5-",
					   "+1.0",
					   "18446744073709.551616",
					   "18446744073709551616" };
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(negative); i++)
		assert_int_equal(dotted(negative[i], &ns), PROCFS_DOTTED_TIME_NEGATIVE);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(dotted(bad[i], &ns), PROCFS_DOTTED_TIME_BAD);
}

/* Every key in three ways of writing it, with a value that names its place. */
static void sched_keys_are_matched_after_their_last_dot(void **state UNUSED)
{
	static const char *const prefixes[] = { "", "se.", "se.statistics." };
	static const struct {
		const char *key, *form;
		unsigned int field;
	} keys[] = {
#define ROW(id, key_, form_) { key_, #form_, SCHED_##id },
		SCHED_FIELDS(ROW)
#undef ROW
	};

	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
		struct seen sched;

		strbuf_append(&s, "x (1, #threads: 1)\n" RULE);
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
			strbuf_appendf(&s, "%s%-40s :  %u%s\n", prefixes[p], keys[i].key, i + 1,
				       strcmp(keys[i].form, "TIME") == 0 ? ".000007" : "");
		strbuf_append(&s, "ext.enabled : 1\n");
		assert_true(sched_parse(strbuf_str(&s), &sched));
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++) {
			uint64_t wanted = i + 1;

			if (strcmp(keys[i].form, "TIME") == 0)
				wanted = wanted * 1000000 + 7;
			assert_true(knows(&sched, keys[i].field));
			assert_true(sched.at[keys[i].field] == wanted);
		}
		assert_true(knows(&sched, SCHED_EXT_ENABLED));
		assert_int_equal(sched.negative_times, 0);
	}
}

static void sched_keys_are_matched_as_whole_names(void **state UNUSED)
{
	struct seen sched;

	assert_false(sched_parse("my_wait_max : 1.0\nwait_maximum : 2.0\nsleep_count : 3\n"
				 "nr_wakeups_idle : 4\nenabled : 5\nno colon\n",
				 &sched));
	assert_int_equal(sched.known, 0);
}

static void ext_enabled_is_read_as_a_flag(void **state UNUSED)
{
	struct seen sched;

	assert_true(sched_parse("ext.enabled : 0\n", &sched));
	assert_int_equal(sched.at[SCHED_EXT_ENABLED], 0);
	assert_true(sched_parse("ext.enabled : 5\n", &sched));
	assert_int_equal(sched.at[SCHED_EXT_ENABLED], 1);
	assert_false(sched_parse("ext.enabled : yes\nse.ext.enabled : 1\n", &sched));
}

static void negative_times_are_counted_and_not_known(void **state UNUSED)
{
	struct seen sched;

	assert_true(sched_parse("wait_sum : -5.000000\nwait_max : 0.-000500\nblock_max : abc\n"
				"exec_max : 1.000000\n",
				&sched));
	assert_int_equal(sched.negative_times, 2);
	assert_int_equal(sched.known, 1 << SCHED_EXEC_MAX_NS);
}

static void a_thread_cannot_write_lines_by_its_name(void **state UNUSED)
{
	struct seen sched;

	assert_true(sched_parse("\nwait_max : 9\n (7, #threads: 1)\n" RULE "nr_migrations : 3\n",
				&sched));
	assert_int_equal(sched.known, 1 << SCHED_NR_MIGRATIONS);
	/* As long a rule as a name can hold is none. */
	assert_true(sched_parse("---------------\nwait_max : 1.0\n" RULE "nr_migrations : 3\n",
				&sched));
	assert_int_equal(sched.known, 1 << SCHED_NR_MIGRATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_may_hold_brackets_and_spaces),
		cmocka_unit_test(name_may_hold_a_newline),
		cmocka_unit_test(stat_fields_end_at_the_newline),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(a_task_of_a_container_has_a_number_per_namespace),
		cmocka_unit_test(a_name_that_looks_like_the_line_is_not_the_line),
		cmocka_unit_test(no_line_is_absent),
		cmocka_unit_test(a_broken_line_is_refused),
		cmocka_unit_test(our_own_line_ends_with_our_pid),
		cmocka_unit_test(a_single_pid_is_read_by_its_name),
		cmocka_unit_test(three_numbers_are_read_in_the_order_of_the_kernel),
		cmocka_unit_test(malformed_numbers_are_refused),
		cmocka_unit_test(the_line_of_v2_is_found_among_those_of_v1),
		cmocka_unit_test(a_cgroup_file_without_a_v2_line_has_no_path),
		cmocka_unit_test(every_field_is_where_proc_5_says),
		cmocka_unit_test(a_name_may_hold_brackets_blanks_and_lines),
		cmocka_unit_test(a_cut_line_keeps_what_it_has),
		cmocka_unit_test(stat_fields_after_a_newline_are_ignored),
		cmocka_unit_test(stat_without_a_bracket_is_refused),
		cmocka_unit_test(a_bad_field_is_absent_and_the_others_stay),
		cmocka_unit_test(signed_fields_may_be_negative),
		cmocka_unit_test(each_schedstat_number_is_known_separately),
		cmocka_unit_test(the_seven_keys_of_io_are_read),
		cmocka_unit_test(the_last_line_of_a_key_counts),
		cmocka_unit_test(io_file_without_known_keys_is_refused),
		cmocka_unit_test(the_lines_of_scheduling_are_found),
		cmocka_unit_test(a_name_that_looks_like_a_line_is_a_name),
		cmocka_unit_test(lines_that_are_missing_or_broken_are_absent),
		cmocka_unit_test(a_status_file_of_the_cpu_list_alone_is_accepted),
		cmocka_unit_test(sched_times_are_read_as_milliseconds_or_nanoseconds),
		cmocka_unit_test(negative_times_differ_from_malformed_ones),
		cmocka_unit_test(sched_keys_are_matched_after_their_last_dot),
		cmocka_unit_test(sched_keys_are_matched_as_whole_names),
		cmocka_unit_test(ext_enabled_is_read_as_a_flag),
		cmocka_unit_test(negative_times_are_counted_and_not_known),
		cmocka_unit_test(a_thread_cannot_write_lines_by_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
