// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/arch.h"

#include <elf.h>
#include <sys/ptrace.h>

#include "target.h"
#include "unit.h"

static void the_machine_is_that_of_this_program(void **state UNUSED)
{
	Elf64_Ehdr header;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	assert_int_equal(probe_arch_elf_machine(), header.e_machine);
	assert_true(strlen(probe_arch_name()) > 0);
	assert_true(strlen(probe_arch_regset_name()) > 0);
}

static void a_stopped_thread_has_the_pointer_it_says(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	struct target_thread main_thread = target_thread_of(target_ask(&target, "hello"));
	uint64_t pointer = 0;
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, target.pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, target.pid, NULL, NULL), 0);
	assert_int_equal(waitpid(target.pid, &status, __WALL), target.pid);
	assert_int_equal(probe_arch_thread_pointer(target.pid, &pointer), 0);
	assert_int_equal(pointer, main_thread.pointer);
	ptrace(PTRACE_DETACH, target.pid, NULL, NULL);
	target_end(&target);
}

static void a_thread_that_is_not_ours_is_refused(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	uint64_t pointer = 77;

	assert_int_equal(probe_arch_thread_pointer(target.pid, &pointer), ESRCH);
	assert_int_equal(pointer, 77);
	target_end(&target);
}

/* What an image with this segment would say, rounded by hand. */
static struct elf_tls segment(uint64_t aligned_memsz, uint64_t align)
{
	return (struct elf_tls){ .memsz = aligned_memsz,
				 .align = align,
				 .aligned_memsz = aligned_memsz };
}

/* Block, then the variable's place in it, then the member's in the variable. */
static bool address_of(enum probe_tls_variant variant, uint64_t thread_pointer, struct elf_tls tls,
		       uint64_t symbol, uint64_t member, uint64_t *ret)
{
	uint64_t block;

	return probe_tls_block_of_executable(variant, thread_pointer, &tls, &block) &&
	       add_fits_u64(block, symbol, &block) && add_fits_u64(block, member, ret);
}

static void assert_address(enum probe_tls_variant variant, uint64_t thread_pointer,
			   struct elf_tls tls, uint64_t symbol, uint64_t member, uint64_t expected)
{
	uint64_t got = 0;

	assert_true(address_of(variant, thread_pointer, tls, symbol, member, &got));
	assert_int_equal(got, expected);
}

static void variant_two_ends_at_the_thread_pointer(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 0x10000, segment(0x100, 1), 0x10, 8, 0xff18);
	assert_address(PROBE_TLS_VARIANT_II, 0x7f1234567000, segment(512, 64), 0x100, 264,
		       0x7f1234567008);
}

static void variant_two_may_begin_at_address_zero(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 4096, segment(4096, 16), 0, 0, 0);
}

static void variant_two_refuses_a_block_larger_than_the_thread_pointer(void **state UNUSED)
{
	struct elf_tls tls = segment(0x200, 1);
	uint64_t got = 77;

	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_II, 0x100, &tls, &got));
	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_II, 0x1ff, &tls, &got));
	assert_int_equal(got, 77);
}

/* The size in the file is not what counts: the block begins at an aligned address. */
static void variant_two_uses_the_rounded_size(void **state UNUSED)
{
	struct elf_tls tls = { .memsz = 0xa41, .align = 64, .aligned_memsz = 0xa80 };

	assert_address(PROBE_TLS_VARIANT_II, 0x100000, tls, 0, 0, 0xff580);
}

static void variant_one_begins_behind_the_control_block(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_I, 0x7f1234567000, segment(512, 16), 0x100, 264,
		       0x7f1234567218);
}

static void variant_one_rounds_the_control_block_to_the_alignment(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 64), 0, 0, 0x1040);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 16), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 8), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 1), 0, 0, 0x1010);
	assert_address(PROBE_TLS_VARIANT_I, 0x1000, segment(512, 0), 0, 0, 0x1010);
}

static void variant_one_refuses_what_does_not_fit(void **state UNUSED)
{
	struct elf_tls usual = segment(512, 16), huge = segment(512, UINT64_MAX);
	uint64_t got = 77;

	assert_false(
		probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, UINT64_MAX - 10, &usual, &got));
	assert_false(probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, 0x1000, &huge, &got));
	assert_int_equal(got, 77);
	assert_true(
		probe_tls_block_of_executable(PROBE_TLS_VARIANT_I, UINT64_MAX - 16, &usual, &got));
	assert_int_equal(got, UINT64_MAX);
}

/* Every operand another prime: two of them swapped give another sum. */
static void no_operand_stands_for_another(void **state UNUSED)
{
	assert_address(PROBE_TLS_VARIANT_II, 13000009, segment(1009, 64), 307, 83, 12999390);
	assert_address(PROBE_TLS_VARIANT_I, 13000009, segment(1009, 64), 307, 83, 13000463);
}

static void this_machine_has_its_own_variant(void **state UNUSED)
{
#if defined(__x86_64__)
	assert_address(PROBE_TLS_VARIANT_HERE, 4096, segment(4096, 16), 0, 0, 0);
#else
	assert_address(PROBE_TLS_VARIANT_HERE, 4096, segment(4096, 16), 0, 0, 4112);
#endif
}

static void a_library_lies_at_its_offset_on_the_same_side(void **state UNUSED)
{
	uint64_t got = 0;

	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0x7f0000001000, 0xa80, &got));
	assert_int_equal(got, 0x7f0000000580);
	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_I, 0x7f0000001000, 0xa80, &got));
	assert_int_equal(got, 0x7f0000001a80);
	assert_true(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0xa80, 0xa80, &got));
	assert_int_equal(got, 0);
}

static void a_library_offset_that_does_not_fit_is_refused(void **state UNUSED)
{
	uint64_t got = 77;

	assert_false(probe_tls_block_of_library(PROBE_TLS_VARIANT_II, 0x100, 0x101, &got));
	assert_false(probe_tls_block_of_library(PROBE_TLS_VARIANT_I, UINT64_MAX, 1, &got));
	assert_int_equal(got, 77);
}

static _Thread_local uint8_t mine[40] __attribute__((aligned(32)));

/* The compiler and the loader of this very process are the oracle. */
static void the_block_of_this_process_holds_its_variables(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct elf_tls tls;
	uint64_t thread_pointer, block = 0;

	assert_success(elf_image_open("/proc/self/exe", &image));
	assert_success(elf_image_tls(image, &tls));
	thread_pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	assert_true(probe_tls_block_of_executable(PROBE_TLS_VARIANT_HERE, thread_pointer, &tls,
						  &block));
	assert_true((uintptr_t)mine >= block);
	assert_true((uintptr_t)mine + sizeof(mine) <= block + tls.memsz);
	assert_int_equal(block % tls.align, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_that_of_this_program),
		cmocka_unit_test(a_stopped_thread_has_the_pointer_it_says),
		cmocka_unit_test(a_thread_that_is_not_ours_is_refused),
		cmocka_unit_test(variant_two_ends_at_the_thread_pointer),
		cmocka_unit_test(variant_two_may_begin_at_address_zero),
		cmocka_unit_test(variant_two_refuses_a_block_larger_than_the_thread_pointer),
		cmocka_unit_test(variant_two_uses_the_rounded_size),
		cmocka_unit_test(variant_one_begins_behind_the_control_block),
		cmocka_unit_test(variant_one_rounds_the_control_block_to_the_alignment),
		cmocka_unit_test(variant_one_refuses_what_does_not_fit),
		cmocka_unit_test(no_operand_stands_for_another),
		cmocka_unit_test(this_machine_has_its_own_variant),
		cmocka_unit_test(a_library_lies_at_its_offset_on_the_same_side),
		cmocka_unit_test(a_library_offset_that_does_not_fit_is_refused),
		cmocka_unit_test(the_block_of_this_process_holds_its_variables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
