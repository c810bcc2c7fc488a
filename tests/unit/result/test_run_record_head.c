// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_record.h"

#include <stdlib.h>

#include "run_sample.h"

static const struct result_stamp stamp = {
	.unix_sec = 1700000000, /* 2023-11-14T22:13:20Z, by date(1) */
	.pid = 4711,
	.start_time_jiffies = 99,
	.counter = 3,
};

static const struct json_value *parse_head(const struct result_run *head, struct loaded *l)
{
	_cleanup_strbuf_ struct strbuf members = STRBUF_INIT;

	*l = (struct loaded){ 0 };
	result_format_head(head, &stamp, &members);
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
	_cleanup_free_ char *at = result_format_time(stamp.unix_sec);
	_cleanup_free_ char *id = result_format_run_id(&stamp);

	assert_string_equal(at, "2023-11-14T22:13:20Z");
	assert_string_equal(id, "2023-11-14T22:13:20Z-4711-3");
}

static void the_fields_of_the_reference_are_there(void **state UNUSED)
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
	assert_texts(json_find(root, "kargs"), head.kernel_args.at, 2);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null(json_find(root, unknown[i]));
	assert_null(json_find(root, "host"));
}

static void what_is_absent_has_a_reason(void **state UNUSED)
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
	assert_texts(json_find(rerun, "scheduler_argv"), head.rerun.scheduler_argv.at, 4);
	assert_texts(json_find(rerun, "kernel_args"), head.kernel_args.at, 2);
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
		cmocka_unit_test(times_and_run_ids_have_their_form),
		cmocka_unit_test(the_fields_of_the_reference_are_there),
		cmocka_unit_test(what_is_absent_has_a_reason),
		cmocka_unit_test(what_a_rerun_needs_is_there),
		cmocka_unit_test(only_ktstr_ci_makes_it_a_run_of_ci),
		cmocka_unit_test(an_almost_empty_head_is_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
