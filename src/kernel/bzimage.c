// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/image.h"

#include "kernel/limits.h"

/* Offsets in the file. */
enum {
	AT_SETUP_SECTORS = 0x1f1,
	AT_BOOT_FLAG = 0x1fe,
	AT_MAGIC = 0x202,
	AT_PROTOCOL = 0x206,
	AT_VERSION = 0x20e,
	AT_PAYLOAD = 0x248,
	SECTOR_BYTES = 512,
	BOOT_FLAG = 0xaa55,
	MAGIC = 0x53726448, /* "HdrS" */
	/* The first protocol that says where the payload is (2.6.26). */
	FIRST_PROTOCOL = 0x0208,
};

static uint64_t field(struct bytes in, size_t offset, unsigned int width)
{
	struct cursor c = cursor_over(in);

	cursor_seek(&c, offset);
	return cursor_uint(&c, width);
}

static const char *find_banner(struct bytes in)
{
	uint64_t offset = field(in, AT_VERSION, 2);
	struct cursor c = cursor_over(in);
	const char *text;

	if (offset == 0)
		return NULL;
	cursor_seek(&c, offset + SECTOR_BYTES);
	text = cursor_string(&c);
	return text && strlen(text) <= KERNEL_LIMIT_BANNER_CHARS ? text : NULL;
}

struct error *kernel_bzimage_parse(struct bytes in, const char *label, struct kernel_bzimage *ret)
{
	struct kernel_bzimage image = { 0 };
	uint64_t sectors, offset, n;

	if (field(in, AT_MAGIC, 4) != MAGIC || field(in, AT_BOOT_FLAG, 2) != BOOT_FLAG)
		return kernel_error(KERNEL_NOT_KERNEL, 0, "%s has no boot header", label);
	image.protocol = (uint16_t)field(in, AT_PROTOCOL, 2);
	if (image.protocol < FIRST_PROTOCOL)
		return kernel_error(
			KERNEL_NOT_KERNEL, 0,
			"%s uses boot protocol %u.%02u; 2.08 or later is needed to find the payload",
			label, image.protocol >> 8, image.protocol & 0xff);
	sectors = field(in, AT_SETUP_SECTORS, 1);
	/* 0 means 4, since the days of floppy disks. */
	if (sectors == 0)
		sectors = 4;
	offset = (sectors + 1) * SECTOR_BYTES + field(in, AT_PAYLOAD, 4);
	n = field(in, AT_PAYLOAD + 4, 4);
	if (offset > in.n || n > in.n - offset || n == 0)
		return kernel_error(KERNEL_MALFORMED, 0,
				    "%s: a payload of %llu bytes at %llu does not lie in %zu bytes",
				    label, (unsigned long long)n, (unsigned long long)offset, in.n);
	image.payload = (struct bytes){ in.at + offset, (size_t)n };
	image.banner = find_banner(in);
	*ret = image;
	return NULL;
}
