// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/job_facts.h"

#include "json/doc.h"
#include "told.h"

typedef void write_fn(void *context, struct json_writer *w);

/* One object with what `write` adds; the run takes the report of `t`. */
static struct json_doc *written(write_fn *write, const struct told *t)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct guest_run run = { .report = t->report };
	struct job_facts facts = { .run = &run };
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);
	struct json_doc *doc = NULL;

	json_begin_object(&w);
	write(&facts, &w);
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

static void a_cpu_that_is_not_known_is_absent(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL, *facts = NULL;
	struct json_iter it;

	prepare(&t);
	stats = written(job_facts_write_stats, &t);
	facts = written(job_facts_write, &t);
	assert_int_equal(number_of(first_of(stats, "cgroups"), "max_gap_ms"), 9);
	assert_null(json_find(first_of(stats, "cgroups"), "max_gap_cpu"));
	it = json_iter_over(json_find(json_doc_root(facts), "workers"));
	assert_true(json_iter_next(&it));
	assert_int_equal(number_of(it.value, "gap_cpu"), 1);
	assert_true(json_iter_next(&it));
	assert_null(json_find(it.value, "gap_cpu"));
}

static void the_cpu_of_the_longest_gap_is_told(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL;

	prepare(&t);
	t.report.workers.at[0].max_gap_ns = 11000000;
	stats = written(job_facts_write_stats, &t);
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
	cpuset_add(&t.report.workers.at[0].outside, 3);
	t.report.workers.at[1].has_outside = false;
	facts = written(job_facts_write, &t);
	worker = first_of(facts, "workers");
	assert_int_equal(number_of(worker, "units"), 70);
	assert_int_equal(number_of(worker, "iterations"), 7);
	assert_int_equal(number_of(worker, "stall_ns"), 123);
	assert_true(json_text_is(json_string(json_find(worker, "outside")), "3"));
	assert_true(json_text_is(json_string(json_find(worker, "cpus")), "0-1"));
}

static void without_workers_nothing_is_zero(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	_cleanup_json_doc_ struct json_doc *stats = NULL;
	const struct json_value *cgroup;

	told_init(&t);
	told_made(&t, "left", 0, 1);
	stats = written(job_facts_write_stats, &t);
	cgroup = first_of(stats, "cgroups");
	assert_int_equal(number_of(cgroup, "num_workers"), 0);
	assert_null(json_find(cgroup, "max_gap_ms"));
	assert_null(json_find(json_doc_root(stats), "worst_gap_ms"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_is_not_known_is_absent),
		cmocka_unit_test(the_cpu_of_the_longest_gap_is_told),
		cmocka_unit_test(a_worker_has_its_progress_in_the_record),
		cmocka_unit_test(without_workers_nothing_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
