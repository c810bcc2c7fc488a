// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/debug_file.h"
#include "elf/image.h"
#include "kernel/limits.h"
#include "kernel/version.h"

struct kernel_image_parts {
	struct kernel_bytes decompressed;
	struct elf_image *elf;
};

/* The words the kernel greets with, and a format string of the same beginning, stand in it. */
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

/* Absence is no error; anything else is. */
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
						 &image->parts_->elf);

	if (err)
		return err;
	if (elf_image_machine(image->parts_->elf) != EM_X86_64)
		return kernel_error(KERNEL_NOT_KERNEL, 0, "%s is for another machine than x86-64",
				    label);
	err = read_build_id(image->parts_->elf, &hex);
	if (!err)
		err = absent_is_fine(elf_image_section(image->parts_->elf, ".BTF", &image->btf));
	if (err)
		return err;
	if (hex.n)
		image->build_id = strbuf_take(&hex);
	return NULL;
}

static struct error *open_bzimage(struct kernel_image *image, struct bytes in, const char *label)
{
	struct kernel_bytes *decompressed = &image->parts_->decompressed;
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

	image->parts_ = xnew(struct kernel_image_parts);
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
	elf_image_free(image->parts_->elf);
	free(image->parts_->decompressed.at);
	free(image->parts_);
	free(image->banner);
	free(image->release);
	free(image->version);
	free(image->build_id);
	free(image);
}
