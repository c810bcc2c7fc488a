// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/kmem.h"

#include "build_kernel.h"
#include "build_types.h"
#include "staged_root.h"
#include "unit.h"

static struct error *attach(const struct build_kernel *k, struct kmem **ret)
{
	struct kmem_reader reader = build_reader(&k->memory);

	return kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, ret);
}

static void the_kernel_is_found_from_memory_alone(void **state UNUSED)
{
	for (int i = 0; i < 2 * KMEM_KALLSYMS_N_MODES; i++) {
		struct kernel_form form = { .levels = i % 2 ? 4 : 5,
					    .mode = (enum kmem_kallsyms_mode)(i / 2),
					    .slide = 0x1a600000 };
		_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
		_cleanup_kmem_ struct kmem *kmem = NULL;
		uint64_t value = 0;

		assert_success(attach(&k, &kmem));
		assert_string_equal(kmem->uname.release, "7.9-test");
		assert_string_equal(kmem->uname.nodename, "box");
		assert_int_equal(kmem->info.kaslr_offset, 0x1a600000);
		assert_int_equal(kmem->info.levels, form.levels);
		assert_int_equal(kmem->note_physical, NOTE_AT);
		assert_true(kmem->page_offset_base == k.direct);
		assert_true(kmem->vmalloc_base == UINT64_C(0xffffc90000000000));
		assert_true(kmem->vmemmap_base == UINT64_C(0xffffea0000000000));
		assert_true(kmem->space.direct.start == k.direct);
		assert_true(kmem->space.direct.end == k.direct + RAM_BYTES);
		assert_null(kmem->no_cpus);
		assert_int_equal(kmem->cpus.n, KERNEL_CPUS);
		assert_null(kmem->no_btf);
		assert_non_null(kmem->btf);
		assert_success(kmem_symbol(kmem, "test_data", &value));
		assert_true(value == k.image + IN_IMAGE_DATA);
		assert_success(kmem_variable(kmem, "max_pfn", 8, &value));
		assert_int_equal(value, RAM_BYTES / 4096);
		assert_error_tag(kmem_symbol(kmem, "nobody", &value), "no-kernel-symbol");
		/* Two static functions: neither is meant. */
		assert_error_tag(kmem_symbol(kmem, "helper", &value), "no-kernel-symbol");
	}
}

static const struct kernel_form usual = { .levels = 4, .mode = KMEM_KALLSYMS_PLACE };

/* The page cache of the guest may hold a dump of itself. */
static void copy_of_the_note_leads_to_the_original(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	_cleanup_kmem_ struct kmem *kmem = NULL;

	build_kernel_note(&k, 0x10000);
	assert_success(attach(&k, &kmem));
	assert_int_equal(kmem->note_physical, NOTE_AT);
	assert_int_equal(kmem->n_stale_notes, 0);
}

/* Another kernel ran here before, or runs in a guest of this guest. */
static void notes_of_other_kernels_are_not_believed(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	_cleanup_kmem_ struct kmem *kmem = NULL;

	/* The same addresses, but not the text that the kernel points to. */
	build_kernel_note(&k, 0x10000);
	build_put(&k.memory, 0x10000 + 24, "OSRELEASE=7.8-test", 18);
	/* Other tables of pages. */
	build_kernel_note(&k, 0x20000);
	build_put(&k.memory, 0x20000 + (uint64_t)(strstr(k.text, "phys_base)=") - k.text) + 24 + 11,
		  "1", 1);
	/* No sense at all. */
	build_kernel_note(&k, 0x30000);
	build_put(&k.memory, 0x30000 + 24 + 10, "\x01", 1);
	assert_success(attach(&k, &kmem));
	assert_int_equal(kmem->note_physical, NOTE_AT);
	assert_int_equal(kmem->n_stale_notes, 3);
}

static void a_copied_note_without_the_original_is_stale(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	struct kmem *kmem = NULL;
	struct error *err;

	build_kernel_note(&k, 0x10000);
	memset(k.memory.at + NOTE_AT, 0, 4096);
	err = attach(&k, &kmem);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "stale-vmcoreinfo");
	assert_contains(error_message(err), "found 1 times, the last at 0x10000");
	error_free(err);
	memset(k.memory.at + 0x10000, 0, 4096);
	assert_error_tag(attach(&k, &kmem), "no-vmcoreinfo");
}

/* A core file's note has no place in memory: the text that the kernel points to must be the same.
 */
static void note_of_a_core_file_is_compared_by_its_text(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	struct kmem_reader reader = build_reader(&k.memory);
	struct bytes text = { (const uint8_t *)k.text, strlen(k.text) };
	_cleanup_kmem_ struct kmem *kmem = NULL;

	assert_success(kmem_attach(&reader, text, NULL, &kmem));
	assert_int_equal(kmem->note_physical, NOTE_AT);
	kmem_free(take_ptr(kmem));
	build_put(&k.memory, NOTE_AT + 24 + strlen(k.text) - 2, "1", 1);
	assert_error_tag(kmem_attach(&reader, text, NULL, &kmem), "stale-vmcoreinfo");
	text.n = 5000;
	assert_error_tag(kmem_attach(&reader, text, NULL, &kmem), "limit");
}

static void tables_must_map_themselves(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	struct kmem *kmem = NULL;

	build_map(&k.memory, k.image + IN_IMAGE_PAGE_TABLE, 0x5000, 12, 0);
	assert_error_tag(attach(&k, &kmem), "bad-vmcoreinfo");
	build_put_u64(&k.memory, build_entry(&k.memory, k.image, 39), 0);
	assert_error_tag(attach(&k, &kmem), "guest-memory");
}

static void release_must_be_that_of_the_note(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	struct kmem *kmem = NULL;

	build_put(&k.memory, IMAGE_AT + IN_IMAGE_UTS + 2 * 65, "7.8", 3);
	assert_error_tag(attach(&k, &kmem), "stale-vmcoreinfo");
}

static void direct_map_that_does_not_hold_is_not_used(void **state UNUSED)
{
	uint64_t vars = IMAGE_AT + IN_IMAGE_VARIABLES;

	for (int i = 0; i < 3; i++) {
		_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
		_cleanup_kmem_ struct kmem *kmem = NULL;

		if (i == 0)
			build_put_u64(&k.memory, vars + 8 * VAR_PAGE_OFFSET, k.direct + 0x200000);
		else
			build_put_u64(&k.memory, vars + 8 * VAR_MAX_PFN, i == 1 ? 0 : UINT64_MAX);
		assert_success(attach(&k, &kmem));
		assert_int_equal(kmem->space.direct.end, 0);
	}
}

static void missing_cpus_or_types_do_not_prevent_attaching(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	_cleanup_kmem_ struct kmem *kmem = NULL;

	build_put_u64(&k.memory, IMAGE_AT + IN_IMAGE_VARIABLES + 8 * VAR_CPUS, UINT32_MAX);
	build_put(&k.memory, IMAGE_AT + IN_IMAGE_BTF, "none", 4);
	assert_success(attach(&k, &kmem));
	assert_int_equal(kmem->cpus.n, 0);
	assert_string_equal(error_tag(kmem->no_cpus), "limit");
	assert_null(kmem->btf);
	assert_string_equal(error_tag(kmem->no_btf), "not-btf");
}

/* More of them than anyone has: the search ends all the same. */
static void number_of_candidates_has_a_limit(void **state UNUSED)
{
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&usual);
	_cleanup_kmem_ struct kmem *kmem = NULL;

	for (uint64_t i = 0; i < KMEM_LIMIT_LIKELY_CANDIDATES; i++) {
		build_kernel_note(&k, i * 4096);
		build_put(&k.memory, i * 4096 + 24, "OSRELEASE=7.8", 13);
	}
	assert_error_tag(attach(&k, &kmem), "stale-vmcoreinfo");
	/* One that is seen to be wrong at once costs nothing. */
	build_put(&k.memory, 24, "OSRELEASE=\x01", 11);
	assert_success(attach(&k, &kmem));
	assert_int_equal(kmem->n_stale_notes, KMEM_LIMIT_LIKELY_CANDIDATES);
}

#define KEPT "/0123456789abcdef" /* the build-id of all these kernels */

static struct kmem *attach_known(const struct build_kernel *k, const char *dir)
{
	struct kmem_reader reader = build_reader(&k->memory);
	struct kmem *kmem = NULL;

	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, dir, &kmem));
	return kmem;
}

/* Whatever the cache says, this is what such a kernel has. */
static void check_kernel(struct kmem *kmem, const struct build_kernel *k)
{
	uint64_t value = 0;

	assert_success(kmem_symbol(kmem, "test_data", &value));
	assert_true(value == k->image + IN_IMAGE_DATA);
	assert_int_equal(kmem->cpus.n, KERNEL_CPUS);
	assert_true(kmem->fields.at[KMEM_F_MODULE_NAME].known);
	assert_int_equal(kmem->fields.at[KMEM_F_MODULE_NAME].place.offset, 24);
	assert_int_equal(kmem->fields.at[KMEM_F_MODULE_NAME].place.size, 56);
	assert_false(kmem->fields.at[KMEM_F_TASK_PID].known);
	assert_string_equal(kmem->fields.at[KMEM_F_TASK_PID].missing,
			    "the kernel has no struct task_struct");
}

static void a_cached_kernel_is_used_after_another_boot(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf types = STRBUF_INIT;

	build_kernel_types(&types);
	for (int mode = 0; mode < KMEM_KALLSYMS_N_MODES; mode++) {
		struct kernel_form form = { .levels = 4,
					    .mode = mode,
					    .slide = 0x1c00000,
					    .btf = { (const uint8_t *)types.at, types.n } };
		_cleanup_build_kernel_ struct build_kernel first = build_kernel_new(&form);
		form.slide = 0x2e600000;
		_cleanup_build_kernel_ struct build_kernel second = build_kernel_new(&form);
		char *dir = staged_root_new();
		struct kmem *kmem = attach_known(&first, dir);
		uint64_t address;
		size_t n_known;

		assert_false(kmem->from_cache);
		assert_string_equal(error_tag(kmem->no_cache), "absent");
		check_kernel(kmem, &first);
		assert_success(kmem_save_cache(kmem, dir));
		kmem_free(kmem);

		kmem = attach_known(&second, dir);
		assert_true(kmem->from_cache);
		check_kernel(kmem, &second);
		/* Neither table was needed; both can be had. */
		assert_null(kmem->names.symbols);
		assert_null(kmem->btf);
		assert_non_null(kmem_types(kmem));
		n_known = kmem->n_cached;
		assert_success(kmem_symbol(kmem, "prb", &address));
		assert_true(address == second.image + IN_IMAGE_DATA + IN_DATA_PRB);
		assert_success(kmem_save_cache(kmem, dir));
		kmem_free(kmem);

		/* Now it knows one more, and has nothing to write. */
		kmem = attach_known(&first, dir);
		assert_true(kmem->from_cache);
		assert_int_equal(kmem->n_cached, n_known + 1);
		check_kernel(kmem, &first);
		assert_success(paths_remove(dir));
		assert_success(kmem_save_cache(kmem, dir));
		assert_int_not_equal(access(dir, F_OK), 0);
		kmem_free(kmem);
		staged_root_free(dir);
	}
}

/* A build-id is a claim of the guest. */
static void a_cache_file_with_other_symbols_or_types_is_rebuilt(void **state UNUSED)
{
	static const struct build_symbol more[] = { { 0x180, 't', "between" } };
	_cleanup_strbuf_ struct strbuf types = STRBUF_INIT;
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_PLACE }, other;
	char *dir = staged_root_new();

	build_kernel_types(&types);
	form.btf = (struct bytes){ (const uint8_t *)types.at, types.n };
	for (int i = 0; i < 2; i++) {
		_cleanup_build_kernel_ struct build_kernel liar = { 0 }, honest = { 0 };
		struct kmem *kmem;

		/* Other numbers of symbols, or no members that it could have. */
		other = form;
		if (i == 0) {
			other.more = more;
			other.n_more = ARRAY_SIZE(more);
		} else {
			other.btf = (struct bytes){ NULL, 0 };
		}
		liar = build_kernel_new(&other);
		honest = build_kernel_new(&form);
		kmem = attach_known(&liar, dir);
		assert_success(kmem_save_cache(kmem, dir));
		kmem_free(kmem);
		kmem = attach_known(&honest, dir);
		assert_false(kmem->from_cache);
		assert_string_equal(error_tag(kmem->no_cache), "bad-kernel-cache");
		assert_contains(error_message(kmem->no_cache),
				i == 0 ? "other symbols" : "other types");
		check_kernel(kmem, &honest);
		assert_success(kmem_save_cache(kmem, dir));
		kmem_free(kmem);
		kmem = attach_known(&honest, dir);
		assert_true(kmem->from_cache);
		check_kernel(kmem, &honest);
		kmem_free(kmem);
	}
	staged_root_free(dir);
}

static void a_damaged_cache_file_is_replaced(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf types = STRBUF_INIT, good = STRBUF_INIT, bad = STRBUF_INIT;
	struct kernel_form form = { .levels = 5, .mode = KMEM_KALLSYMS_RELATIVE };
	char *dir = staged_root_new();
	_cleanup_free_ char *path = xasprintf("%s" KEPT, dir);
	struct kmem *kmem;

	build_kernel_types(&types);
	form.btf = (struct bytes){ (const uint8_t *)types.at, types.n };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);

	kmem = attach_known(&k, dir);
	check_kernel(kmem, &k);
	assert_success(kmem_save_cache(kmem, dir));
	kmem_free(kmem);
	assert_success(io_read_file(path, 1 << 20, &good));
	for (size_t at = 0; at < good.n; at += good.n / 40) {
		strbuf_clear(&bad);
		strbuf_append_bytes(&bad, good.at, at % 3 ? good.n : at);
		if (at % 3)
			bad.at[at] ^= 0x40;
		staged_file(dir, KEPT, strbuf_str(&bad), bad.n);
		kmem = attach_known(&k, dir);
		assert_false(kmem->from_cache);
		assert_string_equal(error_tag(kmem->no_cache), "bad-kernel-cache");
		check_kernel(kmem, &k);
		assert_success(kmem_save_cache(kmem, dir));
		kmem_free(kmem);
		strbuf_clear(&bad);
		assert_success(io_read_file(path, 1 << 20, &bad));
		assert_int_equal(bad.n, good.n);
		assert_memory_equal(bad.at, good.at, good.n);
	}
	staged_root_free(dir);
}

/* Four numbers, three CPUs, two of them on. */
static struct error *read_cpus(const struct build_kernel *k, struct kmem_cpus *ret)
{
	struct kmem_reader reader = build_reader(&k->memory);
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };
	struct kmem_names names;
	struct kmem_space space;
	struct error *err;

	kmem_space_init(&space, &reader, &k->memory.paging);
	assert_success(kmem_vmcoreinfo_parse(
		(struct bytes){ (const uint8_t *)k->text, strlen(k->text) }, &info));
	kmem_names_init(&names, &space, &info);
	err = kmem_cpus_read(&space, &names, ret);
	kmem_names_deinit(&names);
	kmem_space_deinit(&space);
	return err;
}

static void copies_of_a_variable_are_found_per_cpu(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_cpus cpus = { 0 };
	uint64_t address = 0;

	assert_success(read_cpus(&k, &cpus));
	assert_int_equal(cpus.n, 4);
	assert_true(kmem_cpus_address(&cpus, 2, k.image + 0x40, &address));
	/* The offset is a difference that wraps around. */
	assert_true(address == k.direct + 0x110040);
	assert_true(kmem_cpus_is_possible(&cpus, 2));
	assert_false(kmem_cpus_is_online(&cpus, 2));
	assert_true(kmem_cpus_is_online(&cpus, 1));
	assert_false(kmem_cpus_is_possible(&cpus, 3));
	assert_false(kmem_cpus_address(&cpus, 3, k.image, &address));
	assert_false(kmem_cpus_address(&cpus, 64, k.image, &address));
	kmem_cpus_deinit(&cpus);
}

static void number_of_cpus_has_a_limit(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_cpus cpus;

	build_put_u64(&k.memory, IMAGE_AT + IN_IMAGE_VARIABLES + 8 * VAR_CPUS, UINT32_MAX);
	assert_error_tag(read_cpus(&k, &cpus), "limit");
	build_put_u64(&k.memory, IMAGE_AT + IN_IMAGE_VARIABLES + 8 * VAR_CPUS, 0);
	assert_error_tag(read_cpus(&k, &cpus), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_is_found_from_memory_alone),
		cmocka_unit_test(copy_of_the_note_leads_to_the_original),
		cmocka_unit_test(notes_of_other_kernels_are_not_believed),
		cmocka_unit_test(a_copied_note_without_the_original_is_stale),
		cmocka_unit_test(note_of_a_core_file_is_compared_by_its_text),
		cmocka_unit_test(tables_must_map_themselves),
		cmocka_unit_test(release_must_be_that_of_the_note),
		cmocka_unit_test(direct_map_that_does_not_hold_is_not_used),
		cmocka_unit_test(missing_cpus_or_types_do_not_prevent_attaching),
		cmocka_unit_test(number_of_candidates_has_a_limit),
		cmocka_unit_test(a_cached_kernel_is_used_after_another_boot),
		cmocka_unit_test(a_cache_file_with_other_symbols_or_types_is_rebuilt),
		cmocka_unit_test(a_damaged_cache_file_is_replaced),
		cmocka_unit_test(copies_of_a_variable_are_found_per_cpu),
		cmocka_unit_test(number_of_cpus_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
