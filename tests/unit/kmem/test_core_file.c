// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/core_file.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/procfs.h>

#include "kmem/limits.h"
#include "kmem/reader.h"
#include "unit.h"

enum { DATA = 0x10000, NOTES = 0x8000 };

struct core {
	Elf64_Ehdr header;
	Elf64_Phdr segments[8];
	uint16_t n;
	int fd;
};

static struct core core_new(void)
{
	struct core c = { .fd = memfd_create("core", MFD_CLOEXEC) };

	memcpy(c.header.e_ident, ELFMAG, SELFMAG);
	c.header.e_ident[EI_CLASS] = ELFCLASS64;
	c.header.e_ident[EI_DATA] = ELFDATA2LSB;
	c.header.e_type = ET_CORE;
	c.header.e_machine = EM_X86_64;
	c.header.e_phoff = sizeof(c.header);
	c.header.e_phentsize = sizeof(Elf64_Phdr);
	return c;
}

static void core_deinit(struct core *c)
{
	close(c->fd);
}
#define _cleanup_core_ __attribute__((cleanup(core_deinit)))

static void put(struct core *c, uint64_t offset, const void *bytes, size_t n)
{
	assert_int_equal(pwrite(c->fd, bytes, n, (off_t)offset), n);
}

static void add(struct core *c, uint32_t type, uint64_t physical, uint64_t offset, uint64_t n)
{
	c->segments[c->n++] = (Elf64_Phdr){
		.p_type = type, .p_offset = offset, .p_paddr = physical, .p_filesz = n, .p_memsz = n
	};
}

static struct error *read_core(struct core *c, struct kmem_core *ret)
{
	c->header.e_phnum = c->n;
	put(c, 0, &c->header, sizeof(c->header));
	put(c, sizeof(c->header), c->segments, sizeof(c->segments));
	return kmem_core_read(c->fd, "core", ret);
}

static void segments_are_found_by_physical_address(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();
	char buf[4];

	put(&c, DATA, "lowlhigh", 8);
	add(&c, PT_LOAD, 0x1000, DATA, 4);
	add(&c, PT_LOAD, UINT64_C(0x100000000), DATA + 4, 4);
	assert_success(read_core(&c, &core));

	struct kmem_reader r = kmem_reader_of_physmap(core.map);

	assert_int_equal(r.read(&r, 0x1000, buf, 4), KMEM_READ_OK);
	assert_memory_equal(buf, "lowl", 4);
	assert_int_equal(r.read(&r, UINT64_C(0x100000000), buf, 4), KMEM_READ_OK);
	assert_memory_equal(buf, "high", 4);
	assert_int_equal(r.read(&r, 0x1001, buf, 4), KMEM_READ_OUTSIDE);
	assert_false(core.has_note);
}

static void bytes_behind_the_end_of_the_file_are_counted(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core whole = { 0 }, cut = { 0 };
	_cleanup_core_ struct core c = core_new();
	char buf[4];

	put(&c, DATA, "lowlhigh", 8);
	add(&c, PT_LOAD, 0x1000, DATA, 4);
	add(&c, PT_LOAD, 0x2000, DATA + 4, 4);
	assert_success(read_core(&c, &whole));
	assert_true(whole.missing_bytes == 0);
	assert_int_equal(ftruncate(c.fd, DATA + 3), 0);
	assert_success(read_core(&c, &cut));
	assert_true(cut.missing_bytes == 5);

	struct kmem_reader r = kmem_reader_of_physmap(cut.map);

	assert_int_equal(r.read(&r, 0x1000, buf, 3), KMEM_READ_OK);
	assert_int_equal(r.read(&r, 0x2000, buf, 4), KMEM_READ_UNREADABLE);
}

/* As in /proc/kcore: the image once more inside RAM, vmalloc without a physical address. */
static void the_first_segment_of_an_address_is_used(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();
	char buf[6];

	put(&c, DATA, "IM", 2);
	put(&c, DATA + 0x100, "abcdef", 6);
	add(&c, PT_LOAD, UINT64_MAX, DATA, 4096);
	add(&c, PT_LOAD, 0x1002, DATA, 2);
	add(&c, PT_LOAD, 0x1000, DATA + 0x100, 6);
	assert_success(read_core(&c, &core));

	struct kmem_reader r = kmem_reader_of_physmap(core.map);

	assert_int_equal(r.read(&r, 0x1000, buf, 6), KMEM_READ_OK);
	assert_memory_equal(buf, "abIMef", 6);
	assert_int_equal(core.map->segments.n, 3);
}

static void note_is_found_among_others(void **state UNUSED)
{
	static const struct {
		Elf64_Nhdr other;
		char other_name[8], other_text[8];
		Elf64_Nhdr header;
		char name[12], text[16];
	} notes = {
		{ 5, 5, NT_PRSTATUS }, "CORE",	     "12345",
		{ 11, 15, 0 },	       "VMCOREINFO", "OSRELEASE=7.0-x",
	};
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();

	put(&c, NOTES, &notes, sizeof(notes));
	put(&c, DATA, "x", 1);
	add(&c, PT_NOTE, 0, NOTES, sizeof(notes));
	add(&c, PT_LOAD, 0, DATA, 1);
	assert_success(read_core(&c, &core));
	assert_true(core.has_note);
	assert_string_equal(strbuf_str(&core.note), "OSRELEASE=7.0-x");
}

static void put_cpu(struct core *c, uint64_t offset, pid_t pid, uint64_t r15, uint64_t gs_base)
{
	struct __attribute__((packed)) {
		Elf64_Nhdr header;
		char name[8];
		struct elf_prstatus status;
	} note = { { 5, sizeof(note.status), NT_PRSTATUS }, "CORE", { .pr_pid = pid } };

	note.status.pr_reg[0] = r15;
	note.status.pr_reg[22] = gs_base;
	put(c, offset, &note, sizeof(note));
}

enum { CPU_NOTE = 12 + 8 + 336 };

static void every_note_of_a_cpu_is_kept_in_its_order(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();

	put_cpu(&c, NOTES, 7, 15, 22);
	put_cpu(&c, NOTES + CPU_NOTE, 3, 16, 23);
	put_cpu(&c, NOTES + 0x1000, 9, 17, 24);
	put(&c, DATA, "x", 1);
	add(&c, PT_NOTE, 0, NOTES, 2 * CPU_NOTE);
	add(&c, PT_NOTE, 0, NOTES + 0x1000, CPU_NOTE);
	add(&c, PT_LOAD, 0, DATA, 1);
	assert_success(read_core(&c, &core));
	assert_int_equal(core.cpus.n, 3);
	assert_int_equal(core.cpus.at[0].pid, 7);
	assert_int_equal(core.cpus.at[0].registers.r15, 15);
	assert_int_equal(core.cpus.at[0].registers.gs_base, 22);
	assert_int_equal(core.cpus.at[1].pid, 3);
	assert_int_equal(core.cpus.at[2].registers.gs_base, 24);
}

static void notes_that_are_not_of_a_cpu_are_passed_over(void **state UNUSED)
{
	static const struct {
		Elf64_Nhdr header;
		char name[8];
		char text[8];
	} notes[] = { { { 5, 8, NT_PRSTATUS }, "CORE", "short" },
		      { { 5, 8, NT_PRPSINFO }, "CORE", "" } };
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();

	put(&c, NOTES, notes, sizeof(notes));
	put(&c, DATA, "x", 1);
	add(&c, PT_NOTE, 0, NOTES, sizeof(notes));
	add(&c, PT_LOAD, 0, DATA, 1);
	assert_success(read_core(&c, &core));
	assert_int_equal(core.cpus.n, 0);
}

/* Many headers may all name the same large notes. */
static void notes_of_all_segments_together_have_a_limit(void **state UNUSED)
{
	_cleanup_core_ struct core c = core_new();
	struct kmem_core core;

	put(&c, NOTES + KMEM_LIMIT_NOTES_BYTES, "", 1);
	add(&c, PT_NOTE, 0, NOTES, KMEM_LIMIT_NOTES_BYTES);
	add(&c, PT_NOTE, 0, NOTES, 1);
	add(&c, PT_LOAD, 0, DATA, 1);
	assert_error_tag(read_core(&c, &core), "limit");
}

static void truncated_notes_are_ignored(void **state UNUSED)
{
	static const Elf64_Nhdr note = { 11, UINT32_MAX, 0 };
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();

	put(&c, NOTES, &note, sizeof(note));
	put(&c, DATA, "x", 1);
	add(&c, PT_NOTE, 0, NOTES, 200);
	add(&c, PT_LOAD, 0, DATA, 1);
	assert_success(read_core(&c, &core));
	assert_false(core.has_note);
}

static void segment_behind_the_end_of_the_file_is_unreadable(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();
	char buf[4];

	add(&c, PT_LOAD, 0, UINT64_C(1) << 40, 4096);
	assert_success(read_core(&c, &core));

	struct kmem_reader r = kmem_reader_of_physmap(core.map);
	uint64_t start, end;

	assert_int_equal(r.read(&r, 0, buf, 4), KMEM_READ_UNREADABLE);
	assert_false(r.next_data(&r, 0, &start, &end));
}

static void malformed_core_files_are_refused_with_a_reason(void **state UNUSED)
{
	_cleanup_core_ struct core c = core_new();
	struct kmem_core core;

	assert_error_tag(kmem_core_read(c.fd, "empty", &core), "not-elf");
	assert_error_tag(read_core(&c, &core), "malformed"); /* no memory at all */
	add(&c, PT_LOAD, UINT64_MAX - 10, 0, 4096);
	assert_error_tag(read_core(&c, &core), "malformed");
	c.segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_offset = INT64_MAX, .p_filesz = 4096 };
	assert_error_tag(read_core(&c, &core), "malformed");
	c.segments[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_filesz = UINT64_C(1) << 40 };
	assert_error_tag(read_core(&c, &core), "limit");
	c.header.e_type = ET_EXEC;
	assert_error_tag(read_core(&c, &core), "malformed");
	c.header.e_machine = EM_AARCH64;
	assert_error_tag(read_core(&c, &core), "arch");
	c.header.e_ident[0] = 0;
	assert_error_tag(read_core(&c, &core), "not-elf");
}

static void program_header_count_past_pn_xnum_is_read_from_section_0(void **state UNUSED)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();
	Elf64_Shdr first = { .sh_info = 1 };

	add(&c, PT_LOAD, 0x1000, DATA, 4);
	c.n = PN_XNUM;
	c.header.e_shoff = NOTES;
	put(&c, NOTES, &first, sizeof(first));
	put(&c, DATA, "data", 4);
	assert_success(read_core(&c, &core));
	assert_int_equal(core.map->segments.n, 1);
	first.sh_info = UINT32_MAX;
	put(&c, NOTES, &first, sizeof(first));
	assert_error_tag(read_core(&c, &core), "limit");
}

/* Each of the wide ones meets all of the narrow ones. */
static void core_files_with_too_many_overlapping_segments_are_refused(void **state UNUSED)
{
	enum { NARROW = 1024, WIDE = 1025 };
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_core_ struct core c = core_new();
	Elf64_Shdr first = { .sh_info = NARROW + WIDE };

	c.header.e_phnum = PN_XNUM;
	c.header.e_phoff = DATA;
	c.header.e_shoff = NOTES;
	put(&c, 0, &c.header, sizeof(c.header));
	put(&c, NOTES, &first, sizeof(first));
	for (uint64_t i = 0; i < NARROW + WIDE; i++) {
		bool wide = i >= NARROW;
		uint64_t n = wide ? 4096 * NARROW : 4096;
		Elf64_Phdr segment = { .p_type = PT_LOAD,
				       .p_paddr = wide ? 0 : 4096 * i,
				       .p_filesz = n,
				       .p_memsz = n };

		put(&c, DATA + i * sizeof(segment), &segment, sizeof(segment));
	}
	assert_error_tag(kmem_core_read(c.fd, "core", &core), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_found_by_physical_address),
		cmocka_unit_test(bytes_behind_the_end_of_the_file_are_counted),
		cmocka_unit_test(the_first_segment_of_an_address_is_used),
		cmocka_unit_test(note_is_found_among_others),
		cmocka_unit_test(every_note_of_a_cpu_is_kept_in_its_order),
		cmocka_unit_test(notes_that_are_not_of_a_cpu_are_passed_over),
		cmocka_unit_test(notes_of_all_segments_together_have_a_limit),
		cmocka_unit_test(truncated_notes_are_ignored),
		cmocka_unit_test(segment_behind_the_end_of_the_file_is_unreadable),
		cmocka_unit_test(malformed_core_files_are_refused_with_a_reason),
		cmocka_unit_test(program_header_count_past_pn_xnum_is_read_from_section_0),
		cmocka_unit_test(core_files_with_too_many_overlapping_segments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
