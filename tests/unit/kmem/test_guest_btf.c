// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/guest_btf.h"

#include "build_kernel.h"
#include "build_types.h"
#include "unit.h"

/* struct btf as build_types.h has it, and where the test puts things in RAM. */
enum { DATA = 0, SIZE = 8, BASE = 16, NAME = 24, KERNEL = 80 };
enum { VMLINUX = 0x1000, MODULE = 0x1100, PROGRAM = 0x1200, NODE = 0x2000, BLOBS = 0x4000 };

struct fixture {
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
	build_put(&k->memory, at + SIZE, &n, 4);
	build_put_u64(&k->memory, at + BASE, base);
	build_put(&k->memory, at + NAME, name, strlen(name) + 1);
	build_put(&k->memory, at + KERNEL, name[0] ? "\1" : "\0", 1);
}

static int set_up(void **state)
{
	struct fixture *f = xnew(struct fixture);
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
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, &f->kmem));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kmem_free(f->kmem);
	build_kernel_deinit(&f->k);
	strbuf_deinit(&f->types);
	free(f);
	return 0;
}

static bool see(void *context, uint64_t index, uint64_t entry)
{
	struct fixture *f = context;

	f->seen.index[f->seen.n] = index;
	f->seen.entry[f->seen.n] = entry;
	return ++f->seen.n < 8;
}

static void every_id_is_listed(void **state)
{
	struct fixture *f = *state;
	struct kmem_walk walk = { 0 };

	assert_success(kmem_idr(f->kmem, "btf_idr", &walk, see, f));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_int_equal(f->seen.n, 3);
	assert_int_equal(f->seen.index[0], 1);
	assert_int_equal(f->seen.index[2], 5);
	assert_true(f->seen.entry[1] == f->k.direct + MODULE);
}

static void types_of_a_module_stand_on_the_kernels(void **state)
{
	struct fixture *f = *state;
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

static void types_of_a_program_stand_alone(void **state)
{
	struct fixture *f = *state;
	_cleanup_kmem_btf_ struct kmem_btf *btf = NULL;

	assert_success(kmem_btf_load(f->kmem, f->k.direct + PROGRAM, &btf));
	assert_string_equal(btf->name, "");
	assert_false(btf->is_kernel);
	assert_int_equal(btf_n_types(btf->btf), 1);
}

static void wild_objects_are_refused(void **state)
{
	struct fixture *f = *state;
	struct kmem_btf *btf = NULL;

	assert_error_tag(kmem_btf_load(f->kmem, 0x10, &btf), "guest-memory");
	build_put(&f->k.memory, PROGRAM + SIZE, "\xff\xff\xff\xff", 4);
	build_put_u64(&f->k.memory, MODULE + BASE, f->k.direct + PROGRAM);
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

	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, &kmem));
	assert_error_tag(kmem_idr(kmem, "btf_idr", &walk, see, NULL), "no-kernel-field");
	assert_error_tag(kmem_btf_load(kmem, k.direct, &btf), "no-kernel-field");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_id_is_listed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(types_of_a_module_stand_on_the_kernels, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(types_of_a_program_stand_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wild_objects_are_refused, set_up, tear_down),
		cmocka_unit_test(without_types_of_its_own_nothing_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
