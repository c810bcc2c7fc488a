// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/job.h"

#include "json/doc.h"
#include "told.h"

typedef void write_fn(void *context, struct json_writer *w);

/* One object with what `write` adds; the run takes the report of `t`. */
static struct json_doc *written(write_fn *write, const struct told *t)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct harness_guest_run run = { .report = t->report };
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);
	struct json_doc *doc = NULL;

	json_begin_object(&w);
	write(&run, &w);
	json_end_object(&w);
	assert_success(json_doc_parse(strbuf_str(&text), text.n, "facts", &doc));
	return doc;
}

static const struct json_value *first_of(const struct json_doc *doc, const char *list)
{
	struct json_iter it = json_iter_over(json_find(json_doc_root(doc), list));

	assert_true(json_iter_next(&it));
	return it.value;
}

static uint64_t number_of(const struct json_value *object, const char *name)
{
	uint64_t value = 0;

	assert_true(json_get_u64(json_find(object, name), &value));
	return value;
}

static void prepare(struct told *t)
{
	told_init(t);
	told_made(t, "left", 0, 1);
	told_worker(t, "left")->max_gap_ns = 5000000;
	told_worker(t, "left")->max_gap_ns = 9000000;
	t->report.workers.at[0].has_gap_cpu = true;
	t->report.workers.at[0].gap_cpu = 1;
}

static void an_unknown_gap_cpu_is_left_out(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL, *facts = NULL;
	struct json_iter it;

	prepare(&t);
	stats = written(harness_job_facts_write_stats, &t);
	facts = written(harness_job_facts_write, &t);
	assert_int_equal(number_of(first_of(stats, "cgroups"), "max_gap_ms"), 9);
	assert_null(json_find(first_of(stats, "cgroups"), "max_gap_cpu"));
	it = json_iter_over(json_find(json_doc_root(facts), "workers"));
	assert_true(json_iter_next(&it));
	assert_int_equal(number_of(it.value, "gap_cpu"), 1);
	assert_true(json_iter_next(&it));
	assert_null(json_find(it.value, "gap_cpu"));
}

static void the_cpu_of_the_longest_gap_is_written(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL;

	prepare(&t);
	t.report.workers.at[0].max_gap_ns = 11000000;
	stats = written(harness_job_facts_write_stats, &t);
	assert_int_equal(number_of(first_of(stats, "cgroups"), "max_gap_ms"), 11);
	assert_int_equal(number_of(first_of(stats, "cgroups"), "max_gap_cpu"), 1);
	assert_int_equal(number_of(json_doc_root(stats), "worst_gap_ms"), 11);
	assert_int_equal(number_of(json_doc_root(stats), "total_workers"), 2);
}

static void a_worker_has_its_progress_in_the_record(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *facts = NULL;
	const struct json_value *worker;

	prepare(&t);
	t.report.workers.at[0].stall_ns = 123;
	topo_cpuset_add(&t.report.workers.at[0].outside, 3);
	t.report.workers.at[1].has_outside = false;
	facts = written(harness_job_facts_write, &t);
	worker = first_of(facts, "workers");
	assert_int_equal(number_of(worker, "units"), 70);
	assert_int_equal(number_of(worker, "iterations"), 7);
	assert_int_equal(number_of(worker, "stall_ns"), 123);
	assert_true(json_text_is(json_string(json_find(worker, "outside")), "3"));
	assert_true(json_text_is(json_string(json_find(worker, "cpus")), "0-1"));
}

static void statistics_without_workers_are_absent(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL;
	const struct json_value *cgroup;

	told_init(&t);
	told_made(&t, "left", 0, 1);
	stats = written(harness_job_facts_write_stats, &t);
	cgroup = first_of(stats, "cgroups");
	assert_int_equal(number_of(cgroup, "num_workers"), 0);
	assert_null(json_find(cgroup, "max_gap_ms"));
	assert_null(json_find(json_doc_root(stats), "worst_gap_ms"));
}

#define STATS_TEXT                                                                   \
	"{\"cgroups\":[{\"name\":\"left\",\"num_workers\":2,\"num_cpus\":2,"         \
	"\"spread\":50.0,\"max_gap_ms\":5,\"max_gap_cpu\":0,\"total_migrations\":0," \
	"\"total_iterations\":14}],\"total_workers\":2,\"total_iterations\":14,"     \
	"\"total_migrations\":0,\"worst_gap_ms\":5,\"worst_spread\":50.0}"
#define FACTS_TEXT                                                                         \
	"{\"time_limit_ms\":30000,\"slowness\":1.5,\"guest_idle\":{\"waited_ms\":112,"     \
	"\"idle_ms\":45,\"cpu\":3,\"busy_pct\":2.5},\"stage_reached\":\"setup\","          \
	"\"cgroups\":[{\"name\":\"left\",\"cpus\":\"0-1\"}],"                              \
	"\"workers\":[{\"cgroup\":\"left\",\"kind\":\"spin\",\"pid\":50,"                  \
	"\"end\":\"finished\",\"iterations\":7,\"units\":70,\"cpu_ns\":1000000000,"        \
	"\"wall_ns\":5000000000,\"sleep_ns\":0,\"run_delay_ns\":0,\"migrations\":0,"       \
	"\"samples\":100,\"max_gap_ns\":5999999,\"gap_at_ns\":0,\"gap_cpu\":0,"            \
	"\"stall_ns\":0,\"cpus\":\"0-1\",\"outside\":\"\",\"ext_samples\":3,"              \
	"\"other_samples\":0,\"ext_ns\":900000000,\"other_ns\":0},{\"cgroup\":\"left\","   \
	"\"kind\":\"spin\",\"pid\":51,\"end\":\"finished\",\"iterations\":7,\"units\":70," \
	"\"cpu_ns\":500000000,\"wall_ns\":5000000000,\"sleep_ns\":0,\"migrations\":0,"     \
	"\"samples\":100,\"max_gap_ns\":0,\"gap_at_ns\":0,\"stall_ns\":0,"                 \
	"\"cpus\":\"0-1\",\"outside\":\"\"}],\"payloads\":[{\"name\":\"p\",\"pid\":7,"     \
	"\"ended\":true,\"exit_code\":-9,\"timed_out\":false,\"by_cleanup\":false,"        \
	"\"wall_ms\":12,\"stdout_bytes\":0,\"stderr_bytes\":0,\"dropped_bytes\":0},"       \
	"{\"name\":\"q\",\"pid\":8,\"ended\":false}],\"scheduler_run\":{\"started\":true," \
	"\"attached\":true,\"pid\":9,\"attach_ms\":4,\"ops\":\"ops\",\"end\":\"stopped\"," \
	"\"asked\":true,\"restarts\":0}}"

static char *text_of(write_fn *write, const struct harness_guest_run *run)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	json_begin_object(&w);
	write((void *)(uintptr_t)run, &w);
	json_end_object(&w);
	return strbuf_take(&text);
}

/* A program that ended and one that did not, a worker, and a scheduler with all there is. */
static struct harness_guest_run run_with_everything(struct told *t)
{
	struct harness_guest_run run = {
		.limit_ns = 30000000000,
		.slowness = 1.5,
		.settled = { true, 112999999, 45000000, 3, 25 },
	};
	struct exchange_worker *worker;

	told_init(t);
	told_made(t, "left", 0, 1);
	worker = told_worker(t, "left");
	worker->has_run_delay = worker->has_gap_cpu = worker->has_class = true;
	worker->max_gap_ns = 5999999;
	worker->ext_samples = 3;
	told_worker(t, "left")->cpu_ns = 500000000;
	vec_push(&t->report.payloads, (struct exchange_payload){ .name = xstrdup("p"),
								 .pid = 7,
								 .ended = true,
								 .exit_code = -9,
								 .wall_ms = 12 });
	vec_push(&t->report.payloads, (struct exchange_payload){ .name = xstrdup("q"), .pid = 8 });
	t->report.scheduler = (struct exchange_scheduler){
		.started = true,
		.attached = true,
		.ended = true,
		.pid = 9,
		.ops = xstrdup("ops"),
		.attach_ms = 4,
		.end = xstrdup("stopped"),
		.asked = true,
		.has_restarts = true,
	};
	t->report.has_stage = true;
	run.report = t->report;
	return run;
}

static void every_figure_is_written_in_its_order(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct harness_guest_run run = run_with_everything(&t);
	_cleanup_free_ char *stats = text_of(harness_job_facts_write_stats, &run);
	_cleanup_free_ char *facts = text_of(harness_job_facts_write, &run);

	assert_string_equal(stats, STATS_TEXT);
	assert_string_equal(facts, FACTS_TEXT);
}

/* What a machine measured is in the record and decides how exact a gap is. */
static void the_measured_machine_reaches_the_checks_and_the_record(void **state UNUSED)
{
	const struct topo four = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 };
	struct vm_model model = { .cpus = 4, .turn_ns = 7714, .ipi_busy_max_ns = 190123 };
	struct vm_facts facts = {
		.clock = VM_CLOCK_VIRTUAL,
		.turn_ns = 10000,
		.model = &model,
	};
	struct harness_guest_run run = { .topology = &four }, none = run;
	_cleanup_free_ char *with = NULL, *without = NULL;

	harness_guest_run_take_clock(&run, &facts);
	assert_true(run.clock.is_virtual && run.clock.model.has_ipi);
	assert_int_equal(run.clock.model.ipi_ns, 190123);
	assert_int_equal(run.clock.model.turn_ns, 10000);
	assert_int_equal(run.clock.model.vcpus, 4);
	with = text_of(harness_job_facts_write, &run);
	assert_contains(with, "\"machine_model\":{\"cpus\":4,\"alone_kips\":0,");
	assert_contains(with, "\"ipi_busy_max_ns\":190123,");
	/* Its kernel has no membarrier(2). */
	model.ipi_busy_max_ns = 0;
	harness_guest_run_take_clock(&run, &facts);
	assert_true(run.has_model && !run.clock.model.has_ipi);
	facts.model = NULL;
	harness_guest_run_take_clock(&none, &facts);
	assert_true(none.clock.is_virtual && !none.clock.model.has_ipi);
	without = text_of(harness_job_facts_write, &none);
	assert_null(strstr(without, "machine_model"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_gap_cpu_is_left_out),
		cmocka_unit_test(the_cpu_of_the_longest_gap_is_written),
		cmocka_unit_test(a_worker_has_its_progress_in_the_record),
		cmocka_unit_test(statistics_without_workers_are_absent),
		cmocka_unit_test(every_figure_is_written_in_its_order),
		cmocka_unit_test(the_measured_machine_reaches_the_checks_and_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
