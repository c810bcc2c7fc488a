/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel small enough for tests: BTF, vmlinux and bzImage made here, and a cache to put them in.
 */
#ifndef KTSTR_TESTS_KERNEL_SAMPLE_H
#define KTSTR_TESTS_KERNEL_SAMPLE_H

#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zstd.h>

#include "../btf/build_btf.h"
#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "unit.h"

#define SAMPLE_RELEASE	"9.8.7+test-cloud-amd64"
#define SAMPLE_BANNER	SAMPLE_RELEASE " (who@where) #1 SMP Debian 9.8.7-1 (2026-01-01)"
#define SAMPLE_BUILD_ID "000102030405060708090a0b0c0d0e0f10111213"

struct sample {
	const char *banner;  /* NULL: none */
	bool no_btf;	     /* no .BTF section */
	bool no_scx;	     /* no struct sched_ext_ops */
	unsigned int leaky;  /* of three scx functions */
	uint8_t build_id_at; /* the first byte of the build-id */
};

static inline void sample_btf(const struct sample *sample, struct strbuf *out)
{
	static const char *const names[] = { "scx_bpf_one", "scx_bpf_two", "scx_bpf_three" };
	static const char *const clean[] = { "dsq_id", NULL }, *const leaky[] = { "p", "aux",
										  NULL };
	struct build_btf b = { 0 };

	build_btf_func(&b, "schedule", 0, leaky); /* somebody else's aux is none of ours */
	build_btf_func(&b, "scx_bpf_one_impl", 0, leaky);
	for (unsigned int i = 0; i < 3 && !sample->no_scx; i++)
		build_btf_func(&b, names[i], 0, i < sample->leaky ? leaky : clean);
	if (!sample->no_scx)
		build_btf_type(&b, "sched_ext_ops", 4, 0, 8);
	build_btf_finish(&b, out);
}

static inline void sample_section(Elf64_Shdr *header, struct strbuf *file, struct strbuf *names,
				  const char *name, uint32_t type, const void *bytes, size_t n)
{
	while (file->n % 8)
		strbuf_append_char(file, 0);
	*header = (Elf64_Shdr){
		.sh_name = (uint32_t)names->n,
		.sh_type = type,
		.sh_offset = file->n,
		.sh_size = n,
		.sh_addralign = 1,
	};
	strbuf_append_bytes(names, name, strlen(name) + 1);
	strbuf_append_bytes(file, bytes, n);
}

/* An ELF image with notes, BTF and a banner, as the kernel's link makes them. */
static inline void sample_vmlinux(const struct sample *sample, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT, notes = STRBUF_INIT, btf = STRBUF_INIT,
				       data = STRBUF_INIT;
	Elf64_Ehdr elf = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(elf),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Shdr headers[5] = { 0 };
	uint16_t n = 1;

	/* Another note stands first, as in a real one. */
	build_u32(&notes, 6);
	build_u32(&notes, 4);
	build_u32(&notes, 0x100);
	strbuf_append_bytes(&notes, "Linux\0\0\0", 8);
	build_u32(&notes, 0);
	build_u32(&notes, 4);
	build_u32(&notes, 20);
	build_u32(&notes, 3);
	strbuf_append_bytes(&notes, "GNU", 4);
	for (int i = 0; i < 20; i++)
		strbuf_append_char(&notes, (char)(i ? i : sample->build_id_at));
	/* The format string of the same beginning comes first. */
	strbuf_append_bytes(&data, "Linux version %s", 17);
	if (sample->banner)
		strbuf_appendf(&data, "Linux version %s\n", sample->banner);
	strbuf_append_char(&data, 0);

	strbuf_append_bytes(out, &elf, sizeof(elf));
	strbuf_append_char(&names, 0);
	sample_section(&headers[n++], out, &names, ".notes", SHT_NOTE, notes.at, notes.n);
	sample_section(&headers[n++], out, &names, ".rodata", SHT_PROGBITS, data.at, data.n);
	if (!sample->no_btf) {
		sample_btf(sample, &btf);
		sample_section(&headers[n++], out, &names, ".BTF", SHT_PROGBITS, btf.at, btf.n);
	}
	strbuf_append_bytes(&names, ".shstrtab", 10);
	sample_section(&headers[n], out, &names, "", SHT_STRTAB, names.at, names.n);
	headers[n].sh_name = (uint32_t)(names.n - 11);
	elf.e_shstrndx = n++;
	while (out->n % 8)
		strbuf_append_char(out, 0);
	elf.e_shoff = out->n;
	elf.e_shnum = n;
	strbuf_append_bytes(out, headers, n * sizeof(headers[0]));
	memcpy(out->at, &elf, sizeof(elf));
}

/* A boot header with one sector of set-up in front of a payload. */
static inline void sample_wrap(const char *banner, const void *payload, size_t n,
			       struct strbuf *out)
{
	enum { SETUP_BYTES = 1024, BANNER_AT = 0x280 };
	char setup[SETUP_BYTES] = { 0 };

	setup[0x1f1] = 1;
	setup[0x1fe] = 0x55;
	setup[0x1ff] = (char)0xaa;
	memcpy(setup + 0x202, "HdrS", 4);
	setup[0x206] = 0x0f;
	setup[0x207] = 0x02;
	if (banner) {
		setup[0x20e] = (char)(BANNER_AT - 0x200);
		snprintf(setup + BANNER_AT, 256, "%s", banner);
	}
	for (int i = 0; i < 4; i++)
		setup[0x24c + i] = (char)(n >> (8 * i));
	strbuf_append_bytes(out, setup, sizeof(setup));
	strbuf_append_bytes(out, payload, n);
}

static inline void sample_zstd(const struct strbuf *in, struct strbuf *out)
{
	size_t bound = ZSTD_compressBound(in->n);
	_cleanup_free_ char *packed = xcalloc(1, bound);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t n;

	/* As the kernel's build calls it: with a checksum and without the size. */
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	n = ZSTD_compress2(context, packed, bound, in->at, in->n);
	ZSTD_freeCCtx(context);
	assert_false(ZSTD_isError(n));
	strbuf_append_bytes(out, packed, n);
	build_u32(out, (uint32_t)in->n);
}

static inline void sample_bzimage(const struct sample *sample, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf vmlinux = STRBUF_INIT, payload = STRBUF_INIT;

	sample_vmlinux(sample, &vmlinux);
	sample_zstd(&vmlinux, &payload);
	sample_wrap(sample->banner, payload.at, payload.n, out);
}

/* The usual one: usable, with everything. */
static inline struct sample sample_usual(void)
{
	return (struct sample){ .banner = SAMPLE_BANNER };
}

/* A cache of the test's own; the caller removes it with sample_cache_end(). */
static inline char *sample_cache_begin(void)
{
	char *dir = xstrdup("/tmp/ktstr-test-kernel-XXXXXX");

	assert_non_null(mkdtemp(dir));
	assert_int_equal(setenv("KTSTR_CACHE_DIR", dir, 1), 0);
	assert_int_equal(unsetenv("KTSTR_KERNEL"), 0);
	return dir;
}

static inline void sample_cache_end(char *dir)
{
	assert_success(paths_remove(dir));
	free(dir);
}

static inline char *sample_write(const char *dir, const char *name, const struct strbuf *content)
{
	char *path = xasprintf("%s/%s", dir, name);

	assert_success(io_replace_file(path, strbuf_str(content), content->n));
	return path;
}

static inline char *sample_write_text(const char *dir, const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;

	strbuf_append(&content, text);
	return sample_write(dir, name, &content);
}

#endif
