// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/vmcore.h"

#include <elf.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

enum { CHUNK_BYTES = 1 << 20, PAGE = KMEM_PAGE_BYTES };

struct range {
	uint64_t start, length; /* physical */
	uint64_t offset;	/* in the file */
};

struct writing {
	struct kmem *kmem;
	const struct cancel *cancel;
	int fd;
	const char *path;
	VEC(struct range) ranges;
	struct strbuf head; /* everything before the memory */
	struct dump_stretches stretches;
	uint8_t *chunk;
	struct dump_vmcore sum;
};

static void writing_deinit(struct writing *w)
{
	vec_deinit(&w->ranges);
	strbuf_deinit(&w->head);
	dump_stretches_deinit(&w->stretches);
	free(w->chunk);
}

/* Ranges of RAM in rising order; those that touch become one. */
static void find_ranges(struct writing *w)
{
	const struct kmem_reader *reader = &w->kmem->reader;

	if (!reader->map) {
		vec_push(&w->ranges, (struct range){ reader->buffer_start, reader->buffer.n, 0 });
		return;
	}
	for (size_t i = 0; i < reader->map->segments.n; i++) {
		const struct physmap_segment *s = &reader->map->segments.at[i];
		struct range *last = w->ranges.n ? &w->ranges.at[w->ranges.n - 1] : NULL;

		if (last && last->start + last->length == s->start)
			last->length += s->length;
		else
			vec_push(&w->ranges, (struct range){ s->start, s->length, 0 });
	}
}

static struct error *place_ranges(struct writing *w, uint64_t at)
{
	for (size_t i = 0; i < w->ranges.n; i++) {
		struct range *r = &w->ranges.at[i];

		/* Pages stay pages, so that the file may be mapped. */
		if (!round_up_fits_u64(at, PAGE, &at))
			return base_error(BASE_LIMIT, 0, "%s would be too large", w->path);
		at += r->start % PAGE;
		r->offset = at;
		if (!add_fits_u64(at, r->length, &at) || at > INT64_MAX)
			return base_error(BASE_LIMIT, 0, "%s would be too large", w->path);
	}
	w->sum.bytes = at;
	w->sum.n_ranges = w->ranges.n;
	return NULL;
}

static struct error *make_head(struct writing *w, const struct dump_request *request)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	size_t n = w->ranges.n + 1;
	Elf64_Ehdr header = { .e_type = ET_CORE,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = (Elf64_Half)n };
	Elf64_Phdr note = { .p_type = PT_NOTE,
			    .p_offset = sizeof(header) + n * sizeof(note),
			    .p_align = 4 };
	struct error *err;

	if (n >= PN_XNUM)
		return base_error(BASE_LIMIT, 0, "RAM lies in %zu pieces", w->ranges.n);
	err = dump_vmcore_notes(w->kmem, request, &notes);
	if (!err)
		err = place_ranges(w, note.p_offset + notes.n);
	if (err)
		return err;
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	note.p_filesz = note.p_memsz = notes.n;
	strbuf_append_bytes(&w->head, &header, sizeof(header));
	strbuf_append_bytes(&w->head, &note, sizeof(note));
	for (size_t i = 0; i < w->ranges.n; i++) {
		const struct range *r = &w->ranges.at[i];
		Elf64_Phdr load = { .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_W | PF_X,
				    .p_offset = r->offset,
				    .p_paddr = r->start,
				    .p_filesz = r->length,
				    .p_memsz = r->length };

		/*
		 * p_align is 0 as in vmcores of the kernel itself: crash takes anything else for a
		 * netdump, in which it does not look for KERNELOFFSET.
		 *
		 * Without a direct map readers go through the page tables.
		 */
		if (w->kmem->page_offset_base)
			load.p_vaddr = w->kmem->page_offset_base + r->start;
		strbuf_append_bytes(&w->head, &load, sizeof(load));
	}
	strbuf_append_bytes(&w->head, notes.at, notes.n);
	return NULL;
}

static struct error *write_at(const struct writing *w, uint64_t offset, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n) {
		ssize_t put = pwrite(w->fd, at, n, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return base_error(BASE_IO, errno, "write %s", w->path);
		at += put;
		offset += (uint64_t)put;
		n -= (size_t)put;
	}
	return NULL;
}

static size_t page_at(size_t i, size_t n)
{
	return n - i < PAGE ? n - i : PAGE;
}

static bool is_zero(const uint8_t *at, size_t n)
{
	return at[0] == 0 && memcmp(at, at + 1, n - 1) == 0;
}

/* The stretches of a chunk that are not zero, each with one write. */
static struct error *write_chunk(struct writing *w, uint64_t offset, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t start = i;
		struct error *err;

		while (i < n && !is_zero(w->chunk + i, page_at(i, n)))
			i += page_at(i, n);
		if (i > start) {
			err = write_at(w, offset + start, w->chunk + start, i - start);
			if (err)
				return err;
			w->sum.data_bytes += i - start;
		}
		if (i < n)
			i += page_at(i, n);
	}
	return NULL;
}

static struct error *write_range(struct writing *w, const struct range *range)
{
	const struct kmem_reader *reader = &w->kmem->reader;
	uint64_t at = range->start, end = range->start + range->length, stop;

	while (at < end && dump_stretches_next(&w->stretches, at, end, &at, &stop)) {
		if (stop <= at || stop > end)
			stop = end;
		while (at < stop) {
			/* Up to the boundary of a page in memory, so that pages are compared. */
			uint64_t n = CHUNK_BYTES - at % PAGE;
			enum kmem_status status;
			struct error *err = cancel_error(w->cancel, "writing the dump");

			if (err)
				return err;
			if (n > stop - at)
				n = stop - at;
			status = reader->read(reader, at, w->chunk, n);
			if (status != KMEM_READ_OK)
				return error_wrap(kmem_unread(status, at, "guest memory"), "%s",
						  w->path);
			err = write_chunk(w, range->offset + (at - range->start), n);
			if (err)
				return err;
			at += n;
		}
	}
	return NULL;
}

static struct error *fill(struct writing *w)
{
	struct error *err = write_at(w, 0, w->head.at, w->head.n);

	for (size_t i = 0; !err && i < w->ranges.n; i++)
		err = write_range(w, &w->ranges.at[i]);
	/* What was left out at the end is there as well. */
	if (!err && ftruncate(w->fd, (off_t)w->sum.bytes) < 0)
		err = base_error(BASE_IO, errno, "resize %s", w->path);
	if (!err && fsync(w->fd) < 0)
		err = base_error(BASE_IO, errno, "sync %s", w->path);
	return err;
}

struct error *dump_vmcore_write(struct kmem *kmem, const struct dump_request *request,
				const struct cancel *cancel, const char *path,
				struct dump_vmcore *ret)
{
	_cleanup_(
		writing_deinit) struct writing w = { .kmem = kmem, .cancel = cancel, .path = path };
	_cleanup_free_ char *for_dirname = xstrdup(path);
	_cleanup_free_ char *temporary = xasprintf("%s/.ktstr-XXXXXX", dirname(for_dirname));
	_cleanup_close_ int fd = -1;
	struct error *err;

	dump_stretches_init(&w.stretches, &kmem->reader);
	find_ranges(&w);
	err = make_head(&w, request);
	if (err)
		return err;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return base_error(BASE_IO, errno, "create a temporary file beside %s", path);
	w.fd = fd;
	w.chunk = xcalloc(1, CHUNK_BYTES);
	err = fill(&w);
	if (!err && rename(temporary, path) < 0)
		err = base_error(BASE_IO, errno, "rename to %s", path);
	if (err) {
		unlink(temporary);
		return err;
	}
	err = io_sync_dir_of(path);
	if (!err && ret)
		*ret = w.sum;
	return err;
}
