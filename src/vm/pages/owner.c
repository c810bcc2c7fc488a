// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/pages/pages.h"

#include <ctype.h>
#include <string.h>

/* Of include/uapi/linux/kernel-page-flags.h: those that say what a page is for. */
static const struct {
	unsigned int bit;
	const char *word;
} flag_words[] = {
	{ 7, "slab" },	     { 10, "free (buddy)" },   { 12, "anonymous" },
	{ 11, "mapped" },    { 5, "on a list (LRU)" }, { 14, "swap-backed" },
	{ 17, "huge page" }, { 19, "bad memory" },     { 20, "no page" },
	{ 24, "zero page" }, { 26, "page table" },     { 32, "reserved" },
};

void vm_page_owners_deinit(struct vm_page_owners *owners)
{
	vec_deinit(&owners->ranges);
}

static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *start = *at;
	uint64_t value = 0;

	for (; *at < end && isxdigit((unsigned char)**at) && *at - start < 16; (*at)++) {
		char c = (char)tolower((unsigned char)**at);

		value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*ret = value;
	return *at > start;
}

/* "  01000000-01ffffff : Kernel code"; two spaces for each step inward. */
static bool parse_line(const char *at, const char *end, struct vm_page_owner_range *ret)
{
	const char *start = at;
	size_t n;

	while (at < end && *at == ' ')
		at++;
	ret->depth = (unsigned int)(at - start) / 2;
	if (ret->depth > VM_LIMIT_PAGE_OWNER_DEPTH || !take_hex(&at, end, &ret->first))
		return false;
	if (at == end || *at++ != '-' || !take_hex(&at, end, &ret->last))
		return false;
	if (end - at < 4 || memcmp(at, " : ", 3) != 0 || ret->last < ret->first)
		return false;
	at += 3;
	n = (size_t)(end - at) < sizeof(ret->name) - 1 ? (size_t)(end - at) : sizeof(ret->name) - 1;
	for (size_t i = 0; i < n; i++)
		ret->name[i] = isprint((unsigned char)at[i]) ? at[i] : '?';
	ret->name[n] = '\0';
	return true;
}

struct error *vm_page_owners_parse(const char *iomem, size_t n, struct bytes kpageflags,
				   struct vm_page_owners *ret)
{
	_cleanup_vm_page_owners_ struct vm_page_owners owners = { .flags = kpageflags };
	const char *at = iomem, *end = iomem + n;
	uint64_t highest = 0;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct vm_page_owner_range range = { 0 };

		if (!stop)
			stop = end;
		if (owners.ranges.n == VM_LIMIT_PAGE_OWNER_RANGES)
			return base_error(BASE_LIMIT, 0, "/proc/iomem has more than %d lines",
					  VM_LIMIT_PAGE_OWNER_RANGES);
		if (!parse_line(at, stop, &range))
			return vm_error(VM_AGENT, 0, "/proc/iomem, line %zu: not a range",
					owners.ranges.n + 1);
		highest = range.last > highest ? range.last : highest;
		vec_push(&owners.ranges, range);
		at = stop + (stop < end);
	}
	if (highest == 0)
		return vm_error(VM_AGENT, 0,
				"/proc/iomem has no addresses: was it read without root?");
	*ret = owners;
	owners = (struct vm_page_owners){ 0 };
	return NULL;
}

static const struct vm_page_owner_range *find_deepest(const struct vm_page_owners *owners,
						      uint64_t address)
{
	const struct vm_page_owner_range *found = NULL;

	for (size_t i = 0; i < owners->ranges.n; i++) {
		const struct vm_page_owner_range *r = &owners->ranges.at[i];

		if (address >= r->first && address <= r->last &&
		    (!found || r->depth > found->depth))
			found = r;
	}
	return found;
}

static void append_flags(const struct vm_page_owners *owners, uint64_t address, struct strbuf *into)
{
	struct cursor c = cursor_over(owners->flags);
	const char *separator = ": ";
	uint64_t flags;

	cursor_seek(&c, address / 4096 * 8);
	flags = cursor_u64(&c);
	if (c.failed)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++) {
		if (!(flags >> flag_words[i].bit & 1))
			continue;
		strbuf_appendf(into, "%s%s", separator, flag_words[i].word);
		separator = ", ";
	}
	/* Pages that the kernel took for itself and gave no mark: stacks, tables, vmalloc. */
	if (separator[0] == ':')
		strbuf_append(into, ": kernel");
}

void vm_page_owners_format(const struct vm_page_owners *owners, uint64_t address,
			   struct strbuf *into)
{
	const struct vm_page_owner_range *range = find_deepest(owners, address);

	strbuf_append(into, range ? range->name : "no owner");
	if (range)
		append_flags(owners, address, into);
}
