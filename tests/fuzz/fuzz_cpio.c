// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/wire/cpio.c src/wire/cpio_reader.c */
/*
 * The first byte chooses how the rest is cut into pieces. What
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
	struct wire_cpio_entry plain = {
		.name = e->name,
		.mode = e->mode,
		.device_major = e->device_major,
		.device_minor = e->device_minor,
	};

	if (S_ISLNK(e->mode))
		return wire_cpio_write_link(w, e->name, e->target);
	return wire_cpio_write(w, &plain, e->name, S_ISREG(e->mode) ? strlen(e->name) : 0);
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

static const struct wire_cpio_events events = { begin, data, end };

static bool read_copy(struct copy *c, const uint8_t *at, size_t n, size_t piece)
{
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&events, c);
	struct error *err = NULL;

	for (size_t i = 0; i < n && !err; i += piece)
		err = wire_cpio_reader_feed(r, at + i, n - i < piece ? n - i : piece);
	if (!err)
		err = wire_cpio_reader_finish(r);
	if (!err && c->rewrite) {
		must(wire_cpio_write_trailer(&c->w));
		must(wire_cpio_write_trailer(&c->plain));
	}
	if (err)
		error_free(wire_cpio_reader_feed(r, at, n));
	error_free(err);
	return !err;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct copy first = { .rewrite = true }, second = { 0 };

	if (n == 0)
		return 0;
	wire_cpio_writer_init(&first.w, wire_cpio_strbuf_sink, &first.archive);
	wire_cpio_writer_init(&first.plain, wire_cpio_strbuf_sink, &first.plain_archive);
	if (read_copy(&first, bytes + 1, n - 1, (bytes[0] & 15) + 1)) {
		if (first.archive.n % WIRE_CPIO_BLOCK_BYTES ||
		    !read_copy(&second, (const uint8_t *)first.archive.at, first.archive.n,
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
