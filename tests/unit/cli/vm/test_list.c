// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/vm/list.h"

#include "json/doc.h"
#include "unit.h"

static struct vm_run_info described = {
	.id = (char *)"aa000001",
	.owner = { .pid = 4711, .start_time_jiffies = 1 },
	.qemu = { .pid = 4712 },
	.started_at_sec = 1000,
	.kernel_release = (char *)"k\033[31m",
	.topology = (char *)"1n2l2c1t",
	.memory_bytes = UINT64_C(1) << 30,
	.accel = (char *)"tcg",
	.deterministic = true,
};

static struct vm_run_info little = { .id = (char *)"bb000001", .owner = { .pid = 8 } };

static struct vm_run_entry entries[] = {
	{ .id = (char *)"aa000001", .state = VM_RUN_RUNNING, .info = &described },
	{ .id = (char *)"bb000001", .state = VM_RUN_STARTING, .info = &little },
	{ .id = (char *)"cc000001", .state = VM_RUN_UNREADABLE, .problem = (char *)"no JSON" },
};

static const struct vm_run_list three = { .entries = { .at = entries, .n = 3 } };
static const struct vm_run_list none = { 0 };

static char *table_at(const struct vm_run_list *list, uint64_t now_sec)
{
	struct strbuf text = STRBUF_INIT;

	vm_list_format_table(list, now_sec, &(struct text_look){ 0 }, &text);
	return strbuf_take(&text);
}

static void an_empty_list_says_so(void **state UNUSED)
{
	_cleanup_free_ char *text = table_at(&none, 5);

	assert_string_equal(text, "No VM is running.\n");
}

static void each_vm_has_its_row(void **state UNUSED)
{
	_cleanup_free_ char *text = table_at(&three, 1042);

	assert_contains(text, "ID ");
	assert_contains(
		text,
		"aa000001   4711  k\\x1b[31m  1n2l2c1t  1.0 GiB  tcg    virtual  42s  running");
	assert_contains(text, "bb000001      8  -");
	assert_contains(text, "  real ");
	assert_contains(text, "starting");
	assert_contains(text, "cc000001      -  -");
	assert_contains(text, "unreadable");
	assert_null(strchr(text, '\033'));
}

static void ages_are_printed_in_their_two_largest_units(void **state UNUSED)
{
	static const struct {
		uint64_t now_sec;
		const char *words;
	} cases[] = {
		{ 999, " 0s " },
		{ 1000, " 0s " },
		{ 1059, " 59s " },
		{ 1060, " 1m 0s " },
		{ 1000 + 3599, " 59m 59s " },
		{ 1000 + 7500, " 2h 5m " },
		{ 1000 + 86400 * 400 + 3600 * 4, " 400d 4h " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = table_at(&three, cases[i].now_sec);

		assert_contains(text, cases[i].words);
	}
}

static void json_holds_all_of_them(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *vms, *second = NULL, *first = NULL, *third = NULL;
	struct json_iter it;
	uint64_t number = 0;

	vm_list_format_json(&three, 1042, &text);
	assert_success(json_doc_parse(text.at, text.n, "list", &doc));
	vms = json_find(json_doc_root(doc), "vms");
	assert_int_equal(json_length(vms), 3);
	it = json_iter_over(vms);
	assert_true(json_iter_next(&it));
	first = it.value;
	assert_true(json_iter_next(&it));
	second = it.value;
	assert_true(json_iter_next(&it));
	third = it.value;
	assert_true(json_text_is(json_string(json_find(first, "state")), "running"));
	assert_true(json_get_u64(json_find(first, "age_sec"), &number));
	assert_int_equal(number, 42);
	assert_true(json_get_u64(json_find(json_find(first, "owner"), "pid"), &number));
	assert_int_equal(number, 4711);
	assert_null(json_find(second, "memory_bytes"));
	assert_true(json_text_is(json_string(json_find(third, "problem")), "no JSON"));
	assert_true(json_text_is(json_string(json_find(third, "id")), "cc000001"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_list_says_so),
		cmocka_unit_test(each_vm_has_its_row),
		cmocka_unit_test(ages_are_printed_in_their_two_largest_units),
		cmocka_unit_test(json_holds_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
