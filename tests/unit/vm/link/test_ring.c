// SPDX-License-Identifier: GPL-2.0-or-later
/* The plugin's side of the ring is played here; tests/vm has real guests. */
#include "vm/link/ring.h"

#include "unit.h"

struct seen {
	uint8_t *at;
	size_t n, pieces;
	bool fails;
};

static struct error *take(void *context, struct bytes events)
{
	struct seen *seen = context;

	if (seen->fails)
		return base_error(BASE_LIMIT, 0, "no room");
	memcpy(seen->at + seen->n, events.at, events.n);
	seen->n += events.n;
	seen->pieces++;
	return NULL;
}

static struct seen seen;
static struct vm_ring ring;

static int setup(void **state UNUSED)
{
	static const struct wire_observe_hook hook = { .address = 0xffff, .n = 1 };
	struct vm_observer observer = {
		.hooks = &hook, .n = 1, .on_events = take, .context = &seen
	};

	seen = (struct seen){ .at = calloc(1, WIRE_OBSERVE_RING_BYTES) };
	ring = VM_RING_NONE;
	assert_success(vm_ring_open(&ring));
	assert_success(vm_ring_observe(&ring, &observer));
	return 0;
}

static int teardown(void **state UNUSED)
{
	vm_ring_close(&ring);
	free(seen.at);
	return 0;
}

/* As the plugin does. */
static void put(uint8_t first, size_t n)
{
	uint8_t *at = (uint8_t *)ring.head + WIRE_OBSERVE_RING_AT;

	for (size_t i = 0; i < n; i++)
		at[ring.head->written++ % WIRE_OBSERVE_RING_BYTES] = (uint8_t)(first + i);
}

static void assert_seen(uint8_t first, size_t n, size_t pieces)
{
	assert_int_equal(seen.n, n);
	assert_int_equal(seen.pieces, pieces);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(seen.at[i], (uint8_t)(first + i));
	seen.n = seen.pieces = 0;
}

static void the_plugin_is_told_what_to_observe(void **state UNUSED)
{
	struct vm_observer none = { 0 }, many = { .n = WIRE_OBSERVE_HOOKS + 1 };

	assert_int_equal(ring.head->n_hooks, 1);
	assert_int_equal(ring.head->hooks[0].address, 0xffff);
	assert_int_equal(ring.head->generation, 1);
	assert_success(vm_ring_observe(&ring, &none));
	assert_int_equal(ring.head->n_hooks, 0);
	assert_int_equal(ring.head->generation, 2);
	assert_error_tag(vm_ring_observe(&ring, &many), "qemu-failed");
}

static void events_are_handed_on_in_order_and_once(void **state UNUSED)
{
	put(1, 1000);
	assert_success(vm_ring_drain(&ring));
	assert_seen(1, 1000, 1);
	assert_success(vm_ring_drain(&ring));
	assert_seen(0, 0, 0);
	/* Around the end, and as many as there is room for. */
	put(3, WIRE_OBSERVE_RING_BYTES);
	assert_success(vm_ring_drain(&ring));
	assert_seen(3, WIRE_OBSERVE_RING_BYTES, 2);
	assert_int_equal(ring.head->taken, 1000 + WIRE_OBSERVE_RING_BYTES);
}

static void what_was_not_taken_stays(void **state UNUSED)
{
	put(1, 100);
	seen.fails = true;
	assert_error_tag(vm_ring_drain(&ring), "limit");
	assert_int_equal(ring.head->taken, 0);
}

static void counts_that_contradict_each_other_are_an_error(void **state UNUSED)
{
	ring.head->written = WIRE_OBSERVE_RING_BYTES + 1;
	assert_error_tag(vm_ring_drain(&ring), "qemu-failed");
	ring.head->written = 0;
	ring.head->taken = 1;
	assert_error_tag(vm_ring_drain(&ring), "qemu-failed");
	assert_int_equal(seen.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_plugin_is_told_what_to_observe, setup,
						teardown),
		cmocka_unit_test_setup_teardown(events_are_handed_on_in_order_and_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_was_not_taken_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_that_contradict_each_other_are_an_error,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
