// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/kallsyms.h"

#include "base/alloc.h"

enum {
	N_TOKENS = 256,
	ORDER_BYTES = 3,
	/* Neighbours that are compared before an order is believed. */
	ORDER_SAMPLES = 256,
};

struct kmem_kallsyms {
	struct kmem_kallsyms_tables tables;
	enum kmem_kallsyms_mode mode;
	struct {
		const char *at;
		size_t n;
	} tokens[N_TOKENS];
	uint32_t *starts; /* where in `names` symbol i begins, behind its length */
	uint16_t *counts; /* and how many tokens it has */
	uint32_t *sorted; /* by name, when the tables have no order */
	bool has_order;
};

void kmem_kallsyms_free(struct kmem_kallsyms *k)
{
	if (!k)
		return;
	free(k->starts);
	free(k->counts);
	free(k->sorted);
	free(k);
}

static struct error *contradiction(const char *what)
{
	return kmem_error(KMEM_NO_SYMBOLS, 0, "%s", what);
}

static struct error *read_tokens(struct kmem_kallsyms *k)
{
	struct cursor index = cursor_over(k->tables.token_index);

	for (int i = 0; i < N_TOKENS; i++) {
		struct cursor c = cursor_over(k->tables.tokens);
		const char *text;

		cursor_seek(&c, cursor_u16(&index));
		text = cursor_string(&c);
		if (index.failed || !text)
			return contradiction("a token is outside the table of tokens");
		k->tokens[i].at = text;
		k->tokens[i].n = strlen(text);
	}
	return NULL;
}

static struct error *index_names(struct kmem_kallsyms *k)
{
	struct cursor c = cursor_over(k->tables.names);
	void *starts = NULL, *counts = NULL;
	struct error *err;

	if (k->tables.n == 0 || k->tables.n > KMEM_LIMIT_SYMBOLS ||
	    k->tables.names.n > KMEM_LIMIT_NAMES_BYTES)
		return base_error(BASE_LIMIT, 0, "%u symbols with %zu bytes of names", k->tables.n,
				  k->tables.names.n);
	/* A name has its length at least: fewer bytes cannot hold so many. */
	if (k->tables.n > k->tables.names.n)
		return contradiction("more symbols than names");
	err = alloc_checked(k->tables.n, sizeof(uint32_t), UINT32_MAX, "symbols", &starts);
	k->starts = starts;
	if (!err)
		err = alloc_checked(k->tables.n, sizeof(uint16_t), UINT32_MAX, "symbols", &counts);
	k->counts = counts;
	if (err)
		return err;
	for (uint32_t i = 0; i < k->tables.n; i++) {
		uint16_t n = cursor_u8(&c);

		/* Since Linux 6.1 a second byte holds what seven bits cannot. */
		if (n & 0x80)
			n = (uint16_t)((n & 0x7f) | cursor_u8(&c) << 7);
		k->starts[i] = (uint32_t)c.offset;
		k->counts[i] = n;
		/* No token is empty, so more of them than letters are none of the kernel's. */
		if (n == 0 || n > KMEM_LIMIT_SYMBOL_CHARS || !cursor_take(&c, n))
			return contradiction("a name is empty, too long or extends past the names");
	}
	return NULL;
}

/* Without the letter in front; 0 for a name that does not fit. */
static size_t expand(const struct kmem_kallsyms *k, uint32_t i, char *buf, size_t size,
		     char *ret_kind)
{
	const uint8_t *at = k->tables.names.at + k->starts[i];
	size_t n = 0;
	bool first = true;

	for (uint32_t t = 0; t < k->counts[i]; t++) {
		const char *text = k->tokens[at[t]].at;
		size_t len = k->tokens[at[t]].n;

		if (first && len) {
			*ret_kind = *text++;
			len--;
			first = false;
		}
		if (len >= size - n) {
			buf[0] = 0;
			return 0;
		}
		memcpy(buf + n, text, len);
		n += len;
	}
	buf[n] = 0;
	return n;
}

static uint32_t order_at(const struct kmem_kallsyms *k, uint32_t i)
{
	const uint8_t *at = k->tables.order.at + (size_t)i * ORDER_BYTES;

	return k->sorted ? k->sorted[i] : (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static int compare_with(const struct kmem_kallsyms *k, uint32_t position, const char *name)
{
	char buf[KMEM_LIMIT_SYMBOL_CHARS], kind;

	if (!expand(k, order_at(k, position), buf, sizeof(buf), &kind))
		buf[0] = 0;
	return strcmp(buf, name);
}

/* Every symbol once, and neighbours not the wrong way round. */
static bool check_order(const struct kmem_kallsyms *k)
{
	_cleanup_free_ uint8_t *seen = NULL;
	uint32_t n = k->tables.n, step = n / ORDER_SAMPLES + 1;

	if (k->tables.order.n < (size_t)n * ORDER_BYTES)
		return false;
	seen = xcalloc(n / 8 + 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t symbol = order_at(k, i);

		if (symbol >= n || (seen[symbol / 8] & 1u << symbol % 8))
			return false;
		seen[symbol / 8] |= (uint8_t)(1u << symbol % 8);
	}
	for (uint32_t i = 0; i + 1 < n; i += step) {
		char buf[KMEM_LIMIT_SYMBOL_CHARS], kind;

		if (!expand(k, order_at(k, i), buf, sizeof(buf), &kind) ||
		    compare_with(k, i + 1, buf) < 0)
			return false;
	}
	return true;
}

struct error *kmem_kallsyms_parse(const struct kmem_kallsyms_tables *tables,
				  struct kmem_kallsyms **ret)
{
	_cleanup_kmem_kallsyms_ struct kmem_kallsyms *k = xnew(struct kmem_kallsyms);
	struct error *err;

	k->tables = *tables;
	err = read_tokens(k);
	if (!err)
		err = index_names(k);
	if (err)
		return err;
	if (tables->places.n / 4 < tables->n)
		return contradiction("fewer addresses than symbols");
	k->has_order = check_order(k);
	*ret = take_ptr(k);
	return NULL;
}

bool kmem_kallsyms_set_mode(struct kmem_kallsyms *k, enum kmem_kallsyms_mode mode)
{
	if (k->tables.places.n / (mode == KMEM_KALLSYMS_ABSOLUTE ? 8 : 4) < k->tables.n)
		return false;
	k->mode = mode;
	return true;
}

enum kmem_kallsyms_mode kmem_kallsyms_mode(const struct kmem_kallsyms *k)
{
	return k->mode;
}

uint32_t kmem_kallsyms_n(const struct kmem_kallsyms *k)
{
	return k->tables.n;
}

bool kmem_kallsyms_has_order(const struct kmem_kallsyms *k)
{
	return k->has_order;
}

uint64_t kmem_kallsyms_address(enum kmem_kallsyms_mode mode, uint64_t places_at,
			       uint64_t relative_base, uint32_t i, uint64_t raw)
{
	int64_t offset = (int32_t)(uint32_t)raw;

	switch (mode) {
	case KMEM_KALLSYMS_PLACE:
		return places_at + 4 * (uint64_t)i + (uint64_t)offset;
	case KMEM_KALLSYMS_RELATIVE:
		return relative_base + (uint32_t)raw;
	case KMEM_KALLSYMS_PERCPU:
		return offset >= 0 ? (uint64_t)offset : relative_base - 1 - (uint64_t)offset;
	default:
		return raw;
	}
}

static uint64_t address_of(const struct kmem_kallsyms *k, uint32_t i)
{
	struct cursor c = cursor_over(k->tables.places);
	unsigned int width = k->mode == KMEM_KALLSYMS_ABSOLUTE ? 8 : 4;

	cursor_seek(&c, width * (uint64_t)i);
	return kmem_kallsyms_address(k->mode, k->tables.places_at, k->tables.relative_base, i,
				     cursor_uint(&c, width));
}

/* How many symbols, in the order of addresses, are below the address (or at it). */
static uint32_t count_below(const struct kmem_kallsyms *k, uint64_t address, bool or_at)
{
	uint32_t low = 0, high = k->tables.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t found = address_of(k, middle);

		if (found < address || (or_at && found == address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kmem_kallsyms_at(const struct kmem_kallsyms *k, uint32_t i, struct kmem_symbol *ret)
{
	uint32_t next;

	if (i >= k->tables.n || !expand(k, i, ret->name, sizeof(ret->name), &ret->kind))
		return false;
	ret->address = address_of(k, i);
	next = count_below(k, ret->address, true);
	ret->bytes = next < k->tables.n ? address_of(k, next) - ret->address : 0;
	return true;
}

bool kmem_kallsyms_near(const struct kmem_kallsyms *k, uint64_t address, struct kmem_symbol *ret)
{
	uint32_t n = count_below(k, address, true);

	return n && kmem_kallsyms_at(k, count_below(k, address_of(k, n - 1), false), ret);
}

static int compare_names(const void *a, const void *b, void *names)
{
	const char *const *table = names;

	return strcmp(table[*(const uint32_t *)a], table[*(const uint32_t *)b]);
}

/* All names at once, sorted; too much text leaves things as they are, and nothing is found. */
static void sort_names(struct kmem_kallsyms *k)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ size_t *at = xcalloc(k->tables.n, sizeof(*at));
	_cleanup_free_ const char **names = xcalloc(k->tables.n, sizeof(*names));
	size_t used = 0, capacity = 0;
	uint32_t *sorted;

	for (uint32_t i = 0; i < k->tables.n; i++) {
		char kind;

		if (capacity - used < KMEM_LIMIT_SYMBOL_CHARS) {
			capacity = 2 * capacity + KMEM_LIMIT_SYMBOL_CHARS;
			if (capacity > KMEM_LIMIT_SORTED_BYTES)
				return;
			text = xreallocarray(text, capacity, 1);
		}
		at[i] = used;
		text[used] = 0;
		used += expand(k, i, text + used, KMEM_LIMIT_SYMBOL_CHARS, &kind) + 1;
	}
	sorted = xcalloc(k->tables.n, sizeof(*sorted));
	for (uint32_t i = 0; i < k->tables.n; i++) {
		names[i] = text + at[i];
		sorted[i] = i;
	}
	qsort_r(sorted, k->tables.n, sizeof(*sorted), compare_names, names);
	k->sorted = sorted;
}

bool kmem_kallsyms_number(struct kmem_kallsyms *k, const char *name, uint32_t nth, uint32_t *ret)
{
	uint32_t low = 0, high = k->tables.n;

	if (!k->has_order && !k->sorted)
		sort_names(k);
	if (!k->has_order && !k->sorted)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_with(k, middle, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (nth >= k->tables.n - low || compare_with(k, low + nth, name) != 0)
		return false;
	*ret = order_at(k, low + nth);
	return true;
}

bool kmem_kallsyms_find(struct kmem_kallsyms *k, const char *name, uint32_t nth,
			struct kmem_symbol *ret)
{
	uint32_t number;

	return kmem_kallsyms_number(k, name, nth, &number) && kmem_kallsyms_at(k, number, ret);
}
