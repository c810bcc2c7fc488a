// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/walk.h"

#include "build_space.h"
#include "unit.h"

enum { BYTES = 4 << 20 };
#define HEAD (SPACE_AT + 0x1000)
/* As struct xa_node has them on x86-64. */
static const struct kmem_xarray_form form = {
	.shift = 0, .offset = 1, .parent = 8, .slots = 40, .n_slots = 64
};
static const struct kmem_xarray_form small = {
	.shift = 0, .offset = 1, .parent = 8, .slots = 40, .n_slots = 16
};

struct fixture {
	struct build_space *s;
	uint64_t next;
	VEC(uint64_t) indexes;
	VEC(uint64_t) entries;
	size_t stop_after;
};

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	f->s = build_space_new(BYTES);
	f->next = SPACE_AT + 0x2000;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	build_space_free(f->s);
	vec_deinit(&f->indexes);
	vec_deinit(&f->entries);
	free(f);
	return 0;
}

static bool see(void *context, uint64_t index, uint64_t entry)
{
	struct fixture *f = context;

	vec_push(&f->indexes, index);
	vec_push(&f->entries, entry);
	return f->indexes.n != f->stop_after;
}

static uint64_t new_node(struct fixture *f, unsigned int shift, uint64_t parent, unsigned int slot)
{
	uint64_t node = f->next;

	f->next += 1024;
	build_word(f->s, node, shift | slot << 8);
	build_word(f->s, node + 8, parent);
	return node;
}

static uint64_t slot_of(uint64_t node, unsigned int slot)
{
	return node + form.slots + 8 * slot;
}

/* Stores one entry as the kernel would; the tree has its top node already. */
static void store(struct fixture *f, uint64_t top, unsigned int shift, unsigned int bits,
		  uint64_t index, uint64_t entry)
{
	uint64_t node = top;

	for (;; shift -= bits) {
		unsigned int slot = index >> shift & ((1u << bits) - 1);
		uint64_t at = slot_of(node, slot), below;

		if (shift == 0) {
			build_word(f->s, at, entry);
			return;
		}
		below = build_get_u64(&f->s->memory, at - SPACE_AT);
		if (!below) {
			below = new_node(f, shift - bits, node, slot) | 2;
			build_word(f->s, at, below);
		}
		node = below - 2;
	}
}

static const uint64_t indexes[] = { 0, 1, 63, 64, 4095, 4096, 77777, 262143 };

static void entries_come_with_their_index(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 12, 0, 0);

	build_word(f->s, HEAD, top | 2);
	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++)
		store(f, top, 12, 6, indexes[i], 0xffff888000100000 + 64 * i);
	store(f, top, 12, 6, 5000, 42 << 1 | 1);  /* a value */
	store(f, top, 12, 6, 5001, 256 << 2 | 2); /* "retry" */
	store(f, top, 12, 6, 5002, 3 << 2 | 2);	  /* a sibling */
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n_bad_backlinks, 0);
	assert_int_equal(f->indexes.n, ARRAY_SIZE(indexes) + 1);
	for (size_t i = 0, j = 0; i < f->indexes.n; i++) {
		if (f->indexes.at[i] == 5000) {
			assert_int_equal(f->entries.at[i], 85);
			continue;
		}
		assert_int_equal(f->indexes.at[i], indexes[j]);
		assert_true(f->entries.at[i] == 0xffff888000100000 + 64 * j);
		j++;
	}
}

static void one_entry_needs_no_node(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n, 0);
	build_word(f->s, HEAD, 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n, 1);
	assert_int_equal(f->indexes.at[0], 0);
	build_word(f->s, HEAD, 1030); /* a zero entry */
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n, 0);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
}

static void small_kernels_have_smaller_nodes(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 8, 0, 0);

	build_word(f->s, HEAD, top | 2);
	for (uint64_t i = 0; i < 4096; i += 17)
		store(f, top, 8, 4, i, 0xffff888000100000);
	kmem_xarray(&f->s->space, &small, HEAD, &walk, see, f);
	assert_int_equal(walk.n, 241);
	assert_int_equal(f->indexes.at[240], 240 * 17);
}

static void highest_index_has_64_bits(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 60, 0, 0);

	build_word(f->s, HEAD, top | 2);
	store(f, top, 60, 6, UINT64_C(0xf000000000000005), 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 1);
	assert_true(f->indexes.at[0] == UINT64_C(0xf000000000000005));
}

static void nodes_that_are_not_in_their_place_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 6, 0, 0), stranger;

	build_word(f->s, HEAD, top | 2);
	store(f, top, 6, 6, 7, 0xffff888000100000);
	build_word(f->s, slot_of(top, 1), top | 2); /* itself */
	stranger = new_node(f, 0, top, 5);	    /* says that it is in slot 5 */
	build_word(f->s, slot_of(top, 2), stranger | 2);
	stranger = new_node(f, 0, SPACE_AT, 3); /* says that it belongs to another */
	build_word(f->s, slot_of(top, 3), stranger | 2);
	stranger = new_node(f, 12, top, 4); /* higher than the one above it */
	build_word(f->s, slot_of(top, 4), stranger | 2);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 1);
	assert_int_equal(walk.n_bad_backlinks, 4);
	/* A top that cannot be one. */
	build_word(f->s, HEAD, new_node(f, 7, 0, 0) | 2);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n_bad_backlinks, 1);
	build_word(f->s, HEAD, new_node(f, 66, 0, 0) | 2);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n_bad_backlinks, 1);
}

static void walk_ends_where_it_must(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { .wanted = 2 };
	struct kmem_xarray_form odd = form;
	uint64_t top = new_node(f, 0, 0, 0);

	build_word(f->s, HEAD, top | 2);
	for (uint64_t i = 0; i < 9; i++)
		store(f, top, 0, 6, i, 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.n, 9);
	assert_int_equal(f->indexes.n, 2);
	f->stop_after = 3;
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	/* A number of slots that no kernel has. */
	odd.n_slots = 1 << 20;
	kmem_xarray(&f->s->space, &odd, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_UNKNOWN);
	build_word(f->s, HEAD, 0x4002);
	kmem_xarray(&f->s->space, &form, HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.failed, 0x4000);
	kmem_xarray(&f->s->space, &form, 0, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(entries_come_with_their_index, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_entry_needs_no_node, set_up, tear_down),
		cmocka_unit_test_setup_teardown(small_kernels_have_smaller_nodes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(highest_index_has_64_bits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nodes_that_are_not_in_their_place_are_left_out,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(walk_ends_where_it_must, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
