/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The archive of initramfs and of files sent into a guest: cpio "newc", each
 * entry a header of 110 characters, its name and its bytes, both padded to four. This half
 * writes; cpio_reader.h reads.
 *
 * Bytes leave through a sink, so that a large file needs no copy of itself in
 * memory: cpio_begin() with its size, cpio_data() as often as it takes, cpio_end().
 * Everything in an entry comes from the caller and inode numbers count from one: equal
 * calls give equal bytes.
 */
#ifndef KTSTR_WIRE_CPIO_H
#define KTSTR_WIRE_CPIO_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/strbuf.h"

#define CPIO_ERRORS(X)                                                                     \
	X(CPIO_MAGIC, "cpio-magic", "an entry does not begin with the magic of newc")      \
	X(CPIO_HEADER, "cpio-header", "a header field is no hexadecimal number")           \
	X(CPIO_NAME, "cpio-name", "a name is empty, broken or leads out of the folder")    \
	X(CPIO_TARGET, "cpio-target", "a symbolic link points to nothing that can be")     \
	X(CPIO_TYPE, "cpio-type", "an entry is of a kind that is not carried")             \
	X(CPIO_PADDING, "cpio-padding", "there is something where only padding may stand") \
	X(CPIO_SIZE, "cpio-size", "the bytes of an entry do not have the size it states")  \
	X(CPIO_LIMIT, "cpio-limit", "an archive is larger than allowed")                   \
	X(CPIO_TRUNCATED, "cpio-truncated", "the archive ends before its trailer")
DECLARE_ERROR_DOMAIN(wire_cpio, WIRE_CPIO, CPIO_ERRORS);

#define CPIO_TRAILER "TRAILER!!!"

enum {
	CPIO_HEADER_BYTES = 110,
	CPIO_BLOCK_BYTES = 512,
	/* With the NUL, as the header counts it; PATH_MAX of the kernel that unpacks it. */
	CPIO_LIMIT_NAME_BYTES = 4096,
};
/* The size field has eight digits. */
#define CPIO_LIMIT_FILE_BYTES UINT32_MAX

struct cpio_entry {
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

typedef struct error *cpio_sink(void *context, const void *bytes, size_t n);

struct cpio_writer {
	cpio_sink *sink;
	void *context;
	uint64_t written;
	uint32_t entries;
	uint32_t owed; /* bytes of the open entry that have not come */
	bool open;
};

void cpio_writer_init(struct cpio_writer *w, cpio_sink *sink, void *context);
/* A sink that appends to the `struct strbuf` behind context. */
struct error *cpio_strbuf_sink(void *context, const void *bytes, size_t n) MUST_CHECK;

struct error *cpio_begin(struct cpio_writer *w, const struct cpio_entry *entry) MUST_CHECK;
struct error *cpio_data(struct cpio_writer *w, const void *bytes, size_t n) MUST_CHECK;
/* Fewer bytes than promised: CPIO_SIZE. */
struct error *cpio_end(struct cpio_writer *w) MUST_CHECK;
/* The three in one; entry->size is taken from n. */
struct error *cpio_write(struct cpio_writer *w, const struct cpio_entry *entry, const void *bytes,
			 size_t n) MUST_CHECK;

/* Owned by root, dated 0. */
struct error *cpio_write_file(struct cpio_writer *w, const char *name, uint32_t permissions,
			      const void *bytes, size_t n) MUST_CHECK;
struct error *cpio_write_folder(struct cpio_writer *w, const char *name,
				uint32_t permissions) MUST_CHECK;
struct error *cpio_write_link(struct cpio_writer *w, const char *name,
			      const char *target) MUST_CHECK;
/* type: S_IFCHR or S_IFBLK. */
struct error *cpio_write_device(struct cpio_writer *w, const char *name, uint32_t type,
				uint32_t permissions, uint32_t major, uint32_t minor) MUST_CHECK;

/* The trailer and zeros up to a full block. */
struct error *cpio_write_trailer(struct cpio_writer *w) MUST_CHECK;

/*
 * May an archive carry this name? NULL, or CPIO_NAME: empty, too long, absolute,
 * with a `..` in it, or the trailer's.
 */
struct error *cpio_check_name(const char *name) MUST_CHECK;

#endif
