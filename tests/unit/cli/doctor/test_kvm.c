// SPDX-License-Identifier: GPL-2.0-or-later
/* Guests themselves are started by the tests of the machine; here there is nothing to boot. */
#include "cli/doctor/doctor.h"

#include "cli/frame/command.h"
#include "machine.h"
#include "unit.h"

static struct error *works(enum vm_accel_wish wish, struct strbuf *notes)
{
	strbuf_appendf(notes, "as it should with %s", vm_accel_wish_words[wish]);
	return NULL;
}

static struct error *fails(enum vm_accel_wish wish UNUSED, struct strbuf *notes)
{
	strbuf_append(notes, "came far");
	return base_error(BASE_ABSENT, 0, "but not\nfar enough");
}

static void steps_that_work_are_all_run(void **state UNUSED)
{
	static const struct doctor_step steps[] = { { "first", works }, { "second", works } };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_int_equal(doctor_kvm_run_steps(steps, 2, VM_ACCEL_WISH_KVM, NULL, &text),
			 CLI_EXIT_OK);
	assert_contains(strbuf_str(&text), "first        ok ");
	assert_contains(strbuf_str(&text), "second       ok ");
	assert_contains(strbuf_str(&text), "as it should with kvm\n");
}

static void the_first_that_fails_ends_it(void **state UNUSED)
{
	static const struct doctor_step steps[] = {
		{ "first", works },
		{ "second", fails },
		{ "third", works },
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_int_equal(doctor_kvm_run_steps(steps, 3, VM_ACCEL_WISH_TCG, NULL, &text),
			 CLI_EXIT_FAILED);
	assert_contains(strbuf_str(&text), "second       FAILED");
	assert_contains(strbuf_str(&text), "came far\n");
	assert_contains(strbuf_str(&text), "but not\\nfar enough\n");
	assert_contains(strbuf_str(&text), "third        not run\n");
}

static int flushed;

static int flush_once(struct strbuf *text)
{
	assert_true(text->n > 0);
	strbuf_clear(text);
	return ++flushed == 2;
}

/* Guests take their time: each line is seen when it is known. */
static void output_is_flushed_after_each_step(void **state UNUSED)
{
	static const struct doctor_step steps[] = {
		{ "first", works },
		{ "second", works },
		{ "third", works },
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	flushed = 0;
	assert_int_equal(doctor_kvm_run_steps(steps, 3, VM_ACCEL_WISH_KVM, flush_once, &text),
			 CLI_EXIT_FAILED);
	assert_int_equal(flushed, 2);
}

static void without_a_kernel_each_step_says_so(void **state)
{
	struct error *(*const steps[])(enum vm_accel_wish, struct strbuf *) = {
		kvm_guests_boot,
		kvm_guests_topology,
		kvm_guests_clones,
	};
	struct machine *m = *state;

	setenv("KTSTR_CACHE_DIR", m->root, 1);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;

		assert_error_tag(steps[i](VM_ACCEL_WISH_TCG, &notes), "kernel-not-cached");
		assert_int_equal(notes.n, 0);
	}
	unsetenv("KTSTR_CACHE_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_that_work_are_all_run),
		cmocka_unit_test(the_first_that_fails_ends_it),
		cmocka_unit_test(output_is_flushed_after_each_step),
		IN_MACHINE(without_a_kernel_each_step_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
