/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive as lines: "mode name", " -> target" for links, " = bytes" for short files. */
#ifndef KTSTR_TESTS_VM_TOLD_ARCHIVE_H
#define KTSTR_TESTS_VM_TOLD_ARCHIVE_H

#include "unit.h"
#include "wire/cpio.h"

struct telling {
	struct strbuf *into;
	bool is_short;
};

static inline struct error *told_begin(void *context, const struct wire_cpio_entry *e)
{
	struct telling *t = context;

	strbuf_appendf(t->into, "%06o %s", e->mode, e->name);
	if (e->target)
		strbuf_appendf(t->into, " -> %s", e->target);
	if (S_ISCHR(e->mode))
		strbuf_appendf(t->into, " %u:%u", e->device_major, e->device_minor);
	t->is_short = S_ISREG(e->mode) && e->size <= 64;
	if (t->is_short)
		strbuf_append(t->into, " = ");
	return NULL;
}

static inline struct error *told_data(void *context, const void *bytes, size_t n)
{
	struct telling *t = context;

	if (t->is_short)
		strbuf_append_bytes(t->into, bytes, n);
	return NULL;
}

static inline struct error *told_end(void *context)
{
	struct telling *t = context;

	strbuf_append_char(t->into, '\n');
	return NULL;
}

static inline void tell_archive(const struct strbuf *archive, struct strbuf *into)
{
	static const struct wire_cpio_events events = { .begin = told_begin,
							.data = told_data,
							.end = told_end };
	struct telling t = { .into = into };
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&events, &t);

	assert_success(wire_cpio_reader_feed(r, archive->at, archive->n));
	assert_success(wire_cpio_reader_finish(r));
}

#endif
