// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/vmcore.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "unit.h"

enum { PAGE = 4096, N_PAGES = 1200 };

/* A guest cloned by hand: this process's private copy of a file with holes. */
struct clone {
	int fd;
	uint8_t *at;
	struct physmap *memory, *files;
	struct kmem_reader reader;
	struct strbuf seen;
};

static int set_up(void **state)
{
	struct clone *c = xnew(struct clone);

	c->fd = memfd_create("ram", MFD_CLOEXEC);
	assert_int_equal(ftruncate(c->fd, N_PAGES * PAGE), 0);
	assert_int_equal(pwrite(c->fd, "file", 4, 2 * PAGE), 4);
	c->at = mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, c->fd, 0);
	assert_true(c->at != MAP_FAILED);
	c->memory = physmap_new();
	c->files = physmap_new();
	/* Two ranges, as around the hole of a PC. */
	assert_success(physmap_add_process(c->memory, 0, 10 * PAGE, getpid(), (uint64_t)c->at));
	assert_success(physmap_add_process(c->memory, 20 * PAGE, (N_PAGES - 20) * PAGE, getpid(),
					   (uint64_t)c->at + 20 * PAGE));
	assert_success(physmap_add_fd(c->files, 0, 10 * PAGE, c->fd, 0));
	assert_success(
		physmap_add_fd(c->files, 20 * PAGE, (N_PAGES - 20) * PAGE, c->fd, 20 * PAGE));
	c->reader = kmem_reader_of_clone(c->memory, c->files);
	*state = c;
	return 0;
}

static int tear_down(void **state)
{
	struct clone *c = *state;

	munmap(c->at, N_PAGES * PAGE);
	physmap_free(c->memory);
	physmap_free(c->files);
	close(c->fd);
	strbuf_deinit(&c->seen);
	free(c);
	return 0;
}

/* "2-3 5-7", in pages. */
static const char *stretches(struct clone *c, uint64_t from, uint64_t end)
{
	struct dump_stretches s;
	uint64_t start, stop;

	strbuf_clear(&c->seen);
	dump_stretches_init(&s, &c->reader);
	while (from < end && dump_stretches_next(&s, from, end, &start, &stop)) {
		assert_true(start >= from && stop > start);
		strbuf_appendf(&c->seen, "%s%lu-%lu", c->seen.n ? " " : "", start / PAGE,
			       (stop + PAGE - 1) / PAGE);
		from = stop;
	}
	dump_stretches_deinit(&s);
	return strbuf_str(&c->seen);
}

static void pages_written_by_the_clone_count_as_data(void **state)
{
	struct clone *c = *state;

	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3");
	c->at[5 * PAGE] = 1;
	c->at[6 * PAGE + 7] = 1;
	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3 5-7");
	/* Data and touched: told once. */
	c->at[2 * PAGE] = 1;
	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3 5-7");
	assert_string_equal(stretches(c, 6 * PAGE, 7 * PAGE), "6-7");
}

/* Further than one look at the page table goes. */
static void far_pages_are_found(void **state)
{
	struct clone *c = *state;

	c->at[1100 * PAGE] = 1;
	c->at[(N_PAGES - 1) * PAGE] = 1;
	assert_string_equal(stretches(c, 20 * PAGE, N_PAGES * PAGE), "1100-1101 1199-1200");
}

static void finding_data_does_not_allocate_pages(void **state)
{
	struct clone *c = *state;

	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3");
	assert_int_equal(lseek(c->fd, 3 * PAGE, SEEK_DATA), -1);
	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3");
}

/* A process that is gone: reading will say so, not this. */
static void all_pages_count_as_data_when_the_process_is_unreadable(void **state)
{
	struct clone *c = *state;

	c->memory->segments.at[0].pid = 0x7ffffffe;
	assert_string_equal(stretches(c, 0, 10 * PAGE), "0-10");
}

static void data_of_files_and_buffers_is_found_without_a_process(void **state)
{
	struct clone *c = *state;

	c->reader = kmem_reader_of_physmap(c->files);
	assert_string_equal(stretches(c, 0, 10 * PAGE), "2-3");
	assert_string_equal(stretches(c, 20 * PAGE, 30 * PAGE), "");
	c->reader = kmem_reader_of_bytes((struct bytes){ c->at, 3 * PAGE }, 0);
	assert_string_equal(stretches(c, 0, 3 * PAGE), "0-3");
}

#define clone_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		clone_test(pages_written_by_the_clone_count_as_data),
		clone_test(far_pages_are_found),
		clone_test(finding_data_does_not_allocate_pages),
		clone_test(all_pages_count_as_data_when_the_process_is_unreadable),
		clone_test(data_of_files_and_buffers_is_found_without_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
