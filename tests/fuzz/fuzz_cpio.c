// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/wire/cpio.c src/wire/cpio_reader.c */
/*
 * The first byte chooses the limits and how the rest is cut into pieces. What
 * the reader accepts is written again and read again: both readings tell the same.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/cpio.h"

struct copy {
	struct wire_cpio_writer w;
	struct wire_cpio_writer plain; /* the same through the short calls */
	struct strbuf archive;
	struct strbuf plain_archive;
	struct strbuf told;
	uint64_t owed;
	bool rewrite;
};

static void must(struct error *err)
{
	if (err)
		abort();
}

static struct error *write_plainly(struct wire_cpio_writer *w, const struct wire_cpio_entry *e)
{
	uint32_t permissions = e->mode & 07777;

	if (S_ISDIR(e->mode))
		return wire_cpio_write_directory(w, e->name, permissions);
	if (S_ISLNK(e->mode))
		return wire_cpio_write_link(w, e->name, e->target);
	if (S_ISREG(e->mode))
		return wire_cpio_write_file(w, e->name, permissions, e->name, strlen(e->name));
	return wire_cpio_write_device(w, e->name, e->mode & S_IFMT, permissions, e->device_major,
				      e->device_minor);
}

static struct error *begin(void *context, const struct wire_cpio_entry *e)
{
	struct copy *c = context;

	fuzz_mark_deep();
	if (strlen(e->name) >= WIRE_LIMIT_CPIO_NAME_BYTES || (e->target && !*e->target))
		abort();
	strbuf_appendf(&c->told, "%s %o %u %u %u %u %u:%u %s\n", e->name, e->mode, e->uid, e->gid,
		       e->mtime, e->size, e->device_major, e->device_minor,
		       e->target ? e->target : "");
	c->owed = e->target ? 0 : e->size;
	if (!c->rewrite)
		return NULL;
	error_free(write_plainly(&c->plain, e));
	/* Asked for, a name that leads out is read; the writer still refuses it. */
	return e->target ? wire_cpio_write(&c->w, e, e->target, e->size)
			 : wire_cpio_begin(&c->w, e);
}

static struct error *data(void *context, const void *bytes, size_t n)
{
	struct copy *c = context;

	if (n > c->owed)
		abort();
	c->owed -= n;
	strbuf_append_bytes(&c->told, bytes, n);
	if (c->rewrite)
		must(wire_cpio_data(&c->w, bytes, n));
	return NULL;
}

static struct error *end(void *context)
{
	struct copy *c = context;

	if (c->owed)
		abort();
	if (c->rewrite && c->w.open)
		must(wire_cpio_end(&c->w));
	return NULL;
}

static struct error *trailer(void *context)
{
	struct copy *c = context;

	if (c->rewrite) {
		must(wire_cpio_write_trailer(&c->w));
		must(wire_cpio_write_trailer(&c->plain));
	}
	return NULL;
}

static const struct wire_cpio_events events = { begin, data, end, trailer };

static bool read_copy(struct copy *c, const struct wire_cpio_reader_limits *limits,
		      const uint8_t *at, size_t n, size_t piece)
{
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(limits,
										     &events, c);
	struct error *err = NULL;

	for (size_t i = 0; i < n && !err; i += piece)
		err = wire_cpio_reader_feed(r, at + i, n - i < piece ? n - i : piece);
	if (!err)
		err = wire_cpio_reader_finish(r);
	if (err && wire_cpio_reader_is_done(r))
		abort();
	if (err)
		error_free(wire_cpio_reader_feed(r, at, n));
	error_free(err);
	return !err;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct copy first = { .rewrite = true }, second = { 0 };
	struct wire_cpio_reader_limits limits = { 0 };

	if (n == 0)
		return 0;
	limits.file_bytes = bytes[0] & 0x80 ? 64 : 0;
	limits.total_bytes = bytes[0] & 0x40 ? 256 : 0;
	limits.entries = bytes[0] & 0x20 ? 3 : 0;
	limits.any_name = bytes[0] & 0x10;
	wire_cpio_writer_init(&first.w, wire_cpio_strbuf_sink, &first.archive);
	wire_cpio_writer_init(&first.plain, wire_cpio_strbuf_sink, &first.plain_archive);
	if (read_copy(&first, &limits, bytes + 1, n - 1, (bytes[0] & 15) + 1)) {
		if (first.archive.n % WIRE_CPIO_BLOCK_BYTES ||
		    !read_copy(&second, &limits, (const uint8_t *)first.archive.at, first.archive.n,
			       first.archive.n) ||
		    first.told.n != second.told.n ||
		    memcmp(strbuf_str(&first.told), strbuf_str(&second.told), first.told.n) != 0)
			abort();
	}
	strbuf_deinit(&first.archive);
	strbuf_deinit(&first.plain_archive);
	strbuf_deinit(&first.told);
	strbuf_deinit(&second.told);
	return 0;
}
