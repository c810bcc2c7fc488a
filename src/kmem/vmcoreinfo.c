// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/vmcoreinfo.h"

#include <ctype.h>
#include <stdio.h>

#include "base/alloc.h"

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

#define BEGINNING "VMCOREINFO\0\0OSRELEASE="
enum {
	NAME_BYTES = 11,
	SHORTEST_TEXT = 64,
	LOOK_BYTES = 12 + sizeof(BEGINNING) - 1,
	CHUNK_BYTES = 64 * KMEM_PAGE_BYTES,
};

void kmem_note_scan_init(struct kmem_note_scan *scan, const struct kmem_reader *reader)
{
	*scan = (struct kmem_note_scan){ .reader = reader, .chunk = xcalloc(CHUNK_BYTES, 1) };
}

void kmem_note_scan_deinit(struct kmem_note_scan *scan)
{
	free(scan->chunk);
	scan->chunk = NULL;
}

/* The length of the text if a page begins like this. */
static bool begins_a_note(const uint8_t *page, uint32_t *ret_n)
{
	struct cursor c = cursor_over((struct bytes){ page, LOOK_BYTES });
	uint32_t name_n = cursor_u32(&c), text_n = cursor_u32(&c), type = cursor_u32(&c);

	if (name_n != NAME_BYTES || type != 0 || text_n < SHORTEST_TEXT ||
	    text_n > KMEM_LIMIT_NOTE_BYTES ||
	    memcmp(page + c.offset, BEGINNING, sizeof(BEGINNING) - 1) != 0)
		return false;
	*ret_n = text_n;
	return true;
}

static bool take_note(const struct kmem_note_scan *scan, uint64_t physical, const uint8_t *page,
		      struct kmem_note *ret)
{
	uint32_t n;

	if (!begins_a_note(page, &n) ||
	    scan->reader->read(scan->reader, physical + KMEM_NOTE_HEADER_BYTES, ret->text, n) !=
		    KMEM_READ_OK)
		return false;
	ret->physical = physical;
	ret->n = n;
	return true;
}

/* The pages from `at` up to `end`, at most one chunk; scan->next is where to go on. */
static bool look_through(struct kmem_note_scan *scan, uint64_t at, uint64_t end,
			 struct kmem_note *ret)
{
	uint64_t n = end - at < CHUNK_BYTES ? end - at : CHUNK_BYTES;
	bool whole = scan->reader->read(scan->reader, at, scan->chunk, n) == KMEM_READ_OK;

	for (uint64_t into = 0; into < n; into += KMEM_PAGE_BYTES) {
		uint8_t *page = scan->chunk + into;

		scan->next = at + into + KMEM_PAGE_BYTES;
		scan->looked_bytes += KMEM_PAGE_BYTES;
		/* A hole in the middle, or RAM that ends inside a page: page for page. */
		if (!whole &&
		    scan->reader->read(scan->reader, at + into, page, LOOK_BYTES) != KMEM_READ_OK) {
			scan->n_unreadable++;
			continue;
		}
		if (take_note(scan, at + into, page, ret))
			return true;
	}
	return false;
}

struct error *kmem_note_scan_next(struct kmem_note_scan *scan, struct kmem_note *ret,
				  bool *ret_found)
{
	uint64_t start, end;

	while (scan->reader->next_data(scan->reader, scan->next, &start, &end)) {
		start &= ~(uint64_t)(KMEM_PAGE_BYTES - 1);
		if (start < scan->next)
			start = scan->next;
		if (!round_up_fits_u64(end, KMEM_PAGE_BYTES, &end))
			break;
		while (start < end) {
			if (look_through(scan, start, end, ret)) {
				*ret_found = true;
				return NULL;
			}
			if (scan->n_unreadable > KMEM_LIMIT_UNREADABLE_PAGES)
				return base_error(BASE_LIMIT, 0,
						  "more than %d pages of memory cannot be read",
						  KMEM_LIMIT_UNREADABLE_PAGES);
			start = scan->next;
		}
	}
	*ret_found = false;
	return NULL;
}
