// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/jemalloc.h"

#include <elf.h>
#include <string.h>

#include "elf/symbol.h"

static bool ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

bool jemalloc_is_tsd_symbol(const char *name)
{
	static const char suffix[] = "_tsd_tls";

	return strcmp(name, suffix + 1) == 0 ||
	       (strlen(name) > sizeof(suffix) - 1 && ends_with(name, suffix));
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

bool jemalloc_find_version(struct bytes rodata, char ret[JEMALLOC_VERSION_MAX])
{
	const uint8_t *at = rodata.at, *end = rodata.at + rodata.n;

	ret[0] = '\0';
	/* Other programs carry such strings too; jemalloc starts each of its messages with its
	 * name. */
	if (!rodata.n || !memmem(rodata.at, rodata.n, "<jemalloc>", 10))
		return false;
	while (at < end) {
		const uint8_t *nul = memchr(at, 0, (size_t)(end - at));
		const uint8_t *stop;

		if (!nul)
			return false;
		stop = version_end(at, nul + 1);
		if (stop && stop - at < JEMALLOC_VERSION_MAX) {
			memcpy(ret, at, (size_t)(stop - at) + 1);
			return true;
		}
		at = nul + 1;
	}
	return false;
}

struct sign_search {
	struct jemalloc_signs *signs;
};

static bool note_symbol(const struct elf_symbol *symbol, void *arg)
{
	struct jemalloc_signs *signs = ((struct sign_search *)arg)->signs;

	if (symbol->shndx == SHN_UNDEF || !symbol->name)
		return true;
	if (!signs->has_symbol && symbol->type == STT_TLS && jemalloc_is_tsd_symbol(symbol->name)) {
		signs->has_symbol = true;
		signs->symbol_name = symbol->name;
		signs->symbol_offset = symbol->value;
		signs->symbol_bytes = symbol->size;
	}
	if (!signs->exports_mallctl && symbol->type == STT_FUNC &&
	    ends_with(symbol->name, "mallctl"))
		signs->exports_mallctl = true;
	return !(signs->has_symbol && signs->exports_mallctl);
}

bool jemalloc_recognise(struct elf_image *image, struct jemalloc_signs *ret)
{
	struct jemalloc_signs signs = { 0 };
	struct sign_search search = { &signs };
	struct elf_tls tls;
	struct bytes rodata;
	_cleanup_error_ struct error *no_tls = elf_image_tls(image, &tls);
	_cleanup_error_ struct error *no_symbols = NULL;
	_cleanup_error_ struct error *no_rodata = NULL;

	if (no_tls)
		return false;
	no_symbols = elf_symbol_visit(image, note_symbol, &search);
	no_rodata = elf_image_section(image, ".rodata", &rodata);
	if (!no_rodata)
		jemalloc_find_version(rodata, signs.version);
	*ret = signs;
	return signs.has_symbol || signs.exports_mallctl || signs.version[0];
}
