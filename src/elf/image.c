// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/image.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "elf/image_internal.h"

struct error *elf_read_at(const struct elf_image *img, uint64_t offset, void *buf, uint64_t n)
{
	uint8_t *at = buf;

	if (offset > img->size || n > img->size - offset)
		return elf_error(ELF_TRUNCATED, 0,
				 "%s: %#lx bytes at %#lx lie outside its %#lx bytes", img->label,
				 (unsigned long)n, (unsigned long)offset, (unsigned long)img->size);
	if (img->fd < 0) {
		if (n)
			memcpy(at, img->memory.at + offset, n);
		return NULL;
	}
	while (n) {
		ssize_t got = pread(img->fd, at, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return base_error(BASE_IO, errno, "read %s", img->label);
		if (got == 0)
			return elf_error(ELF_TRUNCATED, 0, "%s became shorter while it was read",
					 img->label);
		at += got;
		offset += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return NULL;
}

static struct error *check_ident(const struct elf_image *img)
{
	unsigned char ident[EI_NIDENT];
	struct error *err;

	if (img->size < SELFMAG)
		return elf_error(ELF_NOT_ELF, 0, "%s is too short for an ELF object", img->label);
	err = elf_read_at(img, 0, ident, SELFMAG);
	if (err)
		return err;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		return elf_error(ELF_NOT_ELF, 0, "%s does not start like an ELF object",
				 img->label);
	err = elf_read_at(img, 0, ident, sizeof(ident));
	if (err)
		return err;
	if (ident[EI_CLASS] != ELFCLASS64)
		return elf_error(ELF_ARCH, 0, "%s is %s", img->label,
				 ident[EI_CLASS] == ELFCLASS32 ? "a 32-bit object"
							       : "neither 32-bit nor 64-bit");
	if (ident[EI_DATA] != ELFDATA2LSB)
		return elf_error(ELF_ARCH, 0, "%s is not little-endian", img->label);
	if (img->size < sizeof(Elf64_Ehdr))
		return elf_error(ELF_TRUNCATED, 0, "%s ends inside its ELF header", img->label);
	return NULL;
}

static struct error *load_segments(struct elf_image *img)
{
	size_t n;
	uint64_t end;

	if (elf_getphdrnum(img->elf, &n) < 0)
		return elf_error(ELF_MALFORMED, 0, "%s: program headers: %s", img->label,
				 elf_errmsg(-1));
	/* libelf quietly forgets what lies outside the file; say so instead. */
	if (img->header.e_phoff && img->header.e_phnum &&
	    (img->header.e_phentsize != sizeof(Elf64_Phdr) ||
	     !add_fits_u64(img->header.e_phoff, img->header.e_phnum * sizeof(Elf64_Phdr), &end) ||
	     end > img->size || n < (img->header.e_phnum == PN_XNUM ? 1 : img->header.e_phnum)))
		return elf_error(ELF_TRUNCATED, 0, "%s: its program headers do not fit the file",
				 img->label);
	if (n > ELF_LIMIT_SEGMENTS)
		return base_error(BASE_LIMIT, 0, "%s has %zu program headers", img->label, n);
	img->segments = xcalloc(n ? n : 1, sizeof(*img->segments));
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(img->elf, (int)i, &img->segments[i]))
			return elf_error(ELF_TRUNCATED, 0, "%s: program header %zu: %s", img->label,
					 i, elf_errmsg(-1));
	}
	img->n_segments = n;
	return NULL;
}

/*
 * elf_strptr() looks for the end of a table that has none anew for each section, which takes hours
 * with many sections and a long table.
 */
static const char *section_name(const Elf_Data *table, uint64_t at)
{
	const char *name;
	size_t left;

	if (!table || !table->d_buf || at >= table->d_size)
		return "";
	name = (const char *)table->d_buf + at;
	left = table->d_size - at;
	return memchr(name, '\0', left < ELF_LIMIT_SECTION_NAME ? left : ELF_LIMIT_SECTION_NAME)
		       ? name
		       : "";
}

static struct error *load_section_headers(struct elf_image *img)
{
	size_t n, names;
	Elf_Scn *scn = NULL;
	const Elf_Data *table;
	uint64_t end;

	if (!img->header.e_shoff)
		return NULL;
	if (elf_getshdrnum(img->elf, &n) < 0 || elf_getshdrstrndx(img->elf, &names) < 0)
		return elf_error(ELF_MALFORMED, 0, "%s: section headers: %s", img->label,
				 elf_errmsg(-1));
	if (!add_fits_u64(img->header.e_shoff, (n ? n : 1) * sizeof(Elf64_Shdr), &end) ||
	    end > img->size || n < img->header.e_shnum)
		return elf_error(ELF_TRUNCATED, 0, "%s: its section headers do not fit the file",
				 img->label);
	if (n > ELF_LIMIT_SECTIONS)
		return base_error(BASE_LIMIT, 0, "%s has %zu sections", img->label, n);
	img->sections = xcalloc(n ? n : 1, sizeof(*img->sections));
	table = elf_rawdata(elf_getscn(img->elf, names), NULL);
	while ((scn = elf_nextscn(img->elf, scn)) && elf_ndxscn(scn) < n) {
		struct elf_section *section = &img->sections[elf_ndxscn(scn)];

		section->name = "";
		if (!gelf_getshdr(scn, &section->header))
			return elf_error(ELF_TRUNCATED, 0, "%s: section header %zu: %s", img->label,
					 elf_ndxscn(scn), elf_errmsg(-1));
		section->name = section_name(table, section->header.sh_name);
	}
	img->n_sections = n;
	return NULL;
}

static struct error *image_start(struct elf_image *img)
{
	struct error *err = check_ident(img);

	if (err)
		return err;
	elf_version(EV_CURRENT);
	/* ELF_C_READ reads with pread(); elf_memory() only ever reads what it is given. */
	img->elf = img->fd >= 0 ? elf_begin(img->fd, ELF_C_READ, NULL)
				: elf_memory((char *)(uintptr_t)img->memory.at, img->memory.n);
	if (!img->elf || elf_kind(img->elf) != ELF_K_ELF || !gelf_getehdr(img->elf, &img->header))
		return elf_error(ELF_MALFORMED, 0, "%s: %s", img->label, elf_errmsg(-1));
	err = load_segments(img);
	return err ? err : load_section_headers(img);
}

static struct error *image_finish_opening(struct elf_image *img, struct elf_image **ret)
{
	struct error *err = image_start(img);

	if (err) {
		elf_image_free(img);
		return err;
	}
	*ret = img;
	return NULL;
}

struct error *elf_image_open_fd(int fd, const char *label, struct elf_image **ret)
{
	struct elf_image *img;
	struct stat st;
	int own;

	if (fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "stat %s", label);
	if (!S_ISREG(st.st_mode))
		return elf_error(ELF_NOT_ELF, 0, "%s is not a regular file", label);
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return base_error(BASE_IO, errno, "duplicate the descriptor of %s", label);
	img = xnew(struct elf_image);
	img->label = xstrdup(label);
	img->fd = own;
	img->size = (uint64_t)st.st_size;
	return image_finish_opening(img, ret);
}

struct error *elf_image_open(const char *path, struct elf_image **ret)
{
	/* Non-blocking: a path out of a foreign root may be a FIFO. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	return elf_image_open_fd(fd, path, ret);
}

struct error *elf_image_from_bytes(const void *bytes, size_t n, const char *label,
				   struct elf_image **ret)
{
	struct elf_image *img = xnew(struct elf_image);

	img->label = xstrdup(label);
	img->fd = -1;
	img->memory = (struct bytes){ bytes, n };
	img->size = n;
	return image_finish_opening(img, ret);
}

void elf_image_free(struct elf_image *img)
{
	if (!img)
		return;
	if (img->elf)
		elf_end(img->elf);
	for (size_t i = 0; i < img->n_sections; i++)
		free(img->sections[i].owned);
	free(img->sections);
	free(img->segments);
	if (img->fd >= 0)
		close(img->fd);
	free(img->label);
	free(img);
}

uint16_t elf_image_machine(const struct elf_image *img)
{
	return img->header.e_machine;
}

const char *elf_image_label(const struct elf_image *img)
{
	return img->label;
}

DEFINE_ERROR_DOMAIN(elf, ELF, ELF_ERRORS);

/* Addresses and file offsets, through the program headers. */
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

static bool is_ours(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum != PN_XNUM;
}

bool elf_loadable(struct bytes file, struct strbuf *into)
{
	Elf64_Ehdr header;
	uint64_t end, headers_bytes;

	_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "headers are read as they stand");
	if (file.n < sizeof(header))
		return false;
	memcpy(&header, file.at, sizeof(header));
	if (!is_ours(&header))
		return false;
	headers_bytes = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
	if (header.e_phoff > file.n || headers_bytes > file.n - header.e_phoff)
		return false;
	end = header.e_phoff + headers_bytes;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, (const char *)file.at + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return false;
		if (segment.p_offset > file.n || segment.p_filesz > file.n - segment.p_offset)
			return false;
		if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = SHN_UNDEF;
	strbuf_append_bytes(into, &header, sizeof(header));
	if (end > sizeof(header))
		strbuf_append_bytes(into, (const char *)file.at + sizeof(header),
				    end - sizeof(header));
	return true;
}
