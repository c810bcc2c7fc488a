// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/dwarf_view.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "elf/image_internal.h"
#include "elf/image.h"

/* Some readers of libdw look a few bytes past what they were given: let them find zeroes. */
#define PADDING_BYTES 256
#define SECTION_ALIGN 64

#define INFO 0
static const char *const section_names[] = {
	[INFO] = ".debug_info", ".debug_types",	      ".debug_abbrev",	 ".debug_str",
	".debug_line_str",	".debug_str_offsets", ".debug_cu_index", ".debug_tu_index",
};
#define N_SECTIONS ARRAY_SIZE(section_names)

struct view_section {
	struct elf_section *from; /* NULL: the image has none */
	char name[32];
	uint64_t offset; /* in the view's memory */
	uint64_t size;
};

struct elf_dwarf_view {
	struct elf_image *img;
	struct view_section sections[N_SECTIONS];
	uint64_t info_size; /* in the image; sections[INFO].size is what is shown */
	uint64_t names_offset;
	uint64_t headers_offset;
	uint8_t *memory;
	uint64_t n;
	Elf *elf;
	Dwarf *dwarf;
};

static const char *name_in_image(enum elf_dwarf_view_kind kind, size_t i, char buf[static 32])
{
	/* The two indexes of a .dwp carry no suffix, and mean nothing elsewhere. */
	bool is_index = strstr(section_names[i], "u_index") != NULL;

	if (kind == ELF_DWARF_VIEW_MAIN && is_index)
		return NULL;
	snprintf(buf, 32, "%s%s", section_names[i],
		 kind == ELF_DWARF_VIEW_DWO && !is_index ? ".dwo" : "");
	return buf;
}

/* Where each section will stand, and how much memory that takes. */
static struct error *lay_out(struct elf_dwarf_view *view, enum elf_dwarf_view_kind kind)
{
	uint64_t at = sizeof(Elf64_Ehdr);

	for (size_t i = 0; i < N_SECTIONS; i++) {
		struct view_section *s = &view->sections[i];
		const char *name = name_in_image(kind, i, s->name);
		struct error *err;

		s->from = name ? elf_find_section(view->img, name) : NULL;
		if (!s->from)
			continue;
		err = elf_section_size(view->img, s->from, &s->size);
		if (err)
			return err;
		if (s->size > ELF_LIMIT_SECTION_BYTES)
			return base_error(BASE_LIMIT, 0, "%s: %s has %lu bytes", view->img->label,
					  s->name, (unsigned long)s->size);
		at = (at + PADDING_BYTES + SECTION_ALIGN - 1) & ~(uint64_t)(SECTION_ALIGN - 1);
		s->offset = at;
		at += s->size;
	}
	at = (at + PADDING_BYTES + SECTION_ALIGN - 1) & ~(uint64_t)(SECTION_ALIGN - 1);
	view->names_offset = at;
	at += (N_SECTIONS + 2) * sizeof(view->sections[0].name);
	view->headers_offset = at;
	view->n = at + (N_SECTIONS + 2) * sizeof(Elf64_Shdr) + PADDING_BYTES;
	view->info_size = view->sections[INFO].size;
	return NULL;
}

static struct error *fill(struct elf_dwarf_view *view, const struct view_section *s, uint64_t from,
			  uint64_t n)
{
	struct bytes bytes;
	struct error *err;

	if (view->img->fd >= 0 && !s->from->loaded && !elf_section_is_compressed(s->from))
		return elf_read_at(view->img, s->from->header.sh_offset + from,
				   view->memory + s->offset, n);
	err = elf_load_section(view->img, s->from, &bytes);
	if (err)
		return err;
	if (from > bytes.n || n > bytes.n - from)
		return elf_error(ELF_TRUNCATED, 0, "%s: %s is shorter than it was",
				 view->img->label, s->name);
	if (n)
		memcpy(view->memory + s->offset, bytes.at + from, n);
	return NULL;
}

/* The only ELF that libdw ever parses, made from nothing but the layout. */
static void write_headers(struct elf_dwarf_view *view)
{
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = view->img->header.e_type == ET_REL ? ET_DYN : view->img->header.e_type,
		.e_machine = view->img->header.e_machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = view->headers_offset,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	const size_t name_size = sizeof(view->sections[0].name);
	Elf64_Shdr headers[N_SECTIONS + 2] = { { .sh_type = SHT_NULL } };
	uint8_t *names = view->memory + view->names_offset;
	uint16_t n = 1;

	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct view_section *s = &view->sections[i];

		if (!s->from)
			continue;
		memcpy(names + n * name_size, s->name, name_size);
		headers[n] = (Elf64_Shdr){
			.sh_name = (uint32_t)(n * name_size),
			.sh_type = SHT_PROGBITS,
			.sh_offset = s->offset,
			.sh_size = s->size,
			.sh_addralign = 1,
		};
		n++;
	}
	memcpy(names + n * name_size, ".shstrtab", sizeof(".shstrtab"));
	headers[n] = (Elf64_Shdr){
		.sh_name = (uint32_t)(n * name_size),
		.sh_type = SHT_STRTAB,
		.sh_offset = view->names_offset,
		.sh_size = (N_SECTIONS + 2) * name_size,
		.sh_addralign = 1,
	};
	ehdr.e_shstrndx = n++;
	ehdr.e_shnum = n;
	memcpy(view->memory, &ehdr, sizeof(ehdr));
	memcpy(view->memory + view->headers_offset, headers, sizeof(headers));
}

static void stop_libdw(struct elf_dwarf_view *view)
{
	if (view->dwarf)
		dwarf_end(view->dwarf);
	if (view->elf)
		elf_end(view->elf);
	view->dwarf = NULL;
	view->elf = NULL;
}

static struct error *show(struct elf_dwarf_view *view, uint64_t from, uint64_t n)
{
	struct view_section *info = &view->sections[INFO];
	struct error *err;

	stop_libdw(view);
	/* What an earlier, longer unit left behind must not follow a shorter one. */
	if (info->size > n)
		memset(view->memory + info->offset + n, 0, info->size - n);
	info->size = n;
	err = fill(view, info, from, n);
	if (err)
		return err;
	write_headers(view);
	view->elf = elf_memory((char *)view->memory, view->n);
	if (!view->elf)
		return elf_error(ELF_BAD_DWARF, 0, "%s: %s", view->img->label, elf_errmsg(-1));
	view->dwarf = dwarf_begin_elf(view->elf, DWARF_C_READ, NULL);
	if (!view->dwarf)
		return elf_error(ELF_BAD_DWARF, 0, "%s: %s", view->img->label, dwarf_errmsg(-1));
	return NULL;
}

struct error *elf_dwarf_view_new(struct elf_image *img, enum elf_dwarf_view_kind kind,
				 struct elf_dwarf_view **ret)
{
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = xnew(struct elf_dwarf_view);
	struct error *err;

	view->img = img;
	err = lay_out(view, kind);
	if (err)
		return err;
	if (!view->info_size)
		return elf_error(ELF_NO_DEBUG_INFO, 0, "%s has no populated .debug_info%s",
				 img->label, kind == ELF_DWARF_VIEW_DWO ? ".dwo" : "");
	view->memory = mmap(NULL, view->n, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (view->memory == MAP_FAILED) {
		view->memory = NULL;
		return base_error(BASE_LIMIT, errno, "%s: %lu bytes of debug information",
				  img->label, (unsigned long)view->n);
	}
	/* Hundreds of megabytes in 4 KiB faults would cost more than reading them. */
	madvise(view->memory, view->n, MADV_HUGEPAGE);
	for (size_t i = INFO + 1; i < N_SECTIONS; i++) {
		if (!view->sections[i].from)
			continue;
		err = fill(view, &view->sections[i], 0, view->sections[i].size);
		if (err)
			return err;
	}
	view->sections[INFO].size = 0;
	*ret = take_ptr(view);
	return NULL;
}

void elf_dwarf_view_free(struct elf_dwarf_view *view)
{
	if (!view)
		return;
	stop_libdw(view);
	if (view->memory)
		munmap(view->memory, view->n);
	free(view);
}

struct error *elf_dwarf_view_load_all(struct elf_dwarf_view *view)
{
	return show(view, 0, view->info_size);
}

struct error *elf_dwarf_view_load_unit(struct elf_dwarf_view *view, uint64_t offset)
{
	const struct view_section *info = &view->sections[INFO];
	uint64_t n, header = 4;
	struct cursor c;
	struct error *err;

	if (offset >= view->info_size)
		return elf_error(ELF_BAD_DWARF, 0, "%s: a unit at %#lx, outside .debug_info",
				 view->img->label, (unsigned long)offset);
	n = view->info_size - offset < 12 ? view->info_size - offset : 12;
	err = fill(view, info, offset, n);
	if (err)
		return err;
	c = cursor_over((struct bytes){ view->memory + info->offset, n });
	n = cursor_u32(&c);
	if (n == UINT32_MAX) {
		n = cursor_u64(&c);
		header = 12;
	}
	if (c.failed || n > view->info_size - offset - header)
		return elf_error(ELF_BAD_DWARF, 0,
				 "%s: the unit at %#lx is longer than .debug_info",
				 view->img->label, (unsigned long)offset);
	return show(view, offset, header + n);
}

Dwarf *elf_dwarf_view_dwarf(const struct elf_dwarf_view *view)
{
	return view->dwarf;
}

struct bytes elf_dwarf_view_section(const struct elf_dwarf_view *view, const char *name)
{
	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct view_section *s = &view->sections[i];

		if (s->from && strcmp(section_names[i], name) == 0)
			return (struct bytes){ view->memory + s->offset, s->size };
	}
	return (struct bytes){ 0 };
}

struct bytes elf_dwarf_view_unit(const struct elf_dwarf_view *view, Dwarf_Die *unit_die)
{
	static const char *const sections[] = { ".debug_info", ".debug_types" };
	const uint8_t *start = (const uint8_t *)unit_die->addr - dwarf_cuoffset(unit_die);

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct bytes in = elf_dwarf_view_section(view, sections[i]);
		struct bytes rest;
		struct cursor c;
		uint64_t n;

		if (!in.n || start < in.at || start >= in.at + in.n)
			continue;
		rest = (struct bytes){ start, (size_t)(in.at + in.n - start) };
		c = cursor_over(rest);
		n = cursor_u32(&c);
		if (n == UINT32_MAX)
			n = cursor_u64(&c);
		if (n < cursor_left(&c))
			rest.n = c.offset + n;
		return rest;
	}
	return (struct bytes){ 0 };
}

const char *elf_dwarf_view_label(const struct elf_dwarf_view *view)
{
	return view->img->label;
}
