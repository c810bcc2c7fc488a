// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "unit.h"

enum { S = 1000000000, MS = 1000000 };

static struct checks_disturbance host(uint64_t wall_ns, uint64_t delay_ns, unsigned int tcg_vcpus)
{
	return (struct checks_disturbance){
		.has = true,
		.wall_ns = wall_ns,
		.run_delay_ns = delay_ns,
		.longest_delay_ns = delay_ns,
		.tcg = tcg_vcpus > 0,
		.vcpus = tcg_vcpus ? tcg_vcpus : 4,
	};
}

/* The figures of docs/VERDICTS.md. */
static void error_bars_follow_the_documented_formulas(void **state UNUSED)
{
	struct checks_disturbance quiet_kvm = host(2ull * S, 0, 0),
				  busy_kvm = host(2ull * S, 200 * MS, 0);
	struct checks_disturbance tcg_short = host(2ull * S, 0, 4), tcg_long = host(5ull * S, 0, 4);
	struct checks_disturbance both = host(5ull * S, 500 * MS, 4);

	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &quiet_kvm).value, 0, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &busy_kvm).value, 10, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &tcg_short).value, 20, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &tcg_long).value, 8, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &both).value, 18, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &busy_kvm).value, 200, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &both).value, 900, 1e-4);
}

static void error_bar_of_a_wait_is_the_longest_delay(void **state UNUSED)
{
	struct checks_disturbance d = host(5ull * S, 500 * MS, 0);

	d.longest_delay_ns = 20 * MS;
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &d).value, 20, 1e-4);
	assert_float_equal(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &d).value, 10, 1e-4);
}

static void without_a_measurement_there_is_no_bar(void **state UNUSED)
{
	struct checks_disturbance unknown = { .why = "gone" }, no_time = host(0, 5, 0);

	assert_false(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &unknown).has);
	assert_false(checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &unknown).has);
	assert_false(checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &no_time).has);
}

static void a_wait_within_its_limit_holds_with_any_bar(void **state UNUSED)
{
	struct checks_disturbance d = host(5ull * S, 900 * MS, 4);
	struct checks_error_bar wait = checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &d),
				stall = checks_error_bar_of(CHECKS_ERROR_BAR_STALL, &d);
	char *text = NULL;

	/* It is measured too long, if anything. */
	assert_int_equal(checks_error_bar_decide(&wait, "gap", 100, 100, "ms", &text),
			 KTSTR_REASON_NONE);
	assert_int_equal(checks_error_bar_decide(&stall, "stall", 9, 10, "ms", &text),
			 KTSTR_REASON_NONE);
	assert_null(text);
}

static void error_bar_of_a_stall_is_the_sum_of_delays(void **state UNUSED)
{
	struct checks_disturbance d = host(5ull * S, 500 * MS, 0), unknown = { .why = "gone" };
	_cleanup_free_ char *text = NULL;
	struct checks_error_bar bar;

	d.longest_delay_ns = 20 * MS;
	bar = checks_error_bar_of(CHECKS_ERROR_BAR_STALL, &d);
	assert_float_equal(bar.value, 500, 1e-4);
	assert_false(checks_error_bar_of(CHECKS_ERROR_BAR_STALL, &unknown).has);
	assert_int_equal(checks_error_bar_decide(&bar, "it is", 1500, 1000, "ms", &text),
			 KTSTR_REASON_HOST_BUSY);
	assert_string_equal(text, "it is 1500 ms (limit 1000 ms), but the error bar is 500 ms: the "
				  "host kept the guest waiting for 500 ms in all");
}

static void the_error_bar_excuses_failures_and_never_causes_one(void **state UNUSED)
{
	static const struct {
		double measured, limit;
		uint64_t delay_ms; /* of 1 s: tenths of a percent */
		bool unknown;
		enum ktstr_reason reason;
		const char *words;
	} cases[] = {
		{ 15, 15, 0, false, KTSTR_REASON_NONE, NULL },
		{ 14, 15, 150, false, KTSTR_REASON_NONE, NULL },
		/* A share can also look better than it was. */
		{ 14, 15, 151, false, KTSTR_REASON_HOST_BUSY,
		  "it is 14 % (limit 15 %), but the error bar is 15.1 %" },
		{ 0, 15, 500, false, KTSTR_REASON_HOST_BUSY, "but the error bar is 50 %" },
		{ 66, 15, 500, false, KTSTR_REASON_CHECK, "and the error bar is 50 %" },
		{ 14, 15, 0, true, KTSTR_REASON_NONE, NULL },
		{ 15.5, 15, 0, false, KTSTR_REASON_CHECK,
		  "it is 15.5 % (limit 15 %), and the error bar is 0 %" },
		{ 21, 15, 90, false, KTSTR_REASON_HOST_BUSY,
		  "it is 21 % (limit 15 %), but the error bar is 9 %: the host kept the guest "
		  "waiting 9 % of the time" },
		{ 24, 15, 90, false, KTSTR_REASON_HOST_BUSY, "24 %" },
		{ 24.5, 15, 90, false, KTSTR_REASON_CHECK, "and the error bar is 9 %" },
		{ 100, 15, 0, true, KTSTR_REASON_NO_EVIDENCE,
		  "it is 100 % (limit 15 %), but how much the host disturbed the guest is unknown: "
		  "no such process" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct checks_disturbance d =
			cases[i].unknown ? (struct checks_disturbance){ .why = "no such process" }
					 : host(S, cases[i].delay_ms * MS, 0);
		struct checks_error_bar bar = checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &d);
		_cleanup_free_ char *text = NULL;
		enum ktstr_reason reason = checks_error_bar_decide(&bar, "it is", cases[i].measured,
								   cases[i].limit, "%", &text);

		assert_int_equal(reason, cases[i].reason);
		if (cases[i].words)
			assert_contains(text, cases[i].words);
		else
			assert_null(text);
	}
}

static void vcpus_sharing_a_host_thread_are_named_in_the_error_bar(void **state UNUSED)
{
	struct checks_disturbance d = host(5ull * S, 100 * MS, 4);
	struct checks_error_bar share = checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &d),
				wait = checks_error_bar_of(CHECKS_ERROR_BAR_WAIT, &d);
	_cleanup_free_ char *one = NULL, *two = NULL;

	assert_int_equal(checks_error_bar_decide(&share, "spread of left is", 21, 15, "%", &one),
			 KTSTR_REASON_HOST_BUSY);
	assert_string_equal(one, "spread of left is 21 % (limit 15 %), but the error bar is 10 %: "
				 "the host kept the guest waiting 2 % of the time, and its 4 vCPUs "
				 "take turns on one host thread");
	assert_int_equal(checks_error_bar_decide(&wait, "gap", 550, 100, "ms", &two),
			 KTSTR_REASON_HOST_BUSY);
	assert_string_equal(two, "gap 550 ms (limit 100 ms), but the error bar is 500 ms: the host "
				 "kept the guest waiting up to 100 ms at a time, and its 4 vCPUs "
				 "take turns on one host thread");
}

static void a_line_says_measured_limit_and_bar(void **state UNUSED)
{
	struct checks_disturbance d = host(5ull * S, 0, 4), unknown = { 0 };
	struct checks_error_bar bar = checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &d),
				none = checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &unknown);
	_cleanup_free_ char *line = checks_error_bar_format(&bar, "spread", "left", 3.14, 15, "%");
	_cleanup_free_ char *dark = checks_error_bar_format(&none, "gap", "left", 1234.5, 99.96,
							    "ms");

	assert_string_equal(line, "spread left 3.1 % of at most 15 %, error bar 8 %");
	assert_string_equal(dark, "gap left 1234 ms of at most 100 ms, error bar unknown");
}

static void an_error_bar_of_huge_numbers_is_formatted(void **state UNUSED)
{
	struct checks_disturbance d = host(1, UINT64_MAX, 4);
	struct checks_error_bar bar = checks_error_bar_of(CHECKS_ERROR_BAR_SHARE, &d);
	_cleanup_free_ char *line = checks_error_bar_format(&bar, "spread", "left", 1e308, 1e308,
							    "%");

	assert_contains(line, "of at most 1");
}

/* Two CPUs with turns of 10 us and interrupts of 20 us: 0.04 ms, the example of docs/VERDICTS.md.
 */
static const struct checks_model two_cpus = {
	.turn_ns = 10000,
	.has_ipi = true,
	.ipi_ns = 20000,
	.vcpus = 2,
};

static void a_virtual_clock_knows_no_host(void **state UNUSED)
{
	struct checks_disturbance busy = host(1ull * S, 900 * MS, 4);
	struct checks_facts facts = { .disturbance = &busy,
				      .clock = { .is_virtual = true, .model = two_cpus } };

	assert_float_equal(checks_error_bar_for(CHECKS_ERROR_BAR_SHARE, &facts).value, 0, 1e-6);
	assert_float_equal(checks_error_bar_for(CHECKS_ERROR_BAR_WAIT, &facts).value, 0.04, 1e-6);
	assert_float_equal(checks_error_bar_for(CHECKS_ERROR_BAR_STALL, &facts).value, 0.04, 1e-6);
	facts.clock.model.ipi_ns = 30000;
	assert_float_equal(checks_error_bar_for(CHECKS_ERROR_BAR_WAIT, &facts).value, 0.05, 1e-6);
	facts.clock.is_virtual = false;
	assert_float_equal(checks_error_bar_for(CHECKS_ERROR_BAR_WAIT, &facts).value, 1300, 1e-4);
}

static void a_value_of_a_virtual_clock_is_decided_without_an_excuse(void **state UNUSED)
{
	static const struct {
		enum checks_error_bar_kind kind;
		double measured, limit;
		enum ktstr_reason reason;
		const char *text;
	} cases[] = {
		{ CHECKS_ERROR_BAR_SHARE, 15, 15, KTSTR_REASON_NONE, NULL },
		{ CHECKS_ERROR_BAR_SHARE, 15.2, 15, KTSTR_REASON_CHECK,
		  "it is 15.2 % (limit 15 %)" },
		{ CHECKS_ERROR_BAR_WAIT, 8.2, 8.2, KTSTR_REASON_NONE, NULL },
		{ CHECKS_ERROR_BAR_WAIT, 8.2, 8, KTSTR_REASON_CHECK,
		  "it is 8.2 ms (+-0.04 ms, limit 8 ms)" },
		{ CHECKS_ERROR_BAR_WAIT, 0.05, 0.04, KTSTR_REASON_CHECK,
		  "it is 0.05 ms (+-0.04 ms, limit 0.04 ms)" },
		/* Below the error nothing is decided, whatever was measured. */
		{ CHECKS_ERROR_BAR_WAIT, 0.05, 0.039, KTSTR_REASON_MODEL_ERROR,
		  "it is 0.05 ms (+-0.04 ms, limit 0.039 ms), but CPUs of this machine take turns, "
		  "so a limit below its error decides nothing" },
		{ CHECKS_ERROR_BAR_WAIT, 0.01, 0.03, KTSTR_REASON_MODEL_ERROR, NULL },
		{ CHECKS_ERROR_BAR_STALL, 1500, 1100, KTSTR_REASON_CHECK,
		  "it is 1500 ms (+-0.04 ms, limit 1100 ms)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct checks_error_bar bar = checks_error_bar_of_model(cases[i].kind, &two_cpus);
		const char *unit = cases[i].kind == CHECKS_ERROR_BAR_SHARE ? "%" : "ms";
		_cleanup_free_ char *text = NULL;

		assert_int_equal(checks_error_bar_decide(&bar, "it is", cases[i].measured,
							 cases[i].limit, unit, &text),
				 cases[i].reason);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
	}
}

static void a_model_that_was_not_measured_is_not_exact(void **state UNUSED)
{
	const struct checks_model unknown = { .vcpus = 4 };
	struct checks_error_bar bar = checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &unknown);
	_cleanup_free_ char *text = NULL, *line = NULL, *none = NULL;

	assert_false(bar.has);
	assert_int_equal(checks_error_bar_decide(&bar, "it is", 9, 10, "ms", &none),
			 KTSTR_REASON_NONE);
	assert_int_equal(checks_error_bar_decide(&bar, "it is", 11, 10, "ms", &text),
			 KTSTR_REASON_NO_EVIDENCE);
	assert_contains(text, ", but the error of this machine was not measured");
	line = checks_error_bar_format(&bar, "gap", "left", 9, 10, "ms");
	assert_string_equal(line,
			    "gap left 9 ms of at most 10 ms, error of the machine not measured");
	/* CPU times do not depend on it. */
	assert_true(checks_error_bar_of_model(CHECKS_ERROR_BAR_SHARE, &unknown).has);
}

static void interrupts_that_were_not_measured_are_not_instant(void **state UNUSED)
{
	struct checks_model model = { .turn_ns = 20000, .vcpus = 2 };

	assert_false(checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &model).has);
	assert_false(checks_error_bar_of_model(CHECKS_ERROR_BAR_STALL, &model).has);
	assert_true(checks_error_bar_of_model(CHECKS_ERROR_BAR_SHARE, &model).has);
	/* One CPU has no other to interrupt. */
	model.vcpus = 1;
	assert_true(checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &model).has);
	assert_float_equal(checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &model).value, 0.02,
			   1e-6);
	/* Turns of QEMU's own, whose length is not known. */
	model = (struct checks_model){ .has_ipi = true, .ipi_ns = 20000, .vcpus = 2 };
	assert_false(checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &model).has);
}

static void a_note_shows_the_error_beside_the_value(void **state UNUSED)
{
	struct checks_error_bar wait = checks_error_bar_of_model(CHECKS_ERROR_BAR_WAIT, &two_cpus);
	struct checks_error_bar share = checks_error_bar_of_model(CHECKS_ERROR_BAR_SHARE,
								  &two_cpus);
	_cleanup_free_ char *gap = checks_error_bar_format(&wait, "gap", "left", 8.2, 10, "ms");
	_cleanup_free_ char *spread = checks_error_bar_format(&share, "spread", "left", 3.1, 15,
							      "%");

	assert_string_equal(gap, "gap left 8.2 ms (+-0.04 ms) of at most 10 ms");
	assert_string_equal(spread, "spread left 3.1 % of at most 15 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_virtual_clock_knows_no_host),
		cmocka_unit_test(a_value_of_a_virtual_clock_is_decided_without_an_excuse),
		cmocka_unit_test(a_model_that_was_not_measured_is_not_exact),
		cmocka_unit_test(interrupts_that_were_not_measured_are_not_instant),
		cmocka_unit_test(a_note_shows_the_error_beside_the_value),
		cmocka_unit_test(error_bars_follow_the_documented_formulas),
		cmocka_unit_test(error_bar_of_a_wait_is_the_longest_delay),
		cmocka_unit_test(without_a_measurement_there_is_no_bar),
		cmocka_unit_test(a_wait_within_its_limit_holds_with_any_bar),
		cmocka_unit_test(error_bar_of_a_stall_is_the_sum_of_delays),
		cmocka_unit_test(the_error_bar_excuses_failures_and_never_causes_one),
		cmocka_unit_test(vcpus_sharing_a_host_thread_are_named_in_the_error_bar),
		cmocka_unit_test(a_line_says_measured_limit_and_bar),
		cmocka_unit_test(an_error_bar_of_huge_numbers_is_formatted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
