// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/vmcoreinfo.h"

#include <sys/mman.h>

#include "unit.h"

/* The lines that are needed, from a kernel that was booted with KASLR. */
#define NEEDED                                    \
	"OSRELEASE=6.18.15+deb13-cloud-amd64\n"   \
	"BUILD-ID=eb203b9eed7ca1a129e8f613bb39\n" \
	"PAGESIZE=4096\n"                         \
	"SYMBOL(swapper_pg_dir)=ffffffff9b02a000\n"
#define BASE "NUMBER(phys_base)=-247463936\n"

static struct error *parse(const char *text, struct kmem_vmcoreinfo *ret)
{
	return kmem_vmcoreinfo_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, ret);
}

static void vmcoreinfo_lines_are_parsed(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };
	uint64_t value = 0;

	assert_success(parse(NEEDED BASE "NUMBER(VMALLOC_START)=0xffffcedd40000000\n"
					 "NUMBER(pgtable_l5_enabled)=1\n"
					 "NUMBER(sme_mask)=0\n"
					 "SYMBOL(init_uts_ns)=ffffffff9b2e2f20\n"
					 "OFFSET(uts_namespace.name)=0\n"
					 "KERNELOFFSET=18000000\n",
			     &info));
	assert_string_equal(info.release, "6.18.15+deb13-cloud-amd64");
	assert_string_equal(info.build_id, "eb203b9eed7ca1a129e8f613bb39");
	assert_true(info.page_table == UINT64_C(0xffffffff9b02a000));
	assert_true(info.phys_base == (uint64_t)-INT64_C(247463936));
	assert_int_equal(info.kaslr_offset, 0x18000000);
	assert_int_equal(info.levels, 5);
	assert_int_equal(info.encryption_mask, 0);
	assert_true(kmem_vmcoreinfo_number(&info, "VMALLOC_START", &value));
	assert_true(value == UINT64_C(0xffffcedd40000000));
	assert_true(kmem_vmcoreinfo_symbol(&info, "init_uts_ns", &value));
	assert_true(value == UINT64_C(0xffffffff9b2e2f20));
	assert_string_equal(kmem_vmcoreinfo_find(&info, "OFFSET(uts_namespace.name)"), "0");
	assert_null(kmem_vmcoreinfo_find(&info, "OFFSET(uts_namespace"));
	assert_false(kmem_vmcoreinfo_symbol(&info, "init_uts", &value));
	assert_false(kmem_vmcoreinfo_number(&info, "init_uts_ns", &value));
}

static void vmcoreinfo_of_older_kernels_lacks_lines(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse("OSRELEASE=5.1\nPAGESIZE=4096\nSYMBOL(init_top_pgt)=ffffffff82000000\n"
			     "NUMBER(phys_base)=0\nCRASHTIME=1\nno letters here: =\n",
			     &info));
	assert_null(info.build_id);
	assert_int_equal(info.levels, 4);
	assert_int_equal(info.kaslr_offset, 0);
	assert_true(info.page_table == UINT64_C(0xffffffff82000000));
}

static void missing_or_odd_lines_are_refused(void **state UNUSED)
{
	struct kmem_vmcoreinfo info;

	assert_error_tag(parse("", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED, &info), "bad-vmcoreinfo");
	assert_error_tag(parse("OSRELEASE=\nPAGESIZE=4096\nSYMBOL(swapper_pg_dir)=1\n" BASE, &info),
			 "bad-vmcoreinfo");
	assert_error_tag(
		parse("OSRELEASE=1\nPAGESIZE=65536\nSYMBOL(swapper_pg_dir)=1\n" BASE, &info),
		"bad-vmcoreinfo");
	assert_error_tag(parse("OSRELEASE=1\nPAGESIZE=4096\n" BASE, &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=12x\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=- 5\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=-9223372036854775809\n", &info),
			 "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=18446744073709551616\n", &info),
			 "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "KERNELOFFSET=0x1\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "a line without a value\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "=1\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "X=\x01\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "X=\xc3\xa4\n", &info), "bad-vmcoreinfo");
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (const uint8_t *)"A=\0", 3 }, &info),
			 "bad-vmcoreinfo");
}

static void first_of_two_lines_counts(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse(NEEDED BASE "NUMBER(phys_base)=7\n", &info));
	assert_true(info.phys_base == (uint64_t)-INT64_C(247463936));
}

static void build_id_that_is_none_is_left_out(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse("BUILD-ID=../../etc\n" NEEDED BASE, &info));
	assert_null(info.build_id);
}

static void too_much_text_is_refused(void **state UNUSED)
{
	static char text[KMEM_LIMIT_NOTE_BYTES + 2];
	struct kmem_vmcoreinfo info;

	for (size_t i = 0; i + 4 < sizeof(text); i += 4)
		memcpy(text + i, "A=1\n", 4);
	assert_error_tag(
		kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, sizeof(text) }, &info),
		"limit");
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, 4096 }, &info),
			 "bad-vmcoreinfo");
	for (size_t i = 0; i < 4096; i += 3)
		memcpy(text + i, "A=\n", 3);
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, 4095 }, &info),
			 "limit");
}

static void symbol_lines_give_name_and_address(void **state UNUSED)
{
	struct kmem_note_line line = { "SYMBOL(prb)", "ffffffff9b080700" };
	uint64_t value = 0;
	char name[4];

	assert_true(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	assert_string_equal(name, "prb");
	assert_true(value == UINT64_C(0xffffffff9b080700));
	assert_false(kmem_note_line_symbol(&line, name, 3, &value));
	line.value = "ffffffff9b08070g";
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "SYMBOL()", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "SYMBOL(a", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "NUMBER(a)", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
}

static const char text[] =
	"OSRELEASE=7.1\nPAGESIZE=4096\nSYMBOL(swapper_pg_dir)=ffffffff9b02a000\n";

static size_t make_note(uint8_t *at, const char *contents, uint32_t n)
{
	uint32_t header[3] = { 11, n, 0 };

	memcpy(at, header, sizeof(header));
	memcpy(at + 12, "VMCOREINFO\0\0", 12);
	memcpy(at + 24, contents, strlen(contents));
	return 24 + n;
}

static void notes_at_the_beginning_of_pages_are_found(void **state UNUSED)
{
	_cleanup_free_ uint8_t *ram = xcalloc(200, 4096);
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, 200 * 4096 }, 0x100000);
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	struct kmem_note note;
	bool found = false;

	make_note(ram + 3 * 4096 + 16, text, strlen(text)); /* not at the beginning */
	make_note(ram + 70 * 4096, text, strlen(text));
	make_note(ram + 199 * 4096, text, strlen(text));
	kmem_note_scan_init(&scan, &r);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_true(found);
	assert_int_equal(note.physical, 0x100000 + 70 * 4096);
	assert_int_equal(note.n, strlen(text));
	assert_memory_equal(note.text, text, note.n);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_true(found);
	assert_int_equal(note.physical, 0x100000 + 199 * 4096);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_false(found);
	assert_int_equal(scan.looked_bytes, 200 * 4096);
	assert_int_equal(scan.n_unreadable, 0);
}

static void malformed_notes_are_skipped(void **state UNUSED)
{
	_cleanup_free_ uint8_t *ram = xcalloc(8, 4096);
	struct kmem_reader r = kmem_reader_of_bytes((struct bytes){ ram, 8 * 4096 }, 0);
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	struct kmem_note note;
	bool found = true;

	make_note(ram, text, 63);			     /* too short */
	make_note(ram + 4096, text, 4097);		     /* too long */
	make_note(ram + 2 * 4096, "NO RELEASE AT ALL", 200); /* another beginning */
	make_note(ram + 3 * 4096, text, 200);
	ram[3 * 4096 + 8] = 1;		       /* another type */
	make_note(ram + 7 * 4096, text, 4096); /* runs out of RAM */
	kmem_note_scan_init(&scan, &r);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_false(found);
}

static void holes_are_not_looked_at(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = memfd_create("ram", MFD_CLOEXEC);
	struct kmem_reader r = kmem_reader_of_physmap(map);
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	uint8_t page[4096] = { 0 };
	struct kmem_note note;
	bool found = false;

	make_note(page, text, strlen(text));
	assert_int_equal(ftruncate(fd, 2ll << 30), 0);
	assert_int_equal(pwrite(fd, page, sizeof(page), 1ll << 30), 4096);
	assert_success(physmap_add_fd(map, 0, UINT64_C(2) << 30, fd, 0));
	kmem_note_scan_init(&scan, &r);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_true(found);
	assert_int_equal(note.physical, 1 << 30);
	assert_true(scan.looked_bytes <= 4 << 20);
}

/* A note in the second segment, which begins in the middle of a page, behind one that is cut. */
static void segments_need_not_be_whole_pages(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = memfd_create("ram", MFD_CLOEXEC);
	struct kmem_reader r = kmem_reader_of_physmap(map);
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	uint8_t page[4096] = { 0 };
	struct kmem_note note;
	bool found = false;

	make_note(page, text, strlen(text));
	assert_int_equal(pwrite(fd, page, sizeof(page), 100), 4096);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_success(physmap_add_fd(map, 0x1000, 20, fd, 0));
	assert_success(physmap_add_fd(map, 0x10fa0, 4096, fd, 4));
	kmem_note_scan_init(&scan, &r);
	assert_success(kmem_note_scan_next(&scan, &note, &found));
	assert_true(found);
	assert_int_equal(note.physical, 0x11000);
	assert_true(scan.n_unreadable >= 1);
}

static void searching_unmapped_process_memory_ends(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	struct kmem_reader r = kmem_reader_of_physmap(map);
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	struct kmem_note note;
	bool found = true;

	/* This process has nothing there. */
	assert_success(physmap_add_process(map, 0, UINT64_C(1) << 50, getpid(), 0));
	kmem_note_scan_init(&scan, &r);
	assert_error_tag(kmem_note_scan_next(&scan, &note, &found), "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vmcoreinfo_lines_are_parsed),
		cmocka_unit_test(vmcoreinfo_of_older_kernels_lacks_lines),
		cmocka_unit_test(missing_or_odd_lines_are_refused),
		cmocka_unit_test(first_of_two_lines_counts),
		cmocka_unit_test(build_id_that_is_none_is_left_out),
		cmocka_unit_test(too_much_text_is_refused),
		cmocka_unit_test(symbol_lines_give_name_and_address),
		cmocka_unit_test(notes_at_the_beginning_of_pages_are_found),
		cmocka_unit_test(malformed_notes_are_skipped),
		cmocka_unit_test(holes_are_not_looked_at),
		cmocka_unit_test(segments_need_not_be_whole_pages),
		cmocka_unit_test(searching_unmapped_process_memory_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
