// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/names.h"

#include "build_kernel.h"
#include "unit.h"

struct fixture {
	struct build_kernel k;
	struct kmem_reader reader;
	struct kmem_vmcoreinfo info;
	struct kmem_space space;
	struct kmem_names names;
};

static void begin(struct fixture *f, enum kmem_kallsyms_mode mode, uint64_t slide)
{
	struct kernel_form form = { .levels = 4, .mode = mode, .slide = slide };

	f->k = build_kernel_new(&form);
	f->reader = build_reader(&f->k.memory);
	assert_success(kmem_vmcoreinfo_parse(
		(struct bytes){ (const uint8_t *)f->k.text, strlen(f->k.text) }, &f->info));
	kmem_space_init(&f->space, &f->reader, &f->k.memory.paging);
	kmem_names_init(&f->names, &f->space, &f->info);
}

static void end(struct fixture *f)
{
	kmem_names_deinit(&f->names);
	kmem_space_deinit(&f->space);
	kmem_vmcoreinfo_deinit(&f->info);
	build_kernel_deinit(&f->k);
}

static void a_name_is_found_and_remembered(void **state UNUSED)
{
	struct fixture f;
	uint64_t address = 0;

	begin(&f, KMEM_KALLSYMS_PLACE, 0);
	assert_null(f.names.symbols);
	assert_success(kmem_names_find(&f.names, "test_data", &address));
	assert_true(address == f.k.image + IN_IMAGE_DATA);
	assert_int_equal(f.names.known.n, 1);
	assert_success(kmem_names_find(&f.names, "test_data", &address));
	assert_int_equal(f.names.known.n, 1);
	/* What is not there or not clear is not remembered. */
	assert_error_tag(kmem_names_find(&f.names, "nobody", &address), "no-kernel-symbol");
	assert_error_tag(kmem_names_find(&f.names, "helper", &address), "no-kernel-symbol");
	assert_int_equal(f.names.known.n, 1);
	end(&f);
}

/* In every way of writing, after a boot at another place, without the table. */
static void cached_symbol_indexes_give_addresses_after_another_boot(void **state UNUSED)
{
	static const char *const wanted[] = { "test_data",	"init_uts_ns",	  "_stext",
					      "swapper_pg_dir", "kallsyms_names", "runqueues" };

	for (int mode = 0; mode < KMEM_KALLSYMS_N_MODES; mode++) {
		struct fixture before, after;
		uint64_t address = 0, expected = 0;

		begin(&before, mode, 0x1c00000);
		begin(&after, mode, 0x12400000);
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			assert_success(kmem_names_find(&before.names, wanted[i], &address));
		assert_success(kmem_names_import(&after.names, mode, before.names.known.at,
						 before.names.known.n));
		assert_success(kmem_names_find(&after.names, "test_data", &address));
		assert_true(address == after.k.image + IN_IMAGE_DATA);
		assert_success(kmem_names_find(&after.names, "runqueues", &address));
		assert_null(after.names.symbols);
		/* The same as the table itself would have said. */
		kmem_names_deinit(&after.names);
		kmem_names_init(&after.names, &after.space, &after.info);
		assert_success(kmem_names_find(&after.names, "runqueues", &expected));
		assert_non_null(after.names.symbols);
		assert_true(address == expected);
		end(&before);
		end(&after);
	}
}

static void numbers_that_vmcoreinfo_contradicts_are_refused(void **state UNUSED)
{
	struct fixture f;
	char uts[] = "init_uts_ns", text[] = "_stext", table[] = "swapper_pg_dir";
	struct kmem_known wrong[8],
		last[] = { { uts, 1, 0 }, { text, 2, 0 }, { table, UINT32_MAX, 0 } };
	uint64_t address;
	size_t n;

	begin(&f, KMEM_KALLSYMS_PLACE, 0x1c00000);
	assert_success(kmem_names_find(&f.names, "init_uts_ns", &address));
	assert_success(kmem_names_find(&f.names, "_stext", &address));
	assert_success(kmem_names_find(&f.names, "swapper_pg_dir", &address));
	assert_success(kmem_names_find(&f.names, "kallsyms_names", &address));
	n = f.names.known.n;
	for (size_t i = 0; i < n; i++) {
		wrong[i] = f.names.known.at[i];
		wrong[i].name = xstrdup(wrong[i].name);
	}
	kmem_names_deinit(&f.names);
	kmem_names_init(&f.names, &f.space, &f.info);
	/* Two that know each other's number. */
	wrong[0].number ^= wrong[1].number;
	wrong[1].number ^= wrong[0].number;
	wrong[0].number ^= wrong[1].number;
	assert_error_tag(kmem_names_import(&f.names, KMEM_KALLSYMS_PLACE, wrong, n), "no-kallsyms");
	assert_int_equal(f.names.known.n, 0);
	/* The wrong way of writing, too few, and numbers past all tables. */
	assert_error_tag(kmem_names_import(&f.names, KMEM_KALLSYMS_RELATIVE, wrong, n),
			 "no-kallsyms");
	assert_error_tag(kmem_names_import(&f.names, KMEM_KALLSYMS_ABSOLUTE, wrong, n),
			 "no-kallsyms");
	assert_error_tag(kmem_names_import(&f.names, KMEM_KALLSYMS_PLACE, wrong + 2, n - 2),
			 "no-kallsyms");
	assert_error_tag(kmem_names_import(&f.names, KMEM_KALLSYMS_PLACE, last, 3), "guest-memory");
	assert_int_equal(f.names.known.n, 0);
	for (size_t i = 0; i < n; i++)
		free(wrong[i].name);
	end(&f);
}

struct opened {
	struct kmem_reader reader;
	struct kmem_space space;
	struct kmem_vmcoreinfo info;
};

static void open_kernel(const struct build_kernel *k, struct opened *o)
{
	o->reader = build_reader(&k->memory);
	kmem_space_init(&o->space, &o->reader, &k->memory.paging);
	assert_success(kmem_vmcoreinfo_parse(
		(struct bytes){ (const uint8_t *)k->text, strlen(k->text) }, &o->info));
}

static void close_kernel(struct opened *o)
{
	kmem_space_deinit(&o->space);
	kmem_vmcoreinfo_deinit(&o->info);
}

static struct error *load(const struct build_kernel *k, struct kmem_symbols **ret)
{
	struct opened o;
	struct error *err;

	open_kernel(k, &o);
	err = kmem_symbols_load(&o.space, &o.info, ret);
	close_kernel(&o);
	return err;
}

static void the_kallsyms_encoding_is_found_by_trial(void **state UNUSED)
{
	for (int i = 0; i < 2 * KMEM_KALLSYMS_N_MODES; i++) {
		struct kernel_form form = { .levels = i % 3 ? 4 : 5,
					    .mode = (enum kmem_kallsyms_mode)(i / 2),
					    .without_order = i % 2,
					    .slide = 0x1c00000 };
		_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
		_cleanup_kmem_symbols_ struct kmem_symbols *symbols = NULL;
		struct kmem_symbol s;

		assert_success(load(&k, &symbols));
		assert_int_equal(kmem_kallsyms_mode(symbols->table), form.mode);
		/* init_uts_ns, swapper_pg_dir, _stext, kallsyms_names, kallsyms_num_syms */
		assert_int_equal(symbols->n_agree, 5);
		assert_int_equal(kmem_kallsyms_has_order(symbols->table), !form.without_order);
		assert_true(kmem_kallsyms_find(symbols->table, "test_data", 0, &s));
		assert_true(s.address == k.image + IN_IMAGE_DATA);
	}
}

/* The text is replaced in place by something of the same length. */
static void edit(struct build_kernel *k, const char *from, const char *to)
{
	char *at = strstr(k->text, from);

	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
}

static void a_kallsyms_base_that_is_wrong_matches_no_encoding(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_symbols *symbols = NULL;
	/* Shifted by a page, every address is wrong. */
	assert_true(build_get_u64(&k.memory, k.base_at) == k.image);
	build_put_u64(&k.memory, k.base_at, k.image + 0x1000);
	assert_error_tag(load(&k, &symbols), "no-kallsyms");
	assert_null(symbols);
}

static void missing_or_unreadable_kallsyms_tables_are_refused(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_PLACE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_symbols *symbols = NULL;
	uint64_t n_at = IMAGE_AT + IN_IMAGE_KALLSYMS;

	edit(&k, "kallsyms_offsets", "kallsyms_nowhere");
	assert_error_tag(load(&k, &symbols), "no-kallsyms");
	edit(&k, "kallsyms_nowhere", "kallsyms_offsets");
	edit(&k, "kallsyms_names", "kallsyms_nomen");
	assert_error_tag(load(&k, &symbols), "no-kallsyms");
	edit(&k, "kallsyms_nomen", "kallsyms_names");
	/* Wild numbers of symbols. */
	build_put(&k.memory, n_at, "\xff\xff\xff\xff", 4);
	assert_error_tag(load(&k, &symbols), "limit");
	build_put(&k.memory, n_at, "\0\0\0\0", 4);
	assert_error_tag(load(&k, &symbols), "limit");
	build_put(&k.memory, n_at, "\xff\xff\x0f", 4);
	assert_error_tag(load(&k, &symbols), "guest-memory");
	/* The tables stand where nothing is. */
	edit(&k, "SYMBOL(kallsyms_token_table)=ffffffff", "SYMBOL(kallsyms_token_table)=ffff0fff");
	assert_error_tag(load(&k, &symbols), "no-kallsyms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_found_and_remembered),
		cmocka_unit_test(cached_symbol_indexes_give_addresses_after_another_boot),
		cmocka_unit_test(numbers_that_vmcoreinfo_contradicts_are_refused),
		cmocka_unit_test(the_kallsyms_encoding_is_found_by_trial),
		cmocka_unit_test(a_kallsyms_base_that_is_wrong_matches_no_encoding),
		cmocka_unit_test(missing_or_unreadable_kallsyms_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
