// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/source.h"

#include <stdlib.h>

#include "../dump/build_guest.h"

/* A source whose memory is a kernel that was built for tests. */
static struct inspect_source built_source(struct build_guest *g)
{
	struct inspect_source source = INSPECT_SOURCE_NONE;

	source.reader = build_reader(&g->k.memory);
	return source;
}

static void a_kernel_without_registers_is_attached(void **state)
{
	struct inspect_source source = built_source(*state);
	_cleanup_inspect_kernel_ struct inspect_kernel kernel = { 0 };

	assert_success(inspect_attach(&source, false, &kernel));
	assert_string_equal(kernel.kmem->uname.release, "7.9-test");
	assert_int_equal(kernel.n_registers, 0);
	assert_null(kernel.registers);
	assert_null(kernel.cache);
}

static void registers_of_a_frozen_vm_are_taken_over(void **state)
{
	struct inspect_source source = built_source(*state);
	_cleanup_inspect_kernel_ struct inspect_kernel kernel = { 0 };

	vec_push(&source.freeze.registers.cpus, ((struct physmap_registers){ .rip = 3 }));
	vec_push(&source.freeze.registers.cpus,
		 ((struct physmap_registers){ .rip = 4, .user = true }));
	assert_success(inspect_attach(&source, false, &kernel));
	vm_register_list_deinit(&source.freeze.registers);
	assert_int_equal(kernel.n_registers, 2);
	assert_int_equal(kernel.registers[0].rip, 3);
	assert_int_equal(kernel.registers[1].rip, 4);
	assert_true(kernel.registers[1].user);
}

static void memory_without_a_kernel_is_an_error(void **state UNUSED)
{
	struct build_memory memory = build_memory_new(1 << 20, 0x1000, 4);
	struct inspect_source source = INSPECT_SOURCE_NONE;
	struct inspect_kernel kernel = { 0 };
	struct error *err;

	source.reader = build_reader(&memory);
	err = inspect_attach(&source, true, &kernel);
	assert_non_null(err);
	error_free(err);
	assert_null(kernel.kmem);
	assert_null(kernel.cache);
	build_memory_deinit(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(a_kernel_without_registers_is_attached),
		guest_test(registers_of_a_frozen_vm_are_taken_over),
		cmocka_unit_test(memory_without_a_kernel_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
