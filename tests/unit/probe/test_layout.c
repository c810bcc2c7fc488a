// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/layout.h"

#include "unit.h"

/* A row that names the variable's size, and one of a build that does not. */
static const struct layout *row(bool with_symbol)
{
	for (size_t i = 0; i < n_layouts; i++)
		if ((layouts[i].tsd_bytes != 0) == with_symbol)
			return &layouts[i];
	fail_msg("the table has no such row");
	return NULL;
}

static struct jemalloc_signs signs_of(const struct layout *layout, bool with_symbol)
{
	struct jemalloc_signs signs = {
		.has_symbol = with_symbol,
		.symbol_bytes = with_symbol ? layout->tsd_bytes : 0,
		.symbol_offset = with_symbol ? layout->tsd_offset : 0,
	};

	snprintf(signs.version, sizeof(signs.version), "%s", layout->version);
	return signs;
}

static void every_row_is_one_of_jemalloc(void **state UNUSED)
{
	assert_true(n_layouts >= 3);
	for (size_t i = 0; i < n_layouts; i++) {
		const struct layout *l = &layouts[i];

		assert_true(l->next_event == l->allocated + 8);
		assert_true(l->deallocated == l->allocated + 16);
		assert_true(l->deallocated + 8 <= l->tls_bytes);
		assert_true(l->state < l->tls_bytes);
		assert_true(l->tsd_offset + l->tsd_bytes <= l->tls_bytes);
		assert_true(l->tsd_offset <= l->allocated);
		assert_true(strlen(l->origin) > 0);
	}
}

static void no_two_rows_contradict_each_other(void **state UNUSED)
{
	for (size_t i = 0; i < n_layouts; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct layout *a = &layouts[i], *b = &layouts[k];
			bool same_key = strcmp(a->version, b->version) == 0 &&
					a->tls_bytes == b->tls_bytes;

			assert_true(!same_key ||
				    (a->allocated == b->allocated &&
				     a->deallocated == b->deallocated && a->state == b->state));
		}
	}
}

/* As measured in a running server of the distribution, by hand. */
static void debians_library_has_the_place_seen_in_a_live_server(void **state UNUSED)
{
	struct jemalloc_signs signs = {
		.version = "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c",
	};
	const struct layout *found = layout_find(&signs, 0xa48);

	assert_non_null(found);
	assert_int_equal(found->allocated, 0x338);
	assert_int_equal(found->deallocated, 0x348);
}

static void without_the_symbol_the_segment_must_match(void **state UNUSED)
{
	const struct layout *layout = row(false);
	struct jemalloc_signs signs = signs_of(layout, false);

	assert_non_null(layout_find(&signs, layout->tls_bytes));
	assert_null(layout_find(&signs, layout->tls_bytes + 8));
	assert_null(layout_find(&signs, layout->tls_bytes - 8));
	assert_null(layout_find(&signs, 0));
}

static void with_the_symbol_its_size_must_match_in_any_segment(void **state UNUSED)
{
	const struct layout *layout = row(true);
	struct jemalloc_signs signs = signs_of(layout, true);

	assert_ptr_equal(layout_find(&signs, layout->tls_bytes), layout);
	assert_ptr_equal(layout_find(&signs, layout->tls_bytes + 4096), layout);
	signs.symbol_bytes++;
	assert_null(layout_find(&signs, layout->tls_bytes));
	/* A row without a size must not match a symbol without one. */
	signs.symbol_bytes = 0;
	assert_null(layout_find(&signs, layout->tls_bytes));
}

static void another_version_is_never_guessed(void **state UNUSED)
{
	const struct layout *layout = row(false);
	struct jemalloc_signs signs = signs_of(layout, false);

	signs.version[0] = '4';
	assert_null(layout_find(&signs, layout->tls_bytes));
	signs.version[0] = '\0';
	assert_null(layout_find(&signs, layout->tls_bytes));
}

static void offsets_move_with_the_variable(void **state UNUSED)
{
	const struct layout layout = { .tsd_offset = 0x40 };
	struct jemalloc_signs signs = { .has_symbol = true, .symbol_offset = 0x100 };

	assert_int_equal(layout_shift(&layout, &signs), 0xc0);
	signs.symbol_offset = 0;
	assert_int_equal(layout_shift(&layout, &signs), -0x40);
	signs.symbol_offset = 0x40;
	assert_int_equal(layout_shift(&layout, &signs), 0);
	signs = (struct jemalloc_signs){ .symbol_offset = 0x100 };
	assert_int_equal(layout_shift(&layout, &signs), 0);
}

static void a_sample_fits_when_the_event_lies_ahead(void **state UNUSED)
{
	assert_true(layout_sample_fits(&(struct layout_sample){ 100, 200, 50, 0 }));
	assert_true(layout_sample_fits(&(struct layout_sample){ 100, 100, 50, 0 }));
	assert_true(layout_sample_fits(&(struct layout_sample){ 100, 0, 50, 0 }));
	assert_true(layout_sample_fits(&(struct layout_sample){ 0, 0, 0, 6 }));
	/* A thread may free what another one allocated. */
	assert_true(layout_sample_fits(&(struct layout_sample){ 100, 200, 5000, 0 }));
	assert_false(layout_sample_fits(&(struct layout_sample){ 100, 99, 50, 0 }));
	assert_false(layout_sample_fits(&(struct layout_sample){ 100, 1, 50, 0 }));
}

static void a_sample_fits_only_with_a_known_state(void **state UNUSED)
{
	for (unsigned int byte = 0; byte < 256; byte++) {
		struct layout_sample sample = { 100, 200, 50, (uint8_t)byte };

		assert_int_equal(layout_sample_fits(&sample), byte <= 6);
	}
}

static void counters_never_go_back(void **state UNUSED)
{
	const struct layout_sample first = { 100, 200, 50, 0 };

	assert_true(layout_samples_fit(&first, &first));
	assert_true(layout_samples_fit(&first, &(struct layout_sample){ 150, 200, 60, 0 }));
	assert_false(layout_samples_fit(&first, &(struct layout_sample){ 99, 200, 50, 0 }));
	assert_false(layout_samples_fit(&first, &(struct layout_sample){ 100, 200, 49, 0 }));
	assert_false(layout_samples_fit(&first, &(struct layout_sample){ 300, 200, 50, 0 }));
	assert_false(layout_samples_fit(&first, &(struct layout_sample){ 150, 200, 60, 7 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_one_of_jemalloc),
		cmocka_unit_test(no_two_rows_contradict_each_other),
		cmocka_unit_test(debians_library_has_the_place_seen_in_a_live_server),
		cmocka_unit_test(without_the_symbol_the_segment_must_match),
		cmocka_unit_test(with_the_symbol_its_size_must_match_in_any_segment),
		cmocka_unit_test(another_version_is_never_guessed),
		cmocka_unit_test(offsets_move_with_the_variable),
		cmocka_unit_test(a_sample_fits_when_the_event_lies_ahead),
		cmocka_unit_test(a_sample_fits_only_with_a_known_state),
		cmocka_unit_test(counters_never_go_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
