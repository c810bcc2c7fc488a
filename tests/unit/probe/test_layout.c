// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/layout.h"

#include "jemalloc_target.h"
#include "probe/state.h"
#include "unit.h"

static const struct probe_layout with_events = { .state = 0x330,
						 .rtree_ctx = 0x1b0,
						 .allocated = 0x338,
						 .next_event = 0x340,
						 .deallocated = 0x348 };
static const struct probe_layout without_events = { .rtree_ctx = 0x30,
						    .allocated = 0x10,
						    .deallocated = 0x18 };

static void every_layout_row_is_consistent(void **state UNUSED)
{
	assert_true(probe_n_layouts >= 5);
	for (size_t i = 0; i < probe_n_layouts; i++) {
		const struct probe_layout *l = &probe_layouts[i];
		uint64_t words = (l->deallocated - l->allocated) / 8;

		assert_true(words == (l->next_event ? 2 : 1));
		assert_true(!l->next_event || l->next_event == l->allocated + 8);
		assert_true(l->deallocated + 8 <= l->tls_bytes);
		assert_true(l->rtree_ctx + PROBE_TSD_RTREE_BYTES <= l->tls_bytes);
		assert_true(l->state < l->tls_bytes);
		assert_true(strlen(l->origin) > 0);
		/* By its abbreviation a hash is known, a release alone is not. */
		assert_true(strlen(strchr(l->version, 'g')) > 7);
	}
}

/* A row serves every configuration of its version, so all of them lie alike. */
static void rows_of_one_version_differ_by_a_shift_only(void **state UNUSED)
{
	for (size_t i = 0; i < probe_n_layouts; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct probe_layout *a = &probe_layouts[i], *b = &probe_layouts[k];
			uint64_t shift = a->state - b->state;

			if (strcmp(a->version, b->version) != 0)
				continue;
			assert_true(a->allocated == b->allocated + shift);
			assert_true(a->deallocated == b->deallocated + shift);
			assert_true(a->rtree_ctx == b->rtree_ctx + shift);
		}
	}
}

/* As reported of running programs; of the second only the beginning of its hash is known. */
static void rows_have_the_places_seen_in_live_programs(void **state UNUSED)
{
	static const struct {
		const char *version;
		uint64_t tls_bytes, allocated, deallocated;
	} seen[] = {
		{ "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c", 0xa48, 0x338, 0x348 },
		{ "5.3.0-1-ge13ca99300000000", 0xa48, 0x338, 0x348 },
		{ "5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8", 0x7b8, 0x3a8, 0x3b8 },
		{ "5.2.1-0-gea6b3e973b477b8061e0076bb257dbd7f3faa756", 0x1848, 0x10, 0x18 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		const struct probe_layout *found = probe_layout_find(seen[i].version);

		assert_non_null(found);
		assert_int_equal(found->tls_bytes, seen[i].tls_bytes);
		assert_int_equal(found->allocated, seen[i].allocated);
		assert_int_equal(found->deallocated, seen[i].deallocated);
	}
}

static void an_unknown_version_has_no_layout(void **state UNUSED)
{
	assert_null(probe_layout_find(""));
	assert_null(probe_layout_find("5.3.0"));
	assert_null(probe_layout_find("4.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c"));
	assert_null(probe_layout_find("5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90d"));
	assert_null(probe_layout_find("5.3.0-1-ge13ca99"));
}

static void layout_offsets_shift_with_the_tsd_place(void **state UNUSED)
{
	struct probe_object_facts facts = {
		.tsd_places = { { 0x380, true }, { 0x100, true }, { 0x500, false } },
		.n_tsd_places = 3,
	};
	int64_t shifts[PROBE_LIMIT_TSD_PLACES];

	assert_int_equal(probe_layout_shifts(&with_events, &facts, shifts), 2);
	assert_int_equal(shifts[0], 0x50);
	assert_int_equal(shifts[1], -0x230);
	assert_int_equal(probe_layout_shifts(&without_events, &facts, shifts), 1);
	assert_int_equal(shifts[0], 0x500);
	/* The symbol tells which of them is meant. */
	facts.signs = (struct probe_jemalloc_signs){ .has_symbol = true,
						     .symbol_offset = 0x50,
						     .symbol_bytes = 0xa48 };
	assert_int_equal(probe_layout_shifts(&with_events, &facts, shifts), 2);
	facts.signs.symbol_offset = 0x101;
	assert_int_equal(probe_layout_shifts(&with_events, &facts, shifts), 1);
	assert_int_equal(shifts[0], 0x50);
	facts.signs.symbol_bytes = 0x100;
	assert_int_equal(probe_layout_shifts(&with_events, &facts, shifts), 0);
}

/* A thread as jemalloc leaves it: an entry of the cache in use, the others empty. */
static struct probe_layout_sample sample_of(uint8_t state, uint64_t allocated, uint64_t deallocated)
{
	struct probe_layout_sample sample = {
		.state = state,
		.allocated = allocated,
		.deallocated = deallocated,
		.next_event = allocated + 65536,
		.next_free_event = deallocated + 65536,
	};

	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++)
		sample.rtree_ctx[2 * i] = 1;
	sample.rtree_ctx[6] = UINT64_C(0x7f0040000000);
	sample.rtree_ctx[7] = UINT64_C(0x7f0012345678);
	return sample;
}

static void zero_memory_proves_nothing(void **state UNUSED)
{
	const struct probe_layout_sample zero = { 0 };
	struct probe_layout_sample sample = sample_of(0, 0, 0);

	assert_int_equal(probe_layout_judge(&with_events, &zero), PROBE_LAYOUT_MISFIT);
	assert_int_equal(probe_layout_judge(&without_events, &zero), PROBE_LAYOUT_MISFIT);
	/* Nor does a thread that has not allocated. */
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_FITS);
	assert_int_equal(probe_layout_judge(&without_events, &sample), PROBE_LAYOUT_FITS);
	sample.state = 1;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_FITS);
}

static void a_thread_that_allocated_proves_it(void **state UNUSED)
{
	struct probe_layout_sample sample = sample_of(0, 100, 50);

	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_PROVEN);
	/* A thread may free what another one allocated. */
	sample = sample_of(0, 100, 5000);
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_PROVEN);
	/* On the slow path it has no events. */
	sample.state = 1;
	sample.next_event = sample.next_free_event = 0;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_PROVEN);
	assert_int_equal(probe_layout_judge(&without_events, &sample), PROBE_LAYOUT_PROVEN);
	sample.rtree_ctx[6] = 1;
	sample.rtree_ctx[7] = 0;
	assert_int_equal(probe_layout_judge(&without_events, &sample), PROBE_LAYOUT_FITS);
}

static void events_lie_ahead_within_their_distance(void **state UNUSED)
{
	struct probe_layout_sample good = sample_of(0, 100, 50), sample = good;

	sample.next_event = 100;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_MISFIT);
	sample.next_event = 0;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_MISFIT);
	sample.next_event = 100 + (4 << 20);
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_PROVEN);
	sample.next_event++;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_MISFIT);
	sample = good;
	sample.next_free_event = 49;
	assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_MISFIT);
}

static void a_malformed_rtree_cache_refutes_the_layout(void **state UNUSED)
{
	static const struct {
		size_t at;
		uint64_t word;
	} wrong[] = {
		{ 0, 0 },
		{ 0, 2 },
		{ 1, 0x7f0012345678 },
		{ 6, 0x7f0040000001 },
		{ 7, 0 },
		{ 7, 0x7f0012345679 },
		{ 7, UINT64_MAX - 7 },
		{ 46, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct probe_layout_sample sample = sample_of(0, 100, 50);

		sample.rtree_ctx[wrong[i].at] = wrong[i].word;
		assert_int_equal(probe_layout_judge(&with_events, &sample), PROBE_LAYOUT_MISFIT);
	}
}

static void the_state_byte_must_agree_with_the_counters(void **state UNUSED)
{
	struct probe_layout_sample untouched = { .state = 6 };

	for (unsigned int byte = 0; byte < 256; byte++) {
		struct probe_layout_sample sample = sample_of((uint8_t)byte, 100, 50);
		enum probe_layout_verdict expected = byte <= 2	 ? PROBE_LAYOUT_PROVEN
						     : byte <= 5 ? PROBE_LAYOUT_FITS
								 : PROBE_LAYOUT_MISFIT;

		assert_int_equal(probe_layout_judge(&with_events, &sample), expected);
	}
	assert_int_equal(probe_layout_judge(&without_events, &untouched), PROBE_LAYOUT_FITS);
	assert_int_equal(probe_layout_judge(&with_events, &untouched), PROBE_LAYOUT_MISFIT);
	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++)
		untouched.rtree_ctx[2 * i] = 1;
	assert_int_equal(probe_layout_judge(&with_events, &untouched), PROBE_LAYOUT_FITS);
	assert_int_equal(probe_layout_judge(&without_events, &untouched), PROBE_LAYOUT_MISFIT);
	untouched.allocated = 1;
	assert_int_equal(probe_layout_judge(&with_events, &untouched), PROBE_LAYOUT_MISFIT);
}

static void counters_never_go_back(void **state UNUSED)
{
	const struct probe_layout_sample first = { .allocated = 100, .deallocated = 50 };
	struct probe_layout_sample later = first;

	assert_true(probe_layout_samples_fit(&first, &later));
	later.allocated = 150;
	later.deallocated = 60;
	assert_true(probe_layout_samples_fit(&first, &later));
	later.allocated = 99;
	assert_false(probe_layout_samples_fit(&first, &later));
	later.allocated = 100;
	later.deallocated = 49;
	assert_false(probe_layout_samples_fit(&first, &later));
}

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

static void the_right_layout_is_accepted(void **state UNUSED)
{
	struct scene s;

	skip_without_jemalloc();
	s = scene_start();
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	assert_int_equal(probe_facts(s.probe).stopped_threads, 0);
	scene_end(&s);
}

/* The counter is past what would be its next event, in every thread that allocated. */
static void a_layout_with_swapped_counters_is_refused(void **state UNUSED)
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
static void a_layout_with_another_state_byte_is_refused(void **state UNUSED)
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
static void a_layout_with_another_shift_is_refused(void **state UNUSED)
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
static void a_library_without_used_threads_is_not_proven(void **state UNUSED)
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

static void a_reused_thread_stack_proves_nothing(void **state UNUSED)
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
	assert_int_equal(probe_facts(s.probe).stopped_threads, 1);
	assert_string_equal(thread_status(s.target.pid, s.target.pid, "TracerPid"), "0");
	/* Forbidden to stop, there is nobody to ask. */
	s.probe->stop = PROBE_STOP_NEVER;
	assert_success(probe_validate_layout(s.probe, &s.layout, s.shift));
	assert_int_equal(probe_facts(s.probe).stopped_threads, 1);
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

static void an_ended_process_does_not_refute_a_layout(void **state UNUSED)
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

static void all_threads_of_glibcs_list_are_collected(void **state UNUSED)
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
	assert_int_equal(probe_facts(probe).stopped_threads, 1);
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
		cmocka_unit_test(every_layout_row_is_consistent),
		cmocka_unit_test(rows_of_one_version_differ_by_a_shift_only),
		cmocka_unit_test(rows_have_the_places_seen_in_live_programs),
		cmocka_unit_test(an_unknown_version_has_no_layout),
		cmocka_unit_test(layout_offsets_shift_with_the_tsd_place),
		cmocka_unit_test(zero_memory_proves_nothing),
		cmocka_unit_test(a_thread_that_allocated_proves_it),
		cmocka_unit_test(events_lie_ahead_within_their_distance),
		cmocka_unit_test(a_malformed_rtree_cache_refutes_the_layout),
		cmocka_unit_test(the_state_byte_must_agree_with_the_counters),
		cmocka_unit_test(counters_never_go_back),
		cmocka_unit_test(the_right_layout_is_accepted),
		cmocka_unit_test(a_layout_with_swapped_counters_is_refused),
		cmocka_unit_test(a_layout_with_another_state_byte_is_refused),
		cmocka_unit_test(a_layout_with_another_shift_is_refused),
		cmocka_unit_test(a_library_without_used_threads_is_not_proven),
		cmocka_unit_test(a_reused_thread_stack_proves_nothing),
		cmocka_unit_test(without_a_thread_list_the_main_thread_is_stopped_once),
		cmocka_unit_test(a_cancelled_check_says_so),
		cmocka_unit_test(an_ended_process_does_not_refute_a_layout),
		cmocka_unit_test(all_threads_of_glibcs_list_are_collected),
		cmocka_unit_test(without_a_list_the_main_thread_is_stopped_if_that_is_allowed),
		cmocka_unit_test(the_bytes_of_all_threads_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
