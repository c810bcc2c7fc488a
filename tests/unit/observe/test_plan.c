// SPDX-License-Identifier: GPL-2.0-or-later
/* A small kernel, built here: what is in it is found where it was put, the rest is named. */
#include "observe/events.h"

#include "build_guest.h"
#include "unit.h"

enum { SWITCH_AT = 0x5000, CURRENT_AT = 0x5100, ENQUEUE_AT = 0x5200 };

static const struct build_symbol symbols[] = {
	{ SWITCH_AT, 'T', "__switch_to_asm" },
	{ CURRENT_AT, 'D', "current_task" },
	/* There is such a function, but the types say nothing of it. */
	{ ENQUEUE_AT, 'T', "enqueue_task" },
};

static int set_up(void **state)
{
	struct build_guest *g = build_guest_with(false, symbols, ARRAY_SIZE(symbols));

	guest_attach(g);
	*state = g;
	return 0;
}

static void a_function_of_known_arguments_is_placed(void **state)
{
	struct build_guest *g = *state;
	const struct wire_observe_hook *hook;
	struct observe_plan plan;

	observe_plan_make(g->kmem, &plan);
	assert_int_equal(plan.n, 1);
	assert_string_equal(plan.rows[0]->word, "switch");
	assert_int_equal(plan.current_offset, g->k.image + CURRENT_AT);
	hook = &plan.hooks[0];
	assert_int_equal(hook->address, g->k.image + SWITCH_AT);
	assert_int_equal(hook->n, 7);
	for (uint32_t i = 0; i < hook->n; i++) {
		const char *name = plan.rows[0]->values[i].name;
		const struct wire_observe_value *value = &hook->values[i];
		bool is_comm = strstr(name, "comm");

		assert_int_equal(value->reg,
				 strncmp(name, "next", 4) ? WIRE_OBSERVE_RDI : WIRE_OBSERVE_RSI);
		assert_int_equal(value->width, is_comm ? 16 : 4);
		assert_int_equal(value->offset, is_comm			? T_COMM
						: strstr(name, "pid")	? T_PID
						: strstr(name, "state") ? T_STATE
									: T_PRIO);
	}
	observe_plan_deinit(&plan);
}

static void what_is_missing_is_named(void **state)
{
	struct build_guest *g = *state;
	struct observe_plan plan;

	observe_plan_make(g->kmem, &plan);
	assert_contains(strbuf_str(&plan.blind),
			"wake (ttwu_do_activate: the function is not there, or there are several)");
	assert_contains(strbuf_str(&plan.blind),
			"enqueue (enqueue_task: its arguments have other names)");
	assert_null(strstr(strbuf_str(&plan.blind), "switch"));
	observe_plan_deinit(&plan);
}

static void the_head_of_a_trace_says_what_its_bytes_mean(void **state)
{
	struct build_guest *g = *state;
	struct observe_plan plan;
	struct observe_head head;

	observe_plan_make(g->kmem, &plan);
	observe_plan_describe(&plan, g->kmem, &head);
	assert_int_equal(head.cpus.n, KERNEL_CPUS);
	for (uint32_t i = 0; i < KERNEL_CPUS; i++)
		assert_int_equal(head.cpus.at[i], build_kernel_cpu_offset(&g->k, i));
	assert_int_equal(head.hooks.n, 1);
	assert_string_equal(head.hooks.at[0].kind, "switch");
	assert_string_equal(head.hooks.at[0].values.at[1].name, "prev_comm");
	assert_int_equal(head.hooks.at[0].values.at[1].width, 16);
	json_rows_deinit(&observe_head_table, &head);
	observe_plan_deinit(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_function_of_known_arguments_is_placed, set_up,
						guest_tear_down),
		cmocka_unit_test_setup_teardown(what_is_missing_is_named, set_up, guest_tear_down),
		cmocka_unit_test_setup_teardown(the_head_of_a_trace_says_what_its_bytes_mean,
						set_up, guest_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
