// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/pages/pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "vm/link/exec.h"

enum {
	PAGE = 4096,
	ENTRIES = 4096, /* of the page map, at once */
	OWNERS_SEC = 60,
	LIMIT_OUTPUT = 64 << 20,
};

/* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_FILE	(UINT64_C(1) << 61)

struct page {
	uint64_t address; /* guest-physical */
	uint64_t hash;
};

struct page_list {
	VEC(struct page) pages; /* by rising address */
};

static void page_list_deinit(struct page_list *list)
{
	vec_deinit(&list->pages);
}
#define _cleanup_page_list_ __attribute__((cleanup(page_list_deinit)))

/* A page that was written is no longer the file's. */
static bool is_changed(uint64_t entry)
{
	return (entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) && !(entry & PAGEMAP_FILE);
}

static struct error *add_page(const struct physmap *map, uint64_t address, struct page_list *into)
{
	uint64_t words[PAGE / sizeof(uint64_t)];
	uint64_t hash = HASH_INIT;
	struct error *err = physmap_read_exact(map, address, words, sizeof(words));

	if (err)
		return err;
	/* Words, not bytes: there are thousands of pages. */
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	vec_push(&into->pages, (struct page){ address, hash });
	return NULL;
}

static struct error *add_segment(const struct physmap *map, const struct physmap_segment *s, int fd,
				 struct page_list *into)
{
	uint64_t entries[ENTRIES];
	struct error *err = NULL;

	for (uint64_t at = 0; !err && at < s->length / PAGE;) {
		uint64_t left = s->length / PAGE - at;
		size_t want = (left < ENTRIES ? left : ENTRIES) * sizeof(entries[0]);
		off_t from = (off_t)((s->offset / PAGE + at) * sizeof(entries[0]));
		ssize_t n = pread(fd, entries, want, from);

		if (n <= 0 || n % (ssize_t)sizeof(entries[0]))
			return vm_error(VM_QEMU_FAILED, n < 0 ? errno : EIO,
					"cannot read QEMU's page map");
		for (size_t i = 0; !err && i < (size_t)n / sizeof(entries[0]); i++)
			if (is_changed(entries[i]))
				err = add_page(map, s->start + (at + i) * PAGE, into);
		at += (uint64_t)n / sizeof(entries[0]);
	}
	return err;
}

static struct error *find_changed(const struct vm *vm, struct page_list *ret)
{
	_cleanup_page_list_ struct page_list list = { 0 };
	_cleanup_physmap_ struct physmap *map = NULL;
	_cleanup_free_ char *path = xasprintf("/proc/%d/pagemap", vm_facts(vm).qemu_pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct error *err = vm_physmap(vm, &map);

	if (err)
		return err;
	if (fd < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot open %s", path);
	for (size_t i = 0; !err && i < map->segments.n; i++) {
		if (map->segments.at[i].kind != PHYSMAP_PROCESS)
			return vm_error(VM_CLONE, 0, "a guest that is not a clone has no template");
		err = add_segment(map, &map->segments.at[i], fd, &list);
	}
	if (err)
		return err;
	*ret = list;
	list = (struct page_list){ 0 };
	return NULL;
}

struct asked {
	struct strbuf iomem, flags;
};

static struct error *take_output(void *context, enum vm_stream stream, const void *bytes, size_t n)
{
	struct asked *asked = context;
	struct strbuf *into = stream == VM_STDOUT ? &asked->iomem : &asked->flags;

	if (into->n + n > LIMIT_OUTPUT)
		return base_error(BASE_LIMIT, 0,
				  "the guest's list of pages is larger than %d bytes",
				  LIMIT_OUTPUT);
	strbuf_append_bytes(into, bytes, n);
	return NULL;
}

static struct error *ask_owners(struct vm *vm, const struct cancel *cancel, struct asked *asked)
{
	static const char *const argv[] = { "sh", "-c", "cat /proc/iomem; cat /proc/kpageflags >&2",
					    NULL };
	struct vm_command command = {
		.argv = argv,
		.stdin_fd = -1,
		.on_output = take_output,
		.context = asked,
		.timeout_ns = OWNERS_SEC * NS_PER_SEC,
	};
	struct vm_end end;

	return vm_exec(vm, &command, cancel, &end);
}

static struct error *format(const struct page_list *list, const struct asked *asked,
			    struct strbuf *into)
{
	_cleanup_vm_page_owners_ struct vm_page_owners owners = { 0 };
	struct bytes flags = { (const uint8_t *)asked->flags.at, asked->flags.n };
	struct error *err;

	err = vm_page_owners_parse(strbuf_str(&asked->iomem), asked->iomem.n, flags, &owners);
	for (size_t i = 0; !err && i < list->pages.n; i++) {
		const struct page *page = &list->pages.at[i];

		strbuf_appendf(into, "%#" PRIx64 " %016" PRIx64 " ", page->address, page->hash);
		vm_page_owners_format(&owners, page->address, into);
		strbuf_append_char(into, '\n');
	}
	return err;
}

struct error *vm_pages_format(struct vm *vm, const struct cancel *cancel, struct strbuf *into)
{
	_cleanup_page_list_ struct page_list list = { 0 };
	struct asked asked = { 0 };
	struct error *err = find_changed(vm, &list);

	if (!err)
		err = ask_owners(vm, cancel, &asked);
	if (!err)
		err = format(&list, &asked, into);
	strbuf_deinit(&asked.iomem);
	strbuf_deinit(&asked.flags);
	return error_wrap(err, "reading the guest's pages");
}
