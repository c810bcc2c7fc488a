// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/debuglink.h"

#include <zlib.h>

#include "base/alloc.h"
#include "elf/image_internal.h"
#include "elf/limits.h"

#define CRC_CHUNK_BYTES (256 * 1024)

struct error *debuglink_parse(struct bytes section, struct debuglink *ret)
{
	struct cursor c = cursor_over(section);
	const char *name = cursor_string(&c);
	uint32_t crc;

	if (!name)
		return base_error(BASE_PARSE, 0, "the file name has no end");
	cursor_seek(&c, ((uint64_t)c.offset + 3) & ~UINT64_C(3));
	crc = cursor_u32(&c);
	if (c.failed)
		return base_error(BASE_PARSE, 0, "the checksum is missing");
	if (strlen(name) > ELF_LIMIT_DEBUGLINK_BYTES)
		return base_error(BASE_LIMIT, 0, "a file name of %zu characters", strlen(name));
	ret->name = xstrdup(name);
	ret->crc = crc;
	return NULL;
}

struct error *elf_debuglink(struct elf_image *img, struct debuglink *ret)
{
	struct bytes section;
	struct error *err = elf_image_section(img, ".gnu_debuglink", &section);

	if (err)
		return err;
	return error_wrap(debuglink_parse(section, ret), "%s: .gnu_debuglink",
			  elf_image_label(img));
}

void debuglink_deinit(struct debuglink *link)
{
	free(link->name);
	link->name = NULL;
}

bool debuglink_name_is_safe(const char *name, size_t n)
{
	if (!n || memchr(name, '/', n) || memchr(name, '\0', n))
		return false;
	return !(n == 1 && name[0] == '.') && !(n == 2 && name[0] == '.' && name[1] == '.');
}

struct error *elf_image_crc32(struct elf_image *img, uint32_t *ret)
{
	_cleanup_free_ uint8_t *chunk = xcalloc(CRC_CHUNK_BYTES, 1);
	uLong crc = crc32(0, NULL, 0);
	uint64_t offset = 0;

	while (offset < img->size) {
		uint64_t n = img->size - offset < CRC_CHUNK_BYTES ? img->size - offset
								  : CRC_CHUNK_BYTES;
		struct error *err = image_read_at(img, offset, chunk, n);

		if (err)
			return err;
		crc = crc32(crc, chunk, (uInt)n);
		offset += n;
	}
	*ret = (uint32_t)crc;
	return NULL;
}
