// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/image.h"

#include <elf.h>
#include <lz4.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "elf/debug_file.h"
#include "elf/image.h"
#include "kernel/kernel.h"

/* The image holds the banner and a format string with the same beginning. */
static char *find_banner(struct bytes vmlinux)
{
	static const char words[] = "Linux version ";
	const size_t words_n = sizeof(words) - 1;
	struct bytes left = vmlinux;
	const uint8_t *at;

	while ((at = memmem(left.at, left.n, words, words_n)) != NULL) {
		const char *text = (const char *)at + words_n;
		size_t n = (size_t)(left.at + left.n - at) - words_n;
		size_t length = strnlen(
			text, n < KERNEL_LIMIT_BANNER_CHARS ? n : KERNEL_LIMIT_BANNER_CHARS);

		if (length && text[0] >= '0' && text[0] <= '9') {
			/* In the file it may end with the file; a copy has an end of its own. */
			char *banner = xstrndup(text, length);

			banner[strcspn(banner, "\n")] = 0;
			return banner;
		}
		left = (struct bytes){ (const uint8_t *)text, n };
	}
	return NULL;
}

/*
 * Debian names all releases of an old series alike ("6.1.0-50-amd64"); its banner says
 * "Debian 6.1.159-1" further on.
 */
static char *version_of(const char *banner, const char *release)
{
	const char *debian = strstr(banner, " Debian ");
	struct kernel_version version = { 0 }, exact;

	if (!kernel_version_parse(release, &version, NULL))
		return xstrdup(release);
	if (debian && kernel_version_parse(debian + strlen(" Debian "), &exact, NULL) &&
	    exact.has_patch && exact.major == version.major && exact.minor == version.minor)
		version = exact;
	return xasprintf("%u.%u.%u", version.major, version.minor, version.patch);
}

static struct error *read_release(struct kernel_image *image, const char *label)
{
	struct kernel_version version;

	if (!image->banner)
		return kernel_error(KERNEL_NOT_KERNEL, 0, "%s has no Linux version string", label);
	image->release = xstrndup(image->banner, strcspn(image->banner, " "));
	if (!kernel_name_is_safe(image->release) ||
	    !kernel_version_parse(image->release, &version, NULL))
		return kernel_error(KERNEL_MALFORMED, 0, "%s: '%s' is not the release of a kernel",
				    label, image->release);
	image->version = version_of(image->banner, image->release);
	return NULL;
}

/* Absence is not an error; anything else is. */
static struct error *absent_is_fine(struct error *err)
{
	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		return err;
	error_free(err);
	return NULL;
}

/* The kernel's linker script gathers all notes in one section. */
static struct error *read_build_id(struct elf_image *elf, struct strbuf *hex)
{
	struct bytes notes;
	struct error *err = elf_image_section(elf, ".notes", &notes);

	if (!err)
		err = elf_build_id_parse(notes, hex);
	if (!error_is(err, &base_error_domain, BASE_ABSENT))
		return err;
	error_free(err);
	return absent_is_fine(elf_build_id(elf, hex));
}

static struct error *read_vmlinux(struct kernel_image *image, const char *label)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	struct error *err = elf_image_from_bytes(image->vmlinux.at, image->vmlinux.n, label,
						 &image->elf_);

	if (err)
		return err;
	if (elf_image_machine(image->elf_) != EM_X86_64)
		return kernel_error(KERNEL_NOT_KERNEL, 0, "%s is for another machine than x86-64",
				    label);
	err = read_build_id(image->elf_, &hex);
	if (!err)
		err = absent_is_fine(elf_image_section(image->elf_, ".BTF", &image->btf));
	if (err)
		return err;
	if (hex.n)
		image->build_id = strbuf_take(&hex);
	return NULL;
}

static struct error *open_bzimage(struct kernel_image *image, struct bytes in, const char *label)
{
	struct kernel_bytes *decompressed = &image->decompressed_;
	struct kernel_bzimage header;
	struct error *err = kernel_bzimage_parse(in, label, &header);

	if (!err)
		err = kernel_decompress(header.payload, label, decompressed);
	if (err)
		return err;
	image->is_bzimage = true;
	image->vmlinux = (struct bytes){ decompressed->at, decompressed->n };
	if (header.banner)
		image->banner = xstrdup(header.banner);
	return NULL;
}

struct error *kernel_image_parse(struct bytes in, const char *label, struct kernel_image **ret)
{
	_cleanup_kernel_image_ struct kernel_image *image = xnew(struct kernel_image);
	struct error *err = NULL;

	if (in.n >= SELFMAG && memcmp(in.at, ELFMAG, SELFMAG) == 0)
		image->vmlinux = in;
	else
		err = open_bzimage(image, in, label);
	if (!err)
		err = read_vmlinux(image, label);
	if (err)
		return err;
	if (!image->banner)
		image->banner = find_banner(image->vmlinux);
	err = read_release(image, label);
	if (err)
		return err;
	*ret = take_ptr(image);
	return NULL;
}

void kernel_image_free(struct kernel_image *image)
{
	if (!image)
		return;
	elf_image_free(image->elf_);
	free(image->decompressed_.at);
	free(image->banner);
	free(image->release);
	free(image->version);
	free(image->build_id);
	free(image);
}

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

static const char *bzimage_find_banner(struct bytes in)
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
	image.banner = bzimage_find_banner(in);
	*ret = image;
	return NULL;
}

/* True when the stream gives exactly n bytes. */
typedef bool (*decompress_fn)(struct bytes in, uint8_t *out, size_t n);

static bool from_zstd(struct bytes in, uint8_t *out, size_t n)
{
	return ZSTD_decompress(out, n, in.at, in.n) == n;
}

static bool from_gzip(struct bytes in, uint8_t *out, size_t n)
{
	enum { GZIP_WRAPPER = 16 };
	/* Both sizes are below 2^32: the payload's is a 32-bit field, the result's is limited. */
	z_stream z = {
		.next_in = (Bytef *)(uintptr_t)in.at,
		.avail_in = (uInt)in.n,
		.next_out = out,
		.avail_out = (uInt)n,
	};
	int rc;

	if (inflateInit2(&z, GZIP_WRAPPER + MAX_WBITS) != Z_OK)
		return false;
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return rc == Z_STREAM_END && z.avail_out == 0;
}

static bool from_lzma(struct bytes in, uint8_t *out, size_t n)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc;

	if (lzma_auto_decoder(&stream, KERNEL_LIMIT_XZ_MEMORY_BYTES, 0) != LZMA_OK)
		return false;
	stream.next_in = in.at;
	stream.avail_in = in.n;
	stream.next_out = out;
	stream.avail_out = n;
	rc = lzma_code(&stream, LZMA_FINISH);
	lzma_end(&stream);
	return rc == LZMA_STREAM_END && stream.avail_out == 0;
}

/* lz4 -l: the magic, then blocks of up to 8 MiB, each with its size before it. */
static bool from_lz4(struct bytes in, uint8_t *out, size_t n)
{
	enum { MAGIC_BYTES = 4, BLOCK_BYTES = 8 << 20 };
	struct cursor c = cursor_over(in);
	size_t done = 0;

	cursor_seek(&c, MAGIC_BYTES);
	while (cursor_left(&c) > 0) {
		uint32_t packed = cursor_u32(&c);
		const uint8_t *block = cursor_take(&c, packed);
		size_t room = n - done < BLOCK_BYTES ? n - done : BLOCK_BYTES;
		int got;

		if (!block || packed > LZ4_COMPRESSBOUND(BLOCK_BYTES))
			return false;
		got = LZ4_decompress_safe((const char *)block, (char *)out + done, (int)packed,
					  (int)room);
		if (got < 0)
			return false;
		done += (size_t)got;
	}
	return done == n;
}

static const struct {
	const char *name;
	uint8_t magic[6];
	uint8_t magic_n;
	/* Whether the appended size is part of the stream itself. */
	bool size_inside;
	decompress_fn run; /* NULL: known by name only */
} methods[] = {
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, false, from_zstd },
	{ "gzip", { 0x1f, 0x8b }, 2, true, from_gzip },
	{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, false, from_lzma },
	{ "lzma", { 0x5d, 0, 0 }, 3, false, from_lzma },
	{ "lz4", { 0x02, 0x21, 0x4c, 0x18 }, 4, false, from_lz4 },
	{ "lzo", { 0x89, 'L', 'Z', 'O' }, 4, false, NULL },
	{ "bzip2", { 'B', 'Z', 'h' }, 3, false, NULL },
};

static uint32_t appended_size(struct bytes payload)
{
	struct cursor c = cursor_over(payload);

	cursor_seek(&c, payload.n - 4);
	return cursor_u32(&c);
}

static struct error *check_size(struct bytes payload, const char *label, uint64_t size)
{
	uint64_t allowed = (uint64_t)payload.n * KERNEL_LIMIT_INFLATION;

	if (allowed < KERNEL_LIMIT_INFLATION_FLOOR_BYTES)
		allowed = KERNEL_LIMIT_INFLATION_FLOOR_BYTES;
	if (size > allowed)
		return base_error(BASE_LIMIT, 0, "%s: a payload of %zu bytes would become %llu",
				  label, payload.n, (unsigned long long)size);
	return NULL;
}

struct error *kernel_decompress(struct bytes payload, const char *label, struct kernel_bytes *ret)
{
	_cleanup_free_ void *out = NULL;
	struct bytes stream = payload;
	struct error *err;
	size_t i, size;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		if (payload.n >= (size_t)methods[i].magic_n + 4 &&
		    memcmp(payload.at, methods[i].magic, methods[i].magic_n) == 0)
			break;
	}
	if (i == ARRAY_SIZE(methods))
		return kernel_error(KERNEL_COMPRESSION, 0,
				    "%s: the compression of the payload is not recognised", label);
	if (!methods[i].run)
		return kernel_error(
			KERNEL_COMPRESSION, 0,
			"%s: the payload is %s; zstd, gzip, xz, lzma and lz4 can be read", label,
			methods[i].name);
	size = appended_size(payload);
	err = check_size(payload, label, size);
	if (!err)
		err = alloc_checked(size ? size : 1, 1, KERNEL_LIMIT_VMLINUX_BYTES,
				    "the decompressed kernel", &out);
	if (err)
		return err;
	if (!methods[i].size_inside)
		stream.n -= 4;
	if (!methods[i].run(stream, out, size))
		return kernel_error(KERNEL_MALFORMED, 0,
				    "%s: the %s payload does not become the %zu bytes it claims",
				    label, methods[i].name, size);
	ret->at = take_ptr(out);
	ret->n = size;
	return NULL;
}
