// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's log out of the ring of printk() (kernel/printk/printk_ringbuffer.h): descriptors
 * by id from the tail to the head, each with a range of the ring of texts. The last records are
 * shown when not all can be.
 */
#include <string.h>

#include "base/alloc.h"
#include "dump/member.h"

enum {
	STATE_SHIFT = 62,
	STATE_COMMITTED = 1,
	STATE_FINALIZED = 2,
	BLOCK_HEADER = 8, /* unsigned long id */
	EMPTY_LINE = 3,	  /* EMPTY_LINE_LPOS: there is no block because there is no text */
	NS_PER_US = 1000,
	US_PER_SECOND = 1000000,
	/* CONFIG_LOG_BUF_SHIFT ends at 25, and a descriptor stands for 32 bytes. */
	COUNT_BITS_LIMIT = 21,
	SIZE_BITS_LIMIT = 26,
};

struct ring {
	struct kmem *kmem;
	uint64_t count, descs, infos, head, tail;
	uint64_t size, data; /* of the texts */
	uint64_t desc_size, info_size;
};

struct record {
	struct dump_member seq, ns, level;
	const char *text;
	size_t n;
	const char *reason; /* there is no text */
};

static struct error *read_ring(struct kmem *kmem, struct ring *r)
{
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_LOG);
	uint64_t prb, count_bits, size_bits;
	const struct {
		enum kmem_field_id field;
		uint64_t *to;
	} members[] = {
		{ KMEM_F_PRB_COUNT_BITS, &count_bits }, { KMEM_F_PRB_SIZE_BITS, &size_bits },
		{ KMEM_F_PRB_DESCS, &r->descs },	{ KMEM_F_PRB_INFOS, &r->infos },
		{ KMEM_F_PRB_HEAD, &r->head },		{ KMEM_F_PRB_TAIL, &r->tail },
		{ KMEM_F_PRB_DATA, &r->data },
	};

	if (!err)
		err = kmem_variable(kmem, "prb", 8, &prb);
	for (size_t i = 0; !err && i < ARRAY_SIZE(members); i++) {
		struct dump_member member = dump_read(kmem, members[i].field, prb);

		if (member.status)
			err = kmem_unread(member.status, prb, "the ring of the log");
		*members[i].to = member.value;
	}
	if (err)
		return err;
	if (count_bits > COUNT_BITS_LIMIT || size_bits > SIZE_BITS_LIMIT)
		return kmem_error(KMEM_UNREAD, 0,
				  "the log ring is not valid: 2^%llu records, 2^%llu bytes",
				  (unsigned long long)count_bits, (unsigned long long)size_bits);
	r->kmem = kmem;
	r->count = UINT64_C(1) << count_bits;
	r->size = UINT64_C(1) << size_bits;
	r->desc_size = kmem->fields.at[KMEM_F_PRB_DESC].place.size;
	r->info_size = kmem->fields.at[KMEM_F_PRINTK_INFO].place.size;
	return NULL;
}

/* Where the text of a block lies; false: there is no such block. */
static bool find_text(const struct ring *r, uint64_t begin, uint64_t next, uint64_t *ret_at,
		      uint64_t *ret_n)
{
	uint64_t from = begin & (r->size - 1), to = next & (r->size - 1);

	if ((begin & 1) && (next & 1))
		return false;
	/* A text that does not fit before the end of the ring is at its start instead. */
	if (to != 0 && begin / r->size != next / r->size)
		from = 0;
	else if (to == 0)
		to = r->size;
	if (to < from + BLOCK_HEADER)
		return false;
	*ret_at = from + BLOCK_HEADER;
	*ret_n = to - from - BLOCK_HEADER;
	return true;
}

static uint64_t id_bits(uint64_t value)
{
	return value & ((UINT64_C(1) << STATE_SHIFT) - 1);
}

/* A block says whose it is: a guest that runs may have given it to another since. */
static bool is_block_of(const struct ring *r, uint64_t text_at, uint64_t id)
{
	uint64_t owner;

	return kmem_read_u64(&r->kmem->space, r->data + text_at - BLOCK_HEADER, &owner) !=
		       KMEM_READ_OK ||
	       id_bits(owner) == id_bits(id);
}

static void read_text(const struct ring *r, uint64_t id, uint64_t desc, uint64_t info,
		      struct strbuf *buffer, struct record *record)
{
	struct dump_member begin = dump_read(r->kmem, KMEM_F_PRB_DESC_BEGIN, desc);
	struct dump_member next = dump_read(r->kmem, KMEM_F_PRB_DESC_NEXT, desc);
	struct dump_member length = dump_read(r->kmem, KMEM_F_PRINTK_TEXT_LEN, info);
	uint64_t at, n;

	strbuf_clear(buffer);
	if (begin.status || next.status || length.status) {
		record->reason = "its descriptor cannot be read";
		return;
	}
	if (length.value == 0 || (begin.value == EMPTY_LINE && next.value == EMPTY_LINE))
		return;
	if (!find_text(r, begin.value, next.value, &at, &n)) {
		record->reason = "its text is lost";
		return;
	}
	if (!is_block_of(r, at, id)) {
		record->reason = "its text was overwritten";
		return;
	}
	n = length.value < n ? length.value : n;
	if (n > DUMP_LIMIT_LOG_MESSAGE)
		n = DUMP_LIMIT_LOG_MESSAGE;
	strbuf_append_repeated(buffer, 0, n);
	if (kmem_read(&r->kmem->space, r->data + at, buffer->at, n, NULL) != KMEM_READ_OK)
		record->reason = "its text cannot be read";
	record->text = buffer->at;
	record->n = record->reason ? 0 : n;
}

enum slot { SLOT_WRITTEN, SLOT_OTHER, SLOT_UNREADABLE };

/* SLOT_OTHER: nothing is written under that id yet, or not any more. */
static enum slot look_at_slot(const struct ring *r, uint64_t id)
{
	uint64_t desc = r->descs + (id & (r->count - 1)) * r->desc_size;
	struct dump_member state = dump_read(r->kmem, KMEM_F_PRB_DESC_STATE, desc);

	if (state.status)
		return SLOT_UNREADABLE;
	return id_bits(state.value) == id_bits(id) &&
			       (state.value >> STATE_SHIFT == STATE_COMMITTED ||
				state.value >> STATE_SHIFT == STATE_FINALIZED)
		       ? SLOT_WRITTEN
		       : SLOT_OTHER;
}

static void read_record(const struct ring *r, uint64_t id, struct strbuf *buffer,
			struct record *record)
{
	uint64_t index = id & (r->count - 1);
	uint64_t desc = r->descs + index * r->desc_size, info = r->infos + index * r->info_size;

	*record = (struct record){ .text = "",
				   .seq = dump_read(r->kmem, KMEM_F_PRINTK_SEQ, info),
				   .ns = dump_read(r->kmem, KMEM_F_PRINTK_TIME, info),
				   .level = dump_read(r->kmem, KMEM_F_PRINTK_LEVEL, info) };
	read_text(r, id, desc, info, buffer, record);
}

/* As dmesg prints it: every line of a record with its time. */
static void show_lines(struct dump_sink *sink, const struct record *record)
{
	const char *at = record->text;
	size_t left = record->n;
	uint64_t us = record->ns.value / NS_PER_US;

	do {
		const char *end = left ? memchr(at, '\n', left) : NULL;
		size_t n = end ? (size_t)(end - at) : left;
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

		if (record->ns.status)
			strbuf_append(&line, "[?] ");
		else
			strbuf_appendf(&line, "[%5llu.%06llu] ",
				       (unsigned long long)(us / US_PER_SECOND),
				       (unsigned long long)(us % US_PER_SECOND));
		if (record->reason)
			strbuf_append(&line, record->reason);
		strbuf_append_bytes(&line, at, n);
		dump_line_foreign(sink, line.at, line.n);
		n += end != NULL;
		at += n;
		left -= n;
	} while (left);
}

static void show_record(struct dump_sink *sink, const struct record *record)
{
	if (sink->text) {
		show_lines(sink, record);
		return;
	}
	dump_open(sink, NULL);
	dump_add_member(sink, "seq", &record->seq);
	dump_add_member(sink, "time_ns", &record->ns);
	dump_add_member(sink, "level", &record->level);
	dump_add_string(sink, "unavailable", record->reason);
	if (!record->reason) {
		json_key(sink->json, "text");
		json_write_string_n(sink->json, record->text, record->n);
	}
	dump_close(sink);
}

struct error *dump_log(struct kmem *kmem, const struct dump_request *request,
		       struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;
	struct ring ring = { 0 };
	struct record record;
	uint64_t n, n_written = 0, n_unreadable = 0;
	struct error *err = read_ring(kmem, &ring);

	if (err)
		return err;
	/* Ids only increase; from tail to head there are never more than the ring holds. */
	n = id_bits(ring.head - ring.tail) + 1;
	if (n > ring.count)
		return kmem_error(KMEM_UNREAD, 0, "the log ring is not valid: %llu of %llu",
				  (unsigned long long)n, (unsigned long long)ring.count);
	for (uint64_t i = 0; i < n; i++)
		n_written += look_at_slot(&ring, ring.tail + i) == SLOT_WRITTEN;
	kmem_walk_begin(&walk);
	dump_open_list(sink, "records");
	for (uint64_t i = 0; i < n; i++) {
		enum slot slot = look_at_slot(&ring, ring.tail + i);

		n_unreadable += slot == SLOT_UNREADABLE;
		if (slot != SLOT_WRITTEN)
			continue;
		/* The last ones are wanted, so the first are those to pass over. */
		if (walk.wanted && n_written > walk.wanted) {
			n_written--;
			walk.n++;
			continue;
		}
		if (!kmem_walk_shows(&walk))
			continue;
		read_record(&ring, ring.tail + i, &buffer, &record);
		show_record(sink, &record);
	}
	dump_close_list(sink);
	walk.n += n_unreadable;
	dump_walk(sink, "records", &walk);
	dump_say_count(sink, "unreadable", n_unreadable, "records cannot be read");
	return NULL;
}
