// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/names.h"

#include "base/alloc.h"

enum {
	TOKEN_INDEX_BYTES = 512,
	/* Static symbols may share a name. */
	MOST_NAMESAKES = 16,
};

struct places {
	uint64_t names, n, tokens, token_index, offsets, relative_base, addresses;
};

void kmem_symbols_free(struct kmem_symbols *symbols)
{
	if (!symbols)
		return;
	kmem_kallsyms_free(symbols->table);
	free(symbols->names);
	free(symbols->tokens);
	free(symbols->places);
	free(symbols->order);
	free(symbols);
}

static struct error *find_places(const struct kmem_vmcoreinfo *info, struct places *ret)
{
	struct places p = { 0 };

	if (!kmem_vmcoreinfo_symbol(info, "kallsyms_names", &p.names) ||
	    !kmem_vmcoreinfo_symbol(info, "kallsyms_num_syms", &p.n) ||
	    !kmem_vmcoreinfo_symbol(info, "kallsyms_token_table", &p.tokens) ||
	    !kmem_vmcoreinfo_symbol(info, "kallsyms_token_index", &p.token_index))
		return kmem_error(KMEM_NO_SYMBOLS, 0,
				  "VMCOREINFO does not say where (Linux before 6.0)");
	if (!kmem_vmcoreinfo_symbol(info, "kallsyms_offsets", &p.offsets) &&
	    !kmem_vmcoreinfo_symbol(info, "kallsyms_addresses", &p.addresses))
		return kmem_error(KMEM_NO_SYMBOLS, 0, "VMCOREINFO has no addresses of symbols");
	if (!kmem_vmcoreinfo_symbol(info, "kallsyms_relative_base", &p.relative_base))
		p.relative_base = 0;
	/* Only the markers are between the names and the tokens, in all versions. */
	if (p.tokens <= p.names || p.token_index <= p.tokens)
		return kmem_error(KMEM_NO_SYMBOLS, 0, "the tables overlap");
	*ret = p;
	return NULL;
}

static struct error *read_table(struct kmem_space *space, uint64_t address, uint64_t n,
				uint64_t limit, const char *what, void **ret,
				struct bytes *ret_bytes)
{
	_cleanup_free_ void *buf = NULL;
	struct error *err = alloc_checked(n, 1, limit, what, &buf);

	if (!err)
		err = kmem_read_exact(space, address, buf, n, what);
	if (err)
		return err;
	*ret = take_ptr(buf);
	*ret_bytes = (struct bytes){ *ret, n };
	return NULL;
}

/* There is none before Linux 6.2: other bytes in its place are not taken for one. */
static void read_order(struct kmem_space *space, struct kmem_symbols *s, uint64_t address,
		       struct kmem_kallsyms_tables *tables)
{
	error_free(read_table(space, address, 3 * (uint64_t)tables->n, 3 * KMEM_LIMIT_SYMBOLS,
			      "the order of symbols", &s->order, &tables->order));
}

static struct error *read_tables(struct kmem_space *space, const struct places *p,
				 struct kmem_symbols *s, struct kmem_kallsyms_tables *ret)
{
	struct kmem_kallsyms_tables t = { .places_at = p->offsets ? p->offsets : p->addresses };
	unsigned int width = p->offsets ? 4 : 8;
	uint32_t n = 0;
	struct error *err = kmem_read_exact(space, p->n, &n, sizeof(n), "the number of symbols");

	if (err)
		return err;
	if (n == 0 || n > KMEM_LIMIT_SYMBOLS)
		return base_error(BASE_LIMIT, 0, "the kernel claims %u symbols", n);
	t.n = n;
	err = read_table(space, p->names, p->tokens - p->names, KMEM_LIMIT_NAMES_BYTES,
			 "names of symbols", &s->names, &t.names);
	if (!err)
		err = read_table(space, p->tokens, p->token_index - p->tokens,
				 KMEM_LIMIT_TOKENS_BYTES, "tokens of symbols", &s->tokens,
				 &t.tokens);
	if (!err)
		err = kmem_read_exact(space, p->token_index, s->token_index, sizeof(s->token_index),
				      "the index of tokens");
	t.token_index = (struct bytes){ s->token_index, sizeof(s->token_index) };
	if (!err)
		err = read_table(space, t.places_at, (uint64_t)width * n,
				 8 * (uint64_t)KMEM_LIMIT_SYMBOLS, "addresses of symbols",
				 &s->places, &t.places);
	if (!err && p->relative_base)
		err = kmem_read_exact(space, p->relative_base, &t.relative_base, 8,
				      "the base of symbols");
	if (err)
		return err;
	read_order(space, s,
		   p->relative_base ? p->relative_base + 8 : t.places_at + (uint64_t)width * n, &t);
	*ret = t;
	return NULL;
}

/* These two lines hold values of variables, not their addresses. */
static bool is_value(const char *name)
{
	return strcmp(name, "mem_section") == 0 || strcmp(name, "vmemmap") == 0;
}

bool kmem_symbols_told(const struct kmem_vmcoreinfo *info, size_t i, char *buf, size_t size,
		       uint64_t *ret_address)
{
	return kmem_note_line_symbol(&info->lines.at[i], buf, size, ret_address) && !is_value(buf);
}

static void compare(struct kmem_kallsyms *k, const struct kmem_vmcoreinfo *info,
		    unsigned int *ret_agree, unsigned int *ret_differ)
{
	struct kmem_symbol symbol;
	char name[128];

	*ret_agree = *ret_differ = 0;
	for (size_t i = 0; i < info->lines.n; i++) {
		uint64_t address;
		uint32_t nth = 0;
		bool agree = false;

		if (!kmem_symbols_told(info, i, name, sizeof(name), &address))
			continue;
		while (!agree && nth < MOST_NAMESAKES &&
		       kmem_kallsyms_find(k, name, nth, &symbol)) {
			agree = symbol.address == address;
			nth++;
		}
		*ret_agree += agree;
		*ret_differ += !agree && nth;
	}
}

static struct error *choose_mode(struct kmem_symbols *s, const struct kmem_vmcoreinfo *info,
				 const struct places *p)
{
	static const enum kmem_kallsyms_mode with_offsets[] = { KMEM_KALLSYMS_PLACE,
								KMEM_KALLSYMS_RELATIVE,
								KMEM_KALLSYMS_PERCPU };
	enum kmem_kallsyms_mode best = KMEM_KALLSYMS_ABSOLUTE;
	unsigned int agree, differ;

	for (size_t i = 0; i < (p->offsets ? ARRAY_SIZE(with_offsets) : 1); i++) {
		enum kmem_kallsyms_mode mode = p->offsets ? with_offsets[i]
							  : KMEM_KALLSYMS_ABSOLUTE;

		if ((mode == KMEM_KALLSYMS_RELATIVE || mode == KMEM_KALLSYMS_PERCPU) &&
		    !p->relative_base)
			continue;
		if (!kmem_kallsyms_set_mode(s->table, mode))
			continue;
		compare(s->table, info, &agree, &differ);
		if (agree > s->n_agree && agree > 2 * differ) {
			s->n_agree = agree;
			best = mode;
		}
	}
	if (s->n_agree < KMEM_LEAST_AGREEING || !kmem_kallsyms_set_mode(s->table, best))
		return kmem_error(KMEM_NO_SYMBOLS, 0,
				  "no known encoding of addresses agrees with VMCOREINFO");
	return NULL;
}

struct error *kmem_symbols_load(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				struct kmem_symbols **ret)
{
	_cleanup_kmem_symbols_ struct kmem_symbols *s = xnew(struct kmem_symbols);
	struct kmem_kallsyms_tables tables;
	struct places places;
	struct error *err = find_places(info, &places);

	if (!err)
		err = read_tables(space, &places, s, &tables);
	if (!err)
		err = kmem_kallsyms_parse(&tables, &s->table);
	if (!err)
		err = choose_mode(s, info, &places);
	if (err)
		return err;
	*ret = take_ptr(s);
	return NULL;
}

struct error *kmem_symbols_fingerprint(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				       uint64_t *ret)
{
	struct places p;
	struct error *err = find_places(info, &p);
	uint64_t n;

	if (err)
		return err;
	/* Names, markers, tokens and their index follow each other, in all versions. */
	n = p.token_index + TOKEN_INDEX_BYTES - p.names;
	if (n > KMEM_LIMIT_NAMES_BYTES + KMEM_LIMIT_TOKENS_BYTES)
		return base_error(BASE_LIMIT, 0, "%llu bytes of names", (unsigned long long)n);
	return kmem_fingerprint(space, p.names, n, "names of symbols", ret);
}

/* Out of the guest: it moves with every boot. */
static struct error *symbol_address(struct kmem_space *space, const struct kmem_vmcoreinfo *info,
				    enum kmem_kallsyms_mode mode, uint32_t number, uint64_t *ret)
{
	unsigned int width = mode == KMEM_KALLSYMS_ABSOLUTE ? 8 : 4;
	uint64_t base = 0, raw, at;
	enum kmem_status status;
	struct places p;
	struct error *err = find_places(info, &p);

	if (!err && p.relative_base)
		err = kmem_read_exact(space, p.relative_base, &base, 8, "the base of symbols");
	if (err)
		return err;
	if (!!p.offsets == (mode == KMEM_KALLSYMS_ABSOLUTE))
		return kmem_error(KMEM_NO_SYMBOLS, 0,
				  "addresses do not have the encoding that was cached");
	at = p.offsets ? p.offsets : p.addresses;
	status = kmem_read_uint(space, at + (uint64_t)width * number, width, &raw);
	if (status != KMEM_READ_OK)
		return kmem_unread(status, at, "addresses of symbols");
	*ret = kmem_kallsyms_address(mode, at, base, number, raw);
	return NULL;
}

void kmem_names_init(struct kmem_names *names, struct kmem_space *space,
		     const struct kmem_vmcoreinfo *info)
{
	*names = (struct kmem_names){ .space = space, .info = info };
}

static void forget(struct kmem_names *names)
{
	for (size_t i = 0; i < names->known.n; i++)
		free(names->known.at[i].name);
	vec_deinit(&names->known);
}

void kmem_names_deinit(struct kmem_names *names)
{
	forget(names);
	kmem_symbols_free(names->symbols);
	names->symbols = NULL;
}

struct error *kmem_names_table(struct kmem_names *names, struct kmem_kallsyms **ret)
{
	struct error *err = NULL;

	if (!names->symbols)
		err = kmem_symbols_load(names->space, names->info, &names->symbols);
	if (!err)
		*ret = names->symbols->table;
	return err;
}

static const struct kmem_known *find_known(const struct kmem_names *names, const char *name)
{
	for (size_t i = 0; i < names->known.n; i++) {
		if (strcmp(names->known.at[i].name, name) == 0)
			return &names->known.at[i];
	}
	return NULL;
}

static void remember(struct kmem_names *names, const char *name, uint32_t number, uint64_t address)
{
	if (names->known.n < KMEM_LIMIT_KNOWN)
		vec_push(&names->known, ((struct kmem_known){ xstrdup(name), number, address }));
}

struct error *kmem_names_find(struct kmem_names *names, const char *name, uint64_t *ret)
{
	const struct kmem_known *known = find_known(names, name);
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol, other;
	struct error *err;
	uint32_t number;

	if (known) {
		*ret = known->address;
		return NULL;
	}
	err = kmem_names_table(names, &table);
	if (err)
		return err;
	if (!kmem_kallsyms_number(table, name, 0, &number) ||
	    !kmem_kallsyms_at(table, number, &symbol))
		return kmem_error(KMEM_NO_SYMBOL, 0, "%s", name);
	for (uint32_t nth = 1; kmem_kallsyms_find(table, name, nth, &other); nth++) {
		if (other.address != symbol.address)
			return kmem_error(KMEM_NO_SYMBOL, 0, "%s is ambiguous: %#llx and %#llx",
					  name, (unsigned long long)symbol.address,
					  (unsigned long long)other.address);
	}
	remember(names, name, number, symbol.address);
	*ret = symbol.address;
	return NULL;
}

struct error *kmem_names_import(struct kmem_names *names, enum kmem_kallsyms_mode mode,
				const struct kmem_known *known, size_t n)
{
	unsigned int n_agree = 0, n_differ = 0;
	struct error *err = NULL;
	uint64_t told, address;
	char name[128];

	for (size_t i = 0; !err && i < n; i++) {
		err = symbol_address(names->space, names->info, mode, known[i].number, &address);
		if (!err)
			remember(names, known[i].name, known[i].number, address);
	}
	for (size_t i = 0; !err && i < names->info->lines.n; i++) {
		const struct kmem_known *found;

		if (!kmem_symbols_told(names->info, i, name, sizeof(name), &told))
			continue;
		found = find_known(names, name);
		n_agree += found && found->address == told;
		n_differ += found && found->address != told;
	}
	/* As when the table is loaded: one that shares its name may be another. */
	if (!err && (n_agree < KMEM_LEAST_AGREEING || n_agree <= 2 * n_differ))
		err = kmem_error(KMEM_NO_SYMBOLS, 0, "%u are where VMCOREINFO says, %u are not",
				 n_agree, n_differ);
	if (err)
		forget(names);
	return err;
}
