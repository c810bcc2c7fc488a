// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/kmem/kmem.c src/kmem/names.c src/kmem/space.c src/kmem/walk.c */
/*
 * A small kernel in RAM with words of it changed. The first byte chooses its form; then come
 * changes: where (two bytes, in units of eight, counted through what an attach touches), how (one
 * byte), with what (two bytes).
 */
#include "fuzz.h"

#include "../unit/kmem/build_kernel.h"
#include "kmem/kmem.h"
#include "kmem/walk.h"

enum { N_FORMS = 2 * KMEM_KALLSYMS_N_MODES, MOST_CHANGES = 64 };

static const struct {
	uint32_t start, n;
} hot[] = {
	{ NOTE_AT, 1024 },
	{ IMAGE_AT + IN_IMAGE_UTS, 0x3000 + 0x200 },
	{ IMAGE_AT + IN_IMAGE_KALLSYMS, 0x200 },
	{ IMAGE_AT + IN_IMAGE_KALLSYMS + 0x4000, 0x100 },
	{ IMAGE_AT + IN_IMAGE_KALLSYMS + 0x5000, 0x200 },
	{ IMAGE_AT + IN_IMAGE_KALLSYMS + 0x6000, 0x100 },
	{ IMAGE_AT + IN_IMAGE_BTF, 0x20 },
	{ TABLES_AT, 0x8000 },
};

static struct build_kernel *kernels[N_FORMS];

static struct build_kernel *kernel_of(uint8_t form)
{
	unsigned int i = form % N_FORMS;
	struct kernel_form f = { .levels = i % 2 ? 4 : 5,
				 .mode = (enum kmem_kallsyms_mode)(i / 2),
				 .without_order = i == 5,
				 .slide = 0x1c00000 };

	if (!kernels[i]) {
		struct build_kernel *k = xnew(struct build_kernel);
		uint64_t data, at = IMAGE_AT + IN_IMAGE_DATA;

		*k = build_kernel_new(&f);
		data = k->image + IN_IMAGE_DATA;
		/* A list of two, a tree of two, an xarray of two nodes. */
		build_put_u64(&k->memory, at, data + 0x20);
		build_put_u64(&k->memory, at + 0x20, data + 0x40);
		build_put_u64(&k->memory, at + 0x40, data);
		build_put_u64(&k->memory, at + 0x60, data + 0x80);
		build_put_u64(&k->memory, at + 0x88, data + 0xa0);
		build_put_u64(&k->memory, at + 0xa0, data + 0x80);
		build_put_u64(&k->memory, at + 0xc0, data + 0xd2);
		build_put_u64(&k->memory, at + 0xd0, 4);
		build_put_u64(&k->memory, at + 0x108, data + 0x182);
		build_put_u64(&k->memory, at + 0x180, 5 << 8);
		build_put_u64(&k->memory, at + 0x188, data + 0xd0);
		build_put_u64(&k->memory, at + 0x198, data);
		kernels[i] = k;
	}
	return kernels[i];
}

static uint64_t place(uint16_t number)
{
	uint32_t into = 8 * (uint32_t)number, total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(hot); i++)
		total += hot[i].n;
	into %= total;
	for (size_t i = 0;; i++) {
		if (into < hot[i].n)
			return hot[i].start + into;
		into -= hot[i].n;
	}
}

static uint64_t changed(const struct build_kernel *k, uint64_t old, uint8_t how, uint16_t with)
{
	switch (how % 8) {
	case 0:
		return old ^ UINT64_C(1) << with % 64;
	case 1:
		return (old & ~(UINT64_C(0xff) << 8 * (with % 8))) | (uint64_t)(with >> 8)
									     << 8 * (with % 8);
	case 2:
		return with;
	case 3:
		return k->image + IN_IMAGE_DATA + with % 0x200; /* a pointer into the lists */
	case 4:
		return k->direct + 8 * (uint64_t)with;
	case 5:
		return (uint64_t)(with % 1024) << 12 | 0x63; /* an entry of a page table */
	case 6:
		return UINT64_C(1) << with % 64;
	default:
		return (old & ~UINT64_C(0xffff)) | with;
	}
}

static bool see(void *context, uint64_t link UNUSED)
{
	return ++*(unsigned int *)context < 1000;
}

static bool see_entry(void *context, uint64_t index UNUSED, uint64_t entry UNUSED)
{
	return ++*(unsigned int *)context < 1000;
}

static void look_around(struct kmem *kmem)
{
	static const struct kmem_xarray_form form = {
		.shift = 0, .offset = 1, .parent = 8, .slots = 16, .n_slots = 16
	};
	static const struct kmem_xarray_form odd = { .slots = 16, .n_slots = 5 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct kmem_walk walk = { 0 };
	uint64_t data, address, n = 0, failed;
	unsigned int seen = 0;
	char buf[32];

	for (uint32_t cpu = 0; cpu <= kmem->cpus.n && cpu < 100; cpu++)
		n += kmem_cpus_is_online(&kmem->cpus, cpu) +
		     kmem_cpus_address(&kmem->cpus, cpu, 0x40, &address);
	error_free(kmem_variable(kmem, "nobody", 8, &n));
	error_free(kmem_variable(kmem, "max_pfn", 8, &n));
	struct error *err = kmem_symbol(kmem, "test_data", &data);

	if (err) {
		error_free(err);
		return;
	}
	kmem_list(&kmem->space, data, &walk, see, &seen);
	kmem_walk_format(&walk, &text);
	kmem_links(&kmem->space, KMEM_HLIST, data, &walk, see, &seen);
	kmem_links(&kmem->space, KMEM_HLIST_NULLS, data, &walk, see, &seen);
	kmem_xarray(&kmem->space, &form, data + 0xc0, &walk, see_entry, &seen);
	kmem_walk_format(&walk, &text);
	kmem_xarray(&kmem->space, &odd, data + 0xc0, &walk, see_entry, &seen);
	(void)!kmem_read_text(&kmem->space, data + 4000, buf, sizeof(buf));
	(void)!kmem_read(&kmem->space, data, buf, sizeof(buf), &failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cursor c = cursor_over((struct bytes){ data, n });
	struct build_kernel *k = kernel_of(cursor_u8(&c));
	struct kmem_reader reader = build_reader(&k->memory);
	struct {
		uint64_t at, old;
	} undo[MOST_CHANGES];
	size_t n_changes = 0;
	struct kmem *kmem = NULL;
	struct bytes text = { NULL, 0 };
	struct error *err;

	/* As if out of a core file. */
	if (n > 1 && data[0] & 0x80)
		text = (struct bytes){ (const uint8_t *)k->text, strlen(k->text) };
	while (n_changes < MOST_CHANGES && cursor_left(&c) >= 5) {
		uint64_t at = place(cursor_u16(&c)), old = build_get_u64(&k->memory, at);
		uint8_t how = cursor_u8(&c);

		undo[n_changes].at = at;
		undo[n_changes++].old = old;
		build_put_u64(&k->memory, at, changed(k, old, how, cursor_u16(&c)));
	}
	err = kmem_attach(&reader, text, NULL, &kmem);
	if (!err) {
		fuzz_mark_deep();
		look_around(kmem);
	} else if (!error_is(err, &kmem_error_domain, KMEM_NO_NOTE) &&
		   !error_is(err, &kmem_error_domain, KMEM_BAD_NOTE)) {
		fuzz_mark_deep();
	}
	error_free(err);
	kmem_free(kmem);
	while (n_changes--)
		build_put_u64(&k->memory, undo[n_changes].at, undo[n_changes].old);
	return 0;
}
