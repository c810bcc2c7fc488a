// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "staged_root.h"

#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"

/* Three symbols; of the members every third is missing, the others differ in all numbers. */
static struct kmem_cached example(void)
{
	struct kmem_cached cached = { .build_id = BUILD_ID,
				      .mode = KMEM_KALLSYMS_RELATIVE,
				      .names_fingerprint = UINT64_C(0x1122334455667788),
				      .types_fingerprint = UINT64_C(0x99aabbccddeeff00) };

	vec_push(&cached.known, ((struct kmem_known){ .name = xstrdup("_stext"), .number = 1 }));
	vec_push(&cached.known, ((struct kmem_known){ .name = xstrdup("prb"), .number = 70000 }));
	vec_push(&cached.known, ((struct kmem_known){ .name = xstrdup("init_task"), .number = 3 }));
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		struct kmem_field *field = &cached.fields.at[id];

		if (id % 3 == 0) {
			field->missing = xasprintf("no such member %d", id);
			continue;
		}
		field->known = true;
		field->place = (struct btf_place){ .type = 7 + id, .offset = 8 * id, .size = 8 };
		if (id % 3 == 2) {
			field->place.bit_offset = id % 8;
			field->place.bits = 9;
		}
	}
	return cached;
}

static void sum_up(struct strbuf *bytes)
{
	uint64_t sum = hash_bytes(HASH_INIT, bytes->at + 16, bytes->n - 16);

	memcpy(bytes->at + 8, &sum, sizeof(sum));
}

static struct error *parse(const struct strbuf *bytes, struct kmem_cached *ret)
{
	/* Of exactly that size: the sanitizer sees one byte too far. */
	_cleanup_free_ uint8_t *copy = xcalloc(bytes->n ? bytes->n : 1, 1);

	memcpy(copy, strbuf_str(bytes), bytes->n);
	return kmem_cached_parse((struct bytes){ copy, bytes->n }, BUILD_ID, ret);
}

static void a_cached_kernel_survives_a_round_trip(void **state UNUSED)
{
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	_cleanup_kmem_cached_ struct kmem_cached back = { 0 };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	kmem_cached_format(&kept, &bytes);
	assert_success(parse(&bytes, &back));
	assert_string_equal(back.build_id, BUILD_ID);
	assert_int_equal(back.mode, KMEM_KALLSYMS_RELATIVE);
	assert_true(back.names_fingerprint == kept.names_fingerprint &&
		    back.types_fingerprint == kept.types_fingerprint);
	assert_int_equal(back.known.n, 3);
	assert_string_equal(back.known.at[1].name, "prb");
	assert_int_equal(back.known.at[1].number, 70000);
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		const struct kmem_field *a = &kept.fields.at[id], *b = &back.fields.at[id];

		assert_int_equal(a->known, b->known);
		if (!a->known)
			assert_string_equal(a->missing, b->missing);
		else
			assert_memory_equal(&a->place, &b->place, sizeof(a->place));
	}
}

static void any_changed_byte_makes_the_cache_file_bad(void **state UNUSED)
{
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct kmem_cached back = { 0 };

	kmem_cached_format(&kept, &bytes);
	for (size_t i = 0; i < bytes.n; i++) {
		bytes.at[i] ^= 1 << i % 8;
		assert_error_tag(parse(&bytes, &back), "bad-kernel-cache");
		bytes.at[i] ^= 1 << i % 8;
	}
	for (size_t n = bytes.n; n > 0; n -= n > 300 ? 13 : 1) {
		bytes.n = n - 1;
		assert_error_tag(parse(&bytes, &back), "bad-kernel-cache");
	}
}

/* Whoever can write the file can also write the sum. */
static void cache_files_with_a_forged_checksum_are_read_safely(void **state UNUSED)
{
	static const uint8_t values[] = { 0, 0x7f, 0xff };
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	size_t n_taken = 0;

	kmem_cached_format(&kept, &bytes);
	/* All of the beginning, where lengths and numbers are; then members all look alike. */
	for (size_t i = 16; i < bytes.n; i += i < 600 ? 1 : 3) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			_cleanup_kmem_cached_ struct kmem_cached back = { 0 };
			char old = bytes.at[i];
			struct error *err;

			bytes.at[i] = (char)values[v];
			sum_up(&bytes);
			err = parse(&bytes, &back);
			for (enum kmem_field_id id = 0; !err && id < KMEM_N_FIELDS; id++) {
				const struct btf_place *place = &back.fields.at[id].place;

				/* What a reader of members relies on. */
				assert_true(back.fields.at[id].known || back.fields.at[id].missing);
				assert_true(place->bit_offset + place->bits <= 8 * place->size ||
					    !place->bits);
				assert_true(place->offset <= INT32_MAX);
			}
			n_taken += !err;
			error_free(err);
			bytes.at[i] = old;
		}
	}
	/* Numbers may be any; texts and lengths not. */
	assert_true(n_taken > 100);
}

static void a_cache_file_of_another_kernel_or_version_is_refused(void **state UNUSED)
{
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct kmem_cached back = { 0 };
	struct error *err;

	strcpy(kept.build_id, "0123456789abcdef0123456789abcdef01234568");
	kmem_cached_format(&kept, &bytes);
	err = parse(&bytes, &back);
	assert_non_null(err);
	assert_contains(error_message(err), "another build-id");
	error_free(err);
	strbuf_clear(&bytes);
	strcpy(kept.build_id, BUILD_ID);
	kmem_cached_format(&kept, &bytes);
	bytes.at[16] ^= 1;
	sum_up(&bytes);
	err = parse(&bytes, &back);
	assert_non_null(err);
	assert_contains(error_message(err), "another table of fields");
	error_free(err);
	/* More behind the end is as wrong as less. */
	bytes.at[16] ^= 1;
	strbuf_append_char(&bytes, 0);
	sum_up(&bytes);
	assert_error_tag(parse(&bytes, &back), "bad-kernel-cache");
}

static void files_are_written_whole_and_read_by_build_id(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *dir = xasprintf("%s/a/b", root);
	_cleanup_free_ char *path = xasprintf("%s/" BUILD_ID, dir);
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	_cleanup_kmem_cached_ struct kmem_cached back = { 0 };
	struct kmem_cached none = { 0 };

	assert_error_tag(kmem_cached_read(dir, BUILD_ID, &none), "absent");
	assert_success(kmem_cached_write(dir, &kept));
	assert_success(kmem_cached_read(dir, BUILD_ID, &back));
	assert_int_equal(back.known.n, 3);
	/* A directory, a link, a pipe and a file without end are none. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_error_tag(kmem_cached_read(dir, BUILD_ID, &none), "io");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_error_tag(kmem_cached_read(dir, BUILD_ID, &none), "io");
	assert_int_equal(unlink(path), 0);
	staged_file(dir, "/" BUILD_ID, "", 0);
	assert_error_tag(kmem_cached_read(dir, BUILD_ID, &none), "bad-kernel-cache");
	assert_int_equal(truncate(path, KMEM_LIMIT_CACHE_BYTES + 1), 0);
	assert_error_tag(kmem_cached_read(dir, BUILD_ID, &none), "limit");
	staged_root_free(root);
}

/* A guest chooses it, and it becomes part of a path. */
static void build_ids_that_are_paths_are_refused(void **state UNUSED)
{
	static const char *const ids[] = { "",
					   "..",
					   "../../passwd",
					   "0123456/9abcdef0",
					   "0123456789abcdeg",
					   "ABCDEF0123456789",
					   "0123456" };
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	char *root = staged_root_new();
	struct kmem_cached none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_error_tag(kmem_cached_read(root, ids[i], &none), "bad-kernel-cache");
		strcpy(kept.build_id, ids[i]);
		assert_error_tag(kmem_cached_write(root, &kept), "bad-kernel-cache");
	}
	assert_int_equal(rmdir(root), 0); /* nothing was written */
	free(root);
}

static void the_oldest_cache_file_is_removed_past_the_limit(void **state UNUSED)
{
	_cleanup_kmem_cached_ struct kmem_cached kept = example();
	char *root = staged_root_new();

	for (int i = 0; i <= KMEM_LIMIT_CACHE_FILES; i++) {
		struct timespec when[2] = { { 0 } };
		_cleanup_free_ char *path = NULL;

		snprintf(kept.build_id, sizeof(kept.build_id), "%08x", i);
		assert_success(kmem_cached_write(root, &kept));
		/* The third is the oldest. */
		when[0].tv_sec = when[1].tv_sec = i == 2 ? 1000 : 100000 + i;
		path = xasprintf("%s/%s", root, kept.build_id);
		assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
	}
	for (int i = 0; i <= KMEM_LIMIT_CACHE_FILES; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%08x", root, i);

		assert_int_equal(access(path, F_OK) == 0, i != 2);
	}
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cached_kernel_survives_a_round_trip),
		cmocka_unit_test(any_changed_byte_makes_the_cache_file_bad),
		cmocka_unit_test(cache_files_with_a_forged_checksum_are_read_safely),
		cmocka_unit_test(a_cache_file_of_another_kernel_or_version_is_refused),
		cmocka_unit_test(files_are_written_whole_and_read_by_build_id),
		cmocka_unit_test(build_ids_that_are_paths_are_refused),
		cmocka_unit_test(the_oldest_cache_file_is_removed_past_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
