// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/kallsyms_load.h"

#include "build_kernel.h"
#include "unit.h"

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

static void way_of_writing_is_found_by_trying(void **state UNUSED)
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

static void no_way_agrees_with_another_kernels_text(void **state UNUSED)
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

static void tables_that_are_not_told_or_not_there(void **state UNUSED)
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
		cmocka_unit_test(way_of_writing_is_found_by_trying),
		cmocka_unit_test(no_way_agrees_with_another_kernels_text),
		cmocka_unit_test(tables_that_are_not_told_or_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
