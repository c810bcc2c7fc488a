// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/counters.h"

#include "fake_memory.h"
#include "target.h"
#include "unit.h"

/* <link.h>: r_version 0, r_map 8, r_next 40; l_addr 0, l_next 24. */
enum { MODID = 0x410, OFFSET = 0x408, LEN = 0, NEXT = 8, SLOTS = 16, SLOT_BYTES = 16, GEN = 0 };

#define R_DEBUG	 UINT64_C(0x7f0000000000)
#define R_DEBUG2 UINT64_C(0x7f0000000100)
#define SLOTINFO UINT64_C(0x7f0000000800) /* the pointer to the first array */
#define MAP(i)	 (UINT64_C(0x7f1000000000) + (uint64_t)(i) * 0x1000)
#define BIAS(i)	 (UINT64_C(0x7e0000000000) + (uint64_t)(i) * 0x100000)
#define ARRAY(i) (UINT64_C(0x7f2000000000) + (uint64_t)(i) * 0x1000)

static const struct probe_glibc_layout link_glibc = {
	.has_libraries = true,
	.r_debug = R_DEBUG,
	.slotinfo_list = SLOTINFO,
	.link_map_tls_modid = MODID,
	.link_map_tls_offset = OFFSET,
	.slotinfo_list_len = LEN,
	.slotinfo_list_next = NEXT,
	.slotinfo_list_slots = SLOTS,
	.slotinfo_bytes = SLOT_BYTES,
	.slotinfo_gen = GEN,
};

static void put_namespace(struct fake_memory *memory, uint64_t r_debug, uint32_t version,
			  uint64_t first_map, uint64_t next)
{
	fake_put_u32(memory, r_debug, version);
	fake_put_u64(memory, r_debug + 8, first_map);
	fake_put_u64(memory, r_debug + 40, next);
}

static void put_map(struct fake_memory *memory, int i, uint64_t next, uint64_t modid,
		    uint64_t offset)
{
	fake_put_u64(memory, MAP(i), BIAS(i));
	fake_put_u64(memory, MAP(i) + 24, next);
	fake_put_u64(memory, MAP(i) + MODID, modid);
	fake_put_u64(memory, MAP(i) + OFFSET, offset);
}

static void put_array(struct fake_memory *memory, int i, uint64_t len, uint64_t next)
{
	fake_put_u64(memory, ARRAY(i) + LEN, len);
	fake_put_u64(memory, ARRAY(i) + NEXT, next);
	for (uint64_t k = 0; k < len; k++)
		fake_put_u64(memory, ARRAY(i) + SLOTS + k * SLOT_BYTES + GEN,
			     1000 * (uint64_t)(i + 1) + k);
}

/* Three libraries: static TLS, dynamic TLS, none. Slots in two arrays of four. */
static struct fake_memory *usual(void)
{
	struct fake_memory *memory = fake_memory_new();

	put_namespace(memory, R_DEBUG, 1, MAP(0), 0xdead0000);
	put_map(memory, 0, MAP(1), 1, 0xa80);
	put_map(memory, 1, MAP(2), 2, 0);
	put_map(memory, 2, MAP(3), 0, 0);
	put_map(memory, 3, 0, 6, UINT64_MAX);
	fake_put_u64(memory, SLOTINFO, ARRAY(0));
	put_array(memory, 0, 4, ARRAY(1));
	put_array(memory, 1, 4, 0);
	return memory;
}

static struct probe_library_tls find(struct fake_memory *memory, int i)
{
	struct probe_library_tls tls = { 0 };

	assert_success(probe_link_map_find_tls(&memory->remote, &link_glibc, BIAS(i), &tls));
	return tls;
}

static void assert_absent(struct fake_memory *memory, uint64_t bias, const char *reason)
{
	struct probe_library_tls tls = { .module_id = 77 };
	_cleanup_error_ struct error *err = probe_link_map_find_tls(&memory->remote, &link_glibc,
								    bias, &tls);

	assert_non_null(err);
	assert_true(error_is(err, &base_error_domain, BASE_ABSENT));
	assert_contains(error_message(err), reason);
	assert_int_equal(tls.module_id, 77);
}

static void a_library_in_the_static_area_has_its_offset(void **state UNUSED)
{
	struct fake_memory *memory = usual();
	struct probe_library_tls tls = find(memory, 0);

	assert_true(tls.is_static);
	assert_int_equal(tls.static_offset, 0xa80);
	assert_int_equal(tls.module_id, 1);
	free(memory);
}

static void libraries_without_a_static_tls_offset_are_dynamic(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	assert_false(find(memory, 1).is_static);
	assert_int_equal(find(memory, 1).module_id, 2);
	assert_false(find(memory, 3).is_static);
	free(memory);
}

/* Module ids count through the arrays; slot 0 belongs to nobody. */
static void the_generation_comes_from_the_modules_own_slot(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	assert_int_equal(find(memory, 1).generation, 1002);
	assert_int_equal(find(memory, 3).generation, 2002);
	fake_put_u64(memory, MAP(3) + MODID, 4);
	assert_int_equal(find(memory, 3).generation, 2000);
	fake_put_u64(memory, MAP(3) + MODID, 3);
	assert_int_equal(find(memory, 3).generation, 1003);
	free(memory);
}

static void a_module_without_a_slot_is_absent(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	fake_put_u64(memory, MAP(3) + MODID, 8);
	assert_absent(memory, BIAS(3), "module 8 has no slot");
	fake_put_u64(memory, MAP(3) + MODID, UINT64_MAX);
	assert_absent(memory, BIAS(3), "has no slot");
	fake_put_u64(memory, SLOTINFO, 0xdead0000);
	assert_absent(memory, BIAS(1), "has no slot");
	/* The static area needs no slot. */
	assert_true(find(memory, 0).is_static);
	free(memory);
}

static void a_library_without_thread_local_storage_is_absent(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	assert_absent(memory, BIAS(2), "no TLS module");
	free(memory);
}

static void an_address_outside_every_library_is_absent(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	assert_absent(memory, 0x1234000, "no library at 0x1234000");
	free(memory);
}

static void a_library_of_another_namespace_is_found(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	put_map(memory, 4, 0, 3, 0x40);
	put_namespace(memory, R_DEBUG2, 2, MAP(4), 0);
	/* The first version of the struct ends before the link: what stands there means nothing. */
	put_namespace(memory, R_DEBUG, 1, MAP(0), R_DEBUG2);
	assert_absent(memory, BIAS(4), "no library at");
	put_namespace(memory, R_DEBUG, 2, MAP(0), R_DEBUG2);
	assert_int_equal(find(memory, 4).static_offset, 0x40);
	assert_int_equal(find(memory, 0).static_offset, 0xa80);
	free(memory);
}

static void a_broken_list_still_gives_the_next_namespace(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	put_map(memory, 4, 0, 3, 0x40);
	put_namespace(memory, R_DEBUG2, 2, MAP(4), 0);
	put_namespace(memory, R_DEBUG, 2, 0xdead0000, R_DEBUG2);
	assert_int_equal(find(memory, 4).static_offset, 0x40);
	free(memory);
}

/* Circles of libraries, of namespaces, and of both: a bounded number of reads. */
static void cyclic_link_maps_end(void **state UNUSED)
{
	struct fake_memory *memory = usual();

	fake_put_u64(memory, MAP(3) + 24, MAP(1));
	put_namespace(memory, R_DEBUG, 2, MAP(0), R_DEBUG);
	assert_absent(memory, 0x1234000, "no library at");
	assert_true(memory->n_reads <= 2 * PROBE_LIMIT_LIBRARIES + 4 * PROBE_LIMIT_NAMESPACES);
	/* Arrays of no length that follow each other. */
	put_array(memory, 0, 0, ARRAY(0));
	assert_absent(memory, BIAS(1), "has no slot");
	free(memory);
}

static void an_entry_that_ends_too_early_is_absent(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	uint64_t map = UINT64_C(0x7f1000000fd0); /* its TLS members would be on the next page */

	put_namespace(memory, R_DEBUG, 1, map, 0);
	fake_put_u64(memory, map, BIAS(0));
	fake_put_u64(memory, map + 24, 0);
	assert_absent(memory, BIAS(0), "unreadable");
	free(memory);
}

/* A real loader: the library says itself where its variable is in each thread. */
static void a_library_loaded_later_is_found_in_each_thread(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	const char *library = target_path("KTSTR_TLS_LIBRARY");
	struct target_thread threads[3];
	struct probe_dtv_lookup lookups[3] = { 0 };
	struct probe_remote_process process;
	struct probe_glibc_layout layout;
	struct probe_library_tls tls;
	struct probe_object *object;
	struct probe_objects objects;
	uint64_t bias, touched[3];
	const char *answer;

	threads[0] = target_thread_of(target_ask(&target, "hello"));
	threads[1] = target_new_thread(&target);
	target_ask(&target, "dlopen %s", library);
	threads[2] = target_new_thread(&target);
	assert_success(probe_objects_read("/proc", target.pid, NULL, NULL, &objects));
	assert_success(probe_glibc_layout_read(&objects, &layout));
	assert_true(layout.has_libraries);
	object = probe_objects_find_defining(&objects, "probe-tls-library", "touch_tls");
	assert_non_null(object);
	assert_success(probe_object_load_bias(&objects, object, &bias));
	probe_remote_process_init(&process, target.pid);
	assert_success(probe_link_map_find_tls(&process.remote, &layout, bias, &tls));
	assert_false(tls.is_static);
	assert_true(tls.generation > 0);
	for (int i = 0; i < 3; i++)
		lookups[i].thread_pointer = threads[i].pointer;
	probe_dtv_find_blocks(&process.remote, &layout, &tls, lookups, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(lookups[i].status, PROBE_DTV_UNTOUCHED);
	for (int i = 1; i < 3; i++) {
		answer = target_ask(&target, "on %d touch", i);
		touched[i] = target_number(&answer);
	}
	probe_dtv_find_blocks(&process.remote, &layout, &tls, lookups, 3);
	assert_int_equal(lookups[0].status, PROBE_DTV_UNTOUCHED);
	for (int i = 1; i < 3; i++) {
		assert_int_equal(lookups[i].status, PROBE_DTV_FOUND);
		/* The variable is the first and only thing in the library's block. */
		assert_int_equal(lookups[i].block, touched[i]);
	}
	probe_objects_deinit(&objects);
	target_end(&target);
}

/* As in link_glibc: the vector's slots are two words, its pointer in the struct at 8. */
enum { LINK_DTVP = 8, LINK_SLOT = 16, LINK_MODULE = 3 };

#define LINK_THREAD(i) (UINT64_C(0x7f0000000000) + (uint64_t)(i) * 0x10000)
#define LINK_VECTOR(i) (UINT64_C(0x7e0000000100) + (uint64_t)(i) * 0x1000)
#define LINK_BLOCK     UINT64_C(0x7d0000000040)

static const struct probe_glibc_layout vector_glibc = {
	.has_libraries = true,
	.pthread_dtvp = LINK_DTVP,
	.dtv_slot_bytes = LINK_SLOT,
};
static const struct probe_library_tls library = { .module_id = LINK_MODULE, .generation = 5 };

static void link_put_vector(struct fake_memory *memory, int i, uint64_t length, uint64_t generation,
			    uint64_t value)
{
	fake_put_u64(memory, LINK_THREAD(i) + LINK_DTVP, LINK_VECTOR(i));
	fake_put_u64(memory, LINK_VECTOR(i) - LINK_SLOT, length);
	fake_put_u64(memory, LINK_VECTOR(i), generation);
	fake_put_u64(memory, LINK_VECTOR(i) + (uint64_t)LINK_MODULE * LINK_SLOT, value);
}

static struct probe_dtv_lookup look(struct fake_memory *memory, int i)
{
	struct probe_dtv_lookup lookup = { .thread_pointer = LINK_THREAD(i) };

	probe_dtv_find_blocks(&memory->remote, &vector_glibc, &library, &lookup, 1);
	return lookup;
}

static struct probe_dtv_lookup look_at(uint64_t length, uint64_t generation, uint64_t value)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_dtv_lookup lookup;

	link_put_vector(memory, 0, length, generation, value);
	lookup = look(memory, 0);
	free(memory);
	return lookup;
}

static void a_block_is_found_in_its_slot(void **state UNUSED)
{
	struct probe_dtv_lookup lookup = look_at(14, 5, LINK_BLOCK);

	assert_int_equal(lookup.status, PROBE_DTV_FOUND);
	assert_int_equal(lookup.block, LINK_BLOCK);
	/* The last slot there is, and a vector newer than the module. */
	assert_int_equal(look_at(LINK_MODULE, 5, LINK_BLOCK).status, PROBE_DTV_FOUND);
	assert_int_equal(look_at(14, 99, LINK_BLOCK).status, PROBE_DTV_FOUND);
}

static void a_slot_without_a_block_is_untouched(void **state UNUSED)
{
	assert_int_equal(look_at(14, 5, 0).status, PROBE_DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 5, UINT64_MAX).status, PROBE_DTV_UNTOUCHED);
}

/* What stands behind the end, or in a slot of an older library, is not ours. */
static void a_vector_too_short_or_too_old_is_untouched(void **state UNUSED)
{
	assert_int_equal(look_at(LINK_MODULE - 1, 5, LINK_BLOCK).status, PROBE_DTV_UNTOUCHED);
	assert_int_equal(look_at(0, 5, LINK_BLOCK).status, PROBE_DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 4, LINK_BLOCK).status, PROBE_DTV_UNTOUCHED);
	assert_int_equal(look_at(14, 0, LINK_BLOCK).status, PROBE_DTV_UNTOUCHED);
}

static void an_unmapped_slot_is_an_error_only_if_in_use(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	uint64_t edge = UINT64_C(0x7e0000002000); /* the slot would begin on the next page */

	fake_put_u64(memory, LINK_THREAD(0) + LINK_DTVP, edge - (uint64_t)LINK_MODULE * LINK_SLOT);
	fake_put_u64(memory, edge - (uint64_t)LINK_MODULE * LINK_SLOT - LINK_SLOT, 2);
	fake_put_u64(memory, edge - (uint64_t)LINK_MODULE * LINK_SLOT, 5);
	assert_int_equal(look(memory, 0).status, PROBE_DTV_UNTOUCHED);
	fake_put_u64(memory, edge - (uint64_t)LINK_MODULE * LINK_SLOT - LINK_SLOT, 14);
	assert_int_equal(look(memory, 0).status, PROBE_DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, PROBE_REMOTE_FAULT);
	free(memory);
}

static void a_thread_that_cannot_be_read_says_why(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	assert_int_equal(look(memory, 0).status, PROBE_DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, PROBE_REMOTE_FAULT);
	memory->outside = PROBE_REMOTE_GONE;
	assert_int_equal(look(memory, 0).why, PROBE_REMOTE_GONE);
	memory->outside = PROBE_REMOTE_DENIED;
	/* The struct is there, its vector is not. */
	fake_put_u64(memory, LINK_THREAD(0) + LINK_DTVP, LINK_VECTOR(0));
	assert_int_equal(look(memory, 0).status, PROBE_DTV_UNREADABLE);
	assert_int_equal(look(memory, 0).why, PROBE_REMOTE_DENIED);
	free(memory);
}

static void many_threads_keep_their_own_answers(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_dtv_lookup lookups[12] = { 0 };

	for (int i = 0; i < 12; i++) {
		lookups[i].thread_pointer = LINK_THREAD(i);
		if (i % 3 == 0)
			link_put_vector(memory, i, 14, 5, LINK_BLOCK + (uint64_t)i);
		else if (i % 3 == 1)
			link_put_vector(memory, i, 14, 4, LINK_BLOCK);
	}
	probe_dtv_find_blocks(&memory->remote, &vector_glibc, &library, lookups, 12);
	for (int i = 0; i < 12; i++) {
		static const enum probe_dtv_status expected[] = { PROBE_DTV_FOUND,
								  PROBE_DTV_UNTOUCHED,
								  PROBE_DTV_UNREADABLE };

		assert_int_equal(lookups[i].status, expected[i % 3]);
		if (i % 3 == 0)
			assert_int_equal(lookups[i].block, LINK_BLOCK + (uint64_t)i);
	}
	free(memory);
}

static void the_value_offset_within_a_slot_is_honoured(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();
	struct probe_dtv_lookup lookup = { .thread_pointer = LINK_THREAD(0) };
	struct probe_glibc_layout other = vector_glibc;

	other.dtv_slot_bytes = 32;
	other.dtv_pointer_val = 8;
	fake_put_u64(memory, LINK_THREAD(0) + LINK_DTVP, LINK_VECTOR(0));
	fake_put_u64(memory, LINK_VECTOR(0) - 32, 14);
	fake_put_u64(memory, LINK_VECTOR(0), 5);
	fake_put_u64(memory, LINK_VECTOR(0) + (uint64_t)LINK_MODULE * 32 + 8, LINK_BLOCK);
	probe_dtv_find_blocks(&memory->remote, &other, &library, &lookup, 1);
	assert_int_equal(lookup.status, PROBE_DTV_FOUND);
	assert_int_equal(lookup.block, LINK_BLOCK);
	free(memory);
}

static void link_no_threads_are_no_work(void **state UNUSED)
{
	struct fake_memory *memory = fake_memory_new();

	probe_dtv_find_blocks(&memory->remote, &vector_glibc, &library, NULL, 0);
	assert_int_equal(memory->n_reads, 0);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_in_the_static_area_has_its_offset),
		cmocka_unit_test(libraries_without_a_static_tls_offset_are_dynamic),
		cmocka_unit_test(the_generation_comes_from_the_modules_own_slot),
		cmocka_unit_test(a_module_without_a_slot_is_absent),
		cmocka_unit_test(a_library_without_thread_local_storage_is_absent),
		cmocka_unit_test(an_address_outside_every_library_is_absent),
		cmocka_unit_test(a_library_of_another_namespace_is_found),
		cmocka_unit_test(a_broken_list_still_gives_the_next_namespace),
		cmocka_unit_test(cyclic_link_maps_end),
		cmocka_unit_test(an_entry_that_ends_too_early_is_absent),
		cmocka_unit_test(a_library_loaded_later_is_found_in_each_thread),
		cmocka_unit_test(a_block_is_found_in_its_slot),
		cmocka_unit_test(a_slot_without_a_block_is_untouched),
		cmocka_unit_test(a_vector_too_short_or_too_old_is_untouched),
		cmocka_unit_test(an_unmapped_slot_is_an_error_only_if_in_use),
		cmocka_unit_test(a_thread_that_cannot_be_read_says_why),
		cmocka_unit_test(many_threads_keep_their_own_answers),
		cmocka_unit_test(the_value_offset_within_a_slot_is_honoured),
		cmocka_unit_test(link_no_threads_are_no_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
