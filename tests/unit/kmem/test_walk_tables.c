// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/walk.h"

#include "../btf/build_btf.h"
#include "build_space.h"
#include "unit.h"

enum { XARRAY_BYTES = 4 << 20 };
#define XARRAY_HEAD (SPACE_AT + 0x1000)
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

static int xarray_set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	f->s = build_space_new(XARRAY_BYTES);
	f->next = SPACE_AT + 0x2000;
	*state = f;
	return 0;
}

static int xarray_tear_down(void **state)
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

	build_word(f->s, XARRAY_HEAD, top | 2);
	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++)
		store(f, top, 12, 6, indexes[i], 0xffff888000100000 + 64 * i);
	store(f, top, 12, 6, 5000, 42 << 1 | 1);  /* a value */
	store(f, top, 12, 6, 5001, 256 << 2 | 2); /* "retry" */
	store(f, top, 12, 6, 5002, 3 << 2 | 2);	  /* a sibling */
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
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

	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n, 0);
	build_word(f->s, XARRAY_HEAD, 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n, 1);
	assert_int_equal(f->indexes.at[0], 0);
	build_word(f->s, XARRAY_HEAD, 1030); /* a zero entry */
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n, 0);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
}

static void small_kernels_have_smaller_nodes(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 8, 0, 0);

	build_word(f->s, XARRAY_HEAD, top | 2);
	for (uint64_t i = 0; i < 4096; i += 17)
		store(f, top, 8, 4, i, 0xffff888000100000);
	kmem_xarray(&f->s->space, &small, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n, 241);
	assert_int_equal(f->indexes.at[240], 240 * 17);
}

static void highest_index_has_64_bits(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 60, 0, 0);

	build_word(f->s, XARRAY_HEAD, top | 2);
	store(f, top, 60, 6, UINT64_C(0xf000000000000005), 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 1);
	assert_true(f->indexes.at[0] == UINT64_C(0xf000000000000005));
}

static void xarray_nodes_with_a_wrong_parent_or_slot_are_skipped(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	uint64_t top = new_node(f, 6, 0, 0), stranger;

	build_word(f->s, XARRAY_HEAD, top | 2);
	store(f, top, 6, 6, 7, 0xffff888000100000);
	build_word(f->s, slot_of(top, 1), top | 2); /* itself */
	stranger = new_node(f, 0, top, 5);	    /* says that it is in slot 5 */
	build_word(f->s, slot_of(top, 2), stranger | 2);
	stranger = new_node(f, 0, SPACE_AT, 3); /* says that it belongs to another */
	build_word(f->s, slot_of(top, 3), stranger | 2);
	stranger = new_node(f, 12, top, 4); /* higher than the one above it */
	build_word(f->s, slot_of(top, 4), stranger | 2);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 1);
	assert_int_equal(walk.n_bad_backlinks, 4);
	/* A top that cannot be one. */
	build_word(f->s, XARRAY_HEAD, new_node(f, 7, 0, 0) | 2);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n_bad_backlinks, 1);
	build_word(f->s, XARRAY_HEAD, new_node(f, 66, 0, 0) | 2);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n_bad_backlinks, 1);
}

static void an_xarray_walk_obeys_its_limits(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { .wanted = 2 };
	struct kmem_xarray_form odd = form;
	uint64_t top = new_node(f, 0, 0, 0);

	build_word(f->s, XARRAY_HEAD, top | 2);
	for (uint64_t i = 0; i < 9; i++)
		store(f, top, 0, 6, i, 0xffff888000100000);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.n, 9);
	assert_int_equal(f->indexes.n, 2);
	f->stop_after = 3;
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	/* A number of slots that no kernel has. */
	odd.n_slots = 1 << 20;
	kmem_xarray(&f->s->space, &odd, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_UNKNOWN);
	build_word(f->s, XARRAY_HEAD, 0x4002);
	kmem_xarray(&f->s->space, &form, XARRAY_HEAD, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.failed, 0x4000);
	kmem_xarray(&f->s->space, &form, 0, &walk, see, f);
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
}

/* Offsets that no kernel has, so that only the types can tell them. */
enum { TBL = 24, SIZE = 4, NEST = 0, FUTURE = 16, BUCKETS = 128 };
#define TABLE		   (SPACE_AT + 0x100)
#define OLD		   (SPACE_AT + 0x1000)
#define NEW		   (SPACE_AT + 0x4000)
#define MORE(i)		   (SPACE_AT + 0x20000 + 0x1000 * (uint64_t)(i))
#define RHASHTABLE_NODE(i) (SPACE_AT + 0x8000 + 64 * (uint64_t)(i))
#define END(i)		   (((uint64_t)(i) << 1) | 1)

struct rhashtable_fixture {
	struct strbuf bytes;
	struct btf *btf;
	struct kmem_fields fields;
	struct build_space *s;
};

static int rhashtable_set_up(void **state)
{
	struct rhashtable_fixture *f = xnew(struct rhashtable_fixture);
	struct build_btf b = { 0 };
	uint32_t word = build_btf_int(&b, "unsigned int", 4, 0);
	uint32_t pointer = build_btf_type(&b, "", 2, 0, 0);
	uint32_t flexible = build_btf_array(&b, pointer, 0);

	BUILD_STRUCT(&b, "rhashtable", 64, { "tbl", pointer, 8 * TBL, 0 });
	BUILD_STRUCT(&b, "bucket_table", 128, { "nest", word, 8 * NEST, 0 },
		     { "size", word, 8 * SIZE, 0 }, { "future_tbl", pointer, 8 * FUTURE, 0 },
		     { "buckets", flexible, 8 * BUCKETS, 0 });
	build_btf_finish(&b, &f->bytes);
	assert_success(btf_parse(build_bytes(&f->bytes), "types", &f->btf));
	kmem_fields_init(&f->fields, f->btf, NULL);
	f->s = build_space_new(1 << 20);
	/* 512 buckets: three elements in bucket 2, one in the last; 5 and 6 have their lock held.
	 */
	build_word(f->s, TABLE + TBL, OLD);
	build_word(f->s, OLD, UINT64_C(512) << 32);
	build_word(f->s, OLD + BUCKETS + 8 * 2, RHASHTABLE_NODE(0));
	build_word(f->s, RHASHTABLE_NODE(0), RHASHTABLE_NODE(1));
	build_word(f->s, RHASHTABLE_NODE(1), RHASHTABLE_NODE(2));
	build_word(f->s, RHASHTABLE_NODE(2), END(2));
	build_word(f->s, OLD + BUCKETS + 8 * 5, 1);
	build_word(f->s, OLD + BUCKETS + 8 * 6, RHASHTABLE_NODE(3) | 1);
	build_word(f->s, RHASHTABLE_NODE(3), END(6));
	build_word(f->s, OLD + BUCKETS + 8 * 511, RHASHTABLE_NODE(4));
	build_word(f->s, RHASHTABLE_NODE(4), END(511));
	*state = f;
	return 0;
}

static int rhashtable_tear_down(void **state)
{
	struct rhashtable_fixture *f = *state;

	kmem_fields_deinit(&f->fields);
	btf_free(f->btf);
	strbuf_deinit(&f->bytes);
	build_space_free(f->s);
	free(f);
	return 0;
}

static struct error *walk_it(struct rhashtable_fixture *f, struct kmem_walk *walk)
{
	vec_clear(&f->s->seen);
	return kmem_rhashtable(&f->s->space, &f->fields, TABLE, walk, build_see, f->s);
}

static void every_bucket_is_walked(void **state)
{
	struct rhashtable_fixture *f = *state;
	struct kmem_walk walk = { 0 };

	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(f->s->seen.n, 5);
	for (int i = 0; i < 5; i++)
		assert_true(f->s->seen.at[i] == RHASHTABLE_NODE(i));
	f->s->stop_after = 2;
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	f->s->stop_after = 0;
	walk.wanted = 3;
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.n_shown, 3);
	assert_int_equal(walk.n, 5);
}

static void elements_of_a_future_table_are_walked_too(void **state)
{
	struct rhashtable_fixture *f = *state;
	struct kmem_walk walk = { 0 };

	build_word(f->s, OLD + FUTURE, NEW);
	build_word(f->s, NEW, UINT64_C(4) << 32);
	build_word(f->s, NEW + BUCKETS, RHASHTABLE_NODE(5));
	build_word(f->s, RHASHTABLE_NODE(5), END(0));
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.n, 6);
	/* Tables that lead back, and tables without end. */
	build_word(f->s, NEW + FUTURE, NEW);
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_CYCLE);
	build_word(f->s, NEW + FUTURE, MORE(0));
	for (int i = 0; i < KMEM_LIMIT_TABLES; i++)
		build_word(f->s, MORE(i) + FUTURE, MORE(i + 1));
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_LIMITED);
}

static void cycles_and_invalid_links_end_the_walk(void **state)
{
	struct rhashtable_fixture *f = *state;
	struct kmem_walk walk = { 0 };

	build_word(f->s, RHASHTABLE_NODE(2), RHASHTABLE_NODE(1));
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_CYCLE);
	build_word(f->s, RHASHTABLE_NODE(2), 0x1000);
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.failed, 0x1000);
	build_word(f->s, TABLE + TBL, 0x2000);
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	build_word(f->s, TABLE + TBL, SPACE_AT + (1 << 20) - BUCKETS - 8);
	build_word(f->s, SPACE_AT + (1 << 20) - BUCKETS - 8, UINT64_C(512) << 32);
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	build_word(f->s, TABLE + TBL, 0);
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(walk.n, 0);
}

static void tables_that_cannot_be_read_say_so(void **state)
{
	struct rhashtable_fixture *f = *state;
	struct kmem_walk walk = { 0 };
	struct kmem_fields nothing;

	build_word(f->s, OLD, UINT64_C(512) << 32 | 1);
	assert_error_tag(walk_it(f, &walk), "absent");
	build_word(f->s, OLD, UINT64_C(0x80000000) << 32);
	assert_error_tag(walk_it(f, &walk), "limit");
	kmem_fields_init(&nothing, NULL, "no types");
	assert_error_tag(kmem_rhashtable(&f->s->space, &nothing, TABLE, &walk, build_see, f->s),
			 "no-kernel-field");
	kmem_fields_deinit(&nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(entries_come_with_their_index, xarray_set_up,
						xarray_tear_down),
		cmocka_unit_test_setup_teardown(one_entry_needs_no_node, xarray_set_up,
						xarray_tear_down),
		cmocka_unit_test_setup_teardown(small_kernels_have_smaller_nodes, xarray_set_up,
						xarray_tear_down),
		cmocka_unit_test_setup_teardown(highest_index_has_64_bits, xarray_set_up,
						xarray_tear_down),
		cmocka_unit_test_setup_teardown(
			xarray_nodes_with_a_wrong_parent_or_slot_are_skipped, xarray_set_up,
			xarray_tear_down),
		cmocka_unit_test_setup_teardown(an_xarray_walk_obeys_its_limits, xarray_set_up,
						xarray_tear_down),
		cmocka_unit_test_setup_teardown(every_bucket_is_walked, rhashtable_set_up,
						rhashtable_tear_down),
		cmocka_unit_test_setup_teardown(elements_of_a_future_table_are_walked_too,
						rhashtable_set_up, rhashtable_tear_down),
		cmocka_unit_test_setup_teardown(cycles_and_invalid_links_end_the_walk,
						rhashtable_set_up, rhashtable_tear_down),
		cmocka_unit_test_setup_teardown(tables_that_cannot_be_read_say_so,
						rhashtable_set_up, rhashtable_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
