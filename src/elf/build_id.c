// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/build_id.h"

#include <elf.h>

#include "elf/limits.h"

#define NOTE_ALIGN 4

static uint64_t padded(uint32_t n)
{
	return ((uint64_t)n + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
}

struct error *build_id_parse(struct bytes notes, struct strbuf *hex)
{
	struct cursor c = cursor_over(notes);

	for (int i = 0; i < ELF_LIMIT_NOTES && cursor_left(&c); i++) {
		uint32_t name_bytes = cursor_u32(&c);
		uint32_t desc_bytes = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name = cursor_take(&c, padded(name_bytes));
		const uint8_t *desc = cursor_take(&c, desc_bytes);

		if (c.failed)
			return base_error(BASE_PARSE, 0, "a note is longer than its section");
		/* The last descriptor of a section may come without its padding. */
		if (padded(desc_bytes) - desc_bytes <= cursor_left(&c))
			cursor_take(&c, padded(desc_bytes) - desc_bytes);
		if (type != NT_GNU_BUILD_ID || name_bytes != sizeof(ELF_NOTE_GNU) ||
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0)
			continue;
		if (!desc_bytes || desc_bytes > ELF_LIMIT_BUILD_ID_BYTES)
			return base_error(BASE_PARSE, 0, "a build-id of %u bytes", desc_bytes);
		for (uint32_t b = 0; b < desc_bytes; b++)
			strbuf_appendf(hex, "%02x", desc[b]);
		return NULL;
	}
	return base_error(BASE_ABSENT, 0, "no build-id among the notes");
}

struct error *elf_build_id(struct elf_image *img, struct strbuf *hex)
{
	struct bytes notes;
	struct error *err = elf_image_section(img, ".note.gnu.build-id", &notes);

	if (err)
		return err;
	return error_wrap(build_id_parse(notes, hex), "%s: .note.gnu.build-id",
			  elf_image_label(img));
}

bool build_id_hex_is_safe(const char *hex, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(hex[i] >= '0' && hex[i] <= '9') && !(hex[i] >= 'a' && hex[i] <= 'f'))
			return false;
	}
	return n && n % 2 == 0;
}
