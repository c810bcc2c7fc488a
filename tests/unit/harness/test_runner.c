// SPDX-License-Identifier: GPL-2.0-or-later
/* How work is shared out; with tests that need no guest. */
#include "harness/runner.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/session.h"
#include "samples.h"

static char kernel_id[] = "6.1-a", release[] = "6.1.0-cloud", build_id[] = "aa";
static const struct kernel kernel = { .id = kernel_id, .release = release, .build_id = build_id };
static const struct kernel *const kernels[] = { &kernel };

/* Threads that may still be made; all later ones are refused. */
static int threads_left;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
			  void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
			  void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *),
			  void *context)
{
	if (threads_left-- <= 0)
		return EAGAIN;
	return __real_pthread_create(thread, attr, work, context);
}

enum { LONG_MS = 10000 };

/* Jobs that run at this moment, and how many there ever were at once. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t n, most;
	size_t wanted;	      /* each job waits until there were so many; 0: it does not wait */
	unsigned int wait_ms; /* or so long */
} beside = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0 };

void __real_harness_job_run(struct harness_job *job, const struct cancel *cancel);
void __wrap_harness_job_run(struct harness_job *job, const struct cancel *cancel);
void __wrap_harness_job_run(struct harness_job *job, const struct cancel *cancel)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += beside.wait_ms / 1000;
	until.tv_nsec += beside.wait_ms % 1000 * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&beside.lock);
	if (++beside.n > beside.most)
		beside.most = beside.n;
	pthread_cond_broadcast(&beside.changed);
	while (beside.most < beside.wanted &&
	       pthread_cond_timedwait(&beside.changed, &beside.lock, &until) == 0)
		;
	/* One that waited long and in vain speaks for all. */
	if (beside.wait_ms >= LONG_MS)
		beside.wanted = 0;
	pthread_mutex_unlock(&beside.lock);
	__real_harness_job_run(job, cancel);
	pthread_mutex_lock(&beside.lock);
	beside.n--;
	pthread_mutex_unlock(&beside.lock);
}

struct seen {
	bool measures, alone; /* what is run, and how */
	size_t started, skipped, other;
	const char *dir;
	bool keeps_waiting; /* at the first that ended */
	size_t records;	    /* that there were after that */
};

static size_t count_records(const char *dir)
{
	_cleanup_dir_ DIR *d = opendir(dir);
	size_t n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	return n;
}

static void on_started(void *context, size_t index UNUSED,
		       const struct harness_variant *variant UNUSED)
{
	((struct seen *)context)->started++;
}

static void on_progress(void *context UNUSED, size_t index UNUSED, const char *what UNUSED)
{
}

static void on_finished(void *context, size_t index UNUSED, const struct result_outcome *outcome)
{
	struct seen *seen = context;

	if (outcome->reason == KTSTR_REASON_NEEDS_TOPOLOGY)
		seen->skipped++;
	else
		seen->other++;
	if (seen->keeps_waiting && seen->records == 0) {
		usleep(300000);
		seen->records = count_records(seen->dir);
	}
}

static void on_tick(void *context UNUSED)
{
}

static const struct harness_test_files *files_of(const void *context,
						 const struct exchange_declared_test *test UNUSED)
{
	return context;
}

enum { REPEATS = 20 };

/* A test that this machine is too small for, twenty times. */
static struct error *run(unsigned int jobs, unsigned int ahead, int threads, struct seen *seen)
{
	char name[] = "suite", path[] = "/x/suite", dir[] = "/tmp/ktstr-runner-XXXXXX";
	struct harness_test_file binary = { .name = name, .path = path };
	struct harness_test_files files = { .at = &binary, .n = 1 };
	struct exchange_declared_suite suite = sample_suite(path,
							    SAMPLE_LISTING(SAMPLE_PLAIN("alone")));
	const struct harness_plan_options options = { .kernels = kernels,
						      .n_kernels = 1,
						      .repeat = REPEATS };
	const struct harness_runner_events events = { on_started, on_progress, on_finished, on_tick,
						      seen };
	struct harness_runner_options how = { .dir = mkdtemp(dir),
					      .jobs = jobs,
					      .ahead = ahead,
					      .alone = seen->alone,
					      .files_of = files_of,
					      .files_context = &files };
	_cleanup_free_ char *remove = xasprintf("rm -r %s", dir);
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };
	struct cancel cancel = { 0 };
	struct error *err;

	*seen = (struct seen){ .dir = dir,
			       .keeps_waiting = seen->keeps_waiting,
			       .measures = seen->measures,
			       .alone = seen->alone };
	suite.tests.at[0].needs.min_cpus = 1000;
	suite.tests.at[0].checks.max_gap_ms.set = seen->measures;
	assert_success(harness_plan_make(&suite, 1, &options, &plan));
	threads_left = threads;
	err = harness_runner_run(&plan, &how, &events, &cancel);
	threads_left = 0;
	assert_int_equal(system(remove), 0);
	harness_plan_deinit(&plan);
	plan = (struct harness_plan){ 0 };
	exchange_declared_suite_deinit(&suite);
	return err;
}

static void every_variant_is_run_once_however_many_threads_there_are(void **state UNUSED)
{
	static const unsigned int counts[] = { 0, 1, 2, 5 };
	struct seen seen = { 0 };

	for (size_t i = 1; i < ARRAY_SIZE(counts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(counts); j++) {
			assert_success(run(counts[i], counts[j], 1000, &seen));
			assert_int_equal(seen.started, REPEATS);
			assert_int_equal(seen.skipped, REPEATS);
			assert_int_equal(seen.other, 0);
		}
	}
}

static void all_jobs_run_though_threads_cannot_be_created(void **state UNUSED)
{
	struct seen seen = { 0 };

	for (int threads = 1; threads < 6; threads++) {
		assert_success(run(3, 3, threads, &seen));
		assert_int_equal(seen.skipped, REPEATS);
	}
}

static void jobs_stop_while_results_are_not_taken(void **state UNUSED)
{
	struct seen seen = { .keeps_waiting = true };

	assert_success(run(1, 1, 1000, &seen));
	assert_int_equal(seen.skipped, REPEATS);
	assert_true(seen.records > 0 && seen.records < REPEATS / 2);
}

/* How many ran at once: until two do, or for so long. */
static size_t most_at_once(bool measures, bool alone, unsigned int ahead, unsigned int wait_ms)
{
	struct seen seen = { .measures = measures, .alone = alone };

	beside.most = 0;
	beside.wanted = 2;
	beside.wait_ms = wait_ms;
	assert_success(run(2, ahead, 1000, &seen));
	assert_int_equal(seen.skipped, REPEATS);
	beside.wanted = 0;
	return beside.most;
}

static void two_jobs_run_at_once_unless_they_measure_alone(void **state UNUSED)
{
	for (unsigned int ahead = 0; ahead < 2; ahead++) {
		assert_int_equal(most_at_once(true, false, ahead, LONG_MS), 2);
		assert_int_equal(most_at_once(false, true, ahead, LONG_MS), 2);
	}
}

static void measuring_jobs_run_one_at_a_time_when_alone(void **state UNUSED)
{
	for (unsigned int ahead = 0; ahead < 2; ahead++)
		assert_int_equal(most_at_once(true, true, ahead, 5), 1);
}

static void without_any_thread_nothing_is_begun(void **state UNUSED)
{
	struct seen seen = { 0 };

	assert_error_tag(run(2, 2, 0, &seen), "io");
	assert_int_equal(seen.started + seen.skipped + seen.other, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_is_run_once_however_many_threads_there_are),
		cmocka_unit_test(all_jobs_run_though_threads_cannot_be_created),
		cmocka_unit_test(jobs_stop_while_results_are_not_taken),
		cmocka_unit_test(without_any_thread_nothing_is_begun),
		cmocka_unit_test(two_jobs_run_at_once_unless_they_measure_alone),
		cmocka_unit_test(measuring_jobs_run_one_at_a_time_when_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
