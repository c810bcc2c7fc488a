// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/group.h"

#include <pthread.h>

#include "fixture.h"

/* Every word the same, so that a mixture shows. */
static struct work_slot_figures all(uint64_t value)
{
	struct work_slot_figures figures;
	uint64_t words[WORK_SLOT_WORDS];

	for (size_t i = 0; i < WORK_SLOT_WORDS; i++)
		words[i] = value;
	memcpy(&figures, words, sizeof(figures));
	return figures;
}

static bool is_all(const struct work_slot_figures *figures, uint64_t value)
{
	struct work_slot_figures want = all(value);

	return memcmp(figures, &want, sizeof(want)) == 0;
}

static void an_unpublished_slot_reads_nothing(void **state UNUSED)
{
	struct work_slot slot = { 0 };
	struct work_slot_figures figures = all(7);

	assert_false(work_slot_read(&slot, &figures));
	assert_true(is_all(&figures, 7));
}

static void the_last_publication_is_read(void **state UNUSED)
{
	struct work_slot slot = { 0 };

	for (uint64_t i = 1; i < 5; i++) {
		struct work_slot_figures figures = all(i), found;

		work_slot_publish(&slot, &figures);
		assert_true(work_slot_read(&slot, &found));
		assert_true(is_all(&found, i));
	}
}

static void a_writer_killed_while_publishing_leaves_the_previous_copy(void **state UNUSED)
{
	struct work_slot slot = { 0 };
	struct work_slot_figures one = all(1), two = all(2), found;
	uint64_t before[2][WORK_SLOT_WORDS];

	work_slot_publish(&slot, &one);
	for (size_t i = 0; i < WORK_SLOT_WORDS; i++)
		for (int c = 0; c < 2; c++)
			before[c][i] = atomic_load(&slot.copies[c][i]);
	work_slot_publish(&slot, &two);
	/* Every prefix of what the second publication stored, as a kill would leave it. */
	for (size_t n = 0; n <= WORK_SLOT_WORDS; n++) {
		struct work_slot cut = { 0 };

		atomic_store(&cut.version, 1);
		for (size_t i = 0; i < WORK_SLOT_WORDS; i++)
			for (int c = 0; c < 2; c++)
				atomic_store(&cut.copies[c][i],
					     i < n ? atomic_load(&slot.copies[c][i])
						   : before[c][i]);
		assert_true(work_slot_read(&cut, &found));
		assert_true(is_all(&found, 1));
	}
}

static void *write_many(void *arg)
{
	for (uint64_t i = 1; i <= 200000; i++) {
		struct work_slot_figures figures = all(i);

		work_slot_publish(arg, &figures);
	}
	return NULL;
}

static void readers_never_see_a_partly_written_slot(void **state UNUSED)
{
	static struct work_slot slot;
	struct work_slot_figures found = all(0);
	pthread_t writer;
	uint64_t last = 0;

	assert_int_equal(pthread_create(&writer, NULL, write_many, &slot), 0);
	while (last < 200000) {
		if (!work_slot_read(&slot, &found))
			continue;
		if (!is_all(&found, found.iterations) || found.iterations < last)
			break;
		last = found.iterations;
	}
	pthread_join(writer, NULL);
	assert_true(is_all(&found, found.iterations));
	assert_true(last == 200000);
}

static void a_slot_collects_cpus_up_to_the_limit(void **state UNUSED)
{
	struct work_slot slot = { 0 };
	struct topo_cpuset cpus;

	work_slot_add_cpu(&slot, 0);
	work_slot_add_cpu(&slot, 65);
	work_slot_add_cpu(&slot, 65);
	work_slot_add_cpu(&slot, TOPO_LIMIT_CPUS - 1);
	work_slot_add_cpu(&slot, TOPO_LIMIT_CPUS);
	work_slot_read_cpus(&slot, &cpus);
	assert_int_equal(topo_cpuset_count(&cpus), 3);
	assert_true(topo_cpuset_has(&cpus, 0) && topo_cpuset_has(&cpus, 65) &&
		    topo_cpuset_has(&cpus, TOPO_LIMIT_CPUS - 1));
}

static void a_slot_keeps_the_first_cpu_set_that_was_left(void **state UNUSED)
{
	struct work_slot slot = { 0 };
	struct topo_cpuset first = { 0 }, second = { 0 }, outside, had;

	work_slot_read_outside(&slot, &outside, &had);
	assert_int_equal(topo_cpuset_count(&outside) + topo_cpuset_count(&had), 0);
	topo_cpuset_add(&first, 70);
	topo_cpuset_add(&second, 2);
	work_slot_add_outside(&slot, 5, &first);
	work_slot_add_outside(&slot, 80, &second);
	work_slot_add_outside(&slot, TOPO_LIMIT_CPUS, &second);
	work_slot_read_outside(&slot, &outside, &had);
	assert_int_equal(topo_cpuset_count(&outside), 2);
	assert_true(topo_cpuset_has(&outside, 5) && topo_cpuset_has(&outside, 80));
	assert_true(topo_cpuset_equal(&had, &first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unpublished_slot_reads_nothing),
		cmocka_unit_test(the_last_publication_is_read),
		cmocka_unit_test(a_writer_killed_while_publishing_leaves_the_previous_copy),
		cmocka_unit_test(readers_never_see_a_partly_written_slot),
		cmocka_unit_test(a_slot_collects_cpus_up_to_the_limit),
		cmocka_unit_test(a_slot_keeps_the_first_cpu_set_that_was_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
