// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/sdt.h"

#include "base/vec.h"
#include "build_sdt.h"
#include "unit.h"

struct seen {
	int32_t idx, genn;
	uint64_t user_addr;
	uint64_t words[4];
	size_t n_holes;
	bool is_zeroed;
};

struct fixture {
	struct build_sdt *s;
	struct dump_sdt_walk walk;
	VEC(struct seen) seen;
};

enum { ELEMENT = 32 };

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);

	f->s = build_sdt_new(ELEMENT);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	build_sdt_free(f->s);
	vec_deinit(&f->seen);
	free(f);
	return 0;
}

static void see(void *context, const struct dump_sdt_entry *entry)
{
	struct fixture *f = context;
	struct seen seen = { .idx = entry->idx,
			     .genn = entry->genn,
			     .user_addr = entry->user_addr,
			     .n_holes = entry->payload.n_holes,
			     .is_zeroed = entry->is_zeroed };
	size_t n = entry->payload.data.n;

	memcpy(seen.words, entry->payload.data.at, n < sizeof(seen.words) ? n : sizeof(seen.words));
	vec_push(&f->seen, seen);
}

static void walk(struct fixture *f)
{
	uint8_t image[40] = { 0 };
	uint64_t root;

	memcpy(image + 8, &f->s->elem_size, 8);
	memcpy(image + 32, &f->s->root, 8);
	vec_clear(&f->seen);
	f->walk.n_steps = 0;
	assert_true(dump_sdt_read_allocator(
		&build_sdt_layout, (struct bytes){ image, sizeof(image) }, &f->walk, &root));
	dump_sdt_walk_tree(&f->s->space, &f->s->arena, &build_sdt_layout, root, &f->walk, see, f);
	assert_int_equal(f->seen.n, f->walk.n_shown);
}

/* Nothing was left out but what the test says. */
static void assert_skipped(struct fixture *f, enum dump_sdt_skip skip, uint64_t n)
{
	assert_int_equal(f->walk.skipped[skip], n);
	assert_int_equal(dump_sdt_n_skipped(&f->walk), n);
}

static void elements_come_with_number_generation_and_payload(void **state)
{
	struct fixture *f = *state;
	/* Of both ends of each level. */
	const uint32_t numbers[] = { 0, 1, 511, 512, 512 * 511, 512 * 512, 512 * 512 * 512 - 1 };
	uint64_t at[ARRAY_SIZE(numbers)];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		at[i] = sdt_alloc(f->s, numbers[i]);
	walk(f);
	assert_int_equal(f->walk.n, ARRAY_SIZE(numbers));
	assert_int_equal(f->walk.payload_size, ELEMENT - 8);
	assert_int_equal(dump_sdt_n_skipped(&f->walk), 0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_int_equal(f->seen.at[i].idx, numbers[i]);
		assert_int_equal(f->seen.at[i].genn, 1);
		assert_int_equal(f->seen.at[i].user_addr, at[i]);
		for (uint64_t k = 0; k < 3; k++)
			assert_int_equal(f->seen.at[i].words[k],
					 (8 * (k + 1)) << 32 | (numbers[i] + 1));
	}
}

static void subtrees_that_are_not_full_have_no_bit_and_are_visited(void **state)
{
	struct fixture *f = *state;

	/* The first leaf is full, the second is not: further up only the first has a bit. */
	for (uint32_t i = 0; i < 700; i++)
		sdt_alloc(f->s, i);
	assert_int_equal(sdt_get(f->s, sdt_desc_at(f->s, 0, 1) + IN_DESC_BITS), 1);
	assert_int_equal(sdt_get(f->s, f->s->root + IN_DESC_BITS), 0);
	walk(f);
	assert_int_equal(f->walk.n, 700);
	for (int i = 0; i < 700; i++)
		assert_int_equal(f->seen.at[i].idx, i);
}

static void only_bits_say_that_an_element_lives(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 600; i++)
		sdt_alloc(f->s, i);
	for (uint32_t i = 0; i < 600; i += 2)
		sdt_clear_bit(f->s, sdt_desc_at(f->s, i, 2), i & 511);
	walk(f);
	assert_int_equal(f->walk.n, 300);
	for (int i = 0; i < 300; i++)
		assert_int_equal(f->seen.at[i].idx, 2 * i + 1);
}

static void elements_and_chunks_may_cross_pages(void **state)
{
	struct fixture *f = *state;
	size_t crossing = 0;

	f->s->elem_size = 48;
	for (uint32_t i = 0; i < 512; i++) {
		uint64_t at = sdt_alloc(f->s, i);

		crossing += at / 4096 != (at + 47) / 4096;
	}
	assert_true(crossing > 2);
	walk(f);
	assert_int_equal(f->walk.n, 512);
	for (uint32_t i = 0; i < 512; i++) {
		for (uint64_t k = 0; k < 4; k++)
			assert_int_equal(f->seen.at[i].words[k], (8 * (k + 1)) << 32 | (i + 1));
	}
}

static void a_wild_count_of_free_slots_ends_that_subtree(void **state)
{
	struct fixture *f = *state;

	sdt_alloc(f->s, 3);
	sdt_alloc(f->s, 512);
	sdt_put(f->s, sdt_desc_at(f->s, 3, 2) + IN_DESC_FREE, 513);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_NR_FREE, 1);
	assert_int_equal(f->walk.n, 1);
	assert_int_equal(f->seen.at[0].idx, 512);
	/* All free is fine: an empty leaf stays after its last element went. */
	sdt_put(f->s, sdt_desc_at(f->s, 3, 2) + IN_DESC_FREE, 512);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_NR_FREE, 0);
	assert_int_equal(f->walk.n, 2);
}

static void a_descriptor_without_a_chunk_ends_that_subtree(void **state)
{
	struct fixture *f = *state;

	sdt_alloc(f->s, 3);
	sdt_alloc(f->s, 512 * 512);
	sdt_put(f->s, sdt_desc_at(f->s, 3, 1) + IN_DESC_CHUNK, 0);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_NO_CHUNK, 1);
	assert_int_equal(f->walk.n, 1);
}

static void a_bit_whose_slot_is_null_is_being_allocated(void **state)
{
	struct fixture *f = *state;

	sdt_alloc(f->s, 3);
	sdt_set_bit(f->s, sdt_desc_at(f->s, 3, 2), 77);
	walk(f);
	assert_int_equal(f->walk.n, 1);
	assert_int_equal(f->walk.n_in_flight, 1);
	assert_int_equal(dump_sdt_n_skipped(&f->walk), 0);
}

static void a_slot_of_zeros_is_being_freed_and_is_shown(void **state)
{
	struct fixture *f = *state;
	uint64_t at;

	sdt_alloc(f->s, 3);
	at = sdt_alloc(f->s, 4);
	for (uint64_t i = 0; i < ELEMENT; i += 8)
		sdt_put(f->s, at + i, 0);
	walk(f);
	assert_int_equal(f->walk.n, 2);
	assert_int_equal(f->walk.n_zeroed, 1);
	assert_false(f->seen.at[0].is_zeroed);
	assert_true(f->seen.at[1].is_zeroed);
	assert_int_equal(f->seen.at[1].idx, 0);
}

static void a_torn_element_size_walks_nothing(void **state)
{
	struct fixture *f = *state;
	const uint64_t torn[] = { 0, 8, 15, 4097, UINT64_MAX };

	sdt_alloc(f->s, 3);
	for (size_t i = 0; i < ARRAY_SIZE(torn); i++) {
		f->s->elem_size = torn[i];
		walk(f);
		assert_true(f->walk.is_elem_size_bad);
		assert_int_equal(f->walk.elem_size, torn[i]);
		assert_int_equal(f->walk.n, 0);
	}
	f->s->elem_size = 16;
	walk(f);
	assert_int_equal(f->walk.n, 1);
	f->s->elem_size = 4096;
	walk(f);
	assert_int_equal(f->walk.n, 1);
}

static void a_cap_shows_the_first_and_counts_the_rest(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 1100; i++)
		sdt_alloc(f->s, i);
	f->walk.wanted = 520;
	walk(f);
	assert_int_equal(f->walk.n_shown, 520);
	assert_int_equal(f->walk.n, 1100);
	assert_int_equal(f->seen.at[519].idx, 519);
	f->walk.wanted = 1100;
	walk(f);
	assert_int_equal(f->walk.n_shown, f->walk.n);
	f->walk.wanted = 0;
	walk(f);
	assert_int_equal(f->walk.n_shown, 1100);
}

static void an_allocator_that_was_not_set_up_has_no_elements(void **state)
{
	struct fixture *f = *state;

	walk(f);
	assert_int_equal(f->walk.n, 0);
	assert_false(f->walk.is_elem_size_bad);
	assert_int_equal(dump_sdt_n_skipped(&f->walk), 0);
}

static void pointers_out_of_the_arenas_pages_are_counted_by_what_they_lead_to(void **state)
{
	struct fixture *f = *state;
	uint64_t nowhere = SDT_USER + UINT64_C(0x10000000);

	sdt_alloc(f->s, 3);
	sdt_alloc(f->s, 4);
	sdt_put(f->s, sdt_slot(f->s, sdt_desc_at(f->s, 4, 2), 4), nowhere);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_DATA, 1);
	assert_int_equal(f->walk.n, 1);
	sdt_put(f->s, sdt_desc_at(f->s, 3, 2) + IN_DESC_CHUNK, nowhere);
	walk(f);
	/* One subtree, however many slots of it are in use. */
	assert_skipped(f, DUMP_SDT_SKIP_CHUNK, 1);
	sdt_put(f->s, sdt_slot(f->s, sdt_desc_at(f->s, 3, 1), 0), nowhere);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_DESC, 1);
	/* Of an inner level, too. */
	sdt_put(f->s, f->s->root + IN_DESC_CHUNK, nowhere);
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_CHUNK, 1);
	f->s->root = nowhere;
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_DESC, 1);
	/* The last bytes of the 4 GiB: a word does not go on at the first. */
	f->s->root = SDT_USER | 0xfffffffc;
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_DESC, 1);
}

static void a_partly_unmapped_payload_has_a_hole(void **state)
{
	struct fixture *f = *state;
	uint64_t at = 0;

	sdt_desc_at(f->s, 0, 2);
	f->s->next = SDT_USER + 20 * 4096 - 16;
	at = sdt_alloc(f->s, 0);
	sdt_unmap(f->s, at + 16);
	walk(f);
	assert_int_equal(f->walk.n, 1);
	assert_int_equal(f->seen.at[0].n_holes, 1);
	assert_false(f->seen.at[0].is_zeroed);
	assert_int_equal(f->seen.at[0].words[0], UINT64_C(8) << 32 | 1);
	assert_int_equal(f->seen.at[0].words[1], 0);
}

static void a_tree_that_leads_back_into_itself_ends(void **state)
{
	struct fixture *f = *state;

	sdt_alloc(f->s, 3);
	sdt_put(f->s, sdt_slot(f->s, f->s->root, 9), f->s->root);
	sdt_put(f->s, sdt_slot(f->s, f->s->root, 10), sdt_desc_at(f->s, 3, 1));
	walk(f);
	assert_skipped(f, DUMP_SDT_SKIP_TWICE, 2);
	assert_int_equal(f->walk.n, 1);
}

/*
 * One page full of full descriptors, seen at many addresses of the arena: more elements than any
 * memory could hold, each of them as good as a real one.
 */
static void an_endless_allocator_tree_ends_at_the_limit(void **state)
{
	enum { PER_PAGE = 4096 / SDT_DESC_BYTES, LEAVES = 9 * 512 };
	struct fixture *f = *state;
	struct build_sdt *s = f->s;
	uint64_t page, chunk, far = SDT_USER + UINT64_C(0x10000000);

	f->walk.wanted = 1;
	sdt_alloc(s, 0);
	s->next = (s->next + 4095) / 4096 * 4096;
	page = sdt_bump(s, 4096);
	chunk = sdt_bump(s, SDT_CHUNK_BYTES);
	for (unsigned int i = 0; i < 512; i++)
		sdt_put(s, chunk + 8 * i, sdt_get(s, sdt_slot(s, sdt_desc_at(s, 0, 2), 0)));
	for (unsigned int i = 0; i < PER_PAGE; i++) {
		for (unsigned int k = 0; k < 8; k++)
			sdt_put(s, page + i * SDT_DESC_BYTES + 8 * k, UINT64_MAX);
		sdt_put(s, page + i * SDT_DESC_BYTES + IN_DESC_CHUNK, chunk);
	}
	for (unsigned int i = 0; i < LEAVES; i++) {
		uint64_t at = far + i / PER_PAGE * 4096;
		uint64_t inner = sdt_desc_at(s, (i / 512 + 1) << 18, 1);

		if (i % PER_PAGE == 0)
			build_map(&s->memory, sdt_kernel(at), sdt_physical(page), 12, 0);
		sdt_put(s, sdt_slot(s, inner, i % 512), at + i % PER_PAGE * SDT_DESC_BYTES);
	}
	walk(f);
	assert_true(f->walk.is_given_up);
	assert_int_equal(f->walk.n_shown, 1);
	assert_true(f->walk.n > 1 << 20);
	assert_int_equal(dump_sdt_n_skipped(&f->walk), 0);
}

static void an_image_that_is_too_short_is_refused(void **state)
{
	struct dump_sdt_walk walk_state = { .wanted = 7 };
	uint8_t image[39] = { 0 };
	uint64_t root = 5;

	(void)state;
	assert_false(dump_sdt_read_allocator(
		&build_sdt_layout, (struct bytes){ image, sizeof(image) }, &walk_state, &root));
	assert_int_equal(root, 5);
	assert_int_equal(walk_state.wanted, 7);
}

static void every_skip_reason_has_a_text(void **state)
{
	(void)state;
	for (int i = 0; i < DUMP_SDT_N_SKIPS; i++)
		assert_true(strlen(dump_sdt_skip_name(i)) > 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(elements_come_with_number_generation_and_payload),
		TEST(subtrees_that_are_not_full_have_no_bit_and_are_visited),
		TEST(only_bits_say_that_an_element_lives),
		TEST(elements_and_chunks_may_cross_pages),
		TEST(a_wild_count_of_free_slots_ends_that_subtree),
		TEST(a_descriptor_without_a_chunk_ends_that_subtree),
		TEST(a_bit_whose_slot_is_null_is_being_allocated),
		TEST(a_slot_of_zeros_is_being_freed_and_is_shown),
		TEST(a_torn_element_size_walks_nothing),
		TEST(a_cap_shows_the_first_and_counts_the_rest),
		TEST(an_allocator_that_was_not_set_up_has_no_elements),
		TEST(pointers_out_of_the_arenas_pages_are_counted_by_what_they_lead_to),
		TEST(a_partly_unmapped_payload_has_a_hole),
		TEST(a_tree_that_leads_back_into_itself_ends),
		TEST(an_endless_allocator_tree_ends_at_the_limit),
		cmocka_unit_test(an_image_that_is_too_short_is_refused),
		cmocka_unit_test(every_skip_reason_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
