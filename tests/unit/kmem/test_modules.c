// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/modules.h"

#include <elf.h>

#include "build_kernel.h"
#include "build_types.h"
#include "unit.h"

/* Offsets as build_types.h has them. */
enum { LIST = 8, NAME = 24, BASE = 80, SIZE = 92, KALLSYMS = 136 };
enum {
	FIRST = 0x1000,
	SECOND = 0x1200,
	TABLE = 0x1400,
	SYMBOLS = 0x1500,
	NAMES = 0x1700,
	KINDS = 0x1800
};

struct fixture {
	struct strbuf types;
	struct build_kernel k;
	struct kmem *kmem;
	struct strbuf seen;
};

/* Things of the test stand in RAM from 0 on and are pointed to through the direct map. */
static void put_module(struct build_kernel *k, uint64_t at, const char *name, uint64_t base,
		       uint32_t size)
{
	build_put(&k->memory, at + NAME, name, strlen(name) + 1);
	build_put_u64(&k->memory, at + BASE, base);
	build_put(&k->memory, at + SIZE, &size, 4);
	/* What stands before the size is no part of it. */
	build_put(&k->memory, at + SIZE - 4, "\xff\xff\xff\xff", 4);
}

static void put_list(struct build_kernel *k)
{
	uint64_t head = k->image + IN_IMAGE_DATA + IN_DATA_MODULES;
	uint64_t at[] = { head, k->direct + FIRST + LIST, k->direct + SECOND + LIST };

	for (int i = 0; i < 3; i++) {
		uint64_t here = i ? at[i] - k->direct : IMAGE_AT + IN_IMAGE_DATA + IN_DATA_MODULES;

		build_put_u64(&k->memory, here, at[(i + 1) % 3]);
		build_put_u64(&k->memory, here + 8, at[(i + 2) % 3]);
	}
}

static void put_symbols(struct build_kernel *k)
{
	static const char names[] = "\0init_module\0helper";
	const Elf64_Sym symbols[3] = {
		{ 0 },
		{ .st_name = 1, .st_value = 0xffffffffc0001000, .st_size = 64 },
		{ .st_name = 13, .st_value = 0xffffffffc0001040 }
	};
	uint32_t n = 3;

	build_put_u64(&k->memory, FIRST + KALLSYMS, k->direct + TABLE);
	build_put_u64(&k->memory, TABLE, k->direct + SYMBOLS);
	build_put(&k->memory, TABLE + 8, &n, 4);
	build_put_u64(&k->memory, TABLE + 16, k->direct + NAMES);
	build_put_u64(&k->memory, TABLE + 24, k->direct + KINDS);
	build_put(&k->memory, SYMBOLS, symbols, sizeof(symbols));
	build_put(&k->memory, NAMES, names, sizeof(names));
	build_put(&k->memory, KINDS, "?Tt", 3);
}

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_RELATIVE };
	struct kmem_reader reader;

	build_kernel_types(&f->types);
	form.btf = build_bytes(&f->types);
	f->k = build_kernel_new(&form);
	put_module(&f->k, FIRST, "virtio_net", 0xffffffffc0001000, 0x3000);
	put_module(&f->k, SECOND, "failover", 0xffffffffc0008000, 0x1000);
	put_list(&f->k);
	put_symbols(&f->k);
	reader = build_reader(&f->k.memory);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &f->kmem));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kmem_free(f->kmem);
	build_kernel_deinit(&f->k);
	strbuf_deinit(&f->types);
	strbuf_deinit(&f->seen);
	free(f);
	return 0;
}

static bool see(void *context, const struct kmem_module *module)
{
	strbuf_appendf(context, "%s %#lx %#lx\n", module->name, module->base, module->size);
	return true;
}

static bool see_symbol(void *context, const struct kmem_symbol *symbol)
{
	strbuf_appendf(context, "%#lx %c %s %lu\n", symbol->address, symbol->kind, symbol->name,
		       symbol->bytes);
	return true;
}

static bool take_first(void *context, const struct kmem_module *module)
{
	*(struct kmem_module *)context = *module;
	return false;
}

static void modules_are_listed_with_their_memory(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	assert_success(kmem_modules(f->kmem, &walk, see, &f->seen));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_string_equal(strbuf_str(&f->seen), "virtio_net 0xffffffffc0001000 0x3000\n"
						  "failover 0xffffffffc0008000 0x1000\n");
}

static void caller_may_stop(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	struct kmem_module module = { 0 };

	assert_success(kmem_modules(f->kmem, &walk, take_first, &module));
	assert_int_equal(walk.end, KMEM_WALK_STOPPED);
	assert_string_equal(module.name, "virtio_net");
	assert_true(module.address == f->k.direct + FIRST);
}

/* The links of a module may be there, and the rest of it beyond the end of RAM. */
static void module_that_is_cut_off_ends_the_list(void **state)
{
	struct fixture *f = *state;
	uint64_t at = RAM_BYTES - 24;
	struct kmem_walk walk = { 0 };

	build_put_u64(&f->k.memory, FIRST + LIST, f->k.direct + at);
	assert_success(kmem_modules(f->kmem, &walk, see, &f->seen));
	assert_int_equal(walk.end, KMEM_WALK_UNREADABLE);
	assert_int_equal(walk.status, KMEM_READ_UNMAPPED);
	assert_string_equal(strbuf_str(&f->seen), "virtio_net 0xffffffffc0001000 0x3000\n");
}

static void symbols_of_a_module_have_their_place_and_kind(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	struct kmem_module module = { 0 };

	assert_success(kmem_modules(f->kmem, &walk, take_first, &module));
	assert_success(kmem_module_symbols(f->kmem, &module, see_symbol, &f->seen));
	assert_string_equal(strbuf_str(&f->seen), "0xffffffffc0001000 T init_module 64\n"
						  "0xffffffffc0001040 t helper 0\n");
}

static void wild_tables_of_symbols_are_refused(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };
	struct kmem_module module = { 0 };

	assert_success(kmem_modules(f->kmem, &walk, take_first, &module));
	build_put(&f->k.memory, TABLE + 8, "\xff\xff\xff\xff", 4);
	kmem_space_forget(&f->kmem->space);
	assert_error_tag(kmem_module_symbols(f->kmem, &module, see_symbol, &f->seen), "limit");
	build_put(&f->k.memory, TABLE + 8, "\xff\xff\x03\0", 4);
	kmem_space_forget(&f->kmem->space);
	assert_error_tag(kmem_module_symbols(f->kmem, &module, see_symbol, &f->seen),
			 "guest-memory");
	build_put(&f->k.memory, TABLE + 8, "\x03\0\0\0", 4);
	build_put_u64(&f->k.memory, TABLE + 16, 0x10);
	kmem_space_forget(&f->kmem->space);
	assert_error_tag(kmem_module_symbols(f->kmem, &module, see_symbol, &f->seen),
			 "guest-memory");
	module.address = 0;
	assert_error_tag(kmem_module_symbols(f->kmem, &module, see_symbol, &f->seen),
			 "guest-memory");
}

/* struct btf as build_types.h has it, and where the test puts things in RAM. */
enum { DATA = 0, GUEST_SIZE = 8, GUEST_BASE = 16, GUEST_NAME = 24, KERNEL = 80 };
enum { VMLINUX = 0x1000, MODULE = 0x1100, PROGRAM = 0x1200, NODE = 0x2000, BLOBS = 0x4000 };

struct guest_fixture {
	struct strbuf types;
	uint32_t n_types;
	struct build_kernel k;
	struct kmem *kmem;
	struct {
		uint64_t index[8], entry[8];
		int n;
	} seen;
};

static void put_btf(struct build_kernel *k, uint64_t at, uint64_t base, const char *name,
		    const struct strbuf *bytes, uint64_t blob)
{
	uint32_t n = (uint32_t)bytes->n;

	build_put(&k->memory, blob, bytes->at, bytes->n);
	build_put_u64(&k->memory, at + DATA, k->direct + blob);
	build_put(&k->memory, at + GUEST_SIZE, &n, 4);
	build_put_u64(&k->memory, at + GUEST_BASE, base);
	build_put(&k->memory, at + GUEST_NAME, name, strlen(name) + 1);
	build_put(&k->memory, at + KERNEL, name[0] ? "\1" : "\0", 1);
}

static int guest_set_up(void **state)
{
	struct guest_fixture *f = xnew(struct guest_fixture);
	struct kernel_form form = { .levels = 5, .mode = KMEM_KALLSYMS_PLACE };
	_cleanup_strbuf_ struct strbuf module = STRBUF_INIT, program = STRBUF_INIT;
	uint64_t idr = IMAGE_AT + IN_IMAGE_DATA + IN_DATA_BTF_IDR;
	struct kmem_reader reader;
	struct build_btf b;

	f->n_types = build_kernel_types(&f->types);
	form.btf = build_bytes(&f->types);
	f->k = build_kernel_new(&form);
	b = build_btf_on(&f->types, f->n_types);
	BUILD_STRUCT(&b, "of_the_module", 4, { "count", 1, 0, 0 });
	build_btf_finish(&b, &module);
	b = (struct build_btf){ 0 };
	BUILD_STRUCT(&b, "of_the_program", 8, { "count", 0, 0, 0 });
	build_btf_finish(&b, &program);
	put_btf(&f->k, VMLINUX, 0, "vmlinux", &f->types, BLOBS);
	put_btf(&f->k, MODULE, f->k.direct + VMLINUX, "virtio_net", &module, BLOBS + 0x4000);
	put_btf(&f->k, PROGRAM, 0, "", &program, BLOBS + 0x6000);
	build_put_u64(&f->k.memory, IMAGE_AT + IN_IMAGE_DATA + IN_DATA_BTF_VMLINUX,
		      f->k.direct + VMLINUX);
	/* Ids 1, 2 and 5 in one node. */
	build_put_u64(&f->k.memory, idr + 8, (f->k.direct + NODE) | 2);
	build_put_u64(&f->k.memory, NODE + 40 + 8 * 1, f->k.direct + VMLINUX);
	build_put_u64(&f->k.memory, NODE + 40 + 8 * 2, f->k.direct + MODULE);
	build_put_u64(&f->k.memory, NODE + 40 + 8 * 5, f->k.direct + PROGRAM);
	reader = build_reader(&f->k.memory);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &f->kmem));
	*state = f;
	return 0;
}

static int guest_tear_down(void **state)
{
	struct guest_fixture *f = *state;

	kmem_free(f->kmem);
	build_kernel_deinit(&f->k);
	strbuf_deinit(&f->types);
	free(f);
	return 0;
}

static bool guest_see(void *context, uint64_t index, uint64_t entry)
{
	struct guest_fixture *f = context;

	f->seen.index[f->seen.n] = index;
	f->seen.entry[f->seen.n] = entry;
	return ++f->seen.n < 8;
}

static void every_id_is_listed(void **state)
{
	struct guest_fixture *f = *state;
	struct kmem_walk walk = { 0 };

	assert_success(kmem_idr(f->kmem, "btf_idr", &walk, guest_see, f));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(f->seen.n, 3);
	assert_int_equal(f->seen.index[0], 1);
	assert_int_equal(f->seen.index[2], 5);
	assert_true(f->seen.entry[1] == f->k.direct + MODULE);
}

static void module_btf_is_loaded_on_top_of_the_kernels(void **state)
{
	struct guest_fixture *f = *state;
	_cleanup_kmem_btf_ struct kmem_btf *btf = NULL;
	struct btf_place place;

	assert_success(kmem_btf_load(f->kmem, f->k.direct + MODULE, &btf));
	assert_string_equal(btf->name, "virtio_net");
	assert_true(btf->is_kernel);
	assert_int_equal(btf_n_types(btf->btf), f->n_types + 1);
	assert_success(btf_field(btf->btf, "of_the_module", "count", &place));
	assert_int_equal(place.size, 4);
	assert_success(btf_field(btf->btf, "xa_node", "slots", &place));
	assert_int_equal(place.offset, 40);
}

static void program_btf_is_loaded_without_a_base(void **state)
{
	struct guest_fixture *f = *state;
	_cleanup_kmem_btf_ struct kmem_btf *btf = NULL;

	assert_success(kmem_btf_load(f->kmem, f->k.direct + PROGRAM, &btf));
	assert_string_equal(btf->name, "");
	assert_false(btf->is_kernel);
	assert_int_equal(btf_n_types(btf->btf), 1);
}

static void invalid_btf_objects_are_refused(void **state)
{
	struct guest_fixture *f = *state;
	struct kmem_btf *btf = NULL;

	assert_error_tag(kmem_btf_load(f->kmem, 0x10, &btf), "guest-memory");
	build_put(&f->k.memory, PROGRAM + GUEST_SIZE, "\xff\xff\xff\xff", 4);
	build_put_u64(&f->k.memory, MODULE + GUEST_BASE, f->k.direct + PROGRAM);
	kmem_space_forget(&f->kmem->space);
	assert_error_tag(kmem_btf_load(f->kmem, f->k.direct + PROGRAM, &btf), "limit");
	assert_error_tag(kmem_btf_load(f->kmem, f->k.direct + MODULE, &btf), "no-kernel-field");
	build_put(&f->k.memory, BLOBS, "x", 1);
	assert_error_tag(kmem_btf_load(f->kmem, f->k.direct + VMLINUX, &btf), "not-btf");
	assert_null(btf);
}

static void without_types_of_its_own_nothing_is_listed(void **state UNUSED)
{
	struct kernel_form form = { .levels = 4, .mode = KMEM_KALLSYMS_PLACE };
	_cleanup_build_kernel_ struct build_kernel k = build_kernel_new(&form);
	struct kmem_reader reader = build_reader(&k.memory);
	_cleanup_kmem_ struct kmem *kmem = NULL;
	struct kmem_walk walk = { 0 };
	struct kmem_btf *btf = NULL;

	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &kmem));
	assert_error_tag(kmem_idr(kmem, "btf_idr", &walk, guest_see, NULL), "no-kernel-field");
	assert_error_tag(kmem_btf_load(kmem, k.direct, &btf), "no-kernel-field");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(modules_are_listed_with_their_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(caller_may_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(module_that_is_cut_off_ends_the_list, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(symbols_of_a_module_have_their_place_and_kind,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(wild_tables_of_symbols_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(every_id_is_listed, guest_set_up, guest_tear_down),
		cmocka_unit_test_setup_teardown(module_btf_is_loaded_on_top_of_the_kernels,
						guest_set_up, guest_tear_down),
		cmocka_unit_test_setup_teardown(program_btf_is_loaded_without_a_base, guest_set_up,
						guest_tear_down),
		cmocka_unit_test_setup_teardown(invalid_btf_objects_are_refused, guest_set_up,
						guest_tear_down),
		cmocka_unit_test(without_types_of_its_own_nothing_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
