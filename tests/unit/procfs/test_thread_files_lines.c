// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields of io, status and sched, by the key of their line. */
#include "thread_fields.h"

#include "base/strbuf.h"

#define RULE "-------------------------------------------------------------------\n"

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
