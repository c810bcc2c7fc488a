// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/kmem/kallsyms.c */
/*
 * Tables of symbols: the way of writing, the number of symbols, the lengths of four tables (two
 * bytes each), then the tables: names, tokens, their index, addresses; what is left is the order.
 */
#include "fuzz.h"

#include "kmem/kallsyms.h"

static struct bytes take(struct cursor *c, uint16_t n)
{
	const uint8_t *at = cursor_take(c, n);

	return (struct bytes){ at, at ? n : 0 };
}

static void look_up(struct kmem_kallsyms *k)
{
	struct kmem_symbol symbol, found;

	for (uint32_t i = 0; i <= kmem_kallsyms_n(k) && i < 64; i++) {
		if (!kmem_kallsyms_at(k, i, &symbol))
			continue;
		if (i == kmem_kallsyms_n(k) || strlen(symbol.name) >= sizeof(symbol.name))
			__builtin_trap();
		(void)!kmem_kallsyms_near(k, symbol.address, &found);
		/* What is found has the name; with an order of our own, it is found. */
		if (kmem_kallsyms_find(k, symbol.name, 0, &found)
			    ? strcmp(found.name, symbol.name) != 0
			    : !kmem_kallsyms_has_order(k))
			__builtin_trap();
	}
	(void)!kmem_kallsyms_find(k, "swapper_pg_dir", 1, &found);
	(void)!kmem_kallsyms_near(k, UINT64_MAX, &found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cursor c = cursor_over((struct bytes){ data, n });
	struct kmem_kallsyms_tables tables = { .places_at = UINT64_C(0xffffffff82000000),
					       .relative_base = UINT64_C(0xffffffff81000000) };
	struct kmem_kallsyms *k = NULL;
	uint16_t lengths[4];
	struct error *err;
	uint8_t mode = cursor_u8(&c);

	tables.n = cursor_u32(&c);
	for (int i = 0; i < 4; i++)
		lengths[i] = cursor_u16(&c);
	tables.names = take(&c, lengths[0]);
	tables.tokens = take(&c, lengths[1]);
	tables.token_index = take(&c, lengths[2]);
	tables.places = take(&c, lengths[3]);
	if (c.failed)
		return 0;
	tables.order = (struct bytes){ data + c.offset, cursor_left(&c) };
	if (tables.token_index.n >= 512)
		fuzz_mark_deep();
	err = kmem_kallsyms_parse(&tables, &k);
	if (!err) {
		if (kmem_kallsyms_set_mode(k, mode % KMEM_KALLSYMS_N_MODES) &&
		    kmem_kallsyms_mode(k) != mode % KMEM_KALLSYMS_N_MODES)
			__builtin_trap();
		look_up(k);
	}
	error_free(err);
	kmem_kallsyms_free(k);
	return 0;
}
