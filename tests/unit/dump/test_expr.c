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

static void per_cpu_variables_are_shown_for_one_cpu_or_all(void **state)
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

static void expressions_follow_pointers(void **state)
{
	struct build_guest *g = *state;
	_cleanup_free_ char *at = xasprintf("((struct task_struct *)%#llx)->pid",
					    (unsigned long long)guest_pointer(g, guest_task_at(2)));
	_cleanup_free_ char *said = xasprintf("%s = 8\n", at);

	assert_says(g, "runqueues[1].curr->pid", "runqueues[1].curr->pid = 7\n");
	/* What stands behind it in memory: neither is a task. */
	assert_says(g, "runqueues[1].curr[0].tgid", "runqueues[1].curr[0].tgid = 7\n");
	assert_says(g, at, said);
	guest_u64(g, guest_rq_at(1) + RQ_CURR, 0);
	assert_refused(g, "runqueues[1].curr->pid", "expression-null", "runqueues[1].curr is NULL");
	guest_u64(g, guest_rq_at(1) + RQ_CURR, 0x10);
	assert_refused(g, "runqueues[1].curr->pid", "guest-memory", "unmapped");
}

static void a_symbol_needs_a_known_type_or_a_cast(void **state)
{
	struct build_guest *g = *state;

	guest_u32(g, guest_data(IN_DATA_INIT_TASK) + T_PID, 42);
	assert_says(g, "init_task.pid", "init_task.pid = 42\n");
	assert_says(g, "max_pfn", "max_pfn = 1024\n");
	assert_says(g, "nr_cpu_ids", "nr_cpu_ids = 4\n");
	guest_u64(g, guest_data(IN_DATA_PRB), 1234);
	assert_says(g, "(unsigned long)prb", "(unsigned long)prb = 1234\n");
	assert_refused(g, "prb", "expression-type", "as in (unsigned long)prb");
}

static void misspelled_names_get_a_suggestion(void **state)
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
	assert_refused(g, "runqueues[1].crossing", "expression-type", "a number of 9 bytes");
	guest_attach(g);
	strbuf_clear(&g->out);
	assert_success(dump_expr(g->kmem, "runqueues[1].weight", &sink));
	assert_contains(strbuf_str(&g->out),
			"\"value\":{\"kind\":\"uint\",\"bits\":32,\"value\":300}}");
}

static void indexes_that_lead_nowhere_are_refused(void **state)
{
	struct build_guest *g = *state;

	assert_refused(g, "runqueues[1].curr[x].pid", "no-kernel-symbol", "no symbol x");
	assert_refused(g, "runqueues[1].curr->comm[16]", "expression", "no element 16");
	assert_refused(g, "runqueues[1].idle[1]", "expression-type", "void has no size");
	assert_refused(g, "runqueues[1].clock.x", "btf-no-member", "x");
}

static const char *ask_json(struct build_guest *g, const char *text, struct error **ret)
{
	struct json_writer writer = json_writer_to(&g->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	guest_attach(g);
	strbuf_clear(&g->out);
	*ret = dump_expr(g->kmem, text, &sink);
	return strbuf_str(&g->out);
}

/* Whoever reads a script's exit code learns of it, and loses nothing. */
static void a_cpu_that_cannot_be_read_does_not_hide_the_others(void **state)
{
	struct build_guest *g = *state;
	struct error *err;

	guest_u64(g, guest_rq_at(0) + RQ_CURR, 0);
	guest_u64(g, guest_rq_at(2) + RQ_CURR, 0x10);
	assert_refused(g, "runqueues.curr->pid", "expression-unread", "on 2 of 3 CPUs");
	assert_string_equal(strbuf_str(&g->out),
			    "runqueues[0].curr->pid: unavailable: runqueues.curr is NULL\n"
			    "runqueues[1].curr->pid = 7\n"
			    "runqueues[2].curr->pid: unavailable: runqueues[2].curr->pid "
			    "cannot be read: unmapped\n");
	assert_contains(ask_json(g, "runqueues.curr->pid", &err),
			"{\"cpu\":0,\"error\":\"runqueues.curr is NULL\"},{\"cpu\":1,\"address\":");
	assert_error_tag(err, "expression-unread");
	/* What is wrong on every CPU is said once. */
	assert_refused(g, "runqueues.curr->pidd", "btf-no-member", "did you mean pid");
	assert_string_equal(strbuf_str(&g->out), "");
}

static void part_of_a_value_that_cannot_be_read_is_an_error_and_the_rest_is_shown(void **state)
{
	struct build_guest *g = *state;
	_cleanup_free_ char *text = NULL;

	/* The last bytes of RAM. */
	guest_u32(g, g->k.memory.n - 64 + T_PID, 4711);
	text = xasprintf("*(struct task_struct *)%#llx",
			 (unsigned long long)guest_pointer(g, g->k.memory.n - 64));
	assert_refused(g, text, "expression-unread", "part of");
	assert_contains(strbuf_str(&g->out), "pid=4711");
	free(text);
	text = xasprintf("*(struct task_struct *)%#llx",
			 (unsigned long long)guest_pointer(g, g->k.memory.n));
	assert_refused(g, text, "guest-memory", "cannot be read");
}

static void expressions_as_written_for_gdb_are_accepted(void **state)
{
	struct build_guest *g = *state;
	_cleanup_free_ char *second = xasprintf(
		"&runqueues[1].clock = %#llx\n",
		(unsigned long long)guest_pointer(g, guest_rq_at(1) + RQ_CLOCK));

	assert_says(g, "(*runqueues[1].curr).pid", "(*runqueues[1].curr).pid = 7\n");
	assert_says(g, "((struct task_struct *)runqueues[1].curr)->tgid",
		    "((struct task_struct *)runqueues[1].curr)->tgid = 7\n");
	assert_says(g, "&runqueues[1].clock", second);
	assert_says(g, "*&runqueues[1].clock", "*&runqueues[1].clock = 5001\n");
	assert_says(g, "(enum mood)1", "(enum mood)1 = CALM (1)\n");
	assert_says(g, "(enum mood)2", "(enum mood)2 = 2\n");
	assert_says(g, "CALM", "CALM = CALM (1)\n");
	assert_says(g, "sizeof(struct rq)", "sizeof(struct rq) = 64\n");
	/* Not once for each CPU. */
	assert_says(g, "sizeof(runqueues)", "sizeof(runqueues) = 64\n");
	assert_says(g, "runqueues[nr_cpu_ids - 3].clock",
		    "runqueues[nr_cpu_ids - 3].clock = 5001\n");
	assert_says(g, "runqueues.clock - 5000",
		    "runqueues[0].clock - 5000 = 0\nrunqueues[1].clock - 5000 = 1\n"
		    "runqueues[2].clock - 5000 = 2\n");
	assert_says(g, "&runqueues[1] - &runqueues[0]", "&runqueues[1] - &runqueues[0] = 512\n");
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
	_cleanup_free_ char *expr = xasprintf("((struct css_set *)%#llx)->dfl_cgrp",
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
		guest_test(per_cpu_variables_are_shown_for_one_cpu_or_all),
		guest_test(expressions_follow_pointers),
		guest_test(a_symbol_needs_a_known_type_or_a_cast),
		guest_test(misspelled_names_get_a_suggestion),
		guest_test(bit_fields_are_numbers),
		guest_test(indexes_that_lead_nowhere_are_refused),
		guest_test(a_cpu_that_cannot_be_read_does_not_hide_the_others),
		guest_test(part_of_a_value_that_cannot_be_read_is_an_error_and_the_rest_is_shown),
		guest_test(expressions_as_written_for_gdb_are_accepted),
		guest_test(json_has_address_type_and_value),
		guest_test(without_types_there_is_a_reason),
		guest_test(without_cpus_there_is_no_answer),
		guest_test(pointers_to_control_groups_say_their_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
