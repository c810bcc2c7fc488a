/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a cpio "newc" archive as it arrives, in pieces of any size, and believes
 * none of it: names, sizes and counts are bounded, and the first thing that is wrong ends the
 * reading. What it does not know is the file system: whoever creates files must not walk
 * through links that the same archive made (openat2() with RESOLVE_IN_ROOT).
 */
#ifndef KTSTR_WIRE_CPIO_READER_H
#define KTSTR_WIRE_CPIO_READER_H

#include "wire/cpio.h"

/*
 * Any may be NULL. An error returned by one ends the reading and comes back from
 * wire_cpio_reader_feed(). Strings and bytes are lent for the length of the call.
 */
struct wire_cpio_events {
	/* A link's target is complete here: links get no data(). */
	struct error *(*begin)(void *context, const struct wire_cpio_entry *entry);
	struct error *(*data)(void *context, const void *bytes, size_t n);
	struct error *(*end)(void *context);
	struct error *(*trailer)(void *context);
};

struct wire_cpio_reader_limits {
	uint64_t file_bytes;  /* of one file; 0: what the format can say */
	uint64_t total_bytes; /* of all files together; 0: no limit */
	uint32_t entries;     /* 0: WIRE_LIMIT_CPIO_ENTRIES */
	bool any_name;	      /* absolute names and `..` too */
};

#define WIRE_LIMIT_CPIO_ENTRIES (1u << 20)

struct wire_cpio_reader;

struct wire_cpio_reader *wire_cpio_reader_new(const struct wire_cpio_reader_limits *limits,
					      const struct wire_cpio_events *events,
					      void *context) MUST_CHECK;
void wire_cpio_reader_free(struct wire_cpio_reader *r);
DEFINE_CLEANUP(wire_cpio_reader, struct wire_cpio_reader *, NULL, wire_cpio_reader_free);
#define _cleanup_wire_cpio_reader_ _cleanup_(cleanup_wire_cpio_reader)

/* After an error every further call is an error. */
struct error *wire_cpio_reader_feed(struct wire_cpio_reader *r, const void *bytes,
				    size_t n) MUST_CHECK;
/* The bytes are over: WIRE_CPIO_TRUNCATED unless the trailer was seen. */
struct error *wire_cpio_reader_finish(struct wire_cpio_reader *r) MUST_CHECK;

bool wire_cpio_reader_is_done(const struct wire_cpio_reader *r);
uint32_t wire_cpio_reader_entries(const struct wire_cpio_reader *r);
uint64_t wire_cpio_reader_file_bytes(const struct wire_cpio_reader *r);

#endif
