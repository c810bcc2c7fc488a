// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/globals.h"

#include "build_scheduler.h"

static void programs_say_which_arena_their_variables_point_into(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_globals_ struct dump_globals_scene scene = { 0 };
	const uint64_t maps[] = { AT_OTHER, AT_ARENA, AT_BSS };

	/* Two arenas at the same addresses, of two processes. */
	put_arena(b, AT_OTHER, 9, "another");
	put_idr(b, IN_DATA_MAP_IDR, AT_NODES, maps, 3);
	scheduler_attach(b);
	assert_success(dump_globals_find(b->kmem, &scene));
	assert_int_equal(scene.arenas.n, 2);
	assert_int_equal(scene.globals.n, 1);
	assert_string_equal(scene.globals.at[0].name, "sched.bss");
	assert_int_equal(scene.globals.at[0].bytes, BSS_BYTES);
	assert_int_equal(dump_globals_arena(&scene, scene.globals.at[0].arena, SDT_USER)->id, 1);
	/* Without a program there are two answers, so none. */
	scene.globals.at[0].arena = 0;
	assert_null(dump_globals_arena(&scene, scene.globals.at[0].arena, SDT_USER));
}

static void without_a_program_the_address_selects_the_arena(void **state)
{
	struct build_scheduler *b = *state;
	_cleanup_dump_globals_ struct dump_globals_scene scene = { 0 };

	put64(b, AT_AUX + AUX_ARENA, 0);
	scheduler_attach(b);
	assert_success(dump_globals_find(b->kmem, &scene));
	assert_int_equal(scene.globals.at[0].arena, 0);
	assert_int_equal(dump_globals_arena(&scene, scene.globals.at[0].arena, SDT_USER + 5)->id,
			 1);
	assert_null(dump_globals_arena(&scene, scene.globals.at[0].arena, 5));
}

static void only_typed_arrays_of_one_entry_hold_variables(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_globals_scene scene = { 0 };

	put32(b, AT_BSS + MAP_ENTRIES, 2);
	scheduler_attach(b);
	assert_success(dump_globals_find(b->kmem, &scene));
	assert_int_equal(scene.globals.n, 0);
	dump_globals_deinit(&scene);
	put32(b, AT_BSS + MAP_ENTRIES, 1);
	put32(b, AT_BSS + MAP_VALUE_TYPE, 0);
	scheduler_attach(b);
	assert_success(dump_globals_find(b->kmem, &scene));
	assert_int_equal(scene.globals.n, 0);
	dump_globals_deinit(&scene);
}

static struct error *load(struct build_scheduler *b, struct dump_arena *ret)
{
	scheduler_attach(b);
	return dump_arena_load(b->kmem, pointer_to(b, AT_ARENA), ret);
}

static void an_arena_has_its_name_id_and_addresses(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_arena arena;

	assert_success(load(b, &arena));
	assert_string_equal(arena.name, "the_arena");
	assert_int_equal(arena.id, 1);
	assert_int_equal(arena.user_start, SDT_USER);
	assert_int_equal(arena.user_end, SDT_USER + UINT64_C(4096) * SDT_PAGES);
	assert_int_equal(arena.kernel_start, SDT_KERNEL);
	assert_int_equal(arena.declared_pages, SDT_PAGES);
}

static void the_low_half_of_a_pointer_finds_the_byte(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_arena arena;
	uint64_t value = 0;

	sdt_put(b->s, SDT_USER + 4092, UINT64_C(0x1122334455667788));
	assert_success(load(b, &arena));
	/* Across the end of a page, and by a pointer that has lost its upper half. */
	assert_int_equal(dump_arena_read(&b->kmem->space, &arena, SDT_USER + 4092, &value, 8),
			 KMEM_READ_OK);
	assert_int_equal(value, UINT64_C(0x1122334455667788));
	value = 0;
	assert_int_equal(
		dump_arena_read(&b->kmem->space, &arena, (SDT_USER + 4092) & 0xffffffff, &value, 8),
		KMEM_READ_OK);
	assert_int_equal(value, UINT64_C(0x1122334455667788));
	assert_true(dump_arena_holds(&arena, SDT_USER));
	assert_false(dump_arena_holds(&arena, SDT_USER & 0xffffffff));
	assert_int_equal(dump_arena_read(&b->kmem->space, &arena, 0xfffffffc, &value, 8),
			 KMEM_READ_UNMAPPED);
}

struct seen {
	uint64_t first, last;
	int n, stop_after;
};

static bool see(void *context, uint64_t user, const uint8_t *bytes)
{
	struct seen *seen = context;

	(void)bytes;
	seen->first = seen->n ? seen->first : user;
	seen->last = user;
	return ++seen->n != seen->stop_after;
}

static void pages_that_are_not_there_are_stepped_over(void **state)
{
	struct build_scheduler *b = *state;
	struct kmem_walk walk = { 0 };
	struct seen seen = { 0 };
	struct dump_arena arena;
	/* So far that whole tables are missing in between. */
	uint64_t far = SDT_USER + UINT64_C(0x30000000);

	build_map(&b->k.memory, sdt_kernel(far), sdt_physical(SDT_USER), 12, 0);
	put64(b, AT_ARENA + ARENA_END, far + 4096);
	sdt_unmap(b->s, SDT_USER);
	assert_success(load(b, &arena));
	dump_arena_pages(&b->kmem->space, &arena, &walk, see, &seen);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(seen.n, SDT_PAGES);
	assert_int_equal(seen.first, SDT_USER + 4096);
	assert_int_equal(seen.last, far);
	assert_true(walk.n_steps < 2000);
	seen = (struct seen){ .stop_after = 3 };
	dump_arena_pages(&b->kmem->space, &arena, &walk, see, &seen);
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
}

static void the_scratch_page_is_not_a_page_of_the_arena(void **state)
{
	struct build_scheduler *b = *state;
	struct kmem_walk walk = { 0 };
	struct seen seen = { 0 };
	struct dump_arena arena;

	scheduler_attach(b);
	put64(b, AT_ARENA + ARENA_SCRATCH,
	      b->kmem->vmemmap_base + sdt_physical(SDT_USER + 8192) / 4096 * 64);
	assert_success(load(b, &arena));
	assert_int_equal(arena.scratch, sdt_physical(SDT_USER + 8192));
	dump_arena_pages(&b->kmem->space, &arena, &walk, see, &seen);
	assert_int_equal(seen.n, SDT_PAGES - 1);
}

static void ranges_that_no_kernel_makes_are_refused(void **state)
{
	struct build_scheduler *b = *state;
	const uint64_t ends[] = { SDT_USER, SDT_USER - 4096, SDT_USER + 1,
				  SDT_USER + (UINT64_C(1) << 32) };
	struct dump_arena arena;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		put64(b, AT_ARENA + ARENA_END, ends[i]);
		assert_error_tag(load(b, &arena), "guest-memory");
	}
	/* Nobody has mapped it yet. */
	put64(b, AT_ARENA + ARENA_START, 0);
	put64(b, AT_ARENA + ARENA_END, 0);
	assert_success(load(b, &arena));
	assert_false(dump_arena_holds(&arena, 5));
	put64(b, AT_ARENA + ARENA_VM, 0);
	assert_error_tag(load(b, &arena), "guest-memory");
}

static void tables_that_cannot_be_read_are_not_missing_pages(void **state)
{
	struct build_scheduler *b = *state;
	struct kmem_walk walk = { 0 };
	struct seen seen = { 0 };
	struct dump_arena arena;

	/* The table of all its pages is said to be beyond RAM. */
	build_put_u64(&b->k.memory, build_entry(&b->k.memory, sdt_kernel(SDT_USER), 21),
		      UINT64_C(0x7ffffff000) | 3);
	assert_success(load(b, &arena));
	dump_arena_pages(&b->kmem->space, &arena, &walk, see, &seen);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_OUTSIDE);
	assert_int_equal(walk.failed, sdt_kernel(SDT_USER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(programs_say_which_arena_their_variables_point_into),
		scheduler_test(without_a_program_the_address_selects_the_arena),
		scheduler_test(only_typed_arrays_of_one_entry_hold_variables),
		scheduler_test(an_arena_has_its_name_id_and_addresses),
		scheduler_test(the_low_half_of_a_pointer_finds_the_byte),
		scheduler_test(pages_that_are_not_there_are_stepped_over),
		scheduler_test(the_scratch_page_is_not_a_page_of_the_arena),
		scheduler_test(ranges_that_no_kernel_makes_are_refused),
		scheduler_test(tables_that_cannot_be_read_are_not_missing_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
