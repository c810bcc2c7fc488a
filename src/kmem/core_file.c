// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/core_file.h"

#include <elf.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "kmem/limits.h"

#define NOTE_NAME "VMCOREINFO"
#define CPU_NAME  "CORE"
_Static_assert(sizeof(elf_gregset_t) == sizeof(struct user_regs_struct), "the same registers");

struct core_reading {
	int fd;
	const char *label;
	uint64_t file_bytes;  /* 0: unknown */
	uint64_t notes_bytes; /* of all segments until now */
	uint32_t n_overlaps;  /* pieces of segments that an earlier one covers */
	struct kmem_core core;
};

void kmem_core_deinit(struct kmem_core *core)
{
	physmap_free(core->map);
	core->map = NULL;
	vec_deinit(&core->cpus);
	strbuf_deinit(&core->note);
}

static struct error *read_at(const struct core_reading *r, uint64_t offset, void *buf, size_t n)
{
	uint8_t *at = buf;

	if (offset > INT64_MAX - n)
		return elf_error(ELF_MALFORMED, 0, "%s: an offset of %#llx", r->label,
				 (unsigned long long)offset);
	while (n) {
		ssize_t got = pread(r->fd, at, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return base_error(BASE_IO, errno, "read %s", r->label);
		if (got == 0)
			return elf_error(ELF_TRUNCATED, 0, "%s is truncated: it ends at %#llx",
					 r->label, (unsigned long long)offset);
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return NULL;
}

static struct error *read_header(const struct core_reading *r, Elf64_Ehdr *ret)
{
	_cleanup_error_ struct error *err = read_at(r, 0, ret, sizeof(*ret));

	if (error_is(err, &elf_error_domain, ELF_TRUNCATED))
		return elf_error(ELF_NOT_ELF, 0, "%s is too short for an ELF object", r->label);
	if (err)
		return take_ptr(err);
	if (memcmp(ret->e_ident, ELFMAG, SELFMAG) != 0)
		return elf_error(ELF_NOT_ELF, 0, "%s does not start like an ELF object", r->label);
	if (ret->e_ident[EI_CLASS] != ELFCLASS64 || ret->e_ident[EI_DATA] != ELFDATA2LSB ||
	    ret->e_machine != EM_X86_64)
		return elf_error(ELF_ARCH, 0, "%s is not a core of an x86-64 machine", r->label);
	if (ret->e_type != ET_CORE || ret->e_phentsize != sizeof(Elf64_Phdr))
		return elf_error(ELF_MALFORMED, 0, "%s is not a core file", r->label);
	return NULL;
}

static struct error *count_segments(const struct core_reading *r, const Elf64_Ehdr *header,
				    uint32_t *ret)
{
	Elf64_Shdr first;
	struct error *err;

	if (header->e_phnum != PN_XNUM) {
		*ret = header->e_phnum;
		return NULL;
	}
	err = read_at(r, header->e_shoff, &first, sizeof(first));
	if (err)
		return err;
	if (first.sh_info > KMEM_LIMIT_PROGRAM_HEADERS)
		return base_error(BASE_LIMIT, 0, "%s has %u program headers", r->label,
				  first.sh_info);
	*ret = first.sh_info;
	return NULL;
}

/* The first segment that holds or follows the address; NULL when there is none. */
static const struct physmap_segment *segment_after(const struct physmap *map, uint64_t address)
{
	size_t low = 0, high = map->segments.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct physmap_segment *segment = &map->segments.at[middle];

		if (segment->start + segment->length > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low < map->segments.n ? &map->segments.at[low] : NULL;
}

/* Adds the parts of the segment that no earlier segment covers. */
static struct error *add_segment(struct core_reading *r, const Elf64_Phdr *p)
{
	uint64_t at = p->p_paddr, end, source_end;

	if (p->p_paddr == UINT64_MAX || p->p_filesz == 0)
		return NULL;
	if (!add_fits_u64(at, p->p_filesz, &end) ||
	    !add_fits_u64(p->p_offset, p->p_filesz, &source_end) || source_end > INT64_MAX)
		return elf_error(ELF_MALFORMED, 0, "%s: a segment wraps around", r->label);
	if (r->file_bytes && source_end > r->file_bytes)
		r->core.missing_bytes += p->p_offset > r->file_bytes ? p->p_filesz
								     : source_end - r->file_bytes;
	while (at < end) {
		const struct physmap_segment *next = segment_after(r->core.map, at);
		uint64_t stop = next && next->start < end ? next->start : end;
		uint64_t resume = next ? next->start + next->length : end;
		struct error *err = NULL;

		if (stop > at)
			err = physmap_add_fd(r->core.map, at, stop - at, r->fd,
					     p->p_offset + (at - p->p_paddr));
		if (err)
			return error_wrap(err, "%s", r->label);
		/* As many pieces as there are segments, for as many segments as there may be. */
		if (stop < end && ++r->n_overlaps > KMEM_LIMIT_OVERLAPS)
			return base_error(BASE_LIMIT, 0, "%s: its segments overlap too often",
					  r->label);
		at = stop < end ? resume : end;
	}
	return NULL;
}

/* Linux pads names and contents of notes to 4 bytes whatever p_align says. */
static const uint8_t *take_padded(struct cursor *c, uint32_t n)
{
	const uint8_t *at = cursor_take(c, n);

	if (at && n % 4)
		cursor_take(c, cursor_left(c) < 4 - n % 4 ? cursor_left(c) : 4 - n % 4);
	return at;
}

static void take_cpu(struct core_reading *r, const uint8_t *text)
{
	struct kmem_core_cpu cpu;
	struct elf_prstatus status;

	memcpy(&status, text, sizeof(status));
	cpu.pid = (uint32_t)status.pr_pid;
	memcpy(&cpu.registers, status.pr_reg, sizeof(cpu.registers));
	vec_push(&r->core.cpus, cpu);
}

static bool is_called(const char *wanted, const uint8_t *name, uint32_t n)
{
	return n == strlen(wanted) + 1 && memcmp(name, wanted, n) == 0;
}

static void take_notes(struct core_reading *r, struct bytes notes)
{
	struct cursor c = cursor_over(notes);

	while (cursor_left(&c)) {
		uint32_t name_n = cursor_u32(&c), text_n = cursor_u32(&c), type = cursor_u32(&c);
		const uint8_t *name = take_padded(&c, name_n), *text = take_padded(&c, text_n);

		if (c.failed)
			return;
		if (!r->core.has_note && is_called(NOTE_NAME, name, name_n) &&
		    text_n <= KMEM_LIMIT_NOTE_BYTES) {
			strbuf_append_bytes(&r->core.note, text, text_n);
			r->core.has_note = true;
		}
		if (type == NT_PRSTATUS && is_called(CPU_NAME, name, name_n) &&
		    text_n == sizeof(struct elf_prstatus) && r->core.cpus.n < KMEM_LIMIT_CPUS)
			take_cpu(r, text);
	}
}

static struct error *add_notes(struct core_reading *r, const Elf64_Phdr *p)
{
	_cleanup_free_ void *bytes = NULL;
	struct error *err = alloc_checked(p->p_filesz, 1, KMEM_LIMIT_NOTES_BYTES - r->notes_bytes,
					  "the notes", &bytes);

	if (!err)
		err = read_at(r, p->p_offset, bytes, p->p_filesz);
	if (err)
		return error_wrap(err, "%s", r->label);
	r->notes_bytes += p->p_filesz;
	take_notes(r, (struct bytes){ bytes, p->p_filesz });
	return NULL;
}

static struct error *read_segments(struct core_reading *r, const Elf64_Ehdr *header, uint32_t n)
{
	_cleanup_free_ void *table = NULL;
	struct error *err = alloc_checked(n, sizeof(Elf64_Phdr),
					  KMEM_LIMIT_PROGRAM_HEADERS * sizeof(Elf64_Phdr),
					  "program headers", &table);

	if (!err)
		err = read_at(r, header->e_phoff, table, n * sizeof(Elf64_Phdr));
	for (uint32_t i = 0; !err && i < n; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)table + i;

		if (p->p_type == PT_LOAD)
			err = add_segment(r, p);
		else if (p->p_type == PT_NOTE && p->p_filesz)
			err = add_notes(r, p);
	}
	return err;
}

struct error *kmem_core_read(int fd, const char *label, struct kmem_core *ret)
{
	struct core_reading r = { .fd = fd, .label = label };
	struct error *err;
	Elf64_Ehdr header;
	struct stat st;
	uint32_t n = 0;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		r.file_bytes = (uint64_t)st.st_size;
	r.core.map = physmap_new();
	err = read_header(&r, &header);
	if (!err)
		err = count_segments(&r, &header, &n);
	if (!err)
		err = read_segments(&r, &header, n);
	if (!err && r.core.map->segments.n == 0)
		err = elf_error(ELF_MALFORMED, 0, "%s holds no memory", label);
	if (err) {
		kmem_core_deinit(&r.core);
		return err;
	}
	*ret = r.core;
	return NULL;
}
