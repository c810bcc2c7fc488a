// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/kallsyms.h"

#include "build_kallsyms.h"
#include "unit.h"

#define BASE   UINT64_C(0xffffffff99000000)
#define PLACES UINT64_C(0xffffffff9a61c2f8)

/* `nameless` functions share a name; one name is longer than seven bits can count. */
static char long_name[300];
static const struct build_symbol kernel[] = {
	{ BASE, 'T', "_stext" },
	{ BASE, 'T', "_text" },
	{ BASE + 0x100, 't', "helper" },
	{ BASE + 0x180, 'T', "__x64_sys_sched_yield" },
	{ BASE + 0x200, 't', "helper" },
	{ BASE + 0x280, 'T', "function" },
	{ BASE + 0x2c0, 't', "helper" },
	{ BASE + 0x1000, 'D', "init_task" },
	{ BASE + 0x9000, 'D', "init_top_pgt" },
	{ BASE + 0xa000, 'd', long_name },
	{ BASE + 0x1c00000, 'b', "vmcoreinfo_note" },
	{ BASE + 0x2000000, 'B', "_end" },
};
static const struct build_symbol percpu[] = {
	{ 0, 'A', "__per_cpu_start" },	   { 0x35e80, 'A', "runqueues" },
	{ BASE, 'T', "_stext" },	   { BASE + 0x1000, 'D', "init_task" },
	{ BASE + 0x2000000, 'B', "_end" },
};

static int set_up(void **state UNUSED)
{
	memset(long_name, 'n', sizeof(long_name) - 1);
	return 0;
}

static struct kmem_kallsyms *parse(const struct build_kallsyms *b, enum kmem_kallsyms_mode mode)
{
	struct kmem_kallsyms_tables tables = build_tables(b, BASE, PLACES);
	struct kmem_kallsyms *k = NULL;

	assert_success(kmem_kallsyms_parse(&tables, &k));
	assert_true(kmem_kallsyms_set_mode(k, mode));
	assert_int_equal(kmem_kallsyms_mode(k), mode);
	return k;
}

static void check_all(struct kmem_kallsyms *k, const struct build_symbol *symbols, uint32_t n)
{
	struct kmem_symbol s;

	assert_int_equal(kmem_kallsyms_n(k), n);
	for (uint32_t i = 0; i < n; i++) {
		bool found = false;

		assert_true(kmem_kallsyms_at(k, i, &s));
		assert_int_equal(s.address, symbols[i].address);
		assert_int_equal(s.kind, symbols[i].kind);
		assert_string_equal(s.name, symbols[i].name);
		for (uint32_t nth = 0; kmem_kallsyms_find(k, symbols[i].name, nth, &s); nth++)
			found |= s.address == symbols[i].address && s.kind == symbols[i].kind;
		assert_true(found);
	}
	assert_false(kmem_kallsyms_at(k, n, &s));
	assert_false(kmem_kallsyms_find(k, "no_such_symbol", 0, &s));
	assert_false(kmem_kallsyms_find(k, "", 0, &s));
	assert_false(kmem_kallsyms_find(k, "zzz", 0, &s));
}

static void every_kallsyms_address_encoding_is_read(void **state UNUSED)
{
	for (enum kmem_kallsyms_mode mode = 0; mode < KMEM_KALLSYMS_N_MODES; mode++) {
		_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
			kernel, ARRAY_SIZE(kernel), mode, BASE, PLACES);
		_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = parse(&b, mode);

		assert_true(kmem_kallsyms_has_order(k));
		check_all(k, kernel, ARRAY_SIZE(kernel));
		assert_int_equal(kmem_kallsyms_mode(k), mode);
	}
}

static void per_cpu_symbols_of_older_kernels_are_absolute(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		percpu, ARRAY_SIZE(percpu), KMEM_KALLSYMS_PERCPU, BASE, PLACES);
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = parse(&b, KMEM_KALLSYMS_PERCPU);
	struct kmem_symbol s;

	check_all(k, percpu, ARRAY_SIZE(percpu));
	assert_true(kmem_kallsyms_near(k, 0x35e90, &s));
	assert_string_equal(s.name, "runqueues");
}

static void offsets_relative_to_a_base_are_unsigned(void **state UNUSED)
{
	uint64_t low = BASE - UINT64_C(0xc0000000);
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, ARRAY_SIZE(kernel), KMEM_KALLSYMS_RELATIVE, low, PLACES);
	struct kmem_kallsyms_tables tables = build_tables(&b, low, PLACES);
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = NULL;

	assert_success(kmem_kallsyms_parse(&tables, &k));
	assert_true(kmem_kallsyms_set_mode(k, KMEM_KALLSYMS_RELATIVE));
	check_all(k, kernel, ARRAY_SIZE(kernel));
}

static void names_are_sorted_when_kallsyms_has_no_valid_order(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, ARRAY_SIZE(kernel), KMEM_KALLSYMS_RELATIVE, BASE, PLACES);

	/* None; one that names a symbol twice; a permutation that is not sorted. */
	for (int how = 0; how < 3; how++) {
		_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = NULL;

		if (how == 0)
			strbuf_clear(&b.order);
		for (uint32_t i = 0; how && i < ARRAY_SIZE(kernel); i++) {
			strbuf_append_bytes(&b.order, "\0", 2);
			strbuf_append_char(&b.order, how == 1 ? 3 : (char)i);
		}
		k = parse(&b, KMEM_KALLSYMS_RELATIVE);
		assert_false(kmem_kallsyms_has_order(k));
		check_all(k, kernel, ARRAY_SIZE(kernel));
		strbuf_clear(&b.order);
	}
}

static void namesakes_are_all_found(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, ARRAY_SIZE(kernel), KMEM_KALLSYMS_PLACE, BASE, PLACES);
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = parse(&b, KMEM_KALLSYMS_PLACE);
	struct kmem_symbol s;
	uint64_t sum = 0;
	uint32_t n = 0;

	while (kmem_kallsyms_find(k, "helper", n, &s)) {
		sum += s.address - BASE;
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(sum, 0x100 + 0x200 + 0x2c0);
	assert_false(kmem_kallsyms_find(k, "help", 0, &s));
	assert_false(kmem_kallsyms_find(k, "helper_", 0, &s));
}

static void nearest_symbol_is_the_one_below(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, ARRAY_SIZE(kernel), KMEM_KALLSYMS_RELATIVE, BASE, PLACES);
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = parse(&b, KMEM_KALLSYMS_RELATIVE);
	struct kmem_symbol s;

	assert_false(kmem_kallsyms_near(k, BASE - 1, &s));
	assert_true(kmem_kallsyms_near(k, BASE, &s));
	assert_string_equal(s.name, "_stext"); /* the first of two */
	assert_int_equal(s.bytes, 0x100);
	assert_true(kmem_kallsyms_near(k, BASE + 0xff, &s));
	assert_string_equal(s.name, "_stext");
	assert_true(kmem_kallsyms_near(k, BASE + 0x1ff, &s));
	assert_string_equal(s.name, "__x64_sys_sched_yield");
	assert_int_equal(s.bytes, 0x80);
	assert_true(kmem_kallsyms_near(k, BASE + 0x2000001, &s));
	assert_string_equal(s.name, "_end");
	assert_int_equal(s.bytes, 0);
}

static void contradictory_input_is_refused(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, ARRAY_SIZE(kernel), KMEM_KALLSYMS_RELATIVE, BASE, PLACES);
	const struct kmem_kallsyms_tables good = build_tables(&b, BASE, PLACES);
	struct kmem_kallsyms_tables t = good;
	static const uint8_t wild[512] = { [10] = 0xff, [11] = 0xff };
	struct kmem_kallsyms *k = NULL;

	t.n = good.n + 1;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t.n = 1 << 20;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t.n = UINT32_MAX;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "limit");
	t.n = 0;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "limit");
	t = good;
	t.names.n--;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t = good;
	t.places.n--;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t = good;
	t.tokens.n--; /* the last one has no end */
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t = good;
	t.token_index.n--;
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	t = good;
	t.token_index = (struct bytes){ wild, sizeof(wild) };
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	/* A name without tokens. */
	t = good;
	t.names = (struct bytes){ wild, sizeof(wild) };
	assert_error_tag(kmem_kallsyms_parse(&t, &k), "no-kallsyms");
	/* Four bytes each are not enough for eight. */
	assert_success(kmem_kallsyms_parse(&good, &k));
	assert_false(kmem_kallsyms_set_mode(k, KMEM_KALLSYMS_ABSOLUTE));
	kmem_kallsyms_free(k);
}

/* 300 tokens of two letters: fits the table, not a name. */
static void names_longer_than_the_kernels_limit_are_skipped(void **state UNUSED)
{
	_cleanup_build_kallsyms_ struct build_kallsyms b = build_kallsyms(
		kernel, 1, KMEM_KALLSYMS_RELATIVE, BASE, PLACES);
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = NULL;
	struct kmem_symbol s;

	strbuf_clear(&b.names);
	strbuf_append_char(&b.names, (char)(0x80 | (300 & 0x7f)));
	strbuf_append_char(&b.names, 300 >> 7);
	strbuf_append_repeated(&b.names, 1, 300);
	k = parse(&b, KMEM_KALLSYMS_RELATIVE);
	assert_false(kmem_kallsyms_at(k, 0, &s));
	assert_false(kmem_kallsyms_find(k, "_", 0, &s));
	assert_false(kmem_kallsyms_near(k, BASE, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kallsyms_address_encoding_is_read),
		cmocka_unit_test(per_cpu_symbols_of_older_kernels_are_absolute),
		cmocka_unit_test(offsets_relative_to_a_base_are_unsigned),
		cmocka_unit_test(names_are_sorted_when_kallsyms_has_no_valid_order),
		cmocka_unit_test(namesakes_are_all_found),
		cmocka_unit_test(nearest_symbol_is_the_one_below),
		cmocka_unit_test(contradictory_input_is_refused),
		cmocka_unit_test(names_longer_than_the_kernels_limit_are_skipped),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
