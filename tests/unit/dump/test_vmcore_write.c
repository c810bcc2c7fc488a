// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/vmcore.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "build_stack.h"
#include "kmem/core_file.h"

struct dir {
	char path[32];
	char *file;
};

static struct dir dir_new(void)
{
	struct dir f = { .path = "/tmp/ktstr-vmcore-XXXXXX" };

	assert_non_null(mkdtemp(f.path));
	f.file = xasprintf("%s/core", f.path);
	return f;
}

static void dir_deinit(struct dir *f)
{
	unlink(f->file);
	free(f->file);
	rmdir(f->path);
}
#define _cleanup_test_dir_ __attribute__((cleanup(dir_deinit)))

static unsigned int entries_of(const struct dir *f)
{
	DIR *dir = opendir(f->path);
	unsigned int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void memory_is_read_back_whole(void **state)
{
	struct build_stack *s = *state;
	_cleanup_test_dir_ struct dir f = dir_new();
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_free_ uint8_t *bytes = xcalloc(1, RAM_BYTES);
	_cleanup_kmem_ struct kmem *again = NULL;
	struct dump_request request = { 0 };
	struct dump_vmcore sum = { 0 };
	struct kmem_reader reader;
	struct stat st;
	_cleanup_close_ int fd = -1;

	assert_success(dump_vmcore_write(s->kmem, &request, NULL, f.file, &sum));
	fd = open(f.file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_success(kmem_core_read(fd, "core", &core));
	reader = kmem_reader_of_physmap(core.map);
	assert_int_equal(reader.read(&reader, 0, bytes, RAM_BYTES), KMEM_READ_OK);
	assert_memory_equal(bytes, s->k.memory.at, RAM_BYTES);
	assert_int_equal(reader.read(&reader, RAM_BYTES, bytes, 1), KMEM_READ_OUTSIDE);
	assert_true(core.has_note);
	assert_string_equal(strbuf_str(&core.note), s->k.text);
	assert_success(kmem_attach(&reader, (struct bytes){ (void *)core.note.at, core.note.n },
				   NULL, &again));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, sum.bytes);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(sum.n_ranges, 1);
}

static void pages_of_zeros_take_no_room(void **state)
{
	struct build_stack *s = *state;
	_cleanup_test_dir_ struct dir f = dir_new();
	struct dump_request request = { 0 };
	struct dump_vmcore sum = { 0 };
	uint64_t expected = 0;
	struct stat st;

	for (size_t at = 0; at < RAM_BYTES; at += 4096) {
		for (size_t i = 0; i < 4096; i++) {
			if (s->k.memory.at[at + i]) {
				expected += 4096;
				break;
			}
		}
	}
	/* Most of it is empty, or nothing is proved. */
	assert_in_range(expected, 1, RAM_BYTES / 4);
	assert_success(dump_vmcore_write(s->kmem, &request, NULL, f.file, &sum));
	assert_int_equal(sum.data_bytes, expected);
	assert_int_equal(stat(f.file, &st), 0);
	assert_true(st.st_size > RAM_BYTES);
	assert_true((uint64_t)st.st_blocks * 512 < RAM_BYTES / 2);
}

/* Two files of RAM with a gap: two segments, each with its place in the direct map. */
static void ranges_keep_their_addresses(void **state)
{
	struct build_stack *s = *state;
	_cleanup_test_dir_ struct dir f = dir_new();
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int ram = memfd_create("ram", MFD_CLOEXEC);
	_cleanup_close_ int fd = -1;
	struct dump_request request = { 0 };
	struct kmem_reader old = s->kmem->reader;
	Elf64_Phdr segments[4];
	Elf64_Ehdr header;
	char last[4];

	assert_int_equal(pwrite(ram, s->k.memory.at, RAM_BYTES, 0), RAM_BYTES);
	assert_int_equal(ftruncate(ram, RAM_BYTES + 0x2000), 0);
	assert_int_equal(pwrite(ram, "high", 4, RAM_BYTES + 0x1ffc), 4);
	/* These two touch and become one. */
	assert_success(physmap_add_fd(map, 0, 0x200000, ram, 0));
	assert_success(physmap_add_fd(map, 0x200000, RAM_BYTES - 0x200000, ram, 0x200000));
	assert_success(physmap_add_fd(map, UINT64_C(1) << 32, 0x2000, ram, RAM_BYTES));
	s->kmem->reader = kmem_reader_of_physmap(map);
	assert_success(dump_vmcore_write(s->kmem, &request, NULL, f.file, NULL));
	s->kmem->reader = old;
	fd = open(f.file, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(header.e_phnum, 3);
	assert_int_equal(pread(fd, segments, sizeof(segments), 64), sizeof(segments));
	assert_int_equal(segments[0].p_type, PT_NOTE);
	assert_int_equal(segments[1].p_type, PT_LOAD);
	assert_true(segments[1].p_vaddr == s->k.direct && segments[1].p_paddr == 0);
	/* By this crash knows that it is no netdump. */
	assert_int_equal(segments[1].p_align, 0);
	assert_int_equal(segments[1].p_filesz, RAM_BYTES);
	assert_true(segments[2].p_vaddr == s->k.direct + (UINT64_C(1) << 32));
	assert_true(segments[2].p_paddr == UINT64_C(1) << 32);
	assert_int_equal(segments[2].p_memsz, 0x2000);
	assert_int_equal(segments[2].p_offset % 4096, 0);
	assert_int_equal(pread(fd, last, 4, (off_t)segments[2].p_offset + 0x1ffc), 4);
	assert_memory_equal(last, "high", 4);
}

/* Whatever goes wrong, what was there before stays, and nothing is left beside it. */
static void failure_leaves_the_old_file(void **state)
{
	struct build_stack *s = *state;
	_cleanup_test_dir_ struct dir f = dir_new();
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int ram = memfd_create("ram", MFD_CLOEXEC);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct dump_request request = { 0 };
	struct kmem_reader old = s->kmem->reader;
	struct cancel cancel = { 0 };

	assert_success(io_replace_file(f.file, "old", 3));
	/* A file that is too short for the RAM that it should hold. */
	assert_int_equal(pwrite(ram, s->k.memory.at, RAM_BYTES - 4096, 0), RAM_BYTES - 4096);
	assert_success(physmap_add_fd(map, 0, RAM_BYTES - 8192, ram, 0));
	assert_success(physmap_add_fd(map, RAM_BYTES - 8192, 8192, ram, RAM_BYTES - 8192));
	s->kmem->reader = kmem_reader_of_physmap(map);
	s->kmem->reader.next_data = old.next_data;
	s->kmem->reader.buffer.n = RAM_BYTES;
	assert_error_tag(dump_vmcore_write(s->kmem, &request, NULL, f.file, NULL), "guest-memory");
	s->kmem->reader = old;
	cancel_request(&cancel);
	assert_error_tag(dump_vmcore_write(s->kmem, &request, &cancel, f.file, NULL), "cancelled");
	assert_error_tag(dump_vmcore_write(s->kmem, &request, NULL, "/nowhere/at/all", NULL), "io");
	assert_error_tag(dump_vmcore_write(s->kmem, &request, NULL, f.path, NULL), "io");
	assert_success(io_read_file(f.file, 100, &text));
	assert_string_equal(strbuf_str(&text), "old");
	assert_int_equal(entries_of(&f), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(memory_is_read_back_whole),
		stack_test(pages_of_zeros_take_no_room),
		stack_test(ranges_keep_their_addresses),
		stack_test(failure_leaves_the_old_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
