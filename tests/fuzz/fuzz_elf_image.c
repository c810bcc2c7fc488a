// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/elf/image.c src/elf/section.c src/elf/symbol.c
 * src/elf/debug_file.c */
#include <sys/mman.h>

#include "elf/debug_file.h"
#include "elf/symbol.h"
#include "elf/image.h"
#include "fuzz.h"

static void read_everything(struct elf_image *img)
{
	static const char *const sections[] = {
		".text",	 ".symtab",	".strtab",	  ".debug_info", ".debug_str",
		".debug_abbrev", ".debug_line", ".debug_aranges", ".bss",	 ".comment",
	};
	static const char *const names[] = { "main", "je_tsd_tls", "missing" };
	struct elf_debuglink link = { 0 };
	struct strbuf hex = STRBUF_INIT;
	struct elf_symbol symbols[3];
	struct elf_load loads[4];
	struct elf_tls tls;
	struct bytes bytes;
	uint64_t bias, total = 0;
	uint32_t crc;
	uint8_t word[8];
	bool found[3];
	struct error *err;

	total += elf_image_machine(img) + strlen(elf_image_label(img));
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		err = elf_image_section(img, sections[i], &bytes);
		/* Every byte that is lent must be there. */
		for (size_t b = 0; !err && b < bytes.n; b++)
			total += bytes.at[b];
		error_free(err);
	}
	error_free(elf_symbol_find_named(img, "je_tsd_tls", &symbols[0]));
	err = elf_symbol_find_all_named(img, names, ARRAY_SIZE(names), symbols, found);
	if (!err && found[1])
		total += strlen(symbols[1].name);
	error_free(err);
	error_free(elf_image_tls(img, &tls));
	error_free(elf_build_id(img, &hex));
	if (hex.n && !elf_build_id_is_safe(strbuf_str(&hex), hex.n))
		__builtin_trap();
	error_free(elf_debuglink(img, &link));
	if (link.name)
		total += elf_debuglink_name_is_safe(link.name, strlen(link.name));
	error_free(elf_image_crc32(img, &crc));
	(void)elf_load_bias(loads, elf_image_loads(img, loads, ARRAY_SIZE(loads)), 0x555555554000,
			    total & 0x1000, &bias);
	error_free(elf_image_read_vaddr(img, 0x400000, word, sizeof(word)));
	error_free(elf_image_read_vaddr(img, 0, word, sizeof(word)));
	elf_debuglink_deinit(&link);
	strbuf_deinit(&hex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static int fd = -1;
	struct elf_image *img = NULL;
	struct error *err = elf_image_from_bytes(data, n, "fuzz", &img);

	if (!err) {
		fuzz_mark_deep();
		read_everything(img);
	}
	error_free(err);
	elf_image_free(img);
	img = NULL;
	/* The same through a file descriptor, now and then: it is slower. */
	if (n % 4)
		return 0;
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, n, 0) != (ssize_t)n)
		return 0;
	err = n % 8 ? elf_image_open_fd(fd, "fuzz", &img)
		    : elf_image_open("/proc/self/exe/x", &img);
	if (!err) {
		/* Somebody truncates the file while it is being read. */
		if (n % 3 == 0 && ftruncate(fd, (off_t)n / 2) < 0)
			return 0;
		read_everything(img);
	}
	error_free(err);
	elf_image_free(img);
	return 0;
}
