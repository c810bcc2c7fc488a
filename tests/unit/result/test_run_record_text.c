// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include <stdlib.h>

#include "run_sample.h"
#include "scratch.h"

static const struct result_stamp stamp = { .unix_sec = 1700000000, .pid = 1 };

static void write_stats(void *context UNUSED, struct json_writer *w)
{
	json_add_u64(w, "total_workers", 8);
	json_add_double(w, "worst_spread", 31.5);
}

struct many {
	size_t n;
	const char *text;
};

static void write_facts(void *context, struct json_writer *w)
{
	const struct many *many = context;

	json_key(w, "workers");
	json_begin_array(w);
	for (size_t i = 0; i < many->n; i++)
		json_write_string(w, many->text);
	json_end_array(w);
}

static struct exchange_metric metrics[] = {
	{ EXCHANGE_BORROW("p.allocated_bytes"), EXCHANGE_BORROW("18446744073709551615") },
	{ EXCHANGE_BORROW("p.ratio"), EXCHANGE_BORROW("0.1000") },
	{ EXCHANGE_BORROW("p.nonsense"), EXCHANGE_BORROW("12abc") },
	{ EXCHANGE_BORROW("p.words"), EXCHANGE_BORROW("\"text\"") },
};
static struct exchange_hint hints[] = { { EXCHANGE_BORROW("_bytes"), EXCHANGE_BORROW("bytes"),
					  KTSTR_LOWER_IS_BETTER } };
static const struct exchange_payload payloads[] = {
	{ .name = EXCHANGE_BORROW("p"),
	  .ended = true,
	  .exit_code = -9,
	  .stream = EXCHANGE_BORROW("stdout"),
	  .metrics = { metrics, 4, 0 },
	  .hints = { hints, 1, 0 } },
	{ .name = EXCHANGE_BORROW("q"),
	  .stream = EXCHANGE_BORROW("stderr"),
	  .metrics = { metrics, 1, 0 } },
};
static const struct result_stage stages[] = { { "setup", 1 }, { "work", 20 } };
static const char *const kept_files[] = { "console.log" };
static struct many two_workers = { 2, "worker" };

static struct result_record_result sample_result(const struct result_outcome *outcome)
{
	return (struct result_record_result){
		.outcome = outcome,
		.run.accel = "tcg",
		.run.accel_reason = "no /dev/kvm",
		.run.cloned = true,
		.run.stages = { stages, ARRAY_SIZE(stages) },
		.run.has_cleanup = true,
		.run.cleanup_ms = 12,
		.run.kept_files = { EXCHANGE_BORROW(kept_files), 1 },
		.payloads = payloads,
		.n_payloads = ARRAY_SIZE(payloads),
		.write_stats = write_stats,
		.write_facts = write_facts,
		.context = &two_workers,
	};
}

static void format_head(struct strbuf *into)
{
	struct result_run head = sample_head();

	result_format_head(&head, &stamp, into);
}

static const struct json_value *finished(const struct result_record_result *result,
					 const char *kept, size_t n_kept, struct loaded *l)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;

	*l = (struct loaded){ 0 };
	format_head(&head);
	assert_success(result_format_finished(
		&head, result, (struct json_text){ kept, strlen(kept) }, n_kept, NULL, &l->text));
	assert_success(json_doc_parse(l->text.at, l->text.n, "finished", &l->doc));
	return json_doc_root(l->doc);
}

static bool flag(const struct json_value *root, const char *key)
{
	bool value = false;

	assert_true(json_get_bool(json_find(root, key), &value));
	return value;
}

static void a_started_record_has_no_verdict(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;
	_cleanup_loaded_ struct loaded l = { 0 };
	static const char *const absent[] = { "verdict", "passed", "skipped", "wall_ms", "stats" };

	format_head(&head);
	result_format_started(&head, &l.text);
	assert_success(json_doc_parse(l.text.at, l.text.n, "started", &l.doc));
	assert_member(json_doc_root(l.doc), "state", "started");
	assert_member(json_doc_root(l.doc), "test_name", "fair_share");
	assert_int_equal(json_type_of(json_find(json_doc_root(l.doc), "metrics")), JSON_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_null(json_find(json_doc_root(l.doc), absent[i]));
}

static void metrics_of_rates_are_not_judged_with_a_virtual_clock(void **state UNUSED)
{
	static struct exchange_metric rate[] = { { EXCHANGE_BORROW("p.ops"),
						   EXCHANGE_BORROW("5") } };
	static struct exchange_hint hint[] = { { EXCHANGE_BORROW("ops"), EXCHANGE_BORROW("1/s"),
						 KTSTR_HIGHER_IS_BETTER } };
	static const struct exchange_payload payload = { .name = EXCHANGE_BORROW("p"),
							 .metrics = { rate, 1, 0 },
							 .hints = { hint, 1, 0 } };
	struct result_outcome outcome = { .clock = { RESULT_CLOCK_VIRTUAL, 1 } };
	struct result_record_result result = { .outcome = &outcome,
					       .payloads = &payload,
					       .n_payloads = 1 };

	for (int i = 0; i < 2; i++) {
		_cleanup_loaded_ struct loaded l;

		finished(&result, "", 0, &l);
		assert_int_equal(strstr(l.text.at, "\"polarity\": \"HigherBetter\"") != NULL, i);
		assert_int_equal(strstr(l.text.at, "\"not_judged\": \"a rate, with a virtual "
						   "clock\"") != NULL,
				 !i);
		outcome.clock.kind = RESULT_CLOCK_REAL;
	}
}

static void verdicts_map_to_passed_and_skipped(void **state UNUSED)
{
	static const struct {
		enum ktstr_reason reason;
		const char *verdict;
		bool passed, skipped;
	} rows[] = {
		{ KTSTR_REASON_NONE, "pass", true, false },
		{ KTSTR_REASON_CHECK, "fail", false, false },
		{ KTSTR_REASON_NEEDS_SCX, "skip", true, true },
		{ KTSTR_REASON_BOOT, "broken", false, false },
		{ KTSTR_REASON_HOST_BUSY, "inconclusive", false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
		struct result_record_result result = { .outcome = &outcome };
		_cleanup_loaded_ struct loaded l;
		const struct json_value *root;

		sample_outcome(&outcome, rows[i].reason);
		root = finished(&result, "", 0, &l);
		assert_member(root, "verdict", rows[i].verdict);
		assert_member(root, "reason", result_reason_name(rows[i].reason));
		assert_int_equal(flag(root, "passed"), rows[i].passed);
		assert_int_equal(flag(root, "skipped"), rows[i].skipped);
		/* No guest was told of. */
		assert_null(json_find(root, "cloned"));
		assert_null(json_find(root, "cleanup_duration_ms"));
		assert_null(json_find(root, "host_run_delay_ns"));
	}
}

/* Another JSON reader than ours, and every field that the task of a record is to carry. */
#define CHECK_IN_PYTHON                                                                        \
	"import json,sys\n"                                                                    \
	"r=json.load(open(sys.argv[1]))\n"                                                     \
	"assert r['schema']==2 and r['state']=='finished'\n"                                   \
	"assert r['verdict']=='fail' and r['reason']=='check' and r['passed'] is False\n"      \
	"assert r['why']=='spread is 31 %, allowed are 15 %'\n"                                \
	"assert r['parts']==[{'reason':'check','verdict':'fail','text':r['why'],"              \
	"'file':'mytests.c','line':40}]\n"                                                     \
	"assert r['notes']==['a \"note\" with\\na newline']\n"                                 \
	"assert r['wall_ms']==1234 and r['cleanup_duration_ms']==12\n"                         \
	"assert (r['accel'],r['accel_reason'],r['cloned'])==('tcg','no /dev/kvm',True)\n"      \
	"assert r['stages']==[{'name':'setup','at_ms':1},{'name':'work','at_ms':20}]\n"        \
	"assert r['kept_dir']=='/kept' and r['kept_files']==['console.log']\n"                 \
	"assert r['stats']=={'total_workers':8,'worst_spread':31.5}\n"                         \
	"assert r['workers']==['worker']*2\n"                                                  \
	"absent=[a['member'] for a in r['absent'] if a['why']]\n"                              \
	"assert 'monitor' in absent and 'verifier_stats' in absent\n"                          \
	"assert not set(absent) & set(r)\n"                                                    \
	"m=r['metrics']\n"                                                                     \
	"assert [e['payload_index'] for e in m]==[0,1,2]\n"                                    \
	"assert m[0]=={'payload_index':0,'metrics':[],'exit_code':7}\n"                        \
	"assert m[1]=={'payload_index':1,'payload':'p','exit_code':-9,'metrics':["             \
	"{'name':'p.allocated_bytes','value':2**64-1,'polarity':'LowerBetter','unit':'bytes'," \
	"'source':'Json','stream':'Stdout'},"                                                  \
	"{'name':'p.ratio','value':0.1,'polarity':'Unknown','unit':'','source':'Json',"        \
	"'stream':'Stdout'}]}\n"                                                               \
	"assert 'exit_code' not in m[2] and m[2]['metrics'][0]['stream']=='Stderr'\n"          \
	"assert len(r)==len(json.load(open(sys.argv[1]),object_pairs_hook=list)), 'twice'\n"

static void python_reads_every_member_of_a_record(void **state)
{
	struct scratch *s = *state;
	_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
	struct result_record_result result = sample_result(&outcome);
	_cleanup_loaded_ struct loaded l;
	_cleanup_free_ char *script = xasprintf("%s/check.py", s->dir);
	_cleanup_free_ char *command = xasprintf("python3 %s %s", script, s->file);

	skip_unless(system("python3 -c pass 2>/dev/null") == 0, "no python3");
	sample_outcome(&outcome, KTSTR_REASON_CHECK);
	outcome.kept_dir = xstrdup("/kept");
	finished(&result, "\n    {\"payload_index\": 0, \"metrics\": [], \"exit_code\": 7}\n  ", 1,
		 &l);
	assert_success(io_replace_file(s->file, l.text.at, l.text.n));
	assert_success(io_replace_file(script, CHECK_IN_PYTHON, strlen(CHECK_IN_PYTHON)));
	assert_int_equal(system(command), 0);
}

static void kept_entries_are_spliced_byte_for_byte(void **state UNUSED)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
	struct result_record_result result = { .outcome = &outcome };
	static const char kept[] = "{\"v\":1.500e3,\"s\":\"\\u0041]\"} , [ 1e400 ]";
	_cleanup_loaded_ struct loaded l;

	sample_outcome(&outcome, KTSTR_REASON_NONE);
	assert_int_equal(json_length(json_find(finished(&result, kept, 2, &l), "metrics")), 2);
	assert_contains(strbuf_str(&l.text), kept);
}

static void a_record_that_grows_too_large_loses_its_facts_not_its_verdict(void **state UNUSED)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome = { 0 };
	struct result_record_result result = sample_result(&outcome);
	_cleanup_strbuf_ struct strbuf long_text = STRBUF_INIT;
	_cleanup_loaded_ struct loaded l;
	struct many many = { 65, NULL };
	const struct json_value *root;

	sample_outcome(&outcome, KTSTR_REASON_CHECK);
	strbuf_append_repeated(&long_text, 'x', RESULT_LIMIT_RECORD_BYTES / 64);
	many.text = strbuf_str(&long_text);
	result.context = &many;
	root = finished(&result, "", 0, &l);
	assert_member(root, "verdict", "fail");
	assert_null(json_find(root, "workers"));
	assert_contains(json_string(json_find(root, "left_out")).at, "raw facts");
	assert_int_equal(json_length(json_find(root, "metrics")), 2);
}

static void only_the_started_record_of_this_run_is_taken(void **state UNUSED)
{
	static const char *const wrong[] = {
		"{\"run_id\":\"me\"}",
		"{\"run_id\":\"me\",\"metrics\":{}}",
		"{\"run_id\":\"me\",\"metrics\":[],\"metrics\":[]}",
		"{\"run_id\":\"other\",\"metrics\":[]}",
		"{\"metrics\":[]}",
		"[]",
		"\"run_id\"",
		"{\"run_id\":\"me\",\"metrics\":[}",
		"",
	};
	static const char right[] = "{\"a\":[1,2],\"metrics\":[ 1, {\"b\":[]} ],\"run_id\":\"me\"}";
	struct json_text kept = { 0 };
	size_t n = 77;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_error_tag(result_find_kept(wrong[i], strlen(wrong[i]), "w", "me", &kept, &n),
				 "parse");
	assert_int_equal(n, 77);
	assert_success(result_find_kept(right, strlen(right), "r", "me", &kept, &n));
	assert_int_equal(n, 2);
	assert_true(json_text_is(kept, " 1, {\"b\":[]} "));
}

static const struct result_stamp head_stamp = {
	.unix_sec = 1700000000, /* 2023-11-14T22:13:20Z, by date(1) */
	.pid = 4711,
	.start_time_jiffies = 99,
	.counter = 3,
};

static const struct json_value *parse_head(const struct result_run *head, struct loaded *l)
{
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT;

	*l = (struct loaded){ 0 };
	result_format_head(head, &head_stamp, &members);
	strbuf_append_char(&l->text, '{');
	strbuf_append_bytes(&l->text, members.at, members.n);
	strbuf_append_char(&l->text, '}');
	assert_success(json_doc_parse(l->text.at, l->text.n, "head", &l->doc));
	return json_doc_root(l->doc);
}

static void assert_texts(const struct json_value *list, const char *const *expected, size_t n)
{
	struct json_iter it = json_iter_over(list);

	assert_non_null(list);
	assert_int_equal(json_type_of(list), JSON_ARRAY);
	assert_int_equal(json_length(list), n);
	while (json_iter_next(&it))
		assert_true(json_text_is(json_string(it.value), expected[it.index]));
}

static void times_and_run_ids_have_their_form(void **state UNUSED)
{
	_cleanup_free_ char *at = result_format_time(head_stamp.unix_sec);
	_cleanup_free_ char *id = result_format_run_id(&head_stamp);

	assert_string_equal(at, "2023-11-14T22:13:20Z");
	assert_string_equal(id, "2023-11-14T22:13:20Z-4711-3");
}

static void the_head_has_the_members_of_the_reference(void **state UNUSED)
{
	struct result_run head = sample_head();
	_cleanup_loaded_ struct loaded l;
	const struct json_value *root = parse_head(&head, &l);
	static const char *const sysctls[] = { "sysctl.kernel.sched_autogroup_enabled=0" };
	static const char *const unknown[] = { "scheduler_commit", "project_commit", "payload",
					       "kernel_commit" };

	assert_member(root, "test_name", "fair_share");
	assert_member(root, "topology", "1n2l2c1t");
	assert_member(root, "scheduler", "scx_ktfifo --slice-us 5000 'two words'");
	assert_member(root, "kernel_version", "9.9.9-test");
	assert_member(root, "timestamp", "2023-11-14T22:13:20Z");
	assert_member(root, "run_id", "2023-11-14T22:13:20Z-4711-3");
	assert_member(root, "work_type", "spin");
	assert_texts(json_find(root, "sysctls"), sysctls, 1);
	assert_texts(json_find(root, "kargs"), (const char *const *)head.kernel_args.at, 2);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null(json_find(root, unknown[i]));
	assert_null(json_find(root, "host"));
}

static void absent_members_of_the_head_have_a_reason(void **state UNUSED)
{
	static const struct result_absent absent[] = { { "scheduler_commit", "no repository" } };
	struct result_run head = sample_head();
	_cleanup_loaded_ struct loaded l;
	struct json_iter it;

	head.absent = (struct result_absences){ absent, 1 };
	head.project_commit = "0123";
	it = json_iter_over(json_find(parse_head(&head, &l), "absent"));
	assert_true(json_iter_next(&it));
	assert_member(it.value, "member", "scheduler_commit");
	assert_member(it.value, "why", "no repository");
	while (json_iter_next(&it)) {
		assert_true(json_string(json_find(it.value, "why")).n > 0);
		assert_false(
			json_text_is(json_string(json_find(it.value, "member")), "project_commit"));
	}
	assert_int_equal(it.index, 6);
}

static void what_a_rerun_needs_is_there(void **state UNUSED)
{
	struct result_run head = sample_head();
	_cleanup_loaded_ struct loaded l;
	const struct json_value *rerun = json_find(parse_head(&head, &l), "rerun");
	const struct json_value *binary = json_find(rerun, "binary");
	struct json_iter it = json_iter_over(json_find(rerun, "files"));
	uint64_t memory;

	assert_member(rerun, "test", "fair_share");
	assert_member(rerun, "topology", "1n2l2c1t");
	assert_member(rerun, "kernel_id", "k1");
	assert_member(rerun, "kernel_build_id", "0a0b");
	assert_member(rerun, "command", head.rerun.command);
	assert_true(json_get_u64(json_find(rerun, "memory_bytes"), &memory));
	assert_int_equal(memory, head.memory_bytes);
	assert_texts(json_find(rerun, "scheduler_argv"),
		     (const char *const *)head.rerun.scheduler_argv.at, 4);
	assert_texts(json_find(rerun, "kernel_args"), (const char *const *)head.kernel_args.at, 2);
	assert_member(binary, "path", "/opt/mytests");
	assert_member(binary, "hash", "1111111111111111");
	assert_member(binary, "build_id", "ffee");
	assert_true(json_iter_next(&it));
	assert_member(it.value, "name", "scx_ktfifo");
	assert_member(it.value, "build_id", "aabbcc");
	assert_true(json_iter_next(&it));
	assert_member(it.value, "path", "/opt/data.txt");
	/* It has none: absent, not empty. */
	assert_null(json_find(it.value, "build_id"));
	assert_false(json_iter_next(&it));
}

static void only_ktstr_ci_makes_it_a_run_of_ci(void **state UNUSED)
{
	struct result_run head = sample_head();
	static const struct {
		const char *value, *source;
	} rows[] = { { NULL, "local" }, { "", "local" }, { "1", "ci" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_loaded_ struct loaded l;

		if (rows[i].value)
			setenv("KTSTR_CI", rows[i].value, 1);
		else
			unsetenv("KTSTR_CI");
		assert_member(parse_head(&head, &l), "run_source", rows[i].source);
	}
	unsetenv("KTSTR_CI");
}

static void an_almost_empty_head_is_valid(void **state UNUSED)
{
	struct result_run head = { .test = "t", .id = "0" };
	_cleanup_loaded_ struct loaded l;
	const struct json_value *root = parse_head(&head, &l);

	assert_null(json_find(root, "memory_bytes"));
	assert_null(json_find(json_find(root, "rerun"), "binary"));
	assert_int_equal(json_length(json_find(json_find(root, "rerun"), "files")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_started_record_has_no_verdict),
		cmocka_unit_test(metrics_of_rates_are_not_judged_with_a_virtual_clock),
		cmocka_unit_test(verdicts_map_to_passed_and_skipped),
		scratch_test(python_reads_every_member_of_a_record),
		cmocka_unit_test(kept_entries_are_spliced_byte_for_byte),
		cmocka_unit_test(a_record_that_grows_too_large_loses_its_facts_not_its_verdict),
		cmocka_unit_test(only_the_started_record_of_this_run_is_taken),
		cmocka_unit_test(times_and_run_ids_have_their_form),
		cmocka_unit_test(the_head_has_the_members_of_the_reference),
		cmocka_unit_test(absent_members_of_the_head_have_a_reason),
		cmocka_unit_test(what_a_rerun_needs_is_there),
		cmocka_unit_test(only_ktstr_ci_makes_it_a_run_of_ci),
		cmocka_unit_test(an_almost_empty_head_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
