// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/walk.h"

#include "../btf/build_btf.h"
#include "build_space.h"
#include "unit.h"

/* Offsets that no kernel has, so that only the types can tell them. */
enum { TBL = 24, SIZE = 4, NEST = 0, FUTURE = 16, BUCKETS = 128 };
#define TABLE	(SPACE_AT + 0x100)
#define OLD	(SPACE_AT + 0x1000)
#define NEW	(SPACE_AT + 0x4000)
#define MORE(i) (SPACE_AT + 0x20000 + 0x1000 * (uint64_t)(i))
#define NODE(i) (SPACE_AT + 0x8000 + 64 * (uint64_t)(i))
#define END(i)	(((uint64_t)(i) << 1) | 1)

struct fixture {
	struct strbuf bytes;
	struct btf *btf;
	struct kmem_fields fields;
	struct build_space *s;
};

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);
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
	build_word(f->s, OLD + BUCKETS + 8 * 2, NODE(0));
	build_word(f->s, NODE(0), NODE(1));
	build_word(f->s, NODE(1), NODE(2));
	build_word(f->s, NODE(2), END(2));
	build_word(f->s, OLD + BUCKETS + 8 * 5, 1);
	build_word(f->s, OLD + BUCKETS + 8 * 6, NODE(3) | 1);
	build_word(f->s, NODE(3), END(6));
	build_word(f->s, OLD + BUCKETS + 8 * 511, NODE(4));
	build_word(f->s, NODE(4), END(511));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kmem_fields_deinit(&f->fields);
	btf_free(f->btf);
	strbuf_deinit(&f->bytes);
	build_space_free(f->s);
	free(f);
	return 0;
}

static struct error *walk_it(struct fixture *f, struct kmem_walk *walk)
{
	vec_clear(&f->s->seen);
	return kmem_rhashtable(&f->s->space, &f->fields, TABLE, walk, build_see, f->s);
}

static void every_bucket_is_walked(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(f->s->seen.n, 5);
	for (int i = 0; i < 5; i++)
		assert_true(f->s->seen.at[i] == NODE(i));
	f->s->stop_after = 2;
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	f->s->stop_after = 0;
	walk.wanted = 3;
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.n_shown, 3);
	assert_int_equal(walk.n, 5);
}

static void elements_of_the_next_table_count_as_well(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	build_word(f->s, OLD + FUTURE, NEW);
	build_word(f->s, NEW, UINT64_C(4) << 32);
	build_word(f->s, NEW + BUCKETS, NODE(5));
	build_word(f->s, NODE(5), END(0));
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

static void circles_and_wild_links_end_the_walk(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	build_word(f->s, NODE(2), NODE(1));
	assert_success(walk_it(f, &walk));
	assert_int_equal(walk.end, KMEM_WALK_CYCLE);
	build_word(f->s, NODE(2), 0x1000);
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
	struct fixture *f = *state;
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
		cmocka_unit_test_setup_teardown(every_bucket_is_walked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(elements_of_the_next_table_count_as_well, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(circles_and_wild_links_end_the_walk, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(tables_that_cannot_be_read_say_so, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
