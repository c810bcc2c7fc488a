// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sections by name, decompressed within limits. */
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "elf/image_internal.h"
#include "elf/image.h"

/* Where the compressed stream of a section starts, and what it becomes. */
struct compression {
	uint32_t type; /* ELFCOMPRESS_…; 0: stored as it is */
	uint64_t header_bytes;
	uint64_t size;
};

static bool is_zdebug(const struct elf_section *section)
{
	return strncmp(section->name, ".zdebug_", 8) == 0;
}

bool elf_section_is_compressed(const struct elf_section *section)
{
	return (section->header.sh_flags & SHF_COMPRESSED) || is_zdebug(section);
}

static bool has_name(const struct elf_section *section, const char *name)
{
	if (strcmp(section->name, name) == 0)
		return true;
	return strncmp(name, ".debug_", 7) == 0 && is_zdebug(section) &&
	       strcmp(section->name + 2, name + 1) == 0;
}

struct elf_section *elf_find_section(const struct elf_image *img, const char *name)
{
	for (size_t i = 1; i < img->n_sections; i++) {
		struct elf_section *section = &img->sections[i];

		if (section->name && has_name(section, name))
			return section->header.sh_type != SHT_NOBITS && section->header.sh_size
				       ? section
				       : NULL;
	}
	return NULL;
}

static struct error *read_compression(struct elf_image *img, const struct elf_section *section,
				      struct compression *ret)
{
	const GElf_Shdr *sh = &section->header;
	bool has_chdr = sh->sh_flags & SHF_COMPRESSED;
	union {
		Elf64_Chdr chdr;
		uint8_t magic[12]; /* "ZLIB" and a big-endian size */
	} head;
	struct compression how = {
		.type = ELFCOMPRESS_ZLIB,
		.header_bytes = has_chdr ? sizeof(head.chdr) : sizeof(head.magic),
	};
	uint64_t allowed;
	struct error *err;

	if (sh->sh_size < how.header_bytes)
		return elf_error(ELF_MALFORMED, 0, "%s: %s is too short to be compressed",
				 img->label, section->name);
	err = elf_read_at(img, sh->sh_offset, &head, how.header_bytes);
	if (err)
		return err;
	if (!has_chdr && memcmp(head.magic, "ZLIB", 4) != 0)
		return elf_error(ELF_MALFORMED, 0, "%s: %s does not start with ZLIB", img->label,
				 section->name);
	if (has_chdr) {
		how.type = head.chdr.ch_type;
		how.size = head.chdr.ch_size;
	}
	for (int i = 4; !has_chdr && i < 12; i++)
		how.size = how.size << 8 | head.magic[i];
	if (how.type != ELFCOMPRESS_ZLIB && how.type != ELFCOMPRESS_ZSTD)
		return elf_error(ELF_MALFORMED, 0, "%s: %s is compressed in an unknown way (%u)",
				 img->label, section->name, how.type);
	if (!mul_fits_u64(sh->sh_size, ELF_LIMIT_INFLATION, &allowed) ||
	    allowed > ELF_LIMIT_DECOMPRESSED_BYTES)
		allowed = ELF_LIMIT_DECOMPRESSED_BYTES;
	if (allowed < ELF_LIMIT_INFLATION_FLOOR_BYTES)
		allowed = ELF_LIMIT_INFLATION_FLOOR_BYTES;
	if (how.size > allowed)
		return base_error(BASE_LIMIT, 0, "%s: %s would become %lu bytes out of %lu",
				  img->label, section->name, (unsigned long)how.size,
				  (unsigned long)sh->sh_size);
	*ret = how;
	return NULL;
}

/* True when the stream gives exactly out.n bytes. */
static bool inflate_exactly(struct bytes in, void *out, size_t n)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in.at, .next_out = out };
	int rc = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return false;
	while (rc == Z_OK) {
		size_t in_left = in.n - (size_t)(z.next_in - in.at);
		size_t out_left = n - (size_t)(z.next_out - (Bytef *)out);

		z.avail_in = in_left > UINT32_MAX ? UINT32_MAX : (uInt)in_left;
		z.avail_out = out_left > UINT32_MAX ? UINT32_MAX : (uInt)out_left;
		rc = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	return rc == Z_STREAM_END && (size_t)(z.next_out - (Bytef *)out) == n;
}

static struct error *check_inside_file(const struct elf_image *img,
				       const struct elf_section *section)
{
	const GElf_Shdr *sh = &section->header;

	if (sh->sh_offset <= img->size && sh->sh_size <= img->size - sh->sh_offset)
		return NULL;
	return elf_error(ELF_TRUNCATED, 0, "%s: %s is outside the file", img->label, section->name);
}

static struct error *decompress(struct elf_image *img, struct elf_section *section)
{
	struct compression how = { 0 };
	struct error *err = read_compression(img, section, &how);
	_cleanup_free_ void *copy = NULL;
	_cleanup_free_ void *out = NULL;
	struct bytes in;
	bool done;

	if (err)
		return err;
	in.n = section->header.sh_size - how.header_bytes;
	err = alloc_checked(in.n ? in.n : 1, 1, ELF_LIMIT_SECTION_BYTES, section->name, &copy);
	if (!err)
		err = elf_read_at(img, section->header.sh_offset + how.header_bytes, copy, in.n);
	if (!err)
		err = alloc_checked(how.size ? how.size : 1, 1, ELF_LIMIT_DECOMPRESSED_BYTES,
				    section->name, &out);
	if (err)
		return error_wrap(err, "%s", img->label);
	in.at = copy;
	done = how.type == ELFCOMPRESS_ZSTD
		       ? ZSTD_decompress(out, how.size, in.at, in.n) == how.size
		       : inflate_exactly(in, out, how.size);
	if (!done)
		return elf_error(ELF_MALFORMED, 0, "%s: %s cannot be decompressed", img->label,
				 section->name);
	section->owned = take_ptr(out);
	section->bytes = (struct bytes){ section->owned, how.size };
	return NULL;
}

static struct error *copy_section(struct elf_image *img, struct elf_section *section)
{
	const GElf_Shdr *sh = &section->header;
	_cleanup_free_ void *copy = NULL;
	struct error *err;

	if (img->fd < 0) {
		section->bytes = (struct bytes){ img->memory.at + sh->sh_offset, sh->sh_size };
		return NULL;
	}
	err = alloc_checked(sh->sh_size, 1, ELF_LIMIT_SECTION_BYTES, section->name, &copy);
	if (err)
		return error_wrap(err, "%s", img->label);
	err = elf_read_at(img, sh->sh_offset, copy, sh->sh_size);
	if (err)
		return err;
	section->owned = take_ptr(copy);
	section->bytes = (struct bytes){ section->owned, sh->sh_size };
	return NULL;
}

struct error *elf_load_section(struct elf_image *img, struct elf_section *section,
			       struct bytes *ret)
{
	struct error *err;

	if (!section->loaded) {
		err = check_inside_file(img, section);
		if (err)
			return err;
		err = elf_section_is_compressed(section) ? decompress(img, section)
							 : copy_section(img, section);
		if (err)
			return err;
		section->loaded = true;
	}
	*ret = section->bytes;
	return NULL;
}

struct error *elf_section_size(struct elf_image *img, const struct elf_section *section,
			       uint64_t *ret)
{
	struct compression how;
	struct error *err = check_inside_file(img, section);

	if (err)
		return err;
	if (!elf_section_is_compressed(section)) {
		*ret = section->header.sh_size;
		return NULL;
	}
	err = read_compression(img, section, &how);
	if (err)
		return err;
	*ret = how.size;
	return NULL;
}

struct error *elf_image_section(struct elf_image *img, const char *name, struct bytes *ret)
{
	struct elf_section *section = elf_find_section(img, name);

	if (!section)
		return base_error(BASE_ABSENT, 0, "%s has no section %s", img->label, name);
	return elf_load_section(img, section, ret);
}
