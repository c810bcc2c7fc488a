// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/state.h"

#include "jemalloc_target.h"

/* The row that fits the static target, and how far it moves there. */
struct scene {
	struct target target;
	struct probe *probe;
	struct probe_layout layout;
	int64_t shift;
};

static struct scene scene_start(void)
{
	struct scene s = { .target = target_start("KTSTR_JEMALLOC_TARGET") };
	_cleanup_elf_image_ struct elf_image *image = NULL;
	int64_t shifts[PROBE_LIMIT_TSD_PLACES];
	struct probe_object_facts facts;
	const struct probe_layout *row;

	target_new_thread(&s.target);
	target_ask(&s.target, "on 1 alloc 5000");
	s.probe = attach_to(&s.target, PROBE_STOP_IF_NEEDED);
	assert_success(elf_image_open(target_path("KTSTR_JEMALLOC_TARGET"), &image));
	assert_success(probe_object_facts_read(image, NULL, &facts));
	row = probe_layout_find(facts.signs.version);
	assert_non_null(row);
	s.layout = *row;
	/* Told by the initial values alone: there is one such place. */
	facts.signs.has_symbol = false;
	assert_int_equal(probe_layout_shifts(row, &facts, shifts), 1);
	s.shift = shifts[0];
	/* Debug information and table agree: two ways to the same place. */
	assert_int_equal(s.layout.allocated + (uint64_t)s.shift, s.probe->place.allocated);
	assert_int_equal(s.layout.deallocated + (uint64_t)s.shift, s.probe->place.deallocated);
	return s;
}

static void scene_end(struct scene *s)
{
	probe_free(s->probe);
	target_end(&s->target);
}

static void assert_misfit(struct scene *s)
{
	_cleanup_error_ struct error *err = probe_validate_layout(s->probe, &s->layout, s->shift);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "dwarf-parse-failure");
	assert_contains(error_message(err), s->layout.version);
	assert_contains(error_message(err), s->layout.origin);
}

static void the_right_row_fits(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	assert_int_equal(probe_stopped_threads(s.probe), 0);
	scene_end(&s);
}

/* The counter is past what would be its next event, in every thread that allocated. */
static void a_row_with_the_words_swapped_does_not(void **state UNUSED)
{
	struct scene s;
	uint64_t allocated;

	skip_without_jemalloc();
	s = scene_start();
	allocated = s.layout.allocated;
	s.layout.allocated = s.layout.next_event;
	s.layout.next_event = allocated;
	assert_misfit(&s);
	scene_end(&s);
}

/* Some byte of the struct is no state: a row that takes it for one is found out. */
static void a_row_with_another_state_byte_does_not(void **state UNUSED)
{
	struct scene s;
	struct target_counters main_thread;

	skip_without_jemalloc();
	s = scene_start();
	/* The second byte of a counter that is certainly not below 7 * 256. */
	main_thread = target_counters_of(target_ask(&s.target, "on 1 alloc 4000"));
	assert_true(main_thread.allocated > 7 * 256 && main_thread.allocated < 256 * 256);
	s.layout.state = s.layout.allocated + 1;
	assert_misfit(&s);
	scene_end(&s);
}

/* Much of the block is zero: a place that nothing contradicts is not the place. */
static void no_other_place_is_accepted(void **state UNUSED)
{
	struct scene s;
	int64_t right;

	skip_without_jemalloc();
	s = scene_start();
	right = s.shift;
	for (int64_t by = -0x180; by <= 0x600; by += 0x50) {
		s.shift = right + by;
		if (by)
			assert_misfit(&s);
	}
	scene_end(&s);
}

/* Nothing was allocated with a library that was only loaded: no thread can prove its layout. */
static void what_nobody_uses_is_not_proven(void **state UNUSED)
{
	struct scene s;
	struct probe_counter_place used;

	skip_without_jemalloc();
	s = scene_start();
	used = s.probe->place;
	s.probe->place.in_executable = false;
	s.probe->place.library = (struct probe_library_tls){ .module_id = UINT64_MAX / 64 };
	{
		_cleanup_error_ struct error *err = probe_validate_layout(s.probe, &s.layout,
									  s.shift);

		assert_non_null(err);
		assert_contains(error_message(err), "no thread has allocated");
	}
	s.probe->place = used;
	scene_end(&s);
}

static void (*real_read)(const struct probe_remote *remote, struct probe_remote_range *ranges,
			 size_t n);

/* Whose stack it is is read last, alone, and is always somebody else by then. */
static void read_with_another_tid(const struct probe_remote *remote,
				  struct probe_remote_range *ranges, size_t n)
{
	real_read(remote, ranges, n);
	for (size_t i = 0; i < n; i++)
		if (ranges[i].n == sizeof(int32_t))
			++*(int32_t *)ranges[i].into;
}

static void a_stack_that_changed_hands_proves_nothing(void **state UNUSED)
{
	_cleanup_error_ struct error *err = NULL;
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	real_read = s.probe->memory.remote.read_many;
	s.probe->memory.remote.read_many = read_with_another_tid;
	err = probe_validate_layout(s.probe, &s.layout, s.shift);
	s.probe->memory.remote.read_many = real_read;
	assert_non_null(err);
	assert_contains(error_message(err), "no thread has allocated");
	scene_end(&s);
}

static void without_a_thread_list_the_main_thread_is_stopped_once(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	s.probe->has_glibc = false;
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	assert_int_equal(probe_stopped_threads(s.probe), 1);
	assert_string_equal(thread_status(s.target.pid, s.target.pid, "TracerPid"), "0");
	/* Forbidden to stop, there is nobody to ask. */
	s.probe->stop = PROBE_STOP_NEVER;
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	assert_int_equal(probe_stopped_threads(s.probe), 1);
	scene_end(&s);
}

/* Half a check is none: the row must not pass for one that was seen to fit. */
static void a_cancelled_check_says_so(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	cancel_request(&cancel);
	s.probe->cancel = &cancel;
	assert_error_tag(probe_validate_layout(s.probe, &s.layout, s.shift), "cancelled");
	scene_end(&s);
}

static void a_process_that_went_cannot_disagree(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	kill(s.target.pid, SIGKILL);
	wait_for_status(s.target.pid, s.target.pid, "State", "Z");
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	scene_end(&s);
}

static bool has(const struct probe_attach_threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->rows.n; i++)
		if (threads->rows.at[i].tid == tid)
			return true;
	return false;
}

static void the_list_of_the_c_library_is_taken_whole(void **state UNUSED)
{
	struct target target;
	struct target_thread one;
	struct probe_attach_threads threads;
	struct probe *probe;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	one = target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	probe_attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 2);
	assert_true(has(&threads, target.pid) && has(&threads, one.tid));
	vec_deinit(&threads.rows);
	probe_free(probe);
	target_end(&target);
}

static void without_a_list_the_main_thread_is_stopped_if_that_is_allowed(void **state UNUSED)
{
	struct target target;
	struct probe_attach_threads threads;
	struct probe *probe;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	probe->has_glibc = false;
	probe_attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 0);
	vec_deinit(&threads.rows);
	probe->stop = PROBE_STOP_IF_NEEDED;
	probe_attach_threads_collect(probe, &threads);
	assert_int_equal(threads.rows.n, 1);
	assert_true(has(&threads, target.pid));
	assert_int_equal(probe_stopped_threads(probe), 1);
	vec_deinit(&threads.rows);
	probe_free(probe);
	target_end(&target);
}

static void the_bytes_of_all_threads_are_summed(void **state UNUSED)
{
	struct target target;
	struct target_counters one, main_thread;
	struct probe *probe;
	uint64_t total = 0;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	target_new_thread(&target);
	probe = attach_to(&target, PROBE_STOP_NEVER);
	one = target_counters_of(target_ask(&target, "on 1 alloc 5000"));
	main_thread = target_counters_of(target_ask(&target, "on 0 count"));
	assert_true(probe_attach_threads_allocated(probe, &total));
	assert_int_equal(total, one.allocated + main_thread.allocated);
	/* Nobody to ask is not the same as nothing allocated. */
	probe->has_glibc = false;
	assert_false(probe_attach_threads_allocated(probe, &total));
	probe_free(probe);
	target_end(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_right_row_fits),
		cmocka_unit_test(a_row_with_the_words_swapped_does_not),
		cmocka_unit_test(a_row_with_another_state_byte_does_not),
		cmocka_unit_test(no_other_place_is_accepted),
		cmocka_unit_test(what_nobody_uses_is_not_proven),
		cmocka_unit_test(a_stack_that_changed_hands_proves_nothing),
		cmocka_unit_test(without_a_thread_list_the_main_thread_is_stopped_once),
		cmocka_unit_test(a_cancelled_check_says_so),
		cmocka_unit_test(a_process_that_went_cannot_disagree),
		cmocka_unit_test(the_list_of_the_c_library_is_taken_whole),
		cmocka_unit_test(without_a_list_the_main_thread_is_stopped_if_that_is_allowed),
		cmocka_unit_test(the_bytes_of_all_threads_are_summed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
