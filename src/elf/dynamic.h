/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an object asks of the loader: its interpreter, its libraries, where to look for them. */
#ifndef KTSTR_ELF_DYNAMIC_H
#define KTSTR_ELF_DYNAMIC_H

#include "elf/image.h"

struct elf_dynamic {
	char *interpreter; /* PT_INTERP; NULL: none */
	char *soname;	   /* NULL: none */
	/* Colon-separated and unexpanded; NULL: none. A DT_RPATH beside a DT_RUNPATH counts as
	 * none. */
	char *rpath;
	char *runpath;
	char **needed; /* in the order of the file */
	size_t n_needed;
	bool no_default_folders; /* DF_1_NODEFLIB */
};

/* An object without PT_DYNAMIC, which is a static program, gives an empty value. The caller owns
 * *ret. */
struct error *elf_dynamic_read(struct elf_image *img, struct elf_dynamic **ret) MUST_CHECK;
void elf_dynamic_free(struct elf_dynamic *d);
DEFINE_CLEANUP(elf_dynamic, struct elf_dynamic *, NULL, elf_dynamic_free);
#define _cleanup_elf_dynamic_ _cleanup_(cleanup_elf_dynamic)

#endif
