/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small objects that have nothing but wishes for the loader. */
#ifndef KTSTR_TESTS_ELF_MADE_DYNAMIC_H
#define KTSTR_TESTS_ELF_MADE_DYNAMIC_H

#include <elf.h>
#include <string.h>

#include "base/strbuf.h"

#define MADE_MAX 16

struct made_dynamic {
	const char *interpreter, *soname, *rpath, *runpath;
	const char *needed[MADE_MAX];
	uint64_t flags_1;
	uint16_t machine;    /* 0: EM_X86_64 */
	unsigned char class; /* 0: ELFCLASS64 */
	/* Lies, applied last. */
	uint64_t string_bytes;	/* what DT_STRSZ says; 0: the truth */
	uint64_t needed_offset; /* where the first DT_NEEDED points; 0: the truth */
};

struct made_tags {
	Elf64_Dyn at[MADE_MAX + 8];
	size_t n;
	struct strbuf strings;
};

static inline void made_tag(struct made_tags *t, int64_t tag, const char *text)
{
	t->at[t->n++] = (Elf64_Dyn){ .d_tag = tag, .d_un.d_val = t->strings.n };
	strbuf_append_bytes(&t->strings, text, strlen(text) + 1);
}

static inline void made_dynamic_append(const struct made_dynamic *m, struct strbuf *out)
{
	size_t interpreter_n = m->interpreter ? strlen(m->interpreter) + 1 : 0;
	struct made_tags t = { 0 };
	Elf64_Ehdr eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				       m->class ? m->class : ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = m->machine ? m->machine : EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 3,
			  .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr ph[3];
	uint64_t dyn_at = sizeof(eh) + sizeof(ph), strings_at, end;

	strbuf_append_char(&t.strings, 0);
	for (size_t i = 0; i < MADE_MAX && m->needed[i]; i++) {
		made_tag(&t, DT_NEEDED, m->needed[i]);
		if (i == 0 && m->needed_offset)
			t.at[0].d_un.d_val = m->needed_offset;
	}
	if (m->soname)
		made_tag(&t, DT_SONAME, m->soname);
	if (m->rpath)
		made_tag(&t, DT_RPATH, m->rpath);
	if (m->runpath)
		made_tag(&t, DT_RUNPATH, m->runpath);
	t.at[t.n++] = (Elf64_Dyn){ .d_tag = DT_FLAGS_1, .d_un.d_val = m->flags_1 };
	strings_at = dyn_at + (t.n + 3) * sizeof(Elf64_Dyn);
	t.at[t.n++] = (Elf64_Dyn){ .d_tag = DT_STRTAB, .d_un.d_ptr = strings_at };
	t.at[t.n++] = (Elf64_Dyn){ .d_tag = DT_STRSZ,
				   .d_un.d_val = m->string_bytes ? m->string_bytes : t.strings.n };
	t.at[t.n++] = (Elf64_Dyn){ .d_tag = DT_NULL };
	end = strings_at + t.strings.n + interpreter_n;
	ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = end, .p_memsz = end };
	ph[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
			      .p_offset = dyn_at,
			      .p_vaddr = dyn_at,
			      .p_filesz = t.n * sizeof(Elf64_Dyn) };
	ph[2] = (Elf64_Phdr){ .p_type = m->interpreter ? PT_INTERP : PT_NULL,
			      .p_offset = strings_at + t.strings.n,
			      .p_filesz = interpreter_n };
	strbuf_append_bytes(out, &eh, sizeof(eh));
	strbuf_append_bytes(out, ph, sizeof(ph));
	strbuf_append_bytes(out, t.at, t.n * sizeof(Elf64_Dyn));
	strbuf_append_bytes(out, t.strings.at, t.strings.n);
	if (interpreter_n)
		strbuf_append_bytes(out, m->interpreter, interpreter_n);
	strbuf_deinit(&t.strings);
}

#endif
