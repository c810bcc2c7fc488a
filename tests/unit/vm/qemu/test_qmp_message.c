// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/qmp.h"

#include "unit.h"

static void parse(const char *line, struct vm_qmp_message *ret)
{
	assert_success(vm_qmp_message_parse(line, strlen(line), ret));
}

static void the_qmp_greeting_is_recognised(void **state UNUSED)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message m = { 0 };

	parse("{\"QMP\": {\"version\": {\"qemu\": {\"major\": 10}}, \"capabilities\": [\"oob\"]}}",
	      &m);
	assert_int_equal(m.kind, VM_QMP_GREETING);
}

static void answer_has_its_value_and_id(void **state UNUSED)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message m = { 0 };
	bool running = false;

	parse("{\"return\": {\"running\": true}, \"id\": 7}", &m);
	assert_int_equal(m.kind, VM_QMP_RETURN);
	assert_int_equal(m.id, 7);
	assert_true(json_get_bool(json_find(m.value, "running"), &running));
	assert_true(running);
}

static void a_qmp_error_has_class_and_description(void **state UNUSED)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message m = { 0 };

	parse("{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"no such\"}, \"id\": 1}",
	      &m);
	assert_int_equal(m.kind, VM_QMP_ERROR);
	assert_string_equal(m.name, "CommandNotFound");
	assert_string_equal(m.text, "no such");
}

static void event_has_name_and_data(void **state UNUSED)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message m = { 0 };
	struct json_text reason;

	parse("{\"timestamp\": {\"seconds\": 1}, \"event\": \"SHUTDOWN\", "
	      "\"data\": {\"guest\": true, \"reason\": \"guest-reset\"}}",
	      &m);
	assert_int_equal(m.kind, VM_QMP_EVENT);
	assert_string_equal(m.name, "SHUTDOWN");
	reason = json_string(json_find(m.value, "reason"));
	assert_true(json_text_is(reason, "guest-reset"));
}

static void malformed_qmp_messages_are_refused(void **state UNUSED)
{
	static const char *const lines[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"event\": 5}",
		"{\"error\": {\"class\": \"x\"}}",
		"{\"return\": {}, \"id\": \"ours?\"}",
		"{\"return\": {}, \"id\": -1}",
	};
	struct vm_qmp_message m;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_error_tag(vm_qmp_message_parse(lines[i], strlen(lines[i]), &m), "qmp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_qmp_greeting_is_recognised),
		cmocka_unit_test(answer_has_its_value_and_id),
		cmocka_unit_test(a_qmp_error_has_class_and_description),
		cmocka_unit_test(event_has_name_and_data),
		cmocka_unit_test(malformed_qmp_messages_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
