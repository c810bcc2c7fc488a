// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/cpus.h"

#include "build_kernel.h"
#include "unit.h"

/* Four numbers, three CPUs, two of them on. */
static struct error *read_cpus(const struct build_kernel *k, struct kmem_cpus *ret)
{
	struct kmem_reader reader = build_reader(&k->memory);
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };
	struct kmem_names names;
	struct kmem_space space;
	struct error *err;

	kmem_space_init(&space, &reader, &k->memory.paging);
	assert_success(kmem_vmcoreinfo_parse(
		(struct bytes){ (const uint8_t *)k->text, strlen(k->text) }, &info));
	kmem_names_init(&names, &space, &info);
	err = kmem_cpus_read(&space, &names, ret);
	kmem_names_deinit(&names);
	kmem_space_deinit(&space);
	return err;
}

static void copies_of_a_variable_are_found_per_cpu(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_cpus cpus = { 0 };
	uint64_t address = 0;

	assert_success(read_cpus(&k, &cpus));
	assert_int_equal(cpus.n, 4);
	assert_true(kmem_cpus_address(&cpus, 2, k.image + 0x40, &address));
	/* The offset is a difference that wraps around. */
	assert_true(address == k.direct + 0x110040);
	assert_true(kmem_cpus_is_possible(&cpus, 2));
	assert_false(kmem_cpus_is_online(&cpus, 2));
	assert_true(kmem_cpus_is_online(&cpus, 1));
	assert_false(kmem_cpus_is_possible(&cpus, 3));
	assert_false(kmem_cpus_address(&cpus, 3, k.image, &address));
	assert_false(kmem_cpus_address(&cpus, 64, k.image, &address));
	kmem_cpus_deinit(&cpus);
}

static void number_of_cpus_has_a_limit(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_cpus cpus;

	build_put_u64(&k.memory, IMAGE_AT + IN_IMAGE_VARIABLES + 8 * VAR_CPUS, UINT32_MAX);
	assert_error_tag(read_cpus(&k, &cpus), "limit");
	build_put_u64(&k.memory, IMAGE_AT + IN_IMAGE_VARIABLES + 8 * VAR_CPUS, 0);
	assert_error_tag(read_cpus(&k, &cpus), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_a_variable_are_found_per_cpu),
		cmocka_unit_test(number_of_cpus_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
