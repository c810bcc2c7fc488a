// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/kernel/image.c */
#include "fuzz.h"

#include <stdlib.h>
#include <zstd.h>

#include "fuzz_elf.h"
#include "kernel/kernel.h"
#include "kernel/image.h"

enum { HEADER_BYTES = 0x260, WINDOW_BYTES = 64 };

static bool is_bzimage(const uint8_t *data, size_t n)
{
	return n > 0x206 && memcmp(data + 0x202, "HdrS", 4) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static volatile size_t sink;
	struct bytes in = { data, n };
	struct kernel_image *image = NULL;
	struct kernel_check check = { 0 };
	struct error *err;

	if (is_bzimage(data, n) || (n > SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0))
		fuzz_mark_deep();
	err = kernel_image_parse(in, "fuzz", &image);
	if (!err) {
		/* What becomes part of a path must be fit for it. */
		if (!kernel_name_is_safe(image->release) || !image->version || !image->banner)
			__builtin_trap();
		for (size_t i = 0; i < image->vmlinux.n; i += 64)
			sink += image->vmlinux.at[i];
		for (size_t i = 0; i < image->btf.n; i++)
			sink += image->btf.at[i];
		error_free(kernel_check_btf(image->btf, "fuzz", &check));
		kernel_check_deinit(&check);
	}
	error_free(err);
	kernel_image_free(image);
	return 0;
}

static void change_window(uint8_t *data, size_t n, size_t start)
{
	uint8_t window[WINDOW_BYTES];
	size_t width = n - start < sizeof(window) ? n - start : sizeof(window);

	memcpy(window, data + start, width);
	LLVMFuzzerMutate(window, width, width);
	memcpy(data + start, window, width);
}

/* Behind a checksum blind changes end at the door: unpack, change, pack again. */
static size_t change_inside(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	struct kernel_bytes vmlinux = { 0 };
	struct kernel_bzimage header;
	struct error *err = kernel_bzimage_parse((struct bytes){ data, n }, "fuzz", &header);
	size_t start, packed = 0;

	if (!err)
		err = kernel_decompress(header.payload, "fuzz", &vmlinux);
	if (err || vmlinux.n < sizeof(Elf64_Ehdr)) {
		error_free(err);
		free(vmlinux.at);
		return 0;
	}
	start = (size_t)(header.payload.at - data);
	fuzz_mutate_elf(vmlinux.at, vmlinux.n, vmlinux.n, seed);
	if (start < limit)
		packed = ZSTD_compress(data + start, limit - start, vmlinux.at, vmlinux.n, 1);
	if (!ZSTD_isError(packed) && packed && start + packed + 4 <= limit) {
		uint32_t size = (uint32_t)vmlinux.n, length = (uint32_t)packed + 4;

		memcpy(data + start + packed, &size, sizeof(size));
		memcpy(data + 0x24c, &length, sizeof(length));
		n = start + length;
	}
	free(vmlinux.at);
	return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	size_t changed;

	if (!LLVMFuzzerMutate)
		return n;
	if (!is_bzimage(data, n) || n <= HEADER_BYTES)
		return fuzz_mutate_elf(data, n, limit, seed);
	switch (seed / 8 % 4) {
	case 0:
		change_window(data, n, 0x1f0 + seed / 32 % (HEADER_BYTES - 0x1f0));
		return n;
	case 1:
		change_window(data, n, seed / 32 % n);
		return n;
	case 2:
		changed = change_inside(data, n, limit, seed / 32);
		return changed ? changed : n;
	default:
		return LLVMFuzzerMutate(data, n, limit);
	}
}
