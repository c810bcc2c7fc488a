// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's command line; what boots is in tests/vm. */
#include "vm/state.h"

#include "base/alloc.h"
#include "unit.h"

static const struct vm_accel tcg = { .kind = VM_ACCEL_TCG }, kvm = { .kind = VM_ACCEL_KVM };

static struct error *complete(const struct vm_accel *accel, enum vm_clock_kind clock,
			      const char *arguments, struct strbuf *into)
{
	struct vm_machine_plan plan = { .accel = accel, .clock = clock, .kernel_args = arguments };

	return vm_boot_complete_args(&plan, into);
}

static void a_tcg_guest_gets_its_tsc_frequency_as_an_argument(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf slow = STRBUF_INIT, fast = STRBUF_INIT;
	unsigned int khz;

	assert_success(complete(&kvm, VM_CLOCK_REAL, "quiet a=\"b c\"", &fast));
	assert_string_equal(strbuf_str(&fast), "quiet a=\"b c\"");
	assert_success(complete(&tcg, VM_CLOCK_REAL, "quiet a=\"b c\"", &slow));
	skip_unless(strbuf_str(&slow)[0] == 't', "the counter cannot be read here");
	assert_int_equal(sscanf(strbuf_str(&slow), "tsc_early_khz=%u ", &khz), 1);
	assert_true(khz > 100000);
	assert_string_equal(strchr(strbuf_str(&slow), ' '), " quiet a=\"b c\"");
}

/* It counts nanoseconds of the guest, whatever the host's does. */
static void a_virtual_guest_has_the_same_tsc_on_every_host(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf into = STRBUF_INIT;

	assert_success(complete(&tcg, VM_CLOCK_VIRTUAL, "quiet", &into));
	assert_string_equal(strbuf_str(&into), "tsc_early_khz=1000000 quiet");
}

static void arguments_that_the_kernel_would_cut_are_an_error(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf into = STRBUF_INIT;
	char text[2049];

	memset(text, 'x', sizeof(text));
	text[2047] = 0;
	assert_success(complete(&kvm, VM_CLOCK_REAL, text, &into));
	assert_int_equal(into.n, 2047);
	text[2047] = 'x';
	text[2048] = 0;
	strbuf_clear(&into);
	assert_error_tag(complete(&kvm, VM_CLOCK_REAL, text, &into), "limit");
}

/* They are part of a template's key, so nothing of this moment may be in them. */
static void the_same_machine_has_the_same_arguments(void **state UNUSED)
{
	struct topo t = TOPO_DEFAULT;
	_cleanup_strbuf_ struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;

	vm_boot_format_args(&t, VM_CLOCK_REAL, "extra=1", &one);
	vm_boot_format_args(&t, VM_CLOCK_REAL, "extra=1", &other);
	assert_string_equal(strbuf_str(&one), strbuf_str(&other));
	assert_non_null(strstr(strbuf_str(&one), " extra=1"));
	assert_null(strstr(strbuf_str(&one), "tsc_early_khz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tcg_guest_gets_its_tsc_frequency_as_an_argument),
		cmocka_unit_test(a_virtual_guest_has_the_same_tsc_on_every_host),
		cmocka_unit_test(arguments_that_the_kernel_would_cut_are_an_error),
		cmocka_unit_test(the_same_machine_has_the_same_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
