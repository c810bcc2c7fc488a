// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr.h"

#include "build_guest.h"

static struct error *ask(struct build_guest *g, const char *text)
{
	struct dump_sink sink = dump_sink_to_text(&g->out, 100);

	guest_attach(g);
	strbuf_clear(&g->out);
	return dump_expr(g->kmem, text, &sink);
}

static void assert_says(struct build_guest *g, const char *text, const char *expected)
{
	assert_success(ask(g, text));
	assert_string_equal(strbuf_str(&g->out), expected);
}

static void assert_refused(struct build_guest *g, const char *text, const char *tag,
			   const char *message)
{
	_cleanup_error_ struct error *err = ask(g, text);

	if (!err)
		fail_msg("%s: %s", text, strbuf_str(&g->out));
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), message);
}

static void of_one_cpu_and_of_all(void **state)
{
	assert_says(*state, "runqueues[1].nr_running", "runqueues[1].nr_running = 3\n");
	assert_says(*state, "runqueues.clock",
		    "runqueues[0].clock = 5000\nrunqueues[1].clock = 5001\n"
		    "runqueues[2].clock = 5002\n");
	/* 3 is a number that the mask does not have. */
	assert_refused(*state, "runqueues[3].clock", "expression-cpu", "no CPU 3");
	assert_refused(*state, "runqueues[4294967297].clock", "expression-cpu",
		       "no CPU 4294967297");
}

static void through_pointers(void **state)
{
	struct build_guest *g = *state;
	_cleanup_free_ char *at = xasprintf("(struct task_struct)%#llx.pid",
					    (unsigned long long)guest_pointer(g, guest_task_at(2)));
	_cleanup_free_ char *said = xasprintf("%s = 8\n", at);

	assert_says(g, "runqueues[1].curr->pid", "runqueues[1].curr->pid = 7\n");
	/* What stands behind it in memory: neither is a task. */
	assert_says(g, "runqueues[1].curr[0].tgid", "runqueues[1].curr[0].tgid = 7\n");
	assert_says(g, at, said);
	guest_u64(g, guest_rq_at(1) + RQ_CURR, 0);
	assert_refused(g, "runqueues[1].curr->pid", "expression", "NULL");
	guest_u64(g, guest_rq_at(1) + RQ_CURR, 0x10);
	assert_success(ask(g, "runqueues[1].curr->pid"));
	assert_contains(strbuf_str(&g->out), "unmapped");
}

static void types_that_are_known_said_or_missing(void **state)
{
	struct build_guest *g = *state;

	guest_u32(g, guest_data(IN_DATA_INIT_TASK) + T_PID, 42);
	assert_says(g, "init_task.pid", "init_task.pid = 42\n");
	assert_says(g, "(unsigned long)max_pfn", "(unsigned long)max_pfn = 1024\n");
	assert_refused(g, "max_pfn", "expression-type", "write (TYPE)max_pfn");
}

static void what_is_misspelled_is_answered_with_what_is_near(void **state)
{
	assert_refused(*state, "runqueus[0].clock", "no-kernel-symbol", "did you mean runqueues");
	assert_refused(*state, "runqueues[0].clok", "btf-no-member", "did you mean clock");
	assert_refused(*state, "(struct rqq)max_pfn", "btf-not-found",
		       "the kernel has no struct rqq; did you mean rq?");
}

static void bit_fields_are_numbers(void **state)
{
	struct build_guest *g = *state;
	struct json_writer writer = json_writer_to(&g->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	guest_u32(g, guest_rq_at(1) + RQ_BITS, 5 | 300 << 3 | UINT32_C(0xfffff) << 12);
	guest_u64(g, guest_rq_at(1) + RQ_BITS + 8, UINT64_MAX - 1);
	assert_says(g, "runqueues[1].urgent", "runqueues[1].urgent = 5\n");
	assert_says(g, "runqueues[1].weight", "runqueues[1].weight = 300\n");
	assert_says(g, "runqueues[1].lean", "runqueues[1].lean = -1\n");
	assert_says(g, "runqueues[1].mood", "runqueues[1].mood = CALM (1)\n");
	assert_says(g, "runqueues[1].whole", "runqueues[1].whole = 18446744073709551614\n");
	/* It touches nine bytes: no number here holds them. */
	assert_refused(g, "runqueues[1].crossing", "expression-type", "a bit field of 62 bits");
	guest_attach(g);
	strbuf_clear(&g->out);
	assert_success(dump_expr(g->kmem, "runqueues[1].weight", &sink));
	assert_contains(strbuf_str(&g->out), "\"value\":300}");
}

static void indexes_that_lead_nowhere_are_refused(void **state)
{
	struct build_guest *g = *state;

	assert_refused(g, "runqueues[1].curr[x].pid", "expression", "\"[x].pid\" is no index");
	assert_refused(g, "runqueues[1].curr[18446744073709551615].pid", "expression", "too large");
	assert_refused(g, "runqueues[1].idle[1]", "expression-type", "what it points to");
	assert_refused(g, "runqueues[1].clock.x", "btf-no-member", "x");
}

static void json_has_address_type_and_value(void **state)
{
	struct build_guest *g = *state;
	struct json_writer writer = json_writer_to(&g->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	guest_attach(g);
	assert_success(dump_expr(g->kmem, "runqueues[1].nr_running", &sink));
	assert_contains(strbuf_str(&g->out),
			"{\"expr\":\"runqueues[1].nr_running\",\"address\":\"0x");
	assert_contains(strbuf_str(&g->out),
			"\"type\":\"unsigned int\",\"value\":{\"kind\":\"uint\",");
}

static void without_types_there_is_a_reason(void **state)
{
	guest_tear_down(state);
	*state = build_guest_new(true);
	assert_refused(*state, "(struct rq)runqueues", "btf-not-found", "rq");
}

static void without_cpus_there_is_no_answer(void **state)
{
	struct build_guest *g = *state;
	struct dump_sink sink = dump_sink_to_text(&g->out, 10);

	guest_attach(g);
	kmem_cpus_deinit(&g->kmem->cpus);
	g->kmem->no_cpus = kmem_error(KMEM_UNREAD, 0, "nobody knows");
	assert_error_tag(dump_expr(g->kmem, "runqueues.nr_running", &sink), "guest-memory");
	assert_error_tag(dump_expr(g->kmem, "runqueues[0].nr_running", &sink), "guest-memory");
}

static void pointers_to_control_groups_say_their_path(void **state)
{
	struct build_guest *g = *state;
	_cleanup_free_ char *expr = xasprintf("(struct css_set)%#llx.dfl_cgrp",
					      (unsigned long long)guest_pointer(g, GROUPS_AT));
	struct dump_sink sink = dump_sink_to_text(&g->out, 10);

	guest_attach(g);
	strbuf_clear(&g->out);
	assert_success(dump_expr(g->kmem, expr, &sink));
	assert_contains(strbuf_str(&g->out), "/a/b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(of_one_cpu_and_of_all),
		guest_test(through_pointers),
		guest_test(types_that_are_known_said_or_missing),
		guest_test(what_is_misspelled_is_answered_with_what_is_near),
		guest_test(bit_fields_are_numbers),
		guest_test(indexes_that_lead_nowhere_are_refused),
		guest_test(json_has_address_type_and_value),
		guest_test(without_types_there_is_a_reason),
		guest_test(without_cpus_there_is_no_answer),
		guest_test(pointers_to_control_groups_say_their_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
