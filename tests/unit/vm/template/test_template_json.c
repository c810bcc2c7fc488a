// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/template/template.h"

#include "dirs.h"

static const char good[] = "{\n"
			   "  \"format\": 2,\n"
			   "  \"key\": \"kernel 0123\\nmachine q35 \\\"x\\\"\",\n"
			   "  \"nonce\": \"00017f80ff0a1b2c3d4e5f60718293a4\",\n"
			   "  \"nonce_phys\": 77824,\n"
			   "  \"generation\": 1,\n"
			   "  \"monotonic_ns\": 1234567890,\n"
			   "  \"monotonic_limit_ns\": 2234567890,\n"
			   "  \"state_bytes\": 345678,\n"
			   "  \"ram_bytes\": [\n    536870912,\n    18446744073709551615\n  ]\n"
			   "}\n";

static const char ram[] = "[\n    536870912,\n    18446744073709551615\n  ]";

static struct error *parse(const char *text, struct vm_template_description *ret)
{
	return vm_template_description_parse(text, strlen(text), ret);
}

static void template_json_survives_a_round_trip(void **state UNUSED)
{
	static const uint8_t nonce[] = { 0,    1,    0x7f, 0x80, 0xff, 0x0a, 0x1b, 0x2c,
					 0x3d, 0x4e, 0x5f, 0x60, 0x71, 0x82, 0x93, 0xa4 };
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 };
	_cleanup_strbuf_ struct strbuf again = STRBUF_INIT;

	assert_success(parse(good, &d));
	assert_string_equal(d.key, "kernel 0123\nmachine q35 \"x\"");
	assert_memory_equal(d.proof.nonce, nonce, sizeof(nonce));
	assert_int_equal(d.proof.nonce_phys, 77824);
	assert_int_equal(d.proof.generation, 1);
	assert_int_equal(d.proof.monotonic_ns, 1234567890);
	assert_int_equal(d.proof.monotonic_limit_ns, 2234567890);
	assert_int_equal(d.state_bytes, 345678);
	assert_int_equal(d.ram_bytes.n, 2);
	assert_true(d.ram_bytes.at[0] == 536870912 && d.ram_bytes.at[1] == UINT64_MAX);
	vm_template_description_format(&d, &again);
	assert_string_equal(strbuf_str(&again), good);
}

/* The good text with one thing replaced is refused, and names the member. */
static void assert_refused(const char *old, const char *new, const char *member)
{
	struct vm_template_description d = { .ram_bytes = { .n = 99 } };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *text = NULL;
	const char *at = strstr(good, old);

	assert_non_null(at);
	text = xasprintf("%.*s%s%s", (int)(at - good), good, new, at + strlen(old));
	err = parse(text, &d);
	if (!err)
		fail_msg("accepted: %s", text);
	assert_string_equal(error_tag(err), "template");
	assert_contains(error_message(err), member);
	assert_int_equal(d.ram_bytes.n, 99);
}

static void every_member_must_be_there(void **state UNUSED)
{
	static const char *const members[] = {
		"format",
		"key",
		"nonce",
		"nonce_phys",
		"generation",
		"monotonic_ns",
		"monotonic_limit_ns",
		"state_bytes",
		"ram_bytes",
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		_cleanup_free_ char *quoted = xasprintf("\"%s\":", members[i]);

		assert_refused(quoted, "\"x\":", members[i]);
	}
}

static void every_member_must_make_sense(void **state UNUSED)
{
	/* The one before had no model: a template of it is made anew. */
	assert_refused("2,", "1,", "format");
	assert_refused("2,", "3,", "format");
	assert_refused("2,", "\"2\",", "format");
	assert_refused("\"kernel 0123", "7, \"x\": \"", "key");
	assert_refused("kernel 0123", "kernel\\u0000", "key");
	assert_refused("00017f", "00017", "nonce");
	assert_refused("00017f", "00017f00", "nonce");
	assert_refused("00017f", "0x017f", "nonce");
	assert_refused("00017f", "00 17f", "nonce");
	assert_refused("00017f", "00+17f", "nonce");
	assert_refused("00017f", "00-17f", "nonce");
	assert_refused("00017f", "0g017f", "nonce");
	assert_refused("77824", "-1", "nonce_phys");
	assert_refused("\"generation\": 1", "\"generation\": 4294967296", "generation");
	assert_refused("\"generation\": 1", "\"generation\": 1.5", "generation");
	/* Stopped before it had answered. */
	assert_refused("2234567890", "1234567889", "monotonic_limit_ns");
	/* No clock runs for centuries: sums with it would wrap. */
	assert_refused("2234567890", "18446744073709551615", "monotonic_limit_ns");
	assert_refused("345678,", "null,", "state_bytes");
	assert_refused(ram, "[]", "ram_bytes");
	assert_refused(ram, "512", "ram_bytes");
	assert_refused(ram, "{\"a\": 512}", "ram_bytes");
	assert_refused(ram, "[512, \"x\"]", "ram_bytes");
}

static void more_nodes_than_there_can_be_are_refused(void **state UNUSED)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 };
	_cleanup_strbuf_ struct strbuf most = STRBUF_INIT, more = STRBUF_INIT;

	for (int i = 0; i < TOPO_LIMIT_ASKED_NODES; i++)
		strbuf_appendf(&most, "%s%d", i ? "," : "[", i);
	strbuf_appendf(&more, "%s,1]", strbuf_str(&most));
	strbuf_append(&most, "]");
	assert_refused(ram, strbuf_str(&more), "ram_bytes");
	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *text = NULL;

		text = xasprintf("%.*s%s}", (int)(strstr(good, ram) - good), good,
				 strbuf_str(&most));
		vm_template_description_deinit(&d);
		assert_success(parse(text, &d));
		assert_int_equal(d.ram_bytes.n, TOPO_LIMIT_ASKED_NODES);
	}
}

/* The good text with a model, whose CPUs are to be given. */
static char *with_model(const char *cpus)
{
	static const char behind[] = "\"alone_kips\": 2, \"busy_kips\": 3, \"total_kips\": 4, "
				     "\"tick_ppm\": 5, \"turn_ns\": 6, \"step_max_ns\": 7, "
				     "\"wake_quiet_p50_ns\": 8, \"wake_quiet_max_ns\": 9, "
				     "\"wake_busy_p50_ns\": 10, \"wake_busy_max_ns\": 11, "
				     "\"ipi_quiet_p50_ns\": 12, \"ipi_quiet_max_ns\": 13, "
				     "\"ipi_busy_p50_ns\": 14, \"ipi_busy_max_ns\": 15, "
				     "\"timer_p50_ns\": 16, \"timer_max_ns\": 17";
	const char *at = strstr(good, "  \"state_bytes\"");

	return xasprintf("%.*s  \"model\": { %s %s },\n%s", (int)(at - good), good, cpus, behind,
			 at);
}

static void a_model_is_read_and_written(void **state UNUSED)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 }, back = { 0 },
									 none = { 0 };
	_cleanup_free_ char *text = with_model("\"cpus\": 4,");
	_cleanup_strbuf_ struct strbuf again = STRBUF_INIT;

	assert_success(parse(text, &d));
	assert_true(d.has_model);
	assert_int_equal(d.model.cpus, 4);
	assert_int_equal(d.model.turn_ns, 6);
	assert_int_equal(d.model.ipi_busy_max_ns, 15);
	vm_template_description_format(&d, &again);
	assert_success(parse(strbuf_str(&again), &back));
	assert_memory_equal(&back.model, &d.model, sizeof(d.model));
	/* A real clock has none. */
	assert_success(parse(good, &none));
	assert_false(none.has_model);
	assert_int_equal(none.model.cpus, 0);
}

/* 0 is "not measured" for those who read it: it must not come from a file as a figure. */
static void a_model_of_no_cpu_is_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "\"cpus\": 0,", "", "\"cpus\": -1," };
	struct vm_template_description d = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_free_ char *text = with_model(wrong[i]);

		assert_error_tag(parse(text, &d), "template");
		assert_false(d.has_model);
	}
}

/* Cut anywhere it is no description: what a full disk or a crash leaves is never believed. */
static void a_cut_file_is_refused(void **state UNUSED)
{
	struct vm_template_description d;

	for (size_t n = 0; n + 2 < sizeof(good) - 1; n++)
		assert_error_tag(vm_template_description_parse(good, n, &d), "template");
	assert_error_tag(parse("[]", &d), "template");
	assert_error_tag(parse("7", &d), "template");
	assert_error_tag(parse("garbage", &d), "template");
	assert_error_tag(vm_template_description_parse("\0\0\0\0", 4, &d), "template");
}

static void a_file_is_written_whole_and_read_back(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = xasprintf("%s/template.json", f->top);
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 }, back = { 0 };

	assert_error_tag(vm_template_description_read(path, &back), "io");
	assert_success(parse(good, &d));
	assert_success(vm_template_description_write(&d, path));
	assert_success(vm_template_description_read(path, &back));
	assert_string_equal(back.key, d.key);
	assert_memory_equal(&back.proof, &d.proof, sizeof(d.proof));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		cmocka_unit_test(template_json_survives_a_round_trip),
		cmocka_unit_test(every_member_must_be_there),
		cmocka_unit_test(every_member_must_make_sense),
		cmocka_unit_test(more_nodes_than_there_can_be_are_refused),
		cmocka_unit_test(a_model_is_read_and_written),
		cmocka_unit_test(a_model_of_no_cpu_is_refused),
		cmocka_unit_test(a_cut_file_is_refused),
		IN_DIRS(a_file_is_written_whole_and_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
