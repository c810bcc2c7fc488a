// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/jemalloc.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "base/slice.h"

bool probe_jemalloc_is_tsd_symbol(const char *name, size_t n)
{
	static const char suffix[] = "_tsd_tls";
	size_t m = sizeof(suffix) - 1;

	return (n == m - 1 || n > m) &&
	       slice_ends_with((struct slice){ name, n }, n > m ? suffix : suffix + 1);
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* The end of `<digits>.<digits>.<digits>-<digits>-g<7 or more hex digits>\0` starting here, or
 * NULL. */
static const uint8_t *version_end(const uint8_t *p, const uint8_t *end)
{
	static const char separators[] = { '.', '.', '-', '-' };
	const uint8_t *hash;

	for (size_t i = 0; i < sizeof(separators); i++) {
		const uint8_t *digits = p;

		while (p < end && is_digit(*p))
			p++;
		if (p == digits || p == end || *p++ != (uint8_t)separators[i])
			return NULL;
	}
	if (p == end || *p++ != 'g')
		return NULL;
	hash = p;
	while (p < end && is_hex(*p))
		p++;
	return p - hash >= 7 && p < end && *p == '\0' ? p : NULL;
}

/*
 * jemalloc starts each of its messages with its name in angle brackets. The text is not written
 * here in one piece: our own programs know versions of jemalloc, and must not be taken for it.
 */
static bool has_messages_of_jemalloc(struct bytes rodata)
{
	static const char mark[] = "<jemalloc";
	const size_t n = sizeof(mark) - 1;
	const uint8_t *at = rodata.at, *end = rodata.at + rodata.n;

	while (at < end && (at = memmem(at, (size_t)(end - at), mark, n))) {
		at += n;
		if (at < end && *at == '>')
			return true;
	}
	return false;
}

bool probe_jemalloc_find_version(struct bytes rodata, char ret[PROBE_LIMIT_JEMALLOC_VERSION])
{
	const uint8_t *at = rodata.at, *end = rodata.at + rodata.n;

	ret[0] = '\0';
	/* Other programs carry such strings too. */
	if (!rodata.n || !has_messages_of_jemalloc(rodata))
		return false;
	while (at < end) {
		const uint8_t *nul = memchr(at, 0, (size_t)(end - at));
		const uint8_t *stop;

		if (!nul)
			return false;
		stop = version_end(at, nul + 1);
		if (stop && stop - at < PROBE_LIMIT_JEMALLOC_VERSION) {
			memcpy(ret, at, (size_t)(stop - at) + 1);
			return true;
		}
		at = nul + 1;
	}
	return false;
}

/* A walk over symbols that may be stopped, and that ends when it has looked at too much. */
struct name_walk {
	const struct cancel *cancel;
	uint64_t left; /* characters that may still be looked at */
	uint64_t bytes_to_look, symbols_to_look;
	struct error *error;

	struct probe_jemalloc_signs *signs;
	struct elf_symbol *tsd;
	bool found_tsd;
};

static bool may_go_on(struct name_walk *walk, uint64_t bytes)
{
	if (bytes < walk->bytes_to_look && --walk->symbols_to_look) {
		walk->bytes_to_look -= bytes;
		return true;
	}
	walk->bytes_to_look = PROBE_CANCEL_BYTES;
	walk->symbols_to_look = PROBE_CANCEL_SYMBOLS;
	walk->error = cancel_error(walk->cancel, "looking for jemalloc");
	return !walk->error;
}

/* Measures the name, the one thing here whose cost the file decides; false ends the walk. */
static bool measure(struct name_walk *walk, const char *name, size_t *ret)
{
	size_t n = strnlen(name, walk->left);

	if (n == walk->left) {
		walk->error = base_error(
			BASE_LIMIT, 0, "its symbols have more than %" PRIu64 " characters of names",
			PROBE_LIMIT_NAME_BYTES);
		return false;
	}
	walk->left -= n;
	*ret = n;
	return may_go_on(walk, n);
}

static bool note_sign(const struct elf_symbol *symbol, void *arg)
{
	struct name_walk *walk = arg;
	struct probe_jemalloc_signs *signs = walk->signs;
	size_t n;

	if (symbol->shndx == SHN_UNDEF || !symbol->name ||
	    (symbol->type != STT_TLS && symbol->type != STT_FUNC))
		return may_go_on(walk, 0);
	if (!measure(walk, symbol->name, &n))
		return false;
	if (!signs->has_symbol && symbol->type == STT_TLS &&
	    probe_jemalloc_is_tsd_symbol(symbol->name, n)) {
		signs->has_symbol = true;
		signs->symbol_name = symbol->name;
		signs->symbol_offset = symbol->value;
		signs->symbol_bytes = symbol->size;
	}
	if (!signs->exports_mallctl && symbol->type == STT_FUNC &&
	    slice_ends_with((struct slice){ symbol->name, n }, "mallctl"))
		signs->exports_mallctl = true;
	return !(signs->has_symbol && signs->exports_mallctl);
}

static bool stop_at_tsd(const struct elf_symbol *symbol, void *arg)
{
	struct name_walk *walk = arg;
	size_t n;

	if (symbol->shndx == SHN_UNDEF || !symbol->name)
		return may_go_on(walk, 0);
	if (!measure(walk, symbol->name, &n))
		return false;
	if (!probe_jemalloc_is_tsd_symbol(symbol->name, n))
		return true;
	*walk->tsd = *symbol;
	walk->found_tsd = true;
	return false;
}

static struct error *walk_names(struct elf_image *image, elf_symbol_visit_fn visit,
				struct name_walk *walk)
{
	struct error *err;

	walk->left = PROBE_LIMIT_NAME_BYTES;
	walk->bytes_to_look = PROBE_CANCEL_BYTES;
	walk->symbols_to_look = PROBE_CANCEL_SYMBOLS;
	err = elf_symbol_visit(image, visit, walk);
	if (!err && walk->error)
		err = error_wrap(take_ptr(walk->error), "%s", elf_image_label(image));
	return err;
}

struct error *probe_jemalloc_find_tsd_symbol(struct elf_image *image, const struct cancel *cancel,
					     struct elf_symbol *ret)
{
	struct elf_symbol found;
	struct name_walk walk = { .cancel = cancel, .tsd = &found };
	struct error *err = walk_names(image, stop_at_tsd, &walk);

	if (err)
		return err;
	if (!walk.found_tsd)
		return base_error(BASE_ABSENT, 0, "no *tsd_tls in .symtab or .dynsym of %s",
				  elf_image_label(image));
	*ret = found;
	return NULL;
}

/* True when something was not read, rather than not there. */
static bool is_unread(const struct error *err)
{
	return err && !error_is(err, &base_error_domain, BASE_ABSENT);
}

struct error *probe_jemalloc_recognise(struct elf_image *image, const struct cancel *cancel,
				       struct probe_jemalloc_signs *ret)
{
	struct probe_jemalloc_signs signs = { 0 };
	struct name_walk walk = { .cancel = cancel, .signs = &signs };
	struct elf_tls tls;
	struct bytes rodata;
	_cleanup_error_ struct error *no_tls = elf_image_tls(image, &tls);
	_cleanup_error_ struct error *no_symbols = NULL;
	_cleanup_error_ struct error *no_rodata = NULL;

	if (is_unread(no_tls))
		return take_ptr(no_tls);
	if (no_tls) {
		*ret = signs;
		return NULL;
	}
	no_symbols = walk_names(image, note_sign, &walk);
	if (error_is(no_symbols, &base_error_domain, BASE_CANCELLED))
		return take_ptr(no_symbols);
	no_rodata = elf_image_section(image, ".rodata", &rodata);
	if (!no_rodata)
		probe_jemalloc_find_version(rodata, signs.version);
	signs.any = signs.has_symbol || signs.exports_mallctl || signs.version[0];
	if (!signs.any && is_unread(no_symbols))
		return take_ptr(no_symbols);
	if (!signs.any && is_unread(no_rodata))
		return take_ptr(no_rodata);
	*ret = signs;
	return NULL;
}

enum {
	ALIGNMENT = 8,
	/* 5.3: the state's word, two counters and their next events. */
	WORDS_AFTER_STATE_BYTES = 5 * 8,
	/* 5.2: the state's word, counters and more, then the cache, all zero until it is used. */
	CACHE_AFTER_STATE_BYTES = 0x30,
};

static bool is_zero(struct bytes image, size_t begin, size_t n)
{
	if (begin > image.n || n > image.n - begin)
		return false;
	for (size_t i = 0; i < n; i++)
		if (image.at[begin + i])
			return false;
	return true;
}

static bool is_unused_cache(struct bytes image, size_t begin)
{
	for (size_t i = 0; i < PROBE_TSD_RTREE_PAIRS; i++) {
		uint64_t pair[2];

		memcpy(pair, image.at + begin + i * sizeof(pair), sizeof(pair));
		if (pair[0] != PROBE_TSD_RTREE_NO_KEY || pair[1])
			return false;
	}
	return true;
}

size_t probe_tsd_image_find(struct bytes image, struct probe_tsd_place *ret, size_t max)
{
	size_t found = 0;

	for (size_t at = 0; at < image.n; at += ALIGNMENT) {
		bool before;

		if (image.at[at] != PROBE_TSD_STATE_UNINITIALIZED ||
		    !is_zero(image, at + 1, WORDS_AFTER_STATE_BYTES - 1))
			continue;
		before = at >= PROBE_TSD_RTREE_BYTES &&
			 is_unused_cache(image, at - PROBE_TSD_RTREE_BYTES);
		if (!before &&
		    !is_zero(image, at + 1, CACHE_AFTER_STATE_BYTES + PROBE_TSD_RTREE_BYTES - 1))
			continue;
		if (found < max)
			ret[found] = (struct probe_tsd_place){ at, before };
		found++;
	}
	return found;
}
