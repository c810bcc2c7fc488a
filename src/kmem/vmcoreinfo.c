// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/vmcoreinfo.h"

#include <ctype.h>
#include <stdio.h>

void kmem_vmcoreinfo_deinit(struct kmem_vmcoreinfo *info)
{
	free(info->text);
	info->text = NULL;
	vec_deinit(&info->lines);
}

/* Digits alone, all of them: strtoull() would take blanks, signs and what follows. */
static bool parse_digits(const char *text, unsigned int base, uint64_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned int digit = isdigit((unsigned char)*text) ? (unsigned int)(*text - '0')
				     : *text >= 'a' && *text <= 'f'
					     ? (unsigned int)(*text - 'a') + 10
					     : 99;

		if (digit >= base || !mul_fits_u64(value, base, &value) ||
		    !add_fits_u64(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

static bool parse_number(const char *text, uint64_t *ret)
{
	uint64_t value;

	if (strncmp(text, "0x", 2) == 0)
		return parse_digits(text + 2, 16, ret);
	if (*text != '-')
		return parse_digits(text, 10, ret);
	if (!parse_digits(text + 1, 10, &value) || value > UINT64_C(1) << 63)
		return false;
	*ret = 0 - value;
	return true;
}

const char *kmem_vmcoreinfo_find(const struct kmem_vmcoreinfo *info, const char *key)
{
	for (size_t i = 0; i < info->lines.n; i++) {
		if (strcmp(info->lines.at[i].key, key) == 0)
			return info->lines.at[i].value;
	}
	return NULL;
}

static const char *find_in(const struct kmem_vmcoreinfo *info, const char *kind, const char *name)
{
	char key[128];
	int n = snprintf(key, sizeof(key), "%s(%s)", kind, name);

	return n > 0 && (size_t)n < sizeof(key) ? kmem_vmcoreinfo_find(info, key) : NULL;
}

bool kmem_vmcoreinfo_symbol(const struct kmem_vmcoreinfo *info, const char *name, uint64_t *ret)
{
	const char *value = find_in(info, "SYMBOL", name);

	return value && parse_digits(value, 16, ret);
}

bool kmem_vmcoreinfo_number(const struct kmem_vmcoreinfo *info, const char *name, uint64_t *ret)
{
	const char *value = find_in(info, "NUMBER", name);

	return value && parse_number(value, ret);
}

bool kmem_note_line_symbol(const struct kmem_note_line *line, char *buf, size_t size,
			   uint64_t *ret_value)
{
	const char *open = "SYMBOL(";
	size_t skip = strlen(open), n = strlen(line->key);

	if (strncmp(line->key, open, skip) != 0 || n < skip + 2 || line->key[n - 1] != ')' ||
	    n - skip - 1 >= size || !parse_digits(line->value, 16, ret_value))
		return false;
	memcpy(buf, line->key + skip, n - skip - 1);
	buf[n - skip - 1] = 0;
	return true;
}

static struct error *split_lines(struct kmem_vmcoreinfo *info)
{
	char *rest = info->text, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (!*line)
			continue;
		if (!value || value == line)
			return kmem_error(KMEM_BAD_NOTE, 0, "a line has no key and value");
		if (info->lines.n == KMEM_LIMIT_NOTE_LINES)
			return base_error(BASE_LIMIT, 0, "VMCOREINFO has more than %d lines",
					  KMEM_LIMIT_NOTE_LINES);
		*value++ = 0;
		vec_push(&info->lines, (struct kmem_note_line){ line, value });
	}
	return NULL;
}

static bool is_hex(const char *text)
{
	return *text && text[strspn(text, "0123456789abcdef")] == 0;
}

static struct error *read_needed(struct kmem_vmcoreinfo *info)
{
	const char *page_size = kmem_vmcoreinfo_find(info, "PAGESIZE");
	const char *offset = kmem_vmcoreinfo_find(info, "KERNELOFFSET");
	uint64_t five = 0;

	info->release = kmem_vmcoreinfo_find(info, "OSRELEASE");
	info->build_id = kmem_vmcoreinfo_find(info, "BUILD-ID");
	if (!info->release || !*info->release)
		return kmem_error(KMEM_BAD_NOTE, 0, "no OSRELEASE");
	if (info->build_id && !is_hex(info->build_id))
		info->build_id = NULL;
	if (!page_size || strcmp(page_size, "4096") != 0)
		return kmem_error(KMEM_BAD_NOTE, 0, "the page size is not 4096");
	if (!kmem_vmcoreinfo_symbol(info, "swapper_pg_dir", &info->page_table) &&
	    !kmem_vmcoreinfo_symbol(info, "init_top_pgt", &info->page_table))
		return kmem_error(KMEM_BAD_NOTE, 0, "no SYMBOL(swapper_pg_dir)");
	if (!kmem_vmcoreinfo_number(info, "phys_base", &info->phys_base))
		return kmem_error(KMEM_BAD_NOTE, 0, "no NUMBER(phys_base)");
	if (offset && !parse_digits(offset, 16, &info->kaslr_offset))
		return kmem_error(KMEM_BAD_NOTE, 0, "KERNELOFFSET is not a number");
	if (!kmem_vmcoreinfo_number(info, "pgtable_l5_enabled", &five))
		five = 0;
	info->levels = five ? 5 : 4;
	if (!kmem_vmcoreinfo_number(info, "sme_mask", &info->encryption_mask))
		info->encryption_mask = 0;
	return NULL;
}

struct error *kmem_vmcoreinfo_parse(struct bytes text, struct kmem_vmcoreinfo *ret)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };
	struct error *err;

	if (text.n > KMEM_LIMIT_NOTE_BYTES)
		return base_error(BASE_LIMIT, 0, "VMCOREINFO of %zu bytes", text.n);
	for (size_t i = 0; i < text.n; i++) {
		if ((text.at[i] < ' ' && text.at[i] != '\n') || text.at[i] > '~')
			return kmem_error(KMEM_BAD_NOTE, 0, "byte %zu is not text", i);
	}
	info.text = xstrndup(text.n ? (const char *)text.at : "", text.n);
	err = split_lines(&info);
	if (!err)
		err = read_needed(&info);
	if (err)
		return err;
	*ret = info;
	info = (struct kmem_vmcoreinfo){ 0 };
	return NULL;
}
