// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/model.h"

#include "unit.h"

/* 17 numbers that differ, as they travel. */
static struct strbuf measured(void)
{
	struct strbuf payload = STRBUF_INIT;

	wire_append_uint(&payload, 1, 4);
	for (uint64_t i = 2; i <= 17; i++)
		wire_append_uint(&payload, i << 33 | i, 8);
	return payload;
}

static struct bytes bytes_of(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)s->at, s->n };
}

static uint64_t nth(uint64_t i)
{
	return i << 33 | i;
}

static void every_figure_has_its_place(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf payload = measured();
	struct vm_model m;

	assert_success(vm_model_decode(bytes_of(&payload), &m));
	assert_int_equal(m.cpus, 1);
	assert_int_equal(m.alone_kips, nth(2));
	assert_int_equal(m.busy_kips, nth(3));
	assert_int_equal(m.total_kips, nth(4));
	assert_int_equal(m.tick_ppm, nth(5));
	assert_int_equal(m.turn_ns, nth(6));
	assert_int_equal(m.step_max_ns, nth(7));
	assert_int_equal(m.wake_quiet_p50_ns, nth(8));
	assert_int_equal(m.wake_quiet_max_ns, nth(9));
	assert_int_equal(m.wake_busy_p50_ns, nth(10));
	assert_int_equal(m.wake_busy_max_ns, nth(11));
	assert_int_equal(m.ipi_quiet_p50_ns, nth(12));
	assert_int_equal(m.ipi_quiet_max_ns, nth(13));
	assert_int_equal(m.ipi_busy_p50_ns, nth(14));
	assert_int_equal(m.ipi_busy_max_ns, nth(15));
	assert_int_equal(m.timer_p50_ns, nth(16));
	assert_int_equal(m.timer_max_ns, nth(17));
}

static void bytes_that_are_not_a_measurement_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf payload = measured();
	struct vm_model m = { .cpus = 7 };
	struct bytes cut = bytes_of(&payload);

	cut.n--;
	assert_error_tag(vm_model_decode(cut, &m), "agent");
	/* 0 means that nobody measured. */
	payload.at[0] = 0;
	assert_error_tag(vm_model_decode(bytes_of(&payload), &m), "agent");
	assert_int_equal(m.cpus, 7);
}

static void a_document_gives_the_same_figures_back(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf payload = measured(), text = STRBUF_INIT;
	struct vm_model m, back = { 0 };

	assert_success(vm_model_decode(bytes_of(&payload), &m));
	json_rows_format(&vm_model_table, &m, &text);
	assert_success(json_rows_parse(&vm_model_table, text.at, text.n, "model", &back));
	assert_memory_equal(&back, &m, sizeof(m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_has_its_place),
		cmocka_unit_test(bytes_that_are_not_a_measurement_are_refused),
		cmocka_unit_test(a_document_gives_the_same_figures_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
