// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/note_scan.h"

#include <sys/mman.h>

#include "unit.h"

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

static void what_only_resembles_a_note_is_passed_over(void **state UNUSED)
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

static void memory_of_nobody_is_given_up(void **state UNUSED)
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
		cmocka_unit_test(notes_at_the_beginning_of_pages_are_found),
		cmocka_unit_test(what_only_resembles_a_note_is_passed_over),
		cmocka_unit_test(holes_are_not_looked_at),
		cmocka_unit_test(segments_need_not_be_whole_pages),
		cmocka_unit_test(memory_of_nobody_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
