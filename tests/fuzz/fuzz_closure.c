// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/elf/closure_search.c */
/* An object is asked for its wishes; anything else is taken for the loader's cache. */
#include "fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/closure_internal.h"
#include "elf/image.h"

/* Kept where nothing can optimise the reads away. */
static volatile size_t sink;

static void walk_list(const char *list, uint16_t machine)
{
	_cleanup_strbuf_ struct strbuf dir = STRBUF_INIT;

	while (elf_closure_next_directory(&list, "/origin", machine, &dir)) {
		if (strbuf_str(&dir)[0] != '/' || dir.n >= ELF_LIMIT_PATH_CHARS)
			abort();
	}
	sink += strlen(elf_closure_default_directories(machine)[0]);
}

static void try_object(const uint8_t *data, size_t n)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_elf_dynamic_ struct elf_dynamic *d = NULL;
	struct error *err = elf_image_from_bytes(data, n, "fuzz", &img);

	if (err) {
		error_free(err);
		return;
	}
	fuzz_mark_deep();
	err = elf_dynamic_read(img, &d);
	if (err) {
		error_free(err);
		return;
	}
	if ((d->rpath && d->runpath) || d->n_needed > ELF_LIMIT_NEEDED)
		abort();
	for (size_t i = 0; i < d->n_needed; i++)
		sink += strlen(d->needed[i]);
	sink += (d->soname ? strlen(d->soname) : 0) + (d->interpreter ? strlen(d->interpreter) : 0);
	walk_list(d->rpath, elf_image_machine(img));
	walk_list(d->runpath, elf_image_machine(img));
}

static void try_cache(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "libc.so.6", "libz.so.1", "none" };
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };
	struct elf_ld_cache cache;
	struct error *err = elf_ld_cache_parse((struct bytes){ data, n }, &cache);

	if (err) {
		error_free(err);
		return;
	}
	fuzz_mark_deep();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(machines); k++) {
			const char *path = elf_ld_cache_find(&cache, machines[k], names[i]);

			sink += path ? strlen(path) : 0;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* On the heap and no longer than it is: a byte too far is seen. */
	_cleanup_free_ uint8_t *exact = malloc(n ? n : 1);

	if (n)
		memcpy(exact, data, n);
	if (n >= SELFMAG && memcmp(exact, ELFMAG, SELFMAG) == 0)
		try_object(exact, n);
	else
		try_cache(exact, n);
	return 0;
}
