// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/accel.h"

#include "base/io.h"
#include "unit.h"

/* What the kernel says about the counter; 0: it does not. */
static uint64_t kernels_khz(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at;
	double mhz;

	error_free(io_read_file("/proc/cpuinfo", 16 << 20, &text));
	/* With a constant counter and no scaling of frequencies the two are the same. */
	if (!strstr(strbuf_str(&text), " constant_tsc") ||
	    !strstr(strbuf_str(&text), " hypervisor"))
		return 0;
	at = strstr(strbuf_str(&text), "cpu MHz");
	return at && sscanf(at, "cpu MHz : %lf", &mhz) == 1 ? (uint64_t)(mhz * 1000) : 0;
}

static void the_counter_runs_as_the_kernel_says(void **state UNUSED)
{
	uint64_t khz = vm_host_tsc_khz(), expected = kernels_khz();

	skip_unless(khz, "the counter cannot be read here");
	assert_in_range(khz, 100000, 20000000);
	skip_unless(expected, "the kernel does not tell the counter's speed here");
	assert_in_range(khz, expected - expected / 200, expected + expected / 200);
}

static void repeated_tsc_measurements_agree(void **state UNUSED)
{
	uint64_t one = vm_host_tsc_khz(), other = vm_host_tsc_khz();

	skip_unless(one && other, "the counter cannot be read here");
	assert_in_range(other, one - one / 100, one + one / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_runs_as_the_kernel_says),
		cmocka_unit_test(repeated_tsc_measurements_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
