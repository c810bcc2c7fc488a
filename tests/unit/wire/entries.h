/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of an archive, owned by root and dated 0. */
#ifndef KTSTR_UNIT_WIRE_ENTRIES_H
#define KTSTR_UNIT_WIRE_ENTRIES_H

#include "wire/cpio.h"

static inline struct error *write_file(struct wire_cpio_writer *w, const char *name,
				       uint32_t permissions, const char *bytes, size_t n)
{
	struct wire_cpio_entry entry = { .name = name, .mode = S_IFREG | permissions };

	return wire_cpio_write(w, &entry, bytes, n);
}

static inline struct error *write_directory(struct wire_cpio_writer *w, const char *name,
					    uint32_t permissions)
{
	struct wire_cpio_entry entry = { .name = name, .mode = S_IFDIR | permissions };

	return wire_cpio_write(w, &entry, NULL, 0);
}

static inline struct error *write_device(struct wire_cpio_writer *w, const char *name,
					 uint32_t permissions, uint32_t major, uint32_t minor)
{
	struct wire_cpio_entry entry = {
		.name = name,
		.mode = S_IFCHR | permissions,
		.device_major = major,
		.device_minor = minor,
	};

	return wire_cpio_write(w, &entry, NULL, 0);
}

#endif
