// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest that measures itself. With a real clock times are the host's business, and only how
 * figures relate is known; with a virtual one they repeat.
 */
#include <math.h>

#include "unit.h"
#include "vm/link/exec.h"
#include "vm/link/settle.h"
#include "vm/model.h"

static struct kernel *kernel;
static struct vm *vm;

static int start(void **state UNUSED)
{
	struct vm_spec spec = { .topology = TOPO_DEFAULT };

	error_free(kernel_resolve(NULL, &kernel));
	spec.kernel = kernel;
	if (kernel)
		assert_success(vm_start(&spec, NULL, &vm));
	return 0;
}

static int end(void **state UNUSED)
{
	vm_free(vm);
	kernel_free(kernel);
	return 0;
}

static void a_guest_measures_all_of_its_cpus(void **state UNUSED)
{
	const struct topo topology = TOPO_DEFAULT;
	struct vm_model m;

	skip_unless(vm, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_measure(vm, VM_MODEL_PHASE_MS, NULL, &m));
	assert_int_equal(m.cpus, topo_cpus(&topology));
	assert_true(m.alone_kips > 0);
	assert_true(m.busy_kips > 0);
	assert_in_range(m.total_kips, m.cpus * m.busy_kips, m.cpus * (m.busy_kips + 1));
	assert_in_range(m.tick_ppm, 1, 1000000);
	assert_true(m.turn_ns > 0);
	assert_true(m.step_max_ns >= m.turn_ns);
	assert_in_range(m.wake_quiet_p50_ns, 1, m.wake_quiet_max_ns);
	assert_in_range(m.wake_busy_p50_ns, 1, m.wake_busy_max_ns);
	assert_in_range(m.ipi_quiet_p50_ns, 1, m.ipi_quiet_max_ns);
	assert_in_range(m.ipi_busy_p50_ns, 1, m.ipi_busy_max_ns);
	assert_in_range(m.timer_p50_ns, 1, m.timer_max_ns);
}

static void a_guest_is_as_before_when_it_was_measured(void **state UNUSED)
{
	/* Nothing of the measurement runs on: the shell, its loop and the agent's threads are all.
	 */
	const char *const argv[] = { "sh", "-c",
				     "for p in /proc/[0-9]*; do [ -s $p/cmdline ] && echo; done | "
				     "{ n=0; while read l; do n=$((n+1)); done; exit $n; }",
				     NULL };
	const struct vm_command command = { .argv = argv, .stdin_fd = -1 };
	struct vm_end before, after;
	struct vm_model m;

	skip_unless(vm, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_exec(vm, &command, NULL, &before));
	assert_success(vm_measure(vm, 1, NULL, &m));
	assert_success(vm_exec(vm, &command, NULL, &after));
	assert_int_equal(before.how, WIRE_END_EXITED);
	assert_int_equal(after.value, before.value);
}

static void a_request_that_the_agent_refuses_is_an_error(void **state UNUSED)
{
	struct vm_model m = { .cpus = 99 };

	skip_unless(vm, "no kernel is in the cache: ktstr kernel fetch");
	assert_error_tag(vm_measure(vm, 0, NULL, &m), "agent");
	assert_int_equal(m.cpus, 99);
}

static struct vm *start_virtual(uint64_t seed)
{
	struct vm_spec spec = {
		.kernel = kernel,
		.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
		.clock = VM_CLOCK_VIRTUAL,
		.seed = seed,
	};
	struct vm *guest = NULL;

	assert_success(vm_start(&spec, NULL, &guest));
	return guest;
}

static struct vm_model measure_virtual(struct vm_facts *ret_facts)
{
	_cleanup_vm_ struct vm *guest = start_virtual(1);
	struct vm_model m;

	assert_success(vm_measure(guest, VM_MODEL_PHASE_MS, NULL, &m));
	*ret_facts = vm_facts(guest);
	return m;
}

static void a_virtual_clock_gives_every_figure_again(void **state UNUSED)
{
	struct vm_model first, second;
	struct vm_facts facts;

	skip_unless(vm, "no kernel is in the cache: ktstr kernel fetch");
	first = measure_virtual(&facts);
	second = measure_virtual(&facts);
	assert_memory_equal(&first, &second, sizeof(first));
	/* The clock counts instructions, of which ticks take some. */
	assert_true(fabs((double)first.alone_kips / 1000 / facts.speed.total_mips - 1) < 0.1);
	assert_true(fabs((double)first.busy_kips / 1000 / facts.speed.cpu_mips - 1) < 0.2);
	assert_in_range(first.turn_ns, 1, facts.turn_ns * 3 / 2);
	/* Two busy CPUs more take their share. */
	assert_true(first.wake_busy_p50_ns >= first.wake_quiet_p50_ns);
	assert_true(first.ipi_busy_p50_ns >= first.ipi_quiet_p50_ns);
}

/* The template was measured in a clone with that seed: this one does the same and finds the same.
 */
static void a_clone_knows_what_its_template_measured(void **state UNUSED)
{
	_cleanup_vm_ struct vm *guest = NULL, *other = NULL, *untamed = NULL;
	struct vm_settled settled;
	struct vm_model m;

	skip_unless(vm, "no kernel is in the cache: ktstr kernel fetch");
	guest = start_virtual(1);
	assert_non_null(vm_facts(guest).model);
	assert_int_equal(vm_facts(guest).model->cpus, 4);
	assert_success(vm_settle(guest, NULL, &settled));
	assert_success(vm_measure(guest, VM_MODEL_PHASE_MS, NULL, &m));
	assert_memory_equal(vm_facts(guest).model, &m, sizeof(m));
	other = start_virtual(7);
	assert_memory_equal(vm_facts(other).model, &m, sizeof(m));
	/* With the seed 0 turns are QEMU's, which nobody measured; so are those of a real clock. */
	untamed = start_virtual(0);
	assert_null(vm_facts(untamed).model);
	assert_null(vm_facts(vm).model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_measures_all_of_its_cpus),
		cmocka_unit_test(a_guest_is_as_before_when_it_was_measured),
		cmocka_unit_test(a_request_that_the_agent_refuses_is_an_error),
		cmocka_unit_test(a_virtual_clock_gives_every_figure_again),
		cmocka_unit_test(a_clone_knows_what_its_template_measured),
	};

	return cmocka_run_group_tests(tests, start, end);
}
