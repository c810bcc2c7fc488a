/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the loader looks for one library: the lists of directories and the words in them. */
#ifndef KTSTR_ELF_CLOSURE_INTERNAL_H
#define KTSTR_ELF_CLOSURE_INTERNAL_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "elf/closure.h"
#include "elf/image.h"

/*
 * Appends text with $ORIGIN, $LIB and $PLATFORM, also in braces, replaced. False when the
 * result would be longer than any path; the loader skips such an entry.
 */
bool elf_closure_expand(const char *text, size_t n, const char *origin, uint16_t machine,
			struct strbuf *into) MUST_CHECK;

/*
 * Walks a colon-separated list: *at moves behind the entry, *into holds it expanded.
 * False at the end. An empty entry is the working directory, which a guest does not
 * share: it is skipped, as is one that is not absolute after expansion.
 */
bool elf_closure_next_directory(const char **at, const char *origin, uint16_t machine,
				struct strbuf *into) MUST_CHECK;

/*
 * /etc/ld.so.cache as glibc writes it: the format of 2.2, alone or after the older
 * table that nothing reads any more.
 *
 * Entries for particular processors (glibc-hwcaps) are passed over: a guest's
 * processor is not the host's, and every such library has a plain sister.
 */
struct elf_ld_cache {
	struct bytes table; /* from the newer header on; borrowed */
	uint32_t n;
};

/* Borrows the bytes. No cache, or one that promises more than there is: BASE_PARSE. */
struct error *elf_ld_cache_parse(struct bytes in, struct elf_ld_cache *ret) MUST_CHECK;
/* The path of a library, borrowed, or NULL. machine is EM_…. */
const char *elf_ld_cache_find(const struct elf_ld_cache *cache, uint16_t machine,
			      const char *soname);

/* What an object asks of the loader: its interpreter, its libraries, where to look for them. */
struct elf_dynamic {
	char *interpreter; /* PT_INTERP; NULL: none */
	char *soname;	   /* NULL: none */
	/* Colon-separated and unexpanded; NULL: none. A DT_RPATH beside a DT_RUNPATH counts as
	 * none. */
	char *rpath;
	char *runpath;
	char **needed; /* in the order of the file */
	size_t n_needed;
	bool no_default_directories; /* DF_1_NODEFLIB */
};

/* An object without PT_DYNAMIC, which is a static program, gives an empty value. The caller owns
 * *ret. */
struct error *elf_dynamic_read(struct elf_image *img, struct elf_dynamic **ret) MUST_CHECK;
void elf_dynamic_free(struct elf_dynamic *d);
DEFINE_CLEANUP(elf_dynamic, struct elf_dynamic *, NULL, elf_dynamic_free);
#define _cleanup_elf_dynamic_ _cleanup_(cleanup_elf_dynamic)

#endif
