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

static void without_a_program_addresses_tell(void **state)
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

static void arrays_of_many_or_without_types_are_no_variables(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(programs_say_which_arena_their_variables_point_into),
		scheduler_test(without_a_program_addresses_tell),
		scheduler_test(arrays_of_many_or_without_types_are_no_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
