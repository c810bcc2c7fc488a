// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"
#include "elf/debug_index.h"
#include "fixture.h"
#include "unit.h"

static const char strings[] = "tsd_s\0OTHER";

static void put32(struct strbuf *s, uint32_t value)
{
	strbuf_append_bytes(s, &value, 4);
}

/* One index: `tsd_s` is a struct of the second unit, at 0x90; OTHER of the first, at 0x40. */
static void make_index(struct strbuf *s, uint32_t n_buckets, const char *entry)
{
	struct strbuf body = STRBUF_INIT;

	strbuf_append_bytes(&body, "\5\0\0\0", 4);
	put32(&body, 2); /* units */
	put32(&body, 0);
	put32(&body, 0);
	put32(&body, n_buckets);
	put32(&body, 2);  /* names */
	put32(&body, 14); /* bytes of abbreviations */
	put32(&body, 0);
	put32(&body, 0x40);
	put32(&body, 0x90);
	if (n_buckets) {
		put32(&body, 1);
		/* DJB's hash of the lower-case names, computed by another program. */
		put32(&body, 0x1072e042);
		put32(&body, 0x101903e7);
	}
	put32(&body, 0);
	put32(&body, 6);
	put32(&body, 0);
	put32(&body, (uint32_t)strlen("1234567"));
	/* 1: struct with unit (data1) and entry (ref4); 2: variable, nothing. */
	strbuf_append_bytes(&body,
			    "\1\x13\1\x0b\3\x13\0\0"
			    "\2\x34\0\0\0\0",
			    14);
	strbuf_append_bytes(&body, entry, 7);
	strbuf_append_bytes(&body, "\1\0\x22\0\0\0\0", 7);
	put32(s, (uint32_t)body.n);
	strbuf_append_bytes(s, body.at, body.n);
	strbuf_deinit(&body);
}

static size_t find(const struct strbuf *s, const char *name, uint64_t *ret)
{
	struct unit_hits hits = { .n = 0 };

	debug_names_find((struct bytes){ (uint8_t *)s->at, s->n },
			 (struct bytes){ (const uint8_t *)strings, sizeof(strings) }, name, &hits);
	if (hits.n)
		*ret = hits.offsets[0];
	return hits.n;
}

static void a_name_leads_to_its_unit_with_and_without_a_hash_table(void **state UNUSED)
{
	for (uint32_t n_buckets = 0; n_buckets < 2; n_buckets++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
		uint64_t unit = 0;

		make_index(&s, n_buckets, "\1\1\x11\0\0\0\0");
		assert_int_equal(find(&s, "tsd_s", &unit), 1);
		assert_int_equal(unit, 0x90);
		assert_int_equal(find(&s, "OTHER", &unit), 1);
		assert_int_equal(unit, 0x40);
		assert_int_equal(find(&s, "missing", &unit), 0);
	}
}

static void several_indexes_follow_one_another(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	uint64_t unit = 0;

	strbuf_append_bytes(&s, "\4\0\0\0\7\0\0\0", 8); /* of an unknown version */
	make_index(&s, 1, "\1\1\x11\0\0\0\0");
	assert_int_equal(find(&s, "tsd_s", &unit), 1);
	assert_int_equal(unit, 0x90);
}

static void units_out_of_the_list_and_other_tags_are_left_out(void **state UNUSED)
{
	static const char *const entries[] = {
		"\1\2\x11\0\0\0\0", /* there is no third unit */
		"\2\0\0\0\0\0\0",   /* a variable */
		"\7\0\0\0\0\0\0",   /* no such abbreviation */
		"\0\0\0\0\0\0\0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
		uint64_t unit = 0;

		make_index(&s, 1, entries[i]);
		assert_int_equal(find(&s, "tsd_s", &unit), 0);
	}
}

static void an_index_cut_anywhere_has_no_answer(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	make_index(&s, 1, "\1\1\x11\0\0\0\0");
	for (size_t n = 0; n < s.n; n++) {
		_cleanup_free_ uint8_t *cut = malloc(n + 1);
		struct unit_hits hits = { .n = 0 };

		memcpy(cut, s.at, n);
		debug_names_find((struct bytes){ cut, n },
				 (struct bytes){ (const uint8_t *)strings, sizeof(strings) },
				 "tsd_s", &hits);
		assert_int_equal(hits.n, 0);
	}
}

static void a_real_index_of_clang_has_an_answer(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct unit_hits hits = { .n = 0 };
	struct bytes index, names;

	need_fixture("clang-names");
	img = fixture_open("clang-names", "prog");
	assert_success(elf_image_section(img, ".debug_names", &index));
	assert_success(elf_image_section(img, ".debug_str", &names));
	debug_names_find(index, names, "tsd_s", &hits);
	/* Two source files have a struct of that name. */
	assert_int_equal(hits.n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_leads_to_its_unit_with_and_without_a_hash_table),
		cmocka_unit_test(several_indexes_follow_one_another),
		cmocka_unit_test(units_out_of_the_list_and_other_tags_are_left_out),
		cmocka_unit_test(an_index_cut_anywhere_has_no_answer),
		cmocka_unit_test(a_real_index_of_clang_has_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
