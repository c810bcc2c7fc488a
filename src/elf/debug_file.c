// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/debug_file.h"

#include <elf.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/io.h"
#include "elf/image_internal.h"
#include "elf/image.h"

void elf_path_list_deinit(struct elf_path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	vec_deinit(list);
}

static void add_debuglink(const char *object_path, const char *name, const char *debug_dir,
			  struct elf_path_list *into)
{
	const char *slash = strrchr(object_path, '/');
	int dir_n = slash ? (int)(slash - object_path) + 1 : 0;

	/* "/" itself has no directory, and neither has "". */
	if (!object_path[0] || strcmp(object_path, "/") == 0)
		return;
	vec_push(into, xasprintf("%.*s%s", dir_n, object_path, name));
	vec_push(into, xasprintf("%.*s.debug/%s", dir_n, object_path, name));
	/* Packages key their debug files by the absolute path; a relative one says nothing. */
	if (object_path[0] == '/')
		vec_push(into, xasprintf("%s%.*s%s", debug_dir, dir_n, object_path, name));
}

void elf_debug_file_candidates(const char *object_path, const char *debuglink_name,
			       const char *build_id_hex, const char *debug_dir,
			       struct elf_path_list *into)
{
	if (!debug_dir)
		debug_dir = ELF_DEBUG_FILE_DEFAULT_DIR;
	if (build_id_hex && elf_build_id_is_safe(build_id_hex, strlen(build_id_hex)))
		vec_push(into, xasprintf("%s/.build-id/%.2s/%s.debug", debug_dir, build_id_hex,
					 build_id_hex + 2));
	if (debuglink_name && elf_debuglink_name_is_safe(debuglink_name, strlen(debuglink_name)))
		add_debuglink(object_path, debuglink_name, debug_dir, into);
}

struct error *elf_debug_file_no_candidate(const char *object_path, const char *debuglink_name,
					  const char *build_id_hex)
{
	if (debuglink_name && !elf_debuglink_name_is_safe(debuglink_name, strlen(debuglink_name)))
		return elf_error(ELF_UNSAFE_DEBUGLINK, 0,
				 "%s has no debug information, and \"%s\" in its .gnu_debuglink is "
				 "not a bare file name; the file is damaged or was tampered with",
				 object_path, debuglink_name);
	if (build_id_hex && strlen(build_id_hex) >= 2 &&
	    !elf_build_id_is_safe(build_id_hex, strlen(build_id_hex)))
		return elf_error(ELF_UNSAFE_BUILD_ID, 0,
				 "%s has no debug information, and its build-id \"%s\" is not "
				 "lower-case hexadecimal; the file is damaged or was tampered with",
				 object_path, build_id_hex);
	return elf_error(ELF_NO_DEBUG_INFO, 0,
			 "%s has no debug information and neither .gnu_debuglink nor a build-id "
			 "says where it could be; build it with -g or install its debug package",
			 object_path);
}

struct error *elf_debug_file_open(const char *ns_root, const char *path, struct elf_image **ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *label = NULL;

	if (!ns_root)
		return elf_image_open(path, ret);
	label = xasprintf("%s%s", ns_root, path);
	fd = io_open_below(ns_root, path);
	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s", label);
	return elf_image_open_fd(fd, label, ret);
}

#define CRC_CHUNK_BYTES (256 * 1024)

struct error *elf_debuglink_parse(struct bytes section, struct elf_debuglink *ret)
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

struct error *elf_debuglink(struct elf_image *img, struct elf_debuglink *ret)
{
	struct bytes section;
	struct error *err = elf_image_section(img, ".gnu_debuglink", &section);

	if (err)
		return err;
	return error_wrap(elf_debuglink_parse(section, ret), "%s: .gnu_debuglink",
			  elf_image_label(img));
}

void elf_debuglink_deinit(struct elf_debuglink *link)
{
	free(link->name);
	link->name = NULL;
}

bool elf_debuglink_name_is_safe(const char *name, size_t n)
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
		struct error *err = elf_read_at(img, offset, chunk, n);

		if (err)
			return err;
		crc = crc32(crc, chunk, (uInt)n);
		offset += n;
	}
	*ret = (uint32_t)crc;
	return NULL;
}

#define NOTE_ALIGN 4

static uint64_t padded(uint32_t n)
{
	return ((uint64_t)n + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
}

struct error *elf_build_id_parse(struct bytes notes, struct strbuf *hex)
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
	return error_wrap(elf_build_id_parse(notes, hex), "%s: .note.gnu.build-id",
			  elf_image_label(img));
}

bool elf_build_id_is_safe(const char *hex, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(hex[i] >= '0' && hex[i] <= '9') && !(hex[i] >= 'a' && hex[i] <= 'f'))
			return false;
	}
	return n && n % 2 == 0;
}
