// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/run/run.h"

#include "json/doc.h"
#include "unit.h"

#define MINIMAL "\"schema\":1,\"id\":\"3f9a01bc\",\"owner\":{\"pid\":41}"

static const char full[] = "{\n"
			   "  \"schema\": 1,\n"
			   "  \"id\": \"3f9a01bc\",\n"
			   "  \"owner\": {\n"
			   "    \"pid\": 41,\n"
			   "    \"start_time_jiffies\": 18446744073709551615\n"
			   "  },\n"
			   "  \"qemu\": {\n"
			   "    \"pid\": 42,\n"
			   "    \"start_time_jiffies\": 7\n"
			   "  },\n"
			   "  \"started_at_sec\": 1700000000,\n"
			   "  \"kernel\": {\n"
			   "    \"id\": \"k\",\n"
			   "    \"release\": \"6.0 \\\"quoted\\\"\\n\",\n"
			   "    \"build_id\": \"00ff\"\n"
			   "  },\n"
			   "  \"topology\": \"2n4l2c1t\",\n"
			   "  \"memory_bytes\": 5368709120,\n"
			   "  \"accel\": \"tcg\",\n"
			   "  \"accel_reason\": \"asked for\",\n"
			   "  \"deterministic\": true,\n"
			   "  \"template\": \"0123\",\n"
			   "  \"ram\": [\n"
			   "    {\n"
			   "      \"guest_address\": 0,\n"
			   "      \"size_bytes\": 2147483648,\n"
			   "      \"file\": \"/ram\",\n"
			   "      \"offset_bytes\": 0,\n"
			   "      \"private\": false\n"
			   "    },\n"
			   "    {\n"
			   "      \"guest_address\": 4294967296,\n"
			   "      \"size_bytes\": 3221225472,\n"
			   "      \"private\": true,\n"
			   "      \"pid\": 42,\n"
			   "      \"address\": 139637976727552\n"
			   "    }\n"
			   "  ],\n"
			   "  \"qmp_socket\": \"/run/q\",\n"
			   "  \"console_log\": \"/run/c\"\n"
			   "}\n";

static void a_full_description_comes_back_as_it_was(void **state UNUSED)
{
	struct vm_run_info info = {
		.id = xstrdup("3f9a01bc"),
		.owner = { .pid = 41, .start_time_jiffies = UINT64_MAX },
		.qemu = { .pid = 42, .start_time_jiffies = 7 },
		.started_at_sec = 1700000000,
		.kernel_id = xstrdup("k"),
		.kernel_release = xstrdup("6.0 \"quoted\"\n"),
		.kernel_build_id = xstrdup("00ff"),
		.topology = xstrdup("2n4l2c1t"),
		.memory_bytes = UINT64_C(5) << 30,
		.accel = xstrdup("tcg"),
		.accel_reason = xstrdup("asked for"),
		.deterministic = true,
		.template = xstrdup("0123"),
		.qmp_socket = xstrdup("/run/q"),
		.console_log = xstrdup("/run/c"),
	};
	struct vm_run_ram low = { .size_bytes = UINT64_C(2) << 30, .file = xstrdup("/ram") };
	struct vm_run_ram high = {
		.guest_address = UINT64_C(4) << 30,
		.size_bytes = UINT64_C(3) << 30,
		.is_private = true,
		.pid = 42,
		.address = UINT64_C(0x7f0000000000),
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	_cleanup_vm_run_info_ struct vm_run_info *read = NULL;

	vec_push(&info.ram, low);
	vec_push(&info.ram, high);
	vm_run_info_format(&info, &text);
	assert_string_equal(text.at, full);
	vm_run_info_deinit(&info);
	assert_success(vm_run_info_parse(text.at, text.n, "t", &read));
	assert_int_equal(read->owner.start_time_jiffies, UINT64_MAX);
	assert_int_equal(read->qemu.pid, 42);
	assert_int_equal(read->started_at_sec, 1700000000);
	assert_string_equal(read->kernel_release, "6.0 \"quoted\"\n");
	assert_string_equal(read->topology, "2n4l2c1t");
	assert_int_equal(read->memory_bytes, UINT64_C(5) << 30);
	assert_true(read->deterministic);
	assert_string_equal(read->template, "0123");
	assert_int_equal(read->ram.n, 2);
	assert_string_equal(read->ram.at[0].file, "/ram");
	assert_false(read->ram.at[0].is_private);
	assert_null(read->ram.at[1].file);
	assert_true(read->ram.at[1].is_private);
	assert_int_equal(read->ram.at[1].guest_address, UINT64_C(4) << 30);
	assert_int_equal(read->ram.at[1].address, UINT64_C(0x7f0000000000));
	vm_run_info_format(read, &again);
	assert_string_equal(strbuf_str(&text), strbuf_str(&again));
}

static void missing_members_of_a_vm_description_are_absent(void **state UNUSED)
{
	_cleanup_vm_run_info_ struct vm_run_info *read = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *minimal = "{" MINIMAL ",\"newer\":[{}]}";

	assert_success(vm_run_info_parse(minimal, strlen(minimal), "t", &read));
	assert_null(read->topology);
	assert_null(read->template);
	assert_int_equal(read->qemu.pid, 0);
	assert_int_equal(read->ram.n, 0);
	vm_run_info_format(read, &text);
	assert_null(strstr(text.at, "memory_bytes"));
	assert_null(strstr(text.at, "qemu"));
	assert_null(strstr(text.at, "null"));
}

static void hostile_descriptions_are_errors(void **state UNUSED)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"7",
		"{}",
		"{\"schema\":2,\"id\":\"x\",\"owner\":{\"pid\":1}}",
		"{\"schema\":1,\"owner\":{\"pid\":1}}",
		"{\"schema\":1,\"id\":\"x\"}",
		"{\"schema\":1,\"id\":\"x\",\"owner\":41}",
		"{\"schema\":1,\"id\":7,\"owner\":{\"pid\":1}}",
		"{\"schema\":1,\"id\":\"x\",\"owner\":{\"pid\":-1}}",
		"{\"schema\":1,\"id\":\"x\",\"owner\":{\"pid\":0}}",
		"{\"schema\":1,\"id\":\"x\",\"owner\":{\"pid\":4294967297}}",
		"{\"schema\":1,\"id\":\"x\\u0000y\",\"owner\":{\"pid\":1}}",
		"{" MINIMAL ",\"memory_bytes\":1.5}",
		"{" MINIMAL ",\"memory_bytes\":18446744073709551616}",
		"{" MINIMAL ",\"deterministic\":1}",
		"{" MINIMAL ",\"topology\":null}",
		"{" MINIMAL ",\"ram\":{}}",
		"{" MINIMAL ",\"ram\":[7]}",
		"{" MINIMAL ",\"ram\":[{}]}",
		"{" MINIMAL ",\"ram\":[{\"size_bytes\":2,\"guest_address\":18446744073709551615}]}",
		"{" MINIMAL ",\"ram\":[{\"size_bytes\":2,\"offset_bytes\":18446744073709551615}]}",
		"{" MINIMAL ",\"ram\":[{\"size_bytes\":2,\"address\":18446744073709551615}]}",
		"{" MINIMAL ",\"ram\":[{\"size_bytes\":2,\"file\":\"a\"},{\"size_bytes\":\"2\"}]}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct vm_run_info *info = NULL;
		struct error *err = vm_run_info_parse(texts[i], strlen(texts[i]), "t", &info);

		if (!err)
			fail_msg("accepted: %s", texts[i]);
		assert_null(info);
		error_free(err);
	}
}

static void more_than_the_limits_is_an_error(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct vm_run_info *info = NULL;

	strbuf_append(&text, "{" MINIMAL ",\"ram\":[");
	for (int i = 0; i <= VM_LIMIT_RUN_INFO_RAM; i++)
		strbuf_appendf(&text, "%s{\"size_bytes\":1}", i ? "," : "");
	strbuf_append(&text, "]}");
	assert_error_tag(vm_run_info_parse(text.at, text.n, "t", &info), "limit");
	strbuf_clear(&text);
	strbuf_append_repeated(&text, ' ', VM_LIMIT_RUN_INFO_BYTES + 1);
	assert_error_tag(vm_run_info_parse(text.at, text.n, "t", &info), "limit");
	strbuf_clear(&text);
	strbuf_append(&text, "{" MINIMAL ",\"accel\":\"");
	strbuf_append_repeated(&text, 'x', VM_LIMIT_RUN_INFO_STRING + 1);
	strbuf_append(&text, "\"}");
	assert_error_tag(vm_run_info_parse(text.at, text.n, "t", &info), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_description_comes_back_as_it_was),
		cmocka_unit_test(missing_members_of_a_vm_description_are_absent),
		cmocka_unit_test(hostile_descriptions_are_errors),
		cmocka_unit_test(more_than_the_limits_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
