// SPDX-License-Identifier: LGPL-2.1-or-later
/* Addresses and file offsets, through the program headers. */
#include "elf/image_internal.h"
#include "elf/tls_segment.h"

/* The kernel maps whole pages, so a mapping may start before its segment does. */
#define SMALLEST_PAGE 4096

static bool holds(uint64_t start, uint64_t n, uint64_t wanted)
{
	return wanted >= start && wanted - start < n;
}

bool elf_load_bias(const struct elf_load *loads, size_t n, uint64_t mapped_start,
		   uint64_t file_offset, uint64_t *ret_bias)
{
	for (size_t i = 0; i < n; i++) {
		const struct elf_load *load = &loads[i];
		uint64_t lead = load->offset % SMALLEST_PAGE;

		if (!holds(load->offset - lead, load->filesz + lead, file_offset))
			continue;
		/* Modulo 2^64: the bias of an object linked high may be "negative". */
		*ret_bias = mapped_start - (load->vaddr - load->offset + file_offset);
		return true;
	}
	return false;
}

size_t elf_image_loads(const struct elf_image *img, struct elf_load *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < img->n_segments && n < max; i++) {
		const GElf_Phdr *ph = &img->segments[i];

		if (ph->p_type == PT_LOAD)
			ret[n++] = (struct elf_load){ ph->p_offset, ph->p_filesz, ph->p_vaddr };
	}
	return n;
}

struct error *elf_image_read_vaddr(struct elf_image *img, uint64_t vaddr, void *buf, size_t n)
{
	for (size_t i = 0; i < img->n_segments; i++) {
		const GElf_Phdr *ph = &img->segments[i];
		uint64_t at, offset;

		if (ph->p_type != PT_LOAD || !holds(ph->p_vaddr, ph->p_filesz, vaddr))
			continue;
		at = vaddr - ph->p_vaddr;
		if (n > ph->p_filesz - at || !add_fits_u64(ph->p_offset, at, &offset))
			break;
		return elf_read_at(img, offset, buf, n);
	}
	return base_error(BASE_ABSENT, 0, "%s has fewer than %zu bytes at address %#lx", img->label,
			  n, (unsigned long)vaddr);
}

struct error *elf_image_tls(struct elf_image *img, struct elf_tls *ret)
{
	for (size_t i = 0; i < img->n_segments; i++) {
		const GElf_Phdr *ph = &img->segments[i];
		struct elf_tls tls = {
			.memsz = ph->p_memsz,
			.filesz = ph->p_filesz,
			.align = ph->p_align ? ph->p_align : 1,
			.vaddr = ph->p_vaddr,
		};

		if (ph->p_type != PT_TLS)
			continue;
		if (tls.align & (tls.align - 1))
			return base_error(
				BASE_PARSE, 0,
				"%s: the alignment of PT_TLS, %#lx, is not a power of two",
				img->label, (unsigned long)tls.align);
		if (!round_up_fits_u64(tls.memsz, tls.align, &tls.aligned_memsz))
			return base_error(BASE_PARSE, 0, "%s: the size of PT_TLS, %#lx, overflows",
					  img->label, (unsigned long)tls.memsz);
		*ret = tls;
		return NULL;
	}
	return base_error(BASE_ABSENT, 0, "%s has no thread-local storage (no PT_TLS)", img->label);
}
