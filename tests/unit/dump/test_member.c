// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/member.h"

#include "dump/rows.h"
#include "unit.h"
#include "build_view.h"

static const struct dump_member members[] = {
	{ .value = UINT64_MAX },
	{ .value = UINT64_MAX, .is_signed = true },
	{ .status = KMEM_READ_UNKNOWN, .value = 5 },
	{ .status = KMEM_READ_UNMAPPED, .value = 5 },
	{ 0 },
};

struct one {
	struct dump_member member;
};

static void absent_unreadable_and_zero_differ_in_tables(void **state UNUSED)
{
	static const struct dump_column columns[] = { { .title = "x", DUMP_MEMBER(one, member) } };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_sink sink = dump_sink_to_text(&out, 10);
	struct dump_rows rows;

	dump_rows_begin(&rows, &sink, "rows", columns, 1);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		dump_rows_add(&rows, &(struct one){ members[i] });
	dump_rows_end(&rows);
	assert_string_equal(strbuf_str(&out), "                   x\n18446744073709551615\n"
					      "                  -1\n                   -\n"
					      "                   ?\n                   0\n");
}

static void absent_unreadable_and_zero_differ_in_json(void **state UNUSED)
{
	static const char *const keys[] = { "a", "b", "c", "d", "e" };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	json_begin_object(&writer);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		dump_add_member(&sink, keys[i], &members[i]);
	json_end_object(&writer);
	assert_string_equal(strbuf_str(&out),
			    "{\"a\":18446744073709551615,\"b\":-1,\"d\":null,\"e\":0}");
}

static void texts_and_addresses_follow_the_same_rule(void **state UNUSED)
{
	static const enum kmem_status statuses[] = { KMEM_READ_OK, KMEM_READ_UNKNOWN,
						     KMEM_READ_UNMAPPED };
	static const char *const keys[] = { "a", "b", "c" };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	json_begin_object(&writer);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct dump_member member = { .status = statuses[i], .value = 255 };

		dump_add_text(&sink, keys[i], statuses[i], "text");
		dump_add_member_hex(&sink, keys[i], &member);
		assert_int_equal(dump_is_read(&sink, keys[i], statuses[i]), i == 0);
	}
	json_end_object(&writer);
	assert_string_equal(strbuf_str(&out), "{\"a\":\"text\",\"a\":\"0xff\","
					      "\"c\":null,\"c\":null,\"c\":null}");
}

static void entries_wanted_are_limited_by_the_lines_left(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink json = dump_sink_to_json(&writer);
	struct dump_sink text = dump_sink_to_text(&out, 10);

	assert_int_equal(dump_wanted(&(struct dump_request){ .max_entries = 5 }, &text), 5);
	assert_int_equal(dump_wanted(&(struct dump_request){ .max_entries = 50 }, &text), 8);
	assert_int_equal(dump_wanted(&(struct dump_request){ 0 }, &text), 8);
	assert_int_equal(dump_wanted(&(struct dump_request){ 0 }, &json), 0);
	text.lines_left = 0;
	assert_int_equal(dump_wanted(&(struct dump_request){ 0 }, &text), 1);
}

static void an_unreadable_member_is_named_in_the_error(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t task = bpf_at(f, bpf_new_task(f, 41, "worker")), value = 7;

	assert_success(dump_kernel_member(f->kmem, KMEM_F_TASK_PID, task, &value));
	assert_int_equal(value, 41);
	assert_error_tag(dump_kernel_member(f->kmem, KMEM_F_TASK_PID, 0x10, &value),
			 "guest-memory");
	assert_error_tag(dump_kernel_member(f->kmem, KMEM_F_TASK_POLICY, task, &value),
			 "no-kernel-field");
	assert_error_tag(dump_kernel_offset(f->kmem, KMEM_F_TASK_POLICY, &value),
			 "no-kernel-field");
	assert_int_equal(value, 41);
	assert_success(dump_kernel_offset(f->kmem, KMEM_F_TASK_COMM, &value));
	assert_int_equal(value, TASK_COMM);
}

static void enum_values_are_printed_with_the_kernels_names(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	dump_enum_name(f->kmem, "bpf_prog_type", "BPF_PROG_TYPE_", 27, &out);
	strbuf_append_char(&out, ',');
	dump_enum_name(f->kmem, "bpf_prog_type", "BPF_PROG_TYPE_", 28, &out);
	strbuf_append_char(&out, ',');
	dump_enum_name(f->kmem, "no_such_enum", "", 1, &out);
	strbuf_append_char(&out, ',');
	dump_flag_names(f->kmem, "scx_rq_flags", "SCX_RQ_", 0x13, &out);
	strbuf_append_char(&out, ',');
	dump_flag_names(f->kmem, "scx_rq_flags", "SCX_RQ_", 0, &out);
	assert_string_equal(strbuf_str(&out),
			    "struct_ops,number 28,number 1,ONLINE|0x2|BYPASSING,0");
}

static void an_unreadable_task_is_printed_with_its_address(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	dump_task_name(f->kmem, bpf_at(f, bpf_new_task(f, 41, "a\nb")), &out);
	strbuf_append_char(&out, ',');
	dump_task_name(f->kmem, 0x10, &out);
	assert_string_equal(strbuf_str(&out), "a\\nb[41],unreadable task 0x10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_unreadable_and_zero_differ_in_tables),
		cmocka_unit_test(absent_unreadable_and_zero_differ_in_json),
		cmocka_unit_test(texts_and_addresses_follow_the_same_rule),
		cmocka_unit_test(entries_wanted_are_limited_by_the_lines_left),
		bpf_test(an_unreadable_member_is_named_in_the_error),
		bpf_test(enum_values_are_printed_with_the_kernels_names),
		bpf_test(an_unreadable_task_is_printed_with_its_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
