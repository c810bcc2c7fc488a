// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure_internal.h"

#include "base/alloc.h"
#include "elf/image_internal.h"
#include "elf/limits.h"

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
