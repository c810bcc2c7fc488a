// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "base/io.h"
#include "unit.h"

static struct procfs_taskstats_values all_values(void)
{
	struct procfs_taskstats_values v = { .version = 16,
					     .hiwater_rss_bytes = { true, false, 9000 },
					     .hiwater_vm_bytes = { true, false, 9001 } };

	for (unsigned int i = 0; i < PROCFS_N_TASKSTATS_DELAYS; i++) {
		v.delays[i].count = (struct procfs_reading){ true, false, 10 * i + 1 };
		v.delays[i].total_ns = (struct procfs_reading){ true, false, 10 * i + 2 };
		v.delays[i].max_ns = (struct procfs_reading){ true, false, 10 * i + 3 };
		v.delays[i].min_ns = (struct procfs_reading){ true, false, 10 * i + 4 };
	}
	return v;
}

static void values_have_the_names_of_the_registry(void **state UNUSED)
{
	static const char *const words[] = { "cpu",	  "blkio",   "swapin", "freepages",
					     "thrashing", "compact", "wpcopy", "irq" };
	static const char *const parts[] = { "count", "total_ns", "max_ns", "min_ns" };
	struct procfs_taskstats_values v = all_values();
	struct metric_thread_sample sample = { 0 };

	ctprof_delays_fill(&sample, &v, CTPROF_DELAY_SOURCES);
	assert_int_equal(sample.sources, CTPROF_DELAY_SOURCES);
	for (unsigned int i = 0; i < 8; i++) {
		for (unsigned int p = 0; p < 4; p++) {
			char name[64];
			enum metric_id id;

			snprintf(name, sizeof(name), "%s_delay_%s", words[i], parts[p]);
			assert_true(metric_find(name, &id));
			assert_true(metric_sample_knows(&sample, id));
			assert_true(sample.values[id] == 10 * i + p + 1);
		}
	}
	assert_true(sample.values[METRIC_HIWATER_RSS_BYTES] == 9000);
	assert_true(sample.values[METRIC_HIWATER_VM_BYTES] == 9001);
}

static void only_the_sources_asked_for_are_set(void **state UNUSED)
{
	struct procfs_taskstats_values v = all_values();
	struct metric_thread_sample sample = { 0 };

	v.delays[PROCFS_TASKSTATS_CPU].max_ns = (struct procfs_reading){ 0 };
	ctprof_delays_fill(&sample, &v, METRIC_SOURCE_BIT(DELAY_CPU));
	assert_true(metric_sample_knows(&sample, METRIC_CPU_DELAY_COUNT));
	assert_false(metric_sample_knows(&sample, METRIC_CPU_DELAY_MAX_NS));
	assert_false(metric_sample_knows(&sample, METRIC_BLKIO_DELAY_COUNT));
	assert_false(metric_sample_knows(&sample, METRIC_HIWATER_RSS_BYTES));
	assert_int_equal(sample.sources, METRIC_SOURCE_BIT(DELAY_CPU));
	ctprof_delays_fill(&sample, &v, METRIC_SOURCE_BIT(DELAY_BLOCK));
	assert_true(metric_sample_knows(&sample, METRIC_IRQ_DELAY_MIN_NS));
	assert_false(metric_sample_knows(&sample, METRIC_HIWATER_RSS_BYTES));
}

static void delays_the_kernel_does_not_keep_have_a_reason(void **state UNUSED)
{
	struct host_accounting a = { HOST_DELAYACCT_RUNTIME_OFF, HOST_XACCT_ON };

	assert_int_equal(ctprof_delays_kept(&a),
			 METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(XACCT));
	assert_int_equal(ctprof_delays_reason(METRIC_SOURCE_DELAY_BLOCK, &a),
			 CTPROF_SNAPSHOT_REASON_SWITCHED_OFF);
	a = (struct host_accounting){ HOST_DELAYACCT_CONFIG_OFF, HOST_XACCT_OFF };
	assert_int_equal(ctprof_delays_kept(&a), 0);
	assert_int_equal(ctprof_delays_reason(METRIC_SOURCE_DELAY_BLOCK, &a),
			 CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE);
	assert_int_equal(ctprof_delays_reason(METRIC_SOURCE_XACCT, &a),
			 CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE);
	a = (struct host_accounting){ HOST_DELAYACCT_ON, HOST_XACCT_UNKNOWN };
	assert_int_equal(ctprof_delays_kept(&a), CTPROF_DELAY_SOURCES);
	a = (struct host_accounting){ HOST_DELAYACCT_UNKNOWN, HOST_XACCT_UNKNOWN };
	assert_int_equal(ctprof_delays_reason(METRIC_SOURCE_DELAY_BLOCK, &a),
			 CTPROF_SNAPSHOT_REASON_OTHER);
}

static uint64_t reasons_of(const struct ctprof_snapshot *s, enum metric_source source)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < CTPROF_N_REASONS; i++)
		sum += s->reasons[source][i];
	return sum;
}

static uint64_t holders_of(const struct ctprof_snapshot *s, enum metric_source source)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->threads.n; i++)
		sum += s->threads.at[i].sources >> source & 1;
	return sum;
}

static void add_thread(struct ctprof_snapshot *s, uint32_t tgid, uint32_t tid)
{
	vec_push(&s->threads, (struct metric_thread_sample){ .tid = tid, .tgid = tgid });
}

/* Every thread either has a source or is counted under one reason for not having it. */
static void check_honesty(const struct ctprof_snapshot *s)
{
	for (unsigned int i = METRIC_SOURCE_DELAY_CPU; i <= METRIC_SOURCE_XACCT; i++)
		assert_true(reasons_of(s, i) + holders_of(s, i) == s->threads.n);
}

static bool is_live(void)
{
	struct procfs_taskstats_client client;
	_cleanup_error_ struct error *err = procfs_taskstats_open(&client);
	struct procfs_taskstats_answer answer = { 0 };
	uint32_t us = (uint32_t)getpid();

	if (err)
		return false;
	procfs_taskstats_ask(&client, &us, 1, &answer);
	procfs_taskstats_close(&client);
	return answer.ok;
}

static uint64_t own_peak_kib(const char *key)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	unsigned long long value;

	assert_success(io_read_file("/proc/self/status", 65536, &text));
	assert_int_equal(sscanf(strstr(text.at, key) + strlen(key), " %llu", &value), 1);
	return value;
}

static void live_threads_are_asked_and_counted(void **state UNUSED)
{
	enum { COPIES = 300 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	uint32_t us = (uint32_t)getpid();
	struct host_accounting accounting;
	bool live = is_live();

	skip_unless(live, "no taskstats in this kernel, or not for us");
	host_accounting_read("", &accounting);
	for (unsigned int jobs = 1; jobs <= 4; jobs += 3) {
		struct ctprof_options options = {
			.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = jobs
		};

		ctprof_snapshot_init(&s);
		for (int i = 0; i < COPIES; i++)
			add_thread(&s, us, us);
		add_thread(&s, us, 0x3ffffff); /* nobody */
		add_thread(&s, 0x3ffffff, us); /* the number is another's by now */
		add_thread(&s, us, us);
		/* BPF has answered for it. */
		s.threads.at[COPIES + 2].sources = CTPROF_DELAY_SOURCES;
		s.threads.at[COPIES + 2].taskstats_ok = true;
		ctprof_read_delays(&options, &s);
		assert_true(s.taskstats.known);
		assert_true(s.taskstats.ok == COPIES + 1 && s.taskstats.esrch == 2);
		assert_true(s.taskstats.eperm == 0 && s.taskstats.other == 0);
		check_honesty(&s);
		assert_true(s.reasons[METRIC_SOURCE_XACCT][CTPROF_SNAPSHOT_REASON_VANISHED] ==
			    (ctprof_delays_kept(&accounting) & METRIC_SOURCE_BIT(XACCT) ? 2 : 0));
		assert_false(
			metric_sample_knows(&s.threads.at[COPIES + 1], METRIC_HIWATER_RSS_BYTES));
		assert_false(
			metric_sample_knows(&s.threads.at[COPIES + 2], METRIC_HIWATER_RSS_BYTES));
		if (ctprof_delays_kept(&accounting) & METRIC_SOURCE_BIT(XACCT)) {
			assert_int_equal(s.paths[METRIC_SOURCE_XACCT],
					 CTPROF_SNAPSHOT_PATH_NETLINK);
			assert_true(s.threads.at[0].values[METRIC_HIWATER_VM_BYTES] <=
				    own_peak_kib("VmPeak:") * 1024);
			assert_true(s.threads.at[0].values[METRIC_HIWATER_VM_BYTES] >= 1 << 20);
		}
		if (accounting.delayacct != HOST_DELAYACCT_ON) {
			assert_int_equal(s.paths[METRIC_SOURCE_DELAY_BLOCK],
					 CTPROF_SNAPSHOT_PATH_NONE);
			assert_false(metric_sample_knows(&s.threads.at[0], METRIC_IRQ_DELAY_COUNT));
		}
		ctprof_snapshot_deinit(&s);
	}
	ctprof_snapshot_init(&s);
}

/* taskstats has an answer, 0, and it would be a lie. */
static void delays_marked_uncounted_are_not_queried(void **state UNUSED)
{
	const struct ctprof_options options = {
		.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = 1
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	uint32_t us = (uint32_t)getpid();

	ctprof_snapshot_init(&s);
	s.has_host = true;
	s.host.accounting = (struct host_accounting){ HOST_DELAYACCT_ON, HOST_XACCT_ON };
	add_thread(&s, us, us);
	s.threads.at[0].sources = METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(XACCT);
	s.threads.at[0].uncounted = METRIC_SOURCE_BIT(DELAY_BLOCK);
	s.threads.at[0].taskstats_ok = true;
	s.paths[METRIC_SOURCE_DELAY_CPU] = s.paths[METRIC_SOURCE_XACCT] = CTPROF_SNAPSHOT_PATH_BPF;
	ctprof_read_delays(&options, &s);
	/* BPF answered, and nobody asked through netlink. */
	assert_true(s.taskstats.ok == 1 && s.taskstats.eperm == 0);
	assert_int_equal(s.paths[METRIC_SOURCE_DELAY_BLOCK], CTPROF_SNAPSHOT_PATH_NONE);
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_IRQ_DELAY_COUNT));
	assert_int_equal(s.reasons[METRIC_SOURCE_DELAY_BLOCK][CTPROF_SNAPSHOT_REASON_SWITCHED_OFF],
			 1);
	check_honesty(&s);
}

/* Whether the query succeeds does not depend on what the kernel keeps. */
static void taskstats_is_queried_though_delay_accounting_is_off(void **state UNUSED)
{
	const struct ctprof_options options = {
		.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = 1
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	uint32_t us = (uint32_t)getpid();

	ctprof_snapshot_init(&s);
	skip_unless(is_live(), "no taskstats in this kernel, or not for us");
	s.has_host = true;
	s.host.accounting = (struct host_accounting){ HOST_DELAYACCT_CONFIG_OFF, HOST_XACCT_OFF };
	add_thread(&s, us, us);
	add_thread(&s, us, 0x3ffffff); /* nobody */
	ctprof_read_delays(&options, &s);
	assert_true(s.taskstats.ok == 1 && s.taskstats.esrch == 1);
	assert_true(s.threads.at[0].taskstats_ok && !s.threads.at[1].taskstats_ok);
	assert_int_equal(s.threads.at[0].sources, 0);
	assert_int_equal(s.paths[METRIC_SOURCE_XACCT], CTPROF_SNAPSHOT_PATH_NONE);
	assert_int_equal(s.reasons[METRIC_SOURCE_XACCT][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE], 2);
	check_honesty(&s);
}

static void delays_that_were_not_asked_for_have_that_reason(void **state UNUSED)
{
	struct ctprof_options options = { .root = "", .live = true, .jobs = 1 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_thread(&s, 1, 1);
	add_thread(&s, 2, 2);
	ctprof_read_delays(&options, &s);
	assert_false(s.taskstats.known);
	check_honesty(&s);
	/* Threads of a tree of files are not those that the kernel knows by these numbers. */
	memset(s.reasons, 0, sizeof(s.reasons));
	options.live = false;
	options.sources = METRIC_ALL_SOURCES;
	ctprof_read_delays(&options, &s);
	assert_false(s.taskstats.known);
	check_honesty(&s);
	assert_true(s.reasons[METRIC_SOURCE_DELAY_CPU][CTPROF_SNAPSHOT_REASON_NOT_ASKED] == 2);
}

struct outcome {
	struct ctprof_snapshot s;
	_Atomic int ran;
};

/* A thread of its own, whose credentials are its own as well. */
static void *ask_as_nobody(void *arg)
{
	struct outcome *o = arg;
	struct ctprof_options options = {
		.root = "", .live = true, .sources = METRIC_ALL_SOURCES, .jobs = 1
	};

	if (syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
		return NULL;
	ctprof_read_delays(&options, &o->s);
	o->ran = 1;
	return NULL;
}

static void taskstats_without_privilege_counts_every_query_as_eperm(void **state UNUSED)
{
	struct outcome o = { .ran = 0 };
	pthread_t thread;
	bool live = is_live();

	skip_unless(live && getuid() == 0, "only root can stop being root");
	ctprof_snapshot_init(&o.s);
	for (int i = 0; i < 100; i++)
		add_thread(&o.s, (uint32_t)getpid(), (uint32_t)getpid());
	assert_int_equal(pthread_create(&thread, NULL, ask_as_nobody, &o), 0);
	pthread_join(thread, NULL);
	assert_int_equal(o.ran, 1);
	assert_true(o.s.taskstats.eperm == 100 && o.s.taskstats.ok == 0);
	assert_true(o.s.reasons[METRIC_SOURCE_XACCT][CTPROF_SNAPSHOT_REASON_NO_PERMISSION] == 100);
	check_honesty(&o.s);
	ctprof_snapshot_deinit(&o.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_the_names_of_the_registry),
		cmocka_unit_test(only_the_sources_asked_for_are_set),
		cmocka_unit_test(delays_the_kernel_does_not_keep_have_a_reason),
		cmocka_unit_test(live_threads_are_asked_and_counted),
		cmocka_unit_test(delays_marked_uncounted_are_not_queried),
		cmocka_unit_test(taskstats_is_queried_though_delay_accounting_is_off),
		cmocka_unit_test(delays_that_were_not_asked_for_have_that_reason),
		cmocka_unit_test(taskstats_without_privilege_counts_every_query_as_eperm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
