// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure_internal.h"

#include <elf.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/image_internal.h"
#include "elf/image.h"

const char *const *elf_closure_default_directories(uint16_t machine)
{
	/* Debian's multiarch directories, what others use, and glibc's own. */
	static const char *const x86_64[] = { "/lib/x86_64-linux-gnu",
					      "/usr/lib/x86_64-linux-gnu",
					      "/lib64",
					      "/usr/lib64",
					      "/lib",
					      "/usr/lib",
					      NULL };
	static const char *const aarch64[] = { "/lib/aarch64-linux-gnu",
					       "/usr/lib/aarch64-linux-gnu",
					       "/lib64",
					       "/usr/lib64",
					       "/lib",
					       "/usr/lib",
					       NULL };

	return machine == EM_AARCH64 ? aarch64 : x86_64;
}

struct word {
	const char *name;
	const char *value;
};

/* How many characters of text are this word, with its dollar sign; 0: another. */
static size_t matches(const char *text, size_t n, const char *name)
{
	size_t length = strlen(name);
	bool braces = n > 1 && text[1] == '{';
	size_t start = braces ? 2 : 1;

	if (n < start + length || memcmp(text + start, name, length) != 0)
		return 0;
	if (braces)
		return n > start + length && text[start + length] == '}' ? start + length + 1 : 0;
	/* $LIBRARY is not $LIB. */
	if (n > start + length) {
		char c = text[start + length];

		if (c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z'))
			return 0;
	}
	return start + length;
}

bool elf_closure_expand(const char *text, size_t n, const char *origin, uint16_t machine,
			struct strbuf *into)
{
	bool arm = machine == EM_AARCH64;
	const struct word words[] = {
		{ "ORIGIN", origin },
		{ "LIB", arm ? "lib/aarch64-linux-gnu" : "lib/x86_64-linux-gnu" },
		{ "PLATFORM", arm ? "aarch64" : "x86_64" },
	};

	while (n) {
		size_t taken = 0;

		for (size_t i = 0; *text == '$' && i < ARRAY_SIZE(words) && !taken; i++) {
			taken = matches(text, n, words[i].name);
			if (taken)
				strbuf_append(into, words[i].value);
		}
		if (!taken) {
			strbuf_append_char(into, *text);
			taken = 1;
		}
		text += taken;
		n -= taken;
		if (into->n >= ELF_LIMIT_PATH_CHARS)
			return false;
	}
	return true;
}

bool elf_closure_next_directory(const char **at, const char *origin, uint16_t machine,
				struct strbuf *into)
{
	while (*at && **at) {
		size_t n = strcspn(*at, ":");
		const char *entry = *at;

		*at += n + (entry[n] == ':');
		strbuf_clear(into);
		if (elf_closure_expand(entry, n, origin, machine, into) &&
		    strbuf_str(into)[0] == '/')
			return true;
	}
	return false;
}

/* glibc's sysdeps/generic/dl-cache.h; offsets of strings count from the newer header. */
static const char old_magic[] = "ld.so-1.7.0";
static const char new_magic[] = "glibc-ld.so.cache1.1";

enum {
	OLD_HEADER_BYTES = 16,
	OLD_ENTRY_BYTES = 12,
	NEW_HEADER_BYTES = 48,
	NEW_ENTRY_BYTES = 24,
	/* Low byte: for libc.so.6; high byte: the architecture. */
	FLAGS_X86_64 = 0x0303,
	FLAGS_AARCH64 = 0x0a03,
};

static bool begins_with(struct bytes in, const char *magic, size_t n)
{
	return in.n >= n && memcmp(in.at, magic, n) == 0;
}

/* Skips the older table, if there is one. */
static bool find_new_header(struct bytes in, struct bytes *ret)
{
	struct cursor c = cursor_over(in);
	uint64_t skip;

	if (begins_with(in, old_magic, sizeof(old_magic) - 1)) {
		cursor_seek(&c, sizeof(old_magic));
		/* Aligned as the new table's first member of eight bytes. */
		skip = OLD_HEADER_BYTES + (uint64_t)cursor_u32(&c) * OLD_ENTRY_BYTES;
		skip = (skip + 7) & ~UINT64_C(7);
		if (c.failed || skip > in.n)
			return false;
		in.at += skip;
		in.n -= (size_t)skip;
	}
	if (in.n < NEW_HEADER_BYTES || !begins_with(in, new_magic, sizeof(new_magic) - 1))
		return false;
	*ret = in;
	return true;
}

struct error *elf_ld_cache_parse(struct bytes in, struct elf_ld_cache *ret)
{
	struct elf_ld_cache cache;
	struct cursor c;

	if (!find_new_header(in, &cache.table))
		return base_error(BASE_PARSE, 0, "no cache of glibc's loader");
	c = cursor_over(cache.table);
	cursor_seek(&c, sizeof(new_magic) - 1);
	cache.n = cursor_u32(&c);
	if (cache.n > (cache.table.n - NEW_HEADER_BYTES) / NEW_ENTRY_BYTES)
		return base_error(BASE_PARSE, 0,
				  "the loader's cache promises %u libraries in %zu bytes", cache.n,
				  cache.table.n);
	*ret = cache;
	return NULL;
}

static const char *string_at(struct bytes table, uint32_t offset)
{
	struct cursor c = cursor_over(table);

	cursor_seek(&c, offset);
	return cursor_string(&c);
}

const char *elf_ld_cache_find(const struct elf_ld_cache *cache, uint16_t machine,
			      const char *soname)
{
	uint32_t wanted = machine == EM_AARCH64 ? FLAGS_AARCH64 : FLAGS_X86_64;
	struct cursor c = cursor_over(cache->table);

	cursor_seek(&c, NEW_HEADER_BYTES);
	for (uint32_t i = 0; i < cache->n; i++) {
		uint32_t flags = cursor_u32(&c), key = cursor_u32(&c), value = cursor_u32(&c);
		const char *name;

		(void)cursor_u32(&c); /* least kernel version, unused since 2.33 */
		if (cursor_u64(&c) != 0 || flags != wanted)
			continue;
		name = string_at(cache->table, key);
		if (name && strcmp(name, soname) == 0)
			return string_at(cache->table, value);
	}
	return NULL;
}

void elf_dynamic_free(struct elf_dynamic *d)
{
	if (!d)
		return;
	free(d->interpreter);
	free(d->soname);
	free(d->rpath);
	free(d->runpath);
	for (size_t i = 0; i < d->n_needed; i++)
		free(d->needed[i]);
	free(d->needed);
	free(d);
}

static const GElf_Phdr *find_segment(const struct elf_image *img, uint32_t type)
{
	for (size_t i = 0; i < img->n_segments; i++) {
		if (img->segments[i].p_type == type)
			return &img->segments[i];
	}
	return NULL;
}

static struct error *read_interpreter(struct elf_image *img, struct elf_dynamic *d)
{
	const GElf_Phdr *ph = find_segment(img, PT_INTERP);
	char path[ELF_LIMIT_DYNAMIC_STRING];
	struct error *err;

	if (!ph)
		return NULL;
	if (ph->p_filesz < 2 || ph->p_filesz > sizeof(path))
		return elf_error(ELF_MALFORMED, 0, "%s: an interpreter's name of %lu bytes",
				 img->label, (unsigned long)ph->p_filesz);
	err = elf_read_at(img, ph->p_offset, path, ph->p_filesz);
	if (err)
		return err;
	if (path[ph->p_filesz - 1])
		return elf_error(ELF_MALFORMED, 0, "%s: the interpreter's name has no end",
				 img->label);
	d->interpreter = xstrdup(path);
	return NULL;
}

struct string_table {
	uint64_t vaddr;
	uint64_t n;
};

static struct error *read_string(struct elf_image *img, const struct string_table *table,
				 uint64_t offset, char **ret)
{
	char text[ELF_LIMIT_DYNAMIC_STRING];
	struct error *err;
	uint64_t left, at;
	size_t n;

	if (!sub_fits_u64(table->n, offset, &left) || left == 0 ||
	    !add_fits_u64(table->vaddr, offset, &at))
		return elf_error(ELF_MALFORMED, 0,
				 "%s: a name outside the dynamic string table (%#lx of %#lx)",
				 img->label, (unsigned long)offset, (unsigned long)table->n);
	n = left < sizeof(text) ? (size_t)left : sizeof(text);
	err = elf_image_read_vaddr(img, at, text, n);
	if (err)
		return error_wrap(err, "dynamic string table");
	if (!memchr(text, 0, n))
		return elf_error(ELF_MALFORMED, 0, "%s: a name without an end in %zu bytes",
				 img->label, n);
	free(*ret);
	*ret = xstrdup(text);
	return NULL;
}

static struct error *read_tag(struct elf_image *img, const struct string_table *table,
			      const Elf64_Dyn *dyn, struct elf_dynamic *d)
{
	switch (dyn->d_tag) {
	case DT_NEEDED:
		if (d->n_needed == ELF_LIMIT_NEEDED)
			return base_error(BASE_LIMIT, 0, "%s needs more than %d libraries",
					  img->label, ELF_LIMIT_NEEDED);
		d->needed = xreallocarray(d->needed, d->n_needed + 1, sizeof(*d->needed));
		d->needed[d->n_needed++] = NULL;
		return read_string(img, table, dyn->d_un.d_val, &d->needed[d->n_needed - 1]);
	case DT_SONAME:
		return read_string(img, table, dyn->d_un.d_val, &d->soname);
	case DT_RPATH:
		return read_string(img, table, dyn->d_un.d_val, &d->rpath);
	case DT_RUNPATH:
		return read_string(img, table, dyn->d_un.d_val, &d->runpath);
	case DT_FLAGS_1:
		d->no_default_directories = dyn->d_un.d_val & DF_1_NODEFLIB;
		return NULL;
	default:
		return NULL;
	}
}

static struct error *read_tags(struct elf_image *img, const Elf64_Dyn *dyn, size_t n,
			       struct elf_dynamic *d)
{
	struct string_table table = { 0 };
	struct error *err = NULL;

	for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL; i++) {
		if (dyn[i].d_tag == DT_STRTAB)
			table.vaddr = dyn[i].d_un.d_ptr;
		if (dyn[i].d_tag == DT_STRSZ)
			table.n = dyn[i].d_un.d_val;
	}
	for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL && !err; i++)
		err = read_tag(img, &table, &dyn[i], d);
	if (d->runpath) {
		free(d->rpath);
		d->rpath = NULL;
	}
	return err;
}

struct error *elf_dynamic_read(struct elf_image *img, struct elf_dynamic **ret)
{
	_cleanup_elf_dynamic_ struct elf_dynamic *d = xnew(struct elf_dynamic);
	const GElf_Phdr *ph = find_segment(img, PT_DYNAMIC);
	_cleanup_free_ Elf64_Dyn *dyn = NULL;
	void *table = NULL;
	struct error *err;

	err = read_interpreter(img, d);
	if (err)
		return err;
	/* In a file of debug information alone the segment has no bytes. */
	if (ph && ph->p_filesz) {
		size_t n = ph->p_filesz / sizeof(*dyn);

		err = alloc_checked(n, sizeof(*dyn), ELF_LIMIT_DYNAMIC_BYTES, "dynamic section",
				    &table);
		if (err)
			return error_wrap(err, "%s", img->label);
		dyn = table;
		err = elf_read_at(img, ph->p_offset, dyn, n * sizeof(*dyn));
		if (!err)
			err = read_tags(img, dyn, n, d);
		if (err)
			return err;
	}
	*ret = take_ptr(d);
	return NULL;
}
