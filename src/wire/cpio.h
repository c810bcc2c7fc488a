/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The archive of initramfs and of files sent into a guest: cpio "newc", each
 * entry a header of 110 characters, its name and its bytes, both padded to four. This half
 * writes; cpio_reader.h reads.
 *
 * Bytes leave through a sink, so that a large file needs no copy of itself in
 * memory: wire_cpio_begin() with its size, wire_cpio_data() as often as it takes, wire_cpio_end().
 * Everything in an entry comes from the caller and inode numbers count from one: equal
 * calls give equal bytes.
 */
#ifndef KTSTR_WIRE_CPIO_H
#define KTSTR_WIRE_CPIO_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/strbuf.h"

#define WIRE_CPIO_ERRORS(X)                                                                    \
	X(WIRE_CPIO_MAGIC, "cpio-magic", "an entry does not begin with the magic of newc")     \
	X(WIRE_CPIO_HEADER, "cpio-header", "a header field is not a hexadecimal number")       \
	X(WIRE_CPIO_NAME, "cpio-name", "a name is empty, invalid or leaves the directory")     \
	X(WIRE_CPIO_TARGET, "cpio-target", "a symbolic link has an invalid target")            \
	X(WIRE_CPIO_TYPE, "cpio-type", "an entry is of a kind that is not carried")            \
	X(WIRE_CPIO_PADDING, "cpio-padding", "padding is not zero")                            \
	X(WIRE_CPIO_SIZE, "cpio-size", "the bytes of an entry do not have the size it states") \
	X(WIRE_CPIO_LIMIT, "cpio-limit", "an archive is larger than allowed")                  \
	X(WIRE_CPIO_TRUNCATED, "cpio-truncated", "the archive ends before its trailer")
DECLARE_ERROR_DOMAIN(wire_cpio, WIRE_CPIO, WIRE_CPIO_ERRORS);

#define WIRE_CPIO_TRAILER "TRAILER!!!"

enum {
	WIRE_CPIO_HEADER_BYTES = 110,
	WIRE_CPIO_BLOCK_BYTES = 512,
	/* With the NUL, as the header counts it; PATH_MAX of the kernel that unpacks it. */
	WIRE_LIMIT_CPIO_NAME_BYTES = 4096,
};
/* The size field has eight digits. */
#define WIRE_LIMIT_CPIO_FILE_BYTES UINT32_MAX

struct wire_cpio_entry {
	const char *name; /* relative, no NUL inside */
	uint32_t mode;	  /* type and permissions as in st_mode */
	uint32_t uid;
	uint32_t gid;
	uint32_t mtime;
	uint32_t size; /* of a regular file's bytes; of a link's target */
	/* What a device node stands for. */
	uint32_t device_major;
	uint32_t device_minor;
	/* A link's target. Only the reader sets it. */
	const char *target;
};

typedef struct error *wire_cpio_sink(void *context, const void *bytes, size_t n);

struct wire_cpio_writer {
	wire_cpio_sink *sink;
	void *context;
	uint64_t written;
	uint32_t entries;
	uint32_t owed; /* bytes of the open entry that have not come */
	bool open;
};

void wire_cpio_writer_init(struct wire_cpio_writer *w, wire_cpio_sink *sink, void *context);
/* A sink that appends to the `struct strbuf` behind context. */
struct error *wire_cpio_strbuf_sink(void *context, const void *bytes, size_t n) MUST_CHECK;

struct error *wire_cpio_begin(struct wire_cpio_writer *w,
			      const struct wire_cpio_entry *entry) MUST_CHECK;
struct error *wire_cpio_data(struct wire_cpio_writer *w, const void *bytes, size_t n) MUST_CHECK;
/* Fewer bytes than promised: WIRE_CPIO_SIZE. */
struct error *wire_cpio_end(struct wire_cpio_writer *w) MUST_CHECK;
/* The three in one; entry->size is taken from n. */
struct error *wire_cpio_write(struct wire_cpio_writer *w, const struct wire_cpio_entry *entry,
			      const void *bytes, size_t n) MUST_CHECK;

/* Owned by root, dated 0. */
struct error *wire_cpio_write_link(struct wire_cpio_writer *w, const char *name,
				   const char *target) MUST_CHECK;
/* The trailer and zeros up to a full block. */
struct error *wire_cpio_write_trailer(struct wire_cpio_writer *w) MUST_CHECK;

/*
 * May an archive carry this name? NULL, or WIRE_CPIO_NAME: empty, too long, absolute,
 * with a `..` in it, or the trailer's.
 */
struct error *wire_cpio_check_name(const char *name) MUST_CHECK;

/*
 * Reads a cpio "newc" archive as it arrives, in pieces of any size, and believes
 * none of it: names, sizes and counts are bounded, and the first thing that is wrong ends the
 * reading. What it does not know is the file system: whoever creates files must not walk
 * through links that the same archive made (openat2() with RESOLVE_IN_ROOT).
 */

/*
 * Any may be NULL. An error returned by one ends the reading and comes back from
 * wire_cpio_reader_feed(). Strings and bytes are lent for the length of the call.
 */
struct wire_cpio_events {
	/* A link's target is complete here: links get no data(). */
	struct error *(*begin)(void *context, const struct wire_cpio_entry *entry);
	struct error *(*data)(void *context, const void *bytes, size_t n);
	struct error *(*end)(void *context);
};

#define WIRE_LIMIT_CPIO_ENTRIES (1u << 20)

struct wire_cpio_reader;

struct wire_cpio_reader *wire_cpio_reader_new(const struct wire_cpio_events *events,
					      void *context) MUST_CHECK;
void wire_cpio_reader_free(struct wire_cpio_reader *r);
DEFINE_CLEANUP(wire_cpio_reader, struct wire_cpio_reader *, NULL, wire_cpio_reader_free);
#define _cleanup_wire_cpio_reader_ _cleanup_(cleanup_wire_cpio_reader)

/* After an error every further call is an error. */
struct error *wire_cpio_reader_feed(struct wire_cpio_reader *r, const void *bytes,
				    size_t n) MUST_CHECK;
/* The bytes are over: WIRE_CPIO_TRUNCATED unless the trailer was seen. */
struct error *wire_cpio_reader_finish(struct wire_cpio_reader *r) MUST_CHECK;

/* Of all regular files so far. */
uint64_t wire_cpio_reader_file_bytes(const struct wire_cpio_reader *r);

#endif
